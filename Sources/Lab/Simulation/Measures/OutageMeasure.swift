import Freshness
import Hashing

/// The cost of an unreachable server, and how soon its return is noticed.
struct OutageMeasure: Sendable {
  /// Requests sent in an hour of outage: the maximum of all runs.
  var load: Int64
  /// The time from the server's return to the first response on screen, after 5 to 6 and 30 to 31
  /// minutes.
  var shortRecovery: Figures
  var longRecovery: Figures

  /// Measures outages that refuse every connection at once.
  ///
  /// - Parameters:
  ///   - policy: The constants.
  ///   - trials: The number of returns of each kind.
  ///   - seed: The seed, which determines everything.
  init(_ policy: Policy, trials: Int64, seed: UInt64) {
    let hour: Int64 = 3_600_000
    var most: Int64 = 0
    var random = SplitMix64(seed: seed)
    for _ in 0..<max(trials / 25, 4) {
      let start = 60_000 + random.below(60_000)
      var host = CleanHost(policy, seed: random.next())
      host.outage = start..<start + 2 * hour
      host.send(.started)
      host.run(until: start + hour)
      let count = host.requests.filter { $0 >= start && $0 < start + hour }.count
      most = max(most, Int64(count))
    }
    load = most
    shortRecovery = Self.recoveries(policy, minutes: 5, trials, &random)
    longRecovery = Self.recoveries(policy, minutes: 30, trials, &random)
  }

  private static func recoveries(
    _ policy: Policy,
    minutes: Int64,
    _ trials: Int64,
    _ random: inout SplitMix64
  ) -> Figures {
    var times: [Int64] = []
    for _ in 0..<trials {
      let start = 60_000 + random.below(60_000)
      let end = start + minutes * 60_000 + random.below(60_000)
      var host = CleanHost(policy, seed: random.next())
      host.outage = start..<end
      host.send(.started)
      host.run(until: end + 60_000)
      if let first = host.answers.first(where: { $0.at > end }) { times.append(first.at - end) }
    }
    return Figures(times)
  }
}
