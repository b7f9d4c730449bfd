import Freshness

/// How many polls it takes to be in step with a producer that keeps its time (R31).
struct StepMeasure: Sendable {
  /// The polls of every run, in order; those that never are in step count as many.
  private let polls: Figures

  /// Measures a policy against producers of all phases.
  ///
  /// In step is a client from which on every publication is on screen within 2.5 s.
  ///
  /// - Parameters:
  ///   - policy: The constants.
  ///   - period: The time between two publications, in milliseconds.
  ///   - seeds: How many runs of 20 minutes each phase has.
  ///   - phases: How many phases, in even steps.
  ///   - seed: Everything follows from it.
  init(_ policy: Policy, every period: Int64, seeds: Int64, phases: Int64, seed: UInt64) {
    let end: Int64 = 1_200_000
    var counts: [Int64] = []
    for run in 0..<seeds {
      for phase in 0..<phases {
        var dice = SplitMix64(seed: seed &+ UInt64(run * phases + phase))
        let first = (phase * period + dice.below(period)) / phases % period
        let publications = Publications(every: period, phase: first, until: end + 120_000)
        var host = CleanHost(policy, publications: publications, seed: dice.next())
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

  /// The most polls of any run.
  var most: Int64 { polls.most }
  /// The polls of all but one run in a hundred.
  var usual: Int64 { polls.percentile(99) }
}
