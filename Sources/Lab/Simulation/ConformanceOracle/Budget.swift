import Freshness

/// The requests that impatience paid for (R40).
///
/// Half of a minute's requests at once, the other half back in a minute: kept as the time until all are
/// back. Beside it stand the requests themselves, so that the promise can be counted.
struct Budget: Sendable {
  /// When the requests of the last minute went out, the oldest first.
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

    /// The debt up to which there is a request left.
    var credit: Int64 { (burst - 1) * pause }
  }

  private func debt(at now: Int64) -> Int64 { max(debt - (now - (countedAt ?? now)), 0) }

  /// The first moment at which there is a request left; long ago, if ever one was spent.
  func allowedAt(_ policy: Policy) -> Int64? {
    countedAt.map { $0 + debt - Terms(policy).credit }
  }

  /// Whether there is a request left.
  func allows(at now: Int64, _ policy: Policy) -> Bool { debt(at: now) <= Terms(policy).credit }

  /// Takes one.
  mutating func spend(at now: Int64, _ policy: Policy) {
    let terms = Terms(policy)
    debt = min(debt(at: now) + terms.pause, terms.burst * terms.pause)
    countedAt = now
    spent.removeAll { $0 <= now - 60_000 }
    spent.append(now)
  }
}
