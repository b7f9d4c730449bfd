import Foundation
import Freshness
import Simulation
import Testing

@Suite("Measures")
struct MeasureTests {
  private static let report = MeasureReport(NamedPolicy.presets, scale: .small, seed: 1)

  @Test
  func `Every goal is met`() {
    for goal in Self.report.goals {
      #expect(goal.isMet, "\(goal.subject): \(goal.name) is \(goal.value)")
    }
    #expect(Self.report.goals.count > 25)
  }

  @Test
  func `Requests an hour are those of seed 003`() throws {
    let goals = Self.report.goals.filter { $0.name.hasPrefix("requests an hour, ") }
    let named = Dictionary(
      uniqueKeysWithValues: goals.filter { $0.subject == "workspaces" }.map {
        ($0.name, Double($0.value) / 10)
      }
    )
    for (state, count) in [
      ("active", 2_400.0), ("recent", 1_200), ("idle", 360), ("background", 120),
    ] {
      let measured = try #require(named["requests an hour, \(state)"])
      #expect(abs(measured - count) <= count * 0.02)
    }
  }

  @Test
  func `A policy that wastes requests misses its goals`() throws {
    var hasty = try SimulatorTests.preset("workspaces")
    hasty.policy.active = .milliseconds(1_400)
    hasty.policy.ladder = [.seconds(2)]
    let report = MeasureReport([hasty], scale: .small, seed: 1)
    #expect(!report.isMet)
    let missed = report.goals.filter { !$0.isMet }.map(\.name)
    #expect(missed.contains("requests an hour, active"))
    #expect(missed.contains("requests in an hour of outage"))
    #expect(!SimulationSummary(runs: [], measures: report).isWell)
  }

  @Test
  func `A policy without alignment does not meet the goals of a known rhythm`() throws {
    var blind = try SimulatorTests.preset("departuresWeb")
    blind.policy.alignment?.delay = .seconds(7)
    let missed = MeasureReport([blind], scale: .small, seed: 1).goals.filter { !$0.isMet }
    #expect(missed.contains { $0.name == "added age, stated" })
  }

  @Test
  func `The report is JSON that says what the text says`() throws {
    let summary = SimulationSummary(runs: [], measures: Self.report)
    let json = try JSONSerialization.jsonObject(with: Data(summary.json.utf8)) as? [String: Any]
    let measures = try #require(json?["measures"] as? [String: Any])
    let goals = try #require(measures["goals"] as? [[String: Any]])
    #expect(goals.count == Self.report.goals.count)
    #expect((measures["policies"] as? [Any])?.count == 5)
    for goal in goals {
      let name = try #require(goal["name"] as? String)
      #expect(summary.text.contains(name))
    }
    #expect(json?["isWell"] as? Bool == Self.report.isMet)
  }
}
