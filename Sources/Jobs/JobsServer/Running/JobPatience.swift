import Jobs

/// How long the work on a job waits for a database that cannot be used (rule JL4).
///
/// A value without a clock. Times are those of a clock that never goes back, from any origin.
struct JobPatience: Hashable, Sendable {
  /// What the work does next.
  enum Step: Hashable, Sendable {
    /// Waits a moment, and continues from what is stored.
    case retry
    /// Gives the job up unchanged, for another worker.
    case letGo
    /// Fails the attempt: every worker would wait for the same database.
    case fail
  }

  private let limit: Duration
  private var since: Duration?

  /// Whether a database could not be used, and nothing was stored since.
  var isWaiting: Bool { since != nil }

  /// Creates the state of work that nothing has disturbed.
  init(_ limits: JobLimits) { limit = .seconds(limits.lockedSeconds) }

  /// Notes that a database could not be used.
  ///
  /// - Parameters:
  ///   - isReachable: Whether it answers, but another program has locked it.
  ///   - hasProgressed: Whether something new was stored since the last time.
  ///   - now: When it happened.
  /// - Returns: What to do.
  mutating func failed(isReachable: Bool, hasProgressed: Bool, at now: Duration) -> Step {
    if hasProgressed { since = nil }
    let first = since ?? now
    since = first
    guard now - first >= limit else { return .retry }
    return isReachable ? .fail : .letGo
  }
}
