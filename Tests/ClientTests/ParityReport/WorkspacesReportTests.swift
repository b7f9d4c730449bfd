import Foundation
import ParityReport
import Testing

/// Seed 003's tables from recordings: honest ones pass, each fake fails for its reason.
@Suite("Reports on workspaces")
struct WorkspacesReportTests {
  private func expectOnly(
    _ gates: [String],
    _ scenario: WorkspaceScenario,
    says words: String
  ) throws {
    let report = try scenario.report()
    #expect(report.failed == gates, "\(WorkspacesText.text(report))")
    #expect(WorkspacesText.text(report).contains(words), "\(WorkspacesText.text(report))")
    let isPassed = report.isPassed
    #expect(!isPassed)
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func `An honest hour passes, and its tables are the seed's`(seed: UInt64) throws {
    let report = try WorkspaceScenario(seed: seed).report()
    let text = WorkspacesText.text(report)
    #expect(report.failed == [], "\(text)")
    #expect(text.hasSuffix("verdict: PASS\n"))
    #expect(report.rows.map(\.state) == [.active, .recent, .idle, .background])
    for row in report.rows {
      let rate = try #require(row.requestsPerHour)
      #expect(abs(rate / Double(row.state.requests) - 1) < 0.05)
    }
    #expect(report.wholeList == 20_000)
    #expect(report.delays.filter { $0.limit != nil }.map(\.times.count).min() ?? 0 >= 20)
    let json = try JSONSerialization.jsonObject(with: Data(WorkspacesText.json(report).utf8))
    #expect((json as? [String: Any])?["verdict"] as? String == "pass")
  }

  @Test func `A full answer every ten minutes is one in sixty`() throws {
    try expectOnly(
      ["unchanged_when_idle"],
      WorkspaceScenario(every: 60),
      says: "of the idle answers say \"not modified\""
    )
  }

  @Test func `Every answer brings the whole list`() throws {
    var scenario = WorkspaceScenario()
    for index in scenario.polled.indices {
      if scenario.polled[index]["event"] as? String == "wire" {
        scenario.polled[index].merge(["body": 20_000, "whole": true]) { $1 }
      }
      if scenario.polled[index]["outcome"] != nil {
        scenario.polled[index].merge(["bytes": 20_000, "status": 200, "outcome": "content"]) { $1 }
      }
    }
    try expectOnly(
      ["unchanged_when_idle", "bytes_saved", "active_bytes"],
      scenario,
      says: "MB in an hour while active"
    )
  }

  @Test func `Todos that come late`() throws {
    var scenario = WorkspaceScenario()
    for index in WorkspaceScenario.places(scenario.pushed, "event", "shown") {
      scenario.pushed[index]["at"] = (scenario.pushed[index]["at"] as? Int64 ?? 0) + 1_200
    }
    try expectOnly(["todos_pushed", "starts_stops_pushed"], scenario, says: "p95 is 1.")
  }

  @Test func `What was never shown counts`() throws {
    var scenario = WorkspaceScenario()
    for index in WorkspaceScenario.places(scenario.polled, "event", "shown") {
      scenario.polled[index]["state"] = "idle"
    }
    try expectOnly(["starts_stops_polled"], scenario, says: "p95 is")
  }

  @Test func `Shown before it came`() throws {
    var scenario = WorkspaceScenario()
    let places = WorkspaceScenario.places(scenario.polled, "event", "shown")
    scenario.polled[places[9]]["at"] = (scenario.polled[places[9]]["at"] as? Int64 ?? 0) + 4_000
    try expectOnly(["shown_was_received"], scenario, says: "of which nothing came")
  }

  @Test func `Bytes that were made smaller`() throws {
    var scenario = WorkspaceScenario()
    for index in WorkspaceScenario.places(scenario.polled, "event", "wire")
    where scenario.polled[index]["body"] as? Int64 ?? 0 > 0 {
      scenario.polled[index]["body"] = 10
    }
    let report = try scenario.report()
    #expect(report.failed.first == "wire_adds_up")
  }

  @Test func `A stream that fell silent`() throws {
    var scenario = WorkspaceScenario()
    let places = WorkspaceScenario.places(scenario.pushed, "event", "wire")
    for place in places[40..<60].reversed() { scenario.pushed.remove(at: place) }
    try expectOnly(["stream_lives"], scenario, says: "1 gap in the stream, up to 5 min")
  }

  @Test func `Requests that were left out`() throws {
    var scenario = WorkspaceScenario()
    var count = 0
    scenario.polled.removeAll { line in
      guard line["cadenceMs"] as? Int64 == 1_500 else { return false }
      count += 1
      return count % 2 == 0
    }
    let failed = try scenario.report().failed
    #expect(failed.contains("nothing_left_out"))
    #expect(failed.contains("requests_per_hour"))
  }

  @Test func `What no recording shows fails`() throws {
    var scenario = WorkspaceScenario()
    scenario.pushed.removeAll { $0["stream"] as? Bool == true }
    let report = try scenario.report()
    #expect(report.failed.contains("todos_pushed"))
    scenario = WorkspaceScenario()
    scenario.polled.removeAll { $0["cadenceMs"] as? Int64 == 30_000 }
    try expectOnly(["requests_per_hour"], scenario, says: "background: 0 ms show no rate")
  }

  @Test func `Seconds show no rate, and a delta is not a whole list`() throws {
    var scenario = WorkspaceScenario()
    let begin = try #require(scenario.pushed[0]["startedAt"] as? Int64)
    scenario.polled.removeAll { ($0["endedAt"] ?? $0["at"]) as? Int64 ?? 0 > begin + 60_000 }
    scenario.pushed.removeAll { ($0["endedAt"] ?? $0["at"]) as? Int64 ?? 0 > begin + 60_000 }
    var text = WorkspacesText.text(try scenario.report())
    #expect(text.contains("a whole list is 20.0 kB"), "\(text)")
    #expect(text.contains("which shows no rate; 2 min"), "\(text)")
    #expect(!text.contains(" in an hour, measured for"), "\(text)")
    let rows = try scenario.report().rows
    #expect(rows.contains { $0.time > 0 } && rows.allSatisfy { $0.requestsPerHour == nil })
    // A client whose list came over the stream asks for what changed since, and gets little.
    for index in WorkspaceScenario.places(scenario.polled, "event", "wire") {
      scenario.polled[index]["whole"] = false
    }
    for index in WorkspaceScenario.places(scenario.pushed, "event", "wire") {
      scenario.pushed[index]["whole"] = nil
    }
    let report = try scenario.report()
    text = WorkspacesText.text(report)
    #expect(text.contains("no whole list was asked for"), "\(text)")
    #expect(report.wholeList == 0 && report.rows.allSatisfy { $0.wholeBytes == 0 })
  }

  @Test func `A truth that cannot be read`() throws {
    var scenario = WorkspaceScenario()
    scenario.truth[3]["written"] = "yesterday"
    try expectOnly(["truth_readable"], scenario, says: "\"written\" is not an instant")
  }

  @Test func `Lines that are none are located`() throws {
    var scenario = WorkspaceScenario()
    let places = WorkspaceScenario.places(scenario.polled, "event", "wire")
    for place in places { scenario.polled[place]["head"] = "large" }
    let text = WorkspacesText.text(try scenario.report())
    #expect(text.contains("line 2, the member \"head\" is missing, or of another kind"))
  }
}
