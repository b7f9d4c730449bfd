/// What is left of past failures (R7, R21, R23).
struct Backoff: Hashable, Sendable {
  /// Whether the one silent retry is spent (R7).
  private(set) var hasRetried = false
  /// The failures in a row that count for the ladder.
  private(set) var failures: Int32 = 0
  /// The moment before which the server does not want to hear from us (R21).
  private(set) var notBefore: Moment?

  /// What follows a failure.
  enum Step: Hashable, Sendable {
    /// One silent retry (R7).
    case retry
    /// A wait on the ladder; the first is number 0 (R23).
    case ladder(Int32)
  }

  /// Records a failure and names what follows.
  ///
  /// - Parameters:
  ///   - isTransient: Whether a quick repetition may help; being throttled is no such case.
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
  /// R21: a `Retry-After` is about requests, so that only a request's own success ends it.
  mutating func succeeded(isRequest: Bool) {
    self = Backoff(notBefore: isRequest ? nil : notBefore)
  }

  /// Creates what is left of no failure.
  init(notBefore: Moment? = nil) { self.notBefore = notBefore }

  /// Records a `Retry-After`.
  mutating func throttled(until moment: Moment) {
    notBefore = notBefore.map { max($0, moment) } ?? moment
  }

  /// The wait of a step on the ladder; the last step repeats (R23).
  static func wait(step: Int32, draw: RandomSample, policy: Policy) -> Timespan {
    guard let last = policy.ladder.indices.last else { return policy.active }
    let wait = policy.ladder[min(Int(step), last)]
    return max(policy.ladderJitter.applied(to: wait, draw: draw), policy.leastWait)
  }
}
