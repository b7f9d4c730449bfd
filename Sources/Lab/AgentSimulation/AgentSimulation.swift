package import Agents

/// Several agents at once: one sequence of acts in order of time, from one seed.
package struct AgentSimulation: Sendable, Sequence, IteratorProtocol {
  /// The agents.
  package private(set) var agents: [SimulatedAgent]

  private let end: WallTime
  private var ahead: [[SimulatedAct]]

  /// Creates a simulation.
  ///
  /// - Parameters:
  ///   - worktrees: The worktrees of the agents; the n-th agent works in the n-th, and again from
  ///     the first if there are more agents.
  ///   - dialects: The kinds of the agents, in order.
  ///   - count: The number of agents; `nil` for one in each worktree.
  ///   - seed: The seed, which determines everything.
  ///   - startsAt: The first instant.
  ///   - minutes: The duration, in the time of agents.
  ///   - pace: How many times faster than real ones agents run.
  ///   - habits: The frequencies of events.
  package init(
    worktrees: [String],
    dialects: [AgentDialect],
    count: Int? = nil,
    seed: UInt64,
    startsAt: WallTime,
    minutes: Double,
    pace: Double = 1,
    habits: SimulatedAgent.Habits = SimulatedAgent.Habits()
  ) {
    let count = worktrees.isEmpty || dialects.isEmpty ? 0 : count ?? worktrees.count
    agents = (0..<count).map { number in
      SimulatedAgent(
        number: number,
        worktree: worktrees[number % worktrees.count],
        dialect: dialects[number % dialects.count],
        seed: seed,
        startsAt: startsAt,
        pace: pace,
        habits: habits
      )
    }
    ahead = agents.map { _ in [] }
    end = startsAt.advanced(by: Int64(minutes * 60_000 / pace))
  }

  /// Returns the next act, or `nil` when the time is over.
  package mutating func next() -> SimulatedAct? {
    for index in agents.indices where ahead[index].isEmpty {
      ahead[index] = agents[index].next().reversed()
    }
    let next = ahead.indices.min { one, other in
      (ahead[one].last?.at ?? end, one) < (ahead[other].last?.at ?? end, other)
    }
    guard let next, let act = ahead[next].last, act.at < end else { return nil }
    ahead[next].removeLast()
    return act
  }
}
