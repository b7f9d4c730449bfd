import Simulation
import Testing

@Suite("Worlds of R31")
struct WorldTests {
  @Test(arguments: FitnessMutant.all.indices)
  func `A machine that keeps the rules and shows data late is told by its measure`(
    number: Int
  ) {
    let mutant = FitnessMutant.all[number]
    #expect(mutant.isKilled(runs: 2, seed: 1), "\(mutant.name)")
  }

  @Test
  func `R31: in some worlds of each kind, data is never later than by blind polling`() throws {
    let web = try SimulatorTests.preset("departuresWeb")
    let scale = MeasureScale(hours: 0, trials: 0, runs: 1, clients: 1, worlds: 1, steps: 1)
    let report = MeasureReport([web], scale: scale, seed: 1, worlds: ["clean", "slow link"])
    let goals = report.goals.filter { $0.name.hasPrefix("added age against blind") }
    #expect(goals.count == 1)
    for goal in goals { #expect(goal.isMet, "\(goal.name) is \(goal.value)") }
  }
}
