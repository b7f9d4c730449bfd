import Jobs
import TestScale
import Testing

/// Workers that share jobs, simulated with everything that goes wrong.
@Suite struct `Workers that share jobs, simulated` {
  @Test func `break no rule in hours of kills, outages, partitions, pauses and wrong clocks`() async
  {
    var (steps, takeovers, readings, connections) = (0, 0, 0, 0)
    var ends = (succeeded: 0, failed: 0, canceled: 0)
    for seed in 1...TestScale.sized(40, long: 10_000) {
      // Other tests need the threads.
      await Task.yield()
      let world = JobWorld(seed: UInt64(seed))
      let violation = world.run()
      #expect(violation == nil, "seed \(seed)")
      if violation != nil { return }
      steps += world.steps
      takeovers += world.takeovers
      readings += world.readings
      connections += world.connections
      ends.succeeded += world.ends[.succeeded] ?? 0
      ends.failed += world.ends[.failed] ?? 0
      ends.canceled += world.ends[.canceled] ?? 0
    }
    // What is checked happens.
    #expect(steps > 3_000 && takeovers > 120 && readings > 5_000 && connections > 1_200)
    #expect(ends.succeeded > 350 && ends.failed > 15 && ends.canceled > 40)
  }

  @Test(arguments: JobFault.all.map(\.name))
  func `are found when they break one`(name: String) async throws {
    let fault = try #require(JobFault.all.first { $0.name == name })
    for seed in 1...300 {
      await Task.yield()
      guard let violation = JobWorld(seed: UInt64(seed), fault: fault).run() else { continue }
      #expect(fault.breaks.contains(violation.rule), "\(violation)")
      return
    }
    Issue.record("\(name) lives")
  }

  @Test func `run equally from equal seeds`() {
    let worlds = (0..<2).map { _ in JobWorld(seed: 7) }
    for world in worlds { _ = world.run() }
    #expect(worlds[0].steps == worlds[1].steps && worlds[0].readings == worlds[1].readings)
    #expect(worlds[0].takeovers == worlds[1].takeovers)
  }
}
