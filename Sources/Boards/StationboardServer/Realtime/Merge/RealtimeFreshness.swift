/// How much the age of a prediction lets a person trust it.
package enum RealtimeFreshness: UInt8, Hashable, Comparable, Sendable {
  /// New enough to be shown as it is.
  case fresh
  /// Older than the producer's rhythm should let it become.
  case ageing
  /// Old: still the best that is known, and to be shown as old.
  case stale

  /// The contract's value.
  package var name: StaticString {
    switch self {
    case .fresh: "fresh"
    case .ageing: "ageing"
    case .stale: "stale"
    }
  }

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// When realtime ages: the thresholds, in one place.
///
/// Realtime is never dropped for its age. It keeps the time of its source and says how old it is.
package struct RealtimeDecay: Hashable, Sendable {
  /// The greatest age of fresh realtime, in seconds (the contract's `freshnessThresholdMs`).
  package var fresh: Double = 45
  /// The greatest age of ageing realtime, in seconds; older realtime is stale.
  package var ageing: Double = 180

  /// Creates the thresholds with their standard values.
  package init() {}

  /// The thresholds with their standard values.
  package static let standard = RealtimeDecay()

  /// The freshness of an age in seconds.
  package func freshness(age: Double) -> RealtimeFreshness {
    age <= fresh ? .fresh : age <= ageing ? .ageing : .stale
  }

  /// The age in seconds after which realtime of an age loses its freshness level; `nil` if it is
  /// stale.
  package func threshold(after age: Double) -> Double? {
    age <= fresh ? fresh : age <= ageing ? ageing : nil
  }
}
