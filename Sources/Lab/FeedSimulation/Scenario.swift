/// The amount of disruption in a simulated world.
package enum Scenario: String, Hashable, Sendable, CaseIterable {
  /// An ordinary day: most trips on time, a few late, hardly any canceled.
  case calm
  /// A busy hour: many trips late by minutes.
  case rush
  /// A bad day: long delays, cancellations, replacement services, platform changes, extra trips.
  case storm
  /// A storm with a failing producer: publications that are late, empty, truncated or back-dated,
  /// server errors, slow responses and refusals.
  case chaos

  /// The frequencies of events.
  var shares: ScenarioShares {
    switch self {
    case .calm: .calm
    case .rush: .rush
    case .storm, .chaos: .storm
    }
  }

  /// The share of publications with a fault, in permille.
  var faultyPublications: Int { self == .chaos ? 450 : 0 }
}
