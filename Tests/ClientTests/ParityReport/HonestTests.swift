import Freshness
import ParityReport
import Testing

@Suite("Reports on honest clients")
struct HonestTests {
  static let policies: [(String, Policy)] = [
    ("web", .departuresWeb), ("native", .departuresNative), ("web 5 s", .departuresWeb5s),
  ]

  static func report(_ lines: [String], _ name: String = "a.jsonl") -> ClientReport {
    ClientReport(Recording(name: name, lines.map { $0 + "\n" }.joined().utf8))
  }

  @Test(arguments: 0..<3, 1...20 as ClosedRange<UInt64>)
  func `A recording of the engine passes every gate`(policy: Int, seed: UInt64) {
    var server = SimulatedServer(seed: seed)
    let lines = SimulatedClient.record(Self.policies[policy].1, &server, seed: seed)
    let report = Self.report(lines)
    #expect(report.failed == [], "\(Self.policies[policy].0): \(ReportText.text(report))")
    #expect(report.recording.samples.count == lines.count && lines.count >= 18)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `Two engines at one server pass, whatever their presets`(seed: UInt64) throws {
    let table = try ProvedMechanisms.table()
    for (left, right) in [(0, 1), (0, 0), (1, 1), (1, 2)] {
      var server = SimulatedServer(seed: seed)
      let first = SimulatedClient.record(Self.policies[left].1, &server, seed: seed &* 31)
      let second = SimulatedClient.record(
        Self.policies[right].1,
        &server,
        seed: seed &* 31 &+ 1,
        start: 9_871
      )
      let report = ParityReport(
        Self.report(first),
        Self.report(second, "b.jsonl"),
        mechanisms: table
      )
      #expect(report.failed == [], "\(ReportText.text(report))")
      #expect(report.isPassed)
    }
  }

  @Test
  func `Failures and the ladder after them are not a reason to fail`() {
    for seed in 1...20 as ClosedRange<UInt64> {
      var server = SimulatedServer(seed: seed)
      server.failurePercent = 6
      let lines = SimulatedClient.record(.departuresWeb, &server, seed: seed, length: 1_800_000)
      let report = Self.report(lines)
      #expect(report.failed == [])
      #expect(report.intervals.contains { $0.kind == .afterFailure })
    }
  }

  @Test
  func `The age on screen is the mean of the sawtooth`() {
    // Ages of 5 s at 0 s and 10 s at 20 s: from 5 to 25 s, then from 10 to 20 s.
    let lines = [(0, 5_000), (20_000, 10_000), (30_000, 3_000)].map { at, age in
      "{\"outcome\":\"content\",\"status\":200,\"startedAt\":\(at),\"endedAt\":\(at),\"ageMs\":\(age)}"
    }
    let age = Self.report(lines).ageOnScreen
    #expect(age?.greatest == 25_000)
    #expect(age.map { abs($0.mean - (20 * 15 + 10 * 15) / 30 * 1_000) < 0.001 } == true)
  }
}
