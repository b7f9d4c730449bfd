/// The budget of the requests that people and their devices bring about (R40).
///
/// Half of a minute's requests may go out at once; the other half comes back one by one, evenly over
/// a minute. So no minute sees more than all of them.
struct Patience: Hashable, Sendable {
  /// The moment at which the budget is whole again.
  private(set) var wholeAt: Moment?

  /// The first moment at which the budget has a request left.
  func allowedAt(_ policy: Policy) -> Moment? {
    wholeAt.map { $0 - Self.pause(policy) * (Self.burst(policy) - 1) }
  }

  /// Whether the budget has a request left.
  func allows(at now: Moment, _ policy: Policy) -> Bool {
    allowedAt(policy).map { $0 <= now } ?? true
  }

  /// Takes a request from the budget, down to nothing.
  mutating func spend(at now: Moment, _ policy: Policy) {
    let next = max(wholeAt ?? now, now) + Self.pause(policy)
    wholeAt = min(next, now + Self.pause(policy) * Self.burst(policy))
  }

  /// The requests that may go out at once.
  private static func burst(_ policy: Policy) -> Int64 { max(Int64(policy.impatience) / 2, 1) }

  /// The time in which one request comes back.
  private static func pause(_ policy: Policy) -> Timespan {
    let returned = max(Int64(policy.impatience) - burst(policy), 1)
    return Timespan(milliseconds: (Timespan.minutes(1).milliseconds + returned - 1) / returned)
  }
}

extension RefreshRequest {
  /// Whether a person or a device wants it now, so that the budget of such requests pays (R40).
  var isImpatient: Bool { origin == .person || origin == .catchUp }
}
