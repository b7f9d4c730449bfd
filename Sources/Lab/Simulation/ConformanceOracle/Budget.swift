import Freshness

/// The budget of impatient requests (R40).
///
/// Half of a minute's requests at once, the other half restored in a minute: kept as the time until
/// the budget is full. The requests themselves are kept as well, so that the limit can be counted.
struct Budget: Sendable {
  /// When the requests of the last minute were sent, oldest first.
  private(set) var spent: [Int64] = []
  private var debt: Int64 = 0
  private var countedAt: Int64?

  private struct Terms {
    var burst: Int64
    var pause: Int64

    init(_ policy: Policy) {
      burst = max(Int64(policy.impatience / 2), 1)
      let returned = max(Int64(policy.impatience) - burst, 1)
      pause = (60_000 + returned - 1) / returned
    }

    /// The debt up to which a request is available.
    var credit: Int64 { (burst - 1) * pause }
  }

  private func debt(at now: Int64) -> Int64 { max(debt - (now - (countedAt ?? now)), 0) }

  /// Returns the first instant at which a request is available, which may be in the past, or `nil` if
  /// none was ever spent.
  func allowedAt(_ policy: Policy) -> Int64? {
    countedAt.map { $0 + debt - Terms(policy).credit }
  }

  /// Returns whether a request is available.
  func allows(at now: Int64, _ policy: Policy) -> Bool { debt(at: now) <= Terms(policy).credit }

  /// Spends a request.
  mutating func spend(at now: Int64, _ policy: Policy) {
    let terms = Terms(policy)
    debt = min(debt(at: now) + terms.pause, terms.burst * terms.pause)
    countedAt = now
    spent.removeAll { $0 <= now - 60_000 }
    spent.append(now)
  }
}
