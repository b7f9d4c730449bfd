import AgentSimulation
import Agents
import TestScale
import Testing
import Workspaces

struct SimulationTests {
  private static let start = WallTime(milliseconds: 1_790_000_000_000)
  private static let minutes: Int64 = TestScale.sized(30, long: 60)

  /// Runs a simulation and compares what is shown with the truth at every scan.
  ///
  /// - Parameters:
  ///   - simulation: What happens.
  ///   - minutes: How long.
  ///   - slack: How long after a change the old state may be shown, in milliseconds.
  /// - Returns: What differs, and how many changes of truth there were.
  private func differences(
    _ simulation: AgentSimulation,
    minutes: Int64,
    slack: Int64
  ) -> (differences: [String], changes: Int, states: Set<Activity.State>) {
    var simulation = simulation
    var world = SimulatedWorld(simulation)
    var differences: [String] = []
    var changes = 0
    var states: Set<Activity.State> = []
    var act = simulation.next()
    var now = Self.start
    let end = Self.start.advanced(by: minutes * 60_000)
    while now < end {
      now = now.advanced(by: SimulatedWorld.tick)
      while let next = act, next.at <= now {
        if case .truth(let state, _) = next.kind {
          changes += 1
          states.insert(state)
        }
        world.happen(next)
        act = simulation.next()
      }
      let readings = world.scan(at: now)
      for agent in simulation.agents {
        guard let truth = world.truth[agent.number],
          now.milliseconds(since: truth.since) >= slack,
          let shown = readings[agent.worktree]?.activity,
          shown.state.rawValue != truth.state.rawValue
        else { continue }
        differences.append(
          "\(now.text) \(agent.dialect.rawValue) \(agent.worktree): \(shown.state.rawValue) by "
            + "\(shown.source), \(shown.reason ?? "-"); truth \(truth.state.rawValue), "
            + "\(truth.reason) since \(truth.since.text)"
        )
      }
    }
    return (differences, changes, states)
  }

  @Test(arguments: [1, 2] as [UInt64])
  func `ten agents: every state shown equals the truth within a second`(seed: UInt64) {
    let simulation = AgentSimulation(
      worktrees: (0..<10).map { "/work/tree-\($0)" },
      dialects: AgentDialect.allCases.filter(\.tellsEverything),
      seed: seed,
      startsAt: Self.start,
      minutes: Double(Self.minutes)
    )
    let result = differences(simulation, minutes: Self.minutes, slack: 1_000)
    let first = result.differences.prefix(5).joined(separator: "\n")
    let count = result.differences.count
    #expect(count == 0, "\(first)")
    #expect(result.changes > 8 * Int(Self.minutes))
    #expect(result.states == [.working, .needsYou, .idle, .doneUnseen, .ended])
  }

  @Test func `a simulation is the same for the same seed, and another for another`() {
    func acts(_ seed: UInt64) -> [SimulatedAct] {
      Array(
        AgentSimulation(
          worktrees: ["/a", "/b"],
          dialects: AgentDialect.allCases,
          seed: seed,
          startsAt: Self.start,
          minutes: 10
        )
      )
    }
    #expect(acts(7) == acts(7))
    #expect(acts(7) != acts(8))
    #expect(zip(acts(7), acts(7).dropFirst()).allSatisfy { $0.at <= $1.at })
  }
}
