import ParityReport
import Testing

@Suite("Reports on hostile input")
struct InputTests {
  private let good =
    #"{"resource":"GET a","startedAt":1000,"endedAt":1010,"durationMs":10,"status":200,"outcome":"content"}"#

  @Test(
    arguments: [
      ("{", "a member's name"), ("[]", "no object begins"), ("nonsense", "no object begins"),
      (#"{"startedAt":1}"#, "\"endedAt\" is missing"),
      (#"{"startedAt":"x","endedAt":1}"#, "a number is expected"),
      (#"{"startedAt":1,"endedAt":1e99,"outcome":"content"}"#, "larger than"),
      (#"{"startedAt":1,"endedAt":NaN,"outcome":"content"}"#, "a value is expected"),
      (#"{"startedAt":1,"endedAt":2,"outcome":"fine"}"#, "is not an outcome"),
      (#"{"startedAt":1,"startedAt":2}"#, "given twice"),
      (#"{"startedAt":1,"endedAt":2,"outcome":"content"} x"#, "text follows"),
      (#"{"a":[[[[[[[[[[1]]]]]]]]]]}"#, "nested deeper"),
      (#"{"a":"\ud800"}"#, "surrogates"), (#"{"a":"b"#, "does not end"),
      (#"{"startedAt":1,"endedAt":2,"outcome":"content","digest":"xyz"}"#, "is not a hash"),
    ]
  )
  func `A broken line is counted, located and explained`(line: String, problem: String) {
    let text = "\(good)\n\(line)\n\n\(good)\n"
    let recording = Recording(name: "x", text.utf8)
    #expect(recording.samples.map(\.line) == [1, 4])
    #expect(recording.broken == 1 && recording.lines == 3)
    #expect(recording.firstBroken.first?.line == 2)
    #expect(
      recording.firstBroken.first?.problem.contains(problem) == true,
      "\(recording.firstBroken)"
    )
    #expect(ClientReport(recording).gates.contains { $0.id == "readable" && !$0.isPassed })
  }

  @Test
  func `Every split of the bytes reads the same`() {
    let bytes = Array("\(good)\r\n{\"broken\n\(good)\n{\"event\":\"changed\"}\n\(good)".utf8)
    let whole = Recording(name: "x", bytes)
    #expect(whole.samples.count == 3 && whole.broken == 1 && whole.otherLines == 1)
    for cut in 0...bytes.count {
      var recording = Recording(name: "x")
      for part in [bytes[..<cut], bytes[cut...]] {
        Array(part).withUnsafeBytes { recording.read($0) }
      }
      recording.finish()
      #expect(recording.samples == whole.samples && recording.firstBroken == whole.firstBroken)
    }
  }

  @Test
  func `A torn last line is told, and no reason to fail`() {
    let recording = Recording(name: "x", "\(good)\n\(good.dropLast(20))".utf8)
    #expect(recording.isTorn && recording.broken == 0 && recording.samples.count == 1)
    #expect(ClientReport(recording).gates.contains { $0.id == "readable" && $0.isPassed })
  }

  @Test
  func `A line without an end costs no memory and is one broken line`() {
    var recording = Recording(name: "x")
    let block = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
    for _ in 0..<8 { block.withUnsafeBytes { recording.read($0) } }
    Array("\n\(good)\n".utf8).withUnsafeBytes { recording.read($0) }
    recording.finish()
    #expect(recording.broken == 1 && recording.samples.map(\.line) == [2])
    #expect(recording.firstBroken[0].problem.contains("longer than"))
  }

  @Test
  func `More samples than are judged are told of`() {
    var recording = Recording(name: "x", mostSamples: 1_500)
    let block = Array(String(repeating: "\(good)\n", count: 1_000).utf8)
    for _ in 0..<3 { block.withUnsafeBytes { recording.read($0) } }
    recording.finish()
    #expect(recording.samples.count == 1_500 && recording.leftOut == 1_500)
    #expect(ClientReport(recording).gates.contains { $0.id == "readable" && !$0.isPassed })
  }

  @Test
  func `Numbers at the edges of what is read do not trap`() {
    func line(_ a: Int64, _ b: Int64) -> String {
      let most = max(a, b)
      return #"{"startedAt":\#(a),"endedAt":\#(b),"durationMs":\#(a),"status":\#(most),"#
        + #""outcome":"content","serverTime":\#(b),"rtFetchedAt":\#(a),"rtCacheAgeMs":\#(b),"#
        + #""ageMs":\#(a),"bytes":\#(most),"generation":\#(b),"cadenceMs":\#(most),"#
        + #""rtStatus":"applied"}"#
    }
    let edge: Int64 = 1 << 53
    for (a, b) in [(edge, -edge), (-edge, edge)] {
      let text = [line(a, b), line(b, a), line(a, b), line(b, a), ""].joined(separator: "\n")
      let report = ClientReport(Recording(name: "x", text.utf8))
      #expect(report.recording.samples.count == 4 && !report.isPassed)
      let table = MechanismTable(vectors: [], proofs: [])
      let parity = ParityReport(report, report, mechanisms: table)
      #expect(!ReportText.text(parity).isEmpty && !ReportPage.page(parity).isEmpty)
      #expect(!ReportJSON.text(parity).isEmpty)
    }
  }

  @Test
  func `What a file says steers no terminal and no page`() {
    let line =
      #"{"resource":"<script>","startedAt":1,"endedAt":2,"outcome":"content","rtStatus":"<b>\u001b[31m&","responseMode":"\u202eevil"}"#
    let report = ClientReport(Recording(name: "<img>\u{1B}.jsonl", "\(line)\n{\"<i>\n".utf8))
    let page = ReportPage.page(report)
    for text in ["<script", "<b>", "<img", "<i>", "\u{1B}", "\u{202E}"] {
      #expect(!page.contains(text), "\(text)")
    }
    #expect(!ReportText.text(report).contains("\u{1B}"))
    #expect(!ReportText.text(report).contains("\u{202E}"))
  }

  @Test
  func `No samples give no report`() {
    #expect(!ClientReport(Recording(name: "x", [])).isUsable)
    #expect(!ClientReport(Recording(name: "x", [])).isPassed)
  }
}
