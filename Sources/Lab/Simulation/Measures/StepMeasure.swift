import Freshness
import Hashing

/// The number of polls until synchronized with a regular producer (R31).
struct StepMeasure: Sendable {
  /// The polls of every run, in order; runs that never synchronize count all their polls.
  private let polls: Figures

  /// Measures a policy against producers of all phases.
  ///
  /// A client is synchronized when from then on every publication is on screen within 2.5 s.
  ///
  /// - Parameters:
  ///   - policy: The constants.
  ///   - period: The time between two publications, in milliseconds.
  ///   - seeds: The number of runs of 20 minutes for each phase.
  ///   - phases: The number of phases, in equal steps.
  ///   - seed: The seed, which determines everything.
  init(_ policy: Policy, every period: Int64, seeds: Int64, phases: Int64, seed: UInt64) {
    let end: Int64 = 1_200_000
    var counts: [Int64] = []
    for run in 0..<seeds {
      for phase in 0..<phases {
        var random = SplitMix64(seed: seed &+ UInt64(run * phases + phase))
        let first = (phase * period + random.below(period)) / phases % period
        let publications = Publications(every: period, phase: first, until: end + 120_000)
        var host = CleanHost(policy, publications: publications, seed: random.next())
        host.roundTrip = 150
        host.speech = .made
        host.send(.started)
        host.run(until: end + 60_000)
        counts.append(host.pollsUntilInStep(until: end) ?? Self.never)
      }
    }
    polls = Figures(counts)
  }

  private static let never: Int64 = 1_000

  /// The maximum number of polls of any run.
  var most: Int64 { polls.most }
  /// The polls of all but one run in a hundred.
  var usual: Int64 { polls.percentile(99) }
}
