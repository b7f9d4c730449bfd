/// How much goes wrong in a simulated world.
package enum Scenario: String, Hashable, Sendable, CaseIterable {
  /// An ordinary day: most trips on time, a few late, hardly any cancelled.
  case calm
  /// A busy hour: many trips late by minutes.
  case rush
  /// A bad day: long delays, cancellations, replacement services, platform changes, extra trips.
  case storm
  /// A storm whose producer is in trouble too: publications that are late, empty, truncated or
  /// back-dated, server errors, slow answers and refusals.
  case chaos

  /// How often each thing happens.
  var shares: ScenarioShares {
    switch self {
    case .calm: .calm
    case .rush: .rush
    case .storm, .chaos: .storm
    }
  }

  /// How many publications in a thousand have a fault.
  var faultyPublications: Int { self == .chaos ? 450 : 0 }
}
