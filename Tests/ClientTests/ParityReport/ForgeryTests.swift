import ConditionalHTTP
import Freshness
import ParityReport
import Testing

@Suite("Reports on forgeries")
struct ForgeryTests {
  private static let terms = ReportTerms(
    cadences: [15_000, 20_000],
    preset: "departuresWeb or departuresNative"
  )

  private func key(_ text: String = "the secret of the server") throws -> ReceiptKey {
    try #require(ReceiptKey(text.utf8))
  }

  private func pair(seed: UInt64 = 5) throws -> (EditedRecording, EditedRecording) {
    (
      try .honest(.departuresWeb, kind: .page, seed: seed, start: 5_037),
      try .honest(.departuresNative, kind: .program, seed: seed &+ 100, start: 9_871)
    )
  }

  private func report(
    _ pair: (EditedRecording, EditedRecording),
    key: ReceiptKey?
  ) throws -> ParityReport {
    ParityReport(
      try pair.0.report("web.jsonl", key: key, terms: Self.terms),
      try pair.1.report("native.jsonl", key: key, terms: Self.terms),
      mechanisms: try ProvedMechanisms.table()
    )
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `Honest recordings pass, with receipts and without`(seed: UInt64) throws {
    let pair = try pair(seed: seed)
    for key in [try key(), nil] {
      let report = try report(pair, key: key)
      #expect(report.failed == [], "\(ReportText.text(report))")
      #expect(report.untold.isEmpty == (key != nil))
    }
    #expect(
      Set(try report(pair, key: try key("another server's secret")).failed).contains("receipts")
    )
  }

  @Test
  func `There are twenty-three`() {
    #expect(Forgery.all.count == 23)
    #expect(Forgery.all.count { !$0.isSeen } == 6)
  }

  @Test(arguments: Forgery.all)
  func `With receipts every forgery fails; without, the command says what it cannot tell`(
    forgery: Forgery
  ) throws {
    var (first, second) = try pair()
    try forgery.forge(&first, &second)
    let verified = try report((first, second), key: try key())
    #expect(!verified.isPassed, "\(ReportText.text(verified))")
    let believed = try report((first, second), key: nil)
    #expect(believed.isPassed != forgery.isSeen, "\(ReportText.text(believed))")
    guard !forgery.isSeen else { return }
    #expect(
      !Set(verified.failed).isDisjoint(with: ["receipts", "page_and_program", "ages_add_up"])
    )
    let text = ReportText.text(believed)
    #expect(text.contains("cannot be told without receipts:\n  whether one recording"))
    #expect(ReportJSON.text(believed).contains("\"cannotBeTold\":[\"whether"))
    #expect(ReportPage.page(believed).contains("Cannot be told without receipts"))
  }

  @Test
  func `A receipt says which of its answer was changed`() throws {
    func failed(_ edit: (inout EditedRecording) -> Void) throws -> [String] {
      var (first, second) = try pair()
      edit(&first)
      let report = try report((first, second), key: try key())
      second.lines = []
      return report.clients[0].gate("receipts")?.findings.map(\.says) ?? []
    }
    #expect(try failed { _ in } == [])
    let removed = try failed { $0.lines[3]["receipt"] = nil }
    #expect(removed.contains { $0.contains("1 answer have no receipt") })
    let edited = try failed { $0.lines[3]["rtStatus"] = "partial" }
    #expect(edited.first?.contains("the receipt of line 4 is not of this answer") == true)
    let later = try failed { $0.shift(["serverTime", "rtFetchedAt"], by: 5_000) { $0 == 3 } }
    #expect(later.first?.contains("has another server time") == true)
    let fresher = try failed {
      $0.lines[3]["rtFetchedAt"] = $0.number("rtFetchedAt", 3) + 4_000
    }
    #expect(fresher.first?.contains("has another source time") == true)
    let cut = try failed { $0.lines.remove(at: 5) }
    #expect(cut.first?.contains("1 answer do not follow the one before") == true)
    let moved = try failed { $0.shift(["startedAt", "endedAt"], by: 2_500) { $0 == 7 } }
    #expect(moved.first?.contains("started at another time than the server saw") == true)
    // A ring that dropped the beginning is not a forgery.
    #expect(try failed { $0.lines.removeFirst(4) } == [])
  }

  @Test
  func `A Date that is a second later than the age makes no age false, an edited age is one`()
    throws
  {
    var (first, second) = try pair()
    let unchanged = first.lines.indices.filter {
      first.lines[$0]["outcome"] as? String == "unchanged"
    }
    try #require(!unchanged.isEmpty)
    // The server took its time between both, and a second began meanwhile.
    for index in unchanged {
      first.lines[index]["serverTime"] = first.number("serverTime", index) + 1_000
    }
    let late = try report((first, second), key: try key())
    #expect(late.failed == [], "\(ReportText.text(late))")
    second.lines[unchanged[0]]["rtCacheAgeMs"] = second.number("rtCacheAgeMs", unchanged[0]) - 6
    #expect(try report((first, second), key: try key()).failed == ["ages_add_up"])
  }

  @Test
  func `Two clients that do not ask alike fail by the gap of their mean intervals`() throws {
    var (first, second) = try pair()
    // Every second request of the page is left out, as if it had asked every half minute.
    first.lines = first.lines.indices.filter { $0 % 2 == 0 }.map { first.lines[$0] }
    for index in first.lines.indices { first.lines[index]["generation"] = Int64(index + 1) }
    let report = try report((first, second), key: nil)
    #expect(report.failed == ["intervals_alike"], "\(ReportText.text(report))")
    second.lines = []
  }
}
