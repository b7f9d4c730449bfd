import Freshness
import Simulation
import TestScale
import Testing

@Suite("Simulator")
struct SimulatorTests {
  static let presets = NamedPolicy.presets.map(\.name)

  static func preset(_ name: String) throws -> NamedPolicy {
    try #require(NamedPolicy.presets.first { $0.name == name })
  }

  @Test(arguments: presets, [UInt64(1), 2])
  func `R1 to R35: long random histories of every preset break no rule`(
    name: String,
    seed: UInt64
  ) throws {
    let events = TestScale.sized(10_000, long: 100_000)
    let report = Simulator.run(try Self.preset(name), events: events, seed: seed)
    let violation = report.violation
    #expect(violation == nil, "\(violation?.violation.reason ?? "") \(violation?.steps ?? [])")
    // An episode may end with a day of waiting after a 410.
    #expect(report.events >= events && report.requests > events / 25)
  }

  @Test
  func `Equal seeds give equal output, and other seeds other output`() throws {
    let preset = try Self.preset("workspaces")
    func json(_ seed: UInt64) -> String {
      let runs = [Simulator.run(preset, events: 9_000, seed: seed)]
      let mutants = [MutantRun.one(0, seed: seed)]
      return SimulationSummary(runs: runs, mutants: mutants).json
    }
    #expect(json(5) == json(5))
    #expect(json(5) != json(6))
  }
}
