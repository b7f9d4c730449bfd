/// The state left by past failures (R7, R21, R23).
struct Backoff: Hashable, Sendable {
  /// Whether the one silent retry has been used (R7).
  private(set) var hasRetried = false
  /// The consecutive failures that count for the backoff.
  private(set) var failures: Int32 = 0
  /// The instant before which the server asked us not to send requests (R21).
  private(set) var notBefore: Instant?

  /// The step that follows a failure.
  enum Step: Hashable, Sendable {
    /// One silent retry (R7).
    case retry
    /// A backoff wait; the first is number 0 (R23).
    case ladder(Int32)
  }

  /// Records a failure and returns the next step.
  ///
  /// - Parameters:
  ///   - isTransient: Whether a quick retry may help; throttling does not count as transient.
  ///   - policy: Whether there is a retry at all.
  /// - Returns: The wait to begin.
  mutating func failed(isTransient: Bool, policy: Policy) -> Step {
    if isTransient, !hasRetried, failures == 0, policy.retryDelay != nil {
      hasRetried = true
      return .retry
    }
    hasRetried = true
    failures = min(failures + 1, 1_000)
    // R23: from the first step, in order. (The seed's web client skips the first one.)
    return .ladder(failures - 1)
  }

  /// Records a success.
  ///
  /// R21: a `Retry-After` applies to requests, so only a successful request ends it.
  mutating func succeeded(isRequest: Bool) {
    self = Backoff(notBefore: isRequest ? nil : notBefore)
  }

  /// Creates the state after no failures.
  init(notBefore: Instant? = nil) { self.notBefore = notBefore }

  /// Records a `Retry-After`.
  mutating func throttled(until instant: Instant) {
    notBefore = notBefore.map { max($0, instant) } ?? instant
  }

  /// Returns the length of a backoff step; the last step repeats (R23).
  static func wait(step: Int32, random: RandomSample, policy: Policy) -> Instant.Duration {
    guard let last = policy.ladder.indices.last else { return policy.active }
    let wait = policy.ladder[min(Int(step), last)]
    return max(policy.ladderJitter.applied(to: wait, random: random), policy.leastWait)
  }
}
