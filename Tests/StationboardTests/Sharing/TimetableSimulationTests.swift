import StationboardServer
import TestScale
import Testing

/// Servers that share timetables, simulated with everything that goes wrong.
struct TimetableSimulationTests {
  @Test(
    "No rule is broken in hours of imports, kills, outages, partitions, full disks, damage and restored backups"
  )
  func noRuleIsBroken() async {
    var (commits, fetches, kills, restores, requests) = (0, 0, 0, 0, 0)
    for seed in 1...TestScale.sized(40, long: 10_000) {
      // Other tests need the threads.
      await Task.yield()
      let world = TimetableWorld(seed: UInt64(seed))
      let violation = world.run()
      #expect(violation == nil, "seed \(seed)")
      if violation != nil { return }
      commits += world.commits
      fetches += world.fetches
      kills += world.kills
      restores += world.restores
      requests += world.requests
    }
    // What is checked happens.
    #expect(commits > 250 && fetches > 500 && kills > 100 && restores > 10)
    #expect(requests > 125)
  }

  @Test(
    "Every mutant is found, by a rule that it breaks",
    arguments: TimetableFault.all.map(\.name)
  )
  func mutantsDie(name: String) async throws {
    let fault = try #require(TimetableFault.all.first { $0.name == name })
    for seed in 1...300 {
      await Task.yield()
      guard let violation = TimetableWorld(seed: UInt64(seed), fault: fault).run() else { continue }
      #expect(fault.breaks.contains(violation.rule), "\(violation)")
      return
    }
    Issue.record("\(name) lives")
  }

  @Test("Equal seeds give equal runs")
  func runsRepeat() {
    let worlds = (0..<2).map { _ in TimetableWorld(seed: 7) }
    for world in worlds { _ = world.run() }
    #expect(worlds[0].commits == worlds[1].commits && worlds[0].fetches == worlds[1].fetches)
  }
}
