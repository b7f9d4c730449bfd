import Freshness

/// The reasons to wait in the rules.
enum Reason: Hashable, Sendable {
  case cadence
  case retry(isLate: Bool)
  case ladder(Int)
  case degraded(Int)
  case recheck
  case gone
  case gap
  case reconnect
  case resync
  case change
  case deferred

  /// Whether the wait already spreads clients that woke together.
  var isSpread: Bool { self == .gap || self == .reconnect || self == .resync }

  /// The rule that sets the length of the wait.
  var rule: Rule {
    switch self {
    case .cadence: .jitter
    case .retry: .silentRetry
    case .ladder: .backoff
    case .degraded: .degraded
    case .recheck, .deferred: .outcomes
    case .gone: .backPressure
    case .gap: .drift
    case .reconnect: .offline
    case .resync, .change: .push
    }
  }
}

/// A wait in progress.
struct Wait: Sendable {
  var reason: Reason
  var since: Int64
  var want: Want = .schedule
}

/// The bounds of an instant, both included, and the rule that sets them.
struct Window: Sendable {
  var least: Int64
  var most: Int64
  var rule: Rule

  /// R21, R23: a `Retry-After` can only lengthen a wait.
  func notBefore(_ instant: Int64?, _ rule: Rule) -> Window {
    instant.map { notBefore($0, atMost: $0, rule) } ?? self
  }

  /// A limit of which only bounds are known.
  func notBefore(_ first: Int64, atMost last: Int64, _ rule: Rule) -> Window {
    guard last > least else { return self }
    return Window(least: Swift.max(first, least), most: Swift.max(last, most), rule: rule)
  }
}

extension Reason {
  /// Whether the wait follows a failure.
  var isOfFailure: Bool {
    switch self {
    case .retry, .ladder, .recheck, .gone, .deferred: true
    case .cadence, .degraded, .gap, .reconnect, .resync, .change: false
    }
  }
}

extension Reason {
  /// Whether the wait follows a transient failure; stream events do not shorten it.
  ///
  /// After a wrong request, an event may mean that the request is right now.
  var isOfTransientFailure: Bool {
    switch self {
    case .retry, .ladder: true
    default: false
    }
  }
}
