import Freshness
import Hashing

/// Load and freshness with a long poll, which a policy may allow besides polling (R32).
struct UpgradeMeasure: Sendable {
  /// Requests per hour, in tenths.
  var requests: Int64
  /// From change to screen, at a change every 30 s on average.
  var delays: Figures

  /// Measures a long poll of 25 s in the foreground.
  init(_ policy: Policy, hours: Int64, seed: UInt64) {
    var patient = policy
    patient.longPoll = .seconds(25)
    let end = hours * 3_600_000
    var random = SplitMix64(seed: seed)
    let publications = Publications(mean: 30_000, until: end + 120_000, &random)
    var host = CleanHost(patient, publications: publications, seed: random.next())
    host.send(.started)
    host.run(until: end + 60_000)
    requests = Int64(host.requests.filter { $0 < end }.count) * 10 / max(hours, 1)
    delays = Figures(host.delays(from: 60_000, until: end))
  }
}
