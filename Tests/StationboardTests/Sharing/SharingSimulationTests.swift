import StationboardServer
import TestScale
import Testing

/// Servers that share realtime, simulated with everything that goes wrong.
struct SharingSimulationTests {
  @Test("No rule is broken in hours of kills, outages, partitions and pauses")
  func noRuleIsBroken() async {
    var (polls, answers, takeovers) = (0, 0, 0)
    for seed in 1...TestScale.sized(150, long: 20_000) {
      // Other tests need the threads.
      await Task.yield()
      let world = SharingWorld(seed: UInt64(seed))
      let violation = world.run()
      #expect(violation == nil, "seed \(seed)")
      if violation != nil { return }
      polls += world.polls
      answers += world.answers
      takeovers += world.takeovers
    }
    // What is checked happens.
    #expect(polls > 12_500 && answers > 100_000 && takeovers > 1_000)
  }

  @Test("Every mutant is found, by a rule that it breaks", arguments: SharingFault.all.map(\.name))
  func mutantsDie(name: String) async throws {
    let fault = try #require(SharingFault.all.first { $0.name == name })
    for seed in 1...300 {
      await Task.yield()
      guard let violation = SharingWorld(seed: UInt64(seed), fault: fault).run() else { continue }
      #expect(fault.breaks.contains(violation.rule), "\(violation)")
      return
    }
    Issue.record("\(name) lives")
  }

  @Test("Equal seeds give equal runs")
  func runsRepeat() {
    let worlds = (0..<2).map { _ in SharingWorld(seed: 7) }
    for world in worlds { _ = world.run() }
    #expect(worlds[0].polls == worlds[1].polls && worlds[0].answers == worlds[1].answers)
  }
}
