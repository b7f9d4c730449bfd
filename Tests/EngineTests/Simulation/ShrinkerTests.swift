import Foundation
import Freshness
import FreshnessTesting
import Simulation
import Testing

@Suite("Shrunk traces")
struct ShrinkerTests {
  private static func broken(
    _ name: String,
    seed: UInt64,
    _ change: @escaping @Sendable (inout Policy) -> Void
  ) throws -> ViolationReport {
    let preset = try SimulatorTests.preset(name)
    let report = Simulator.run(preset, events: 200_000, seed: seed) { policy, context in
      var kept = policy
      change(&kept)
      return BrokenFreshness(policy: kept, context: context)
    }
    return try #require(report.violation)
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `A missing retry shrinks to a request and its failure`(seed: UInt64) throws {
    let report = try Self.broken("departuresWeb", seed: seed) { $0.retryDelay = nil }
    #expect(report.violation.rule == .silentRetry)
    #expect(report.steps.count <= 6 && !report.steps.isEmpty, "\(report.steps)")
    #expect(report.recordedSteps >= report.steps.count)
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func `Missing downgrade protection shrinks to a better and a worse board`(seed: UInt64) throws {
    let report = try Self.broken("departuresNative", seed: seed) { $0.downgradeProtection = nil }
    #expect(report.violation.rule == .downgradeProtection)
    #expect(report.steps.count <= 6, "\(report.steps)")
  }

  @Test
  func `A violation says the same in text and as a vector that the conformance runner reads`()
    throws
  {
    let report = try Self.broken("workspaces", seed: 4) { $0.ladder.removeFirst() }
    let file = "{\"vectors\": [\(report.vector)]}"
    let vectors = try ConformanceVector.decode(Array(file.utf8), file: "simulated.json")
    let vector = try #require(vectors.first)
    #expect(vectors.count == 1 && vector.steps.count == report.steps.count)
    #expect(vector.covers == [report.violation.rule.name] && vector.says == report.violation.reason)
    for (step, line) in zip(vector.steps, report.steps) {
      #expect(line.contains(" \(step.name)") && line.contains("\(step.instant.milliseconds) ms"))
    }
  }

  @Test
  func `A broken rule is told with seed, episode and steps, and is not a success`() throws {
    let preset = try SimulatorTests.preset("jobs")
    let report = Simulator.run(preset, events: 200_000, seed: 9) {
      BrokenFreshness(policy: $0, context: $1, isDeaf: { $0 == .evicted })
    }
    let violation = try #require(report.violation)
    let summary = SimulationSummary(runs: [report])
    #expect(!summary.isWell)
    #expect(violation.violation.rule == .validators && violation.seed == 9)
    #expect(summary.text.contains("seed 9, episode \(violation.episode): R19 is broken"))
    #expect(summary.text.contains("evicted"))
    let json = try JSONSerialization.jsonObject(with: Data(summary.json.utf8)) as? [String: Any]
    #expect(json?["isWell"] as? Bool == false)
    let run = (json?["runs"] as? [[String: Any]])?.first
    #expect((run?["violation"] as? [String: Any])?["rule"] as? String == "R19")
  }
}
