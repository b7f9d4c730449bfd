import Freshness
import Hashing

/// The benefit of knowing the producer's rhythm (R31).
struct RhythmMeasure: Sendable {
  /// From publication to screen, over all publications after the fifth poll.
  var added: Figures
  /// Requests per hour, in tenths: the mean of all runs.
  var requests: Int64
  /// The number of polls until every later publication is on screen within 2.5 s: the maximum of
  /// all runs; `nil` if that never happens.
  var learnedAfter: Int64?

  /// The default period of the producer in milliseconds.
  static let period: Int64 = 15_000

  /// Measures a policy against producers of all phases.
  ///
  /// - Parameters:
  ///   - policy: The constants; without an alignment it polls blindly.
  ///   - speech: What the server says about its rhythm.
  ///   - period: The time between two publications in milliseconds.
  ///   - runs: The number of runs of an hour, each with its own phase.
  ///   - seed: The seed, which determines everything.
  init(
    _ policy: Policy,
    _ speech: CleanHost.Speech,
    every period: Int64 = RhythmMeasure.period,
    runs: Int64,
    seed: UInt64
  ) {
    let hour: Int64 = 3_600_000
    var delays: [Int64] = []
    var count: Int64 = 0
    var polls: Int64? = 0
    for run in 0..<runs {
      var random = SplitMix64(seed: seed &+ UInt64(run))
      // Phases in equal steps, so that few runs cover all.
      let phase = (run * period + random.below(period)) / runs % period
      let publications = Publications(every: period, phase: phase, until: hour + 120_000)
      var host = CleanHost(policy, publications: publications, seed: random.next())
      host.roundTrip = 150
      host.speech = speech
      host.send(.started)
      host.run(until: hour + 60_000)
      count += Int64(host.requests.filter { $0 < hour }.count)
      let start = host.requests.count > 4 ? host.requests[4] : 0
      delays += host.delays(from: start, until: hour)
      polls = Self.later(polls, host.pollsUntilInStep(until: hour))
    }
    learnedAfter = polls
    added = Figures(delays)
    requests = runs == 0 ? 0 : count * 10 / runs
  }

  private static func later(_ first: Int64?, _ second: Int64?) -> Int64? {
    guard let first, let second else { return nil }
    return max(first, second)
  }
}
