import Freshness
import Hashing

/// The benefit and cost of following the producer in one world, compared with blind polling (R31).
struct WorldMeasure: Sendable {
  /// The result of one way of polling.
  struct Result: Sendable {
    /// From source time to screen, over all publications after the fifth poll.
    var added: Figures
    /// Requests per hour, in tenths: the mean of all runs.
    var requests: Int64
  }

  var world: ProducerWorld
  var blind: Result
  var learned: Result
  var stated: Result

  /// How much worse than blind polling an age may be, in percent, including the noise of the
  /// measure.
  static let mostPercent: Int64 = 105

  /// Measures a policy in one world.
  ///
  /// - Parameters:
  ///   - world: The world.
  ///   - policy: The constants.
  ///   - runs: The number of runs of an hour at a period of 15 s; slower producers run more often.
  ///   - seed: The seed, which determines everything.
  init(_ world: ProducerWorld, _ policy: Policy, runs: Int64, seed: UInt64) {
    self.init(world, policy, runs: runs, seed: seed) { RecordedFreshness(policy: $0, context: $1) }
  }

  /// Measures any machine; blind polling is always that of the real one.
  init<M: Machine>(
    _ world: ProducerWorld,
    _ policy: Policy,
    runs: Int64,
    seed: UInt64,
    machine: (Policy, Context) -> M
  ) {
    self.world = world
    let count = max(runs * world.period / 15_000, runs)
    var unaligned = policy
    unaligned.alignment = nil
    let context = Context(question: 1)
    blind = Self.result(world, count, seed, states: false) {
      RecordedFreshness(policy: unaligned, context: context)
    }
    learned = Self.result(world, count, seed, states: false) { machine(policy, context) }
    stated = Self.result(world, count, seed, states: true) { machine(policy, context) }
  }

  private static func result<M: Machine>(
    _ world: ProducerWorld,
    _ runs: Int64,
    _ seed: UInt64,
    states: Bool,
    machine: () -> M
  ) -> Result {
    let hour: Int64 = 3_600_000
    var delays: [Int64] = []
    var requests: Int64 = 0
    // No two seeds share a run.
    var seeds = SplitMix64(seed: seed)
    for run in 0..<runs {
      var host = WorldHost(
        machine(),
        world,
        states: states,
        phase: (2 * run + 1) * 500 / runs,
        until: hour + 200_000,
        seed: seeds.next()
      )
      host.run(until: hour + 100_000)
      requests += Int64(host.requests.count { $0 < hour })
      delays += host.delays(from: host.requests.count > 4 ? host.requests[4] : 0, until: hour)
    }
    return Result(added: Figures(delays), requests: requests * 10 / max(runs, 1))
  }

  // MARK: The goal

  /// Returns the figures of both ways in permille of those of blind polling.
  private func shares(_ figure: (Result) -> Int64) -> [Int64] {
    [learned, stated].map { figure($0) * 1_000 / max(figure(blind), 1) }
  }

  /// The mean of the added age, in permille of that of blind polling: the worse of both ways.
  var mean: Int64 { shares { $0.added.mean }.max() ?? 0 }
  /// Its p95, likewise.
  var p95: Int64 { shares { $0.added.percentile(95) }.max() ?? 0 }
  /// Whether the goal is met here.
  var isKept: Bool {
    mean <= Self.mostPercent * 10 && p95 <= Self.mostPercent * 10 && load <= Self.mostLoad
  }
  /// The maximum number of requests in permille of those of blind polling, including the advance of
  /// an hour.
  static let mostLoad: Int64 = 1_010

  /// The requests, likewise.
  var load: Int64 { shares(\.requests).max() ?? 0 }
}
