/// The budget of requests that users and their devices cause (R40).
///
/// Half of a minute's requests may be sent at once. The other half is restored one by one, evenly
/// over a minute. No minute therefore exceeds the whole budget.
struct Patience: Hashable, Sendable {
  /// When the budget is full again.
  private(set) var wholeAt: Instant?

  /// Returns the first instant at which the budget allows a request.
  @inline(never)
  func allowedAt(_ policy: Policy) -> Instant? {
    wholeAt.map { $0 - Self.pause(policy) * (Self.burst(policy) - 1) }
  }

  /// Returns whether the budget allows a request.
  func allows(at now: Instant, _ policy: Policy) -> Bool {
    allowedAt(policy).map { $0 <= now } ?? true
  }

  /// Spends one request of the budget, down to zero.
  @inline(never)
  mutating func spend(at now: Instant, _ policy: Policy) {
    let next = max(wholeAt ?? now, now) + Self.pause(policy)
    wholeAt = min(next, now + Self.pause(policy) * Self.burst(policy))
  }

  /// The number of requests that may be sent at once.
  private static func burst(_ policy: Policy) -> Int64 { max(Int64(policy.impatience) / 2, 1) }

  /// The time in which one request is restored.
  private static func pause(_ policy: Policy) -> Instant.Duration {
    let returned = max(Int64(policy.impatience) - burst(policy), 1)
    return Instant.Duration(
      milliseconds: (Instant.Duration.minutes(1).milliseconds + returned - 1) / returned
    )
  }
}

extension RefreshRequest {
  /// Whether the user or the device requests it now, so that it counts against the budget (R40).
  var isImpatient: Bool { reason == .person || reason == .catchUp }
}
