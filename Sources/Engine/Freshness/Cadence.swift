/// The length of the normal wait between two requests.
enum Cadence {
  /// What the length of a wait depends on (R9: nothing else does).
  struct Facts: Hashable, Sendable {
    /// The start of the last request.
    var started: Instant
    /// The end of the last request, where the wait began.
    var ended: Instant
    /// The random sample of this wait.
    var random: RandomSample
    /// The interval in force.
    var interval: Instant.Duration
    /// Whether the app is visible.
    var isForeground: Bool
    /// Whether the next request is a long poll (R32).
    var isLongPoll: Bool
    /// Whether a healthy stream replaces polling (R33).
    var isStreaming: Bool
  }

  /// Returns the interval in force; `nil` pauses.
  ///
  /// R9: lifecycle first, then the pace that observers request, then activity (catnip.md 0.1, in
  /// order).
  static func interval(
    lifecycle: Lifecycle,
    pace: Pace,
    refreshRequested: Instant.Duration?,
    policy: Policy
  ) -> Instant.Duration? {
    switch lifecycle {
    case .suspended: return nil
    case .background: return policy.background
    case .foreground:
      // R10: observers may request a faster pace only down to the least interval.
      if let refreshRequested { return max(refreshRequested, policy.leastInterval) }
      return policy.interval(pace)
    }
  }

  /// Returns when the next request is due, and why.
  static func due(
    _ facts: Facts,
    rhythm: ProducerRhythm,
    policy: Policy
  ) -> (instant: Instant, cause: NextRequest.Cause) {
    let least = facts.started + policy.leastInterval
    if facts.isStreaming, let push = policy.push {
      // R33: while the stream is healthy, polling is a slow fallback, however often events come.
      let wait = policy.jitter.applied(to: push.safetyPoll, random: facts.random)
      return (facts.started + wait, .safetyPoll)
    }
    if facts.isLongPoll {
      // R32: immediately when the last one ended, but no faster than the cadence (R10).
      let spread = facts.random.upTo(min(policy.spread, facts.interval))
      return (max(facts.started + facts.interval, facts.ended + spread), .longPoll)
    }
    if isAligned(facts), let aligned = rhythm.due(facts, policy: policy) {
      return (aligned.instant, aligned.isStated ? .stated : .learned)
    }
    let jitter = policy.jitter.applied(to: facts.interval, random: facts.random) - facts.interval
    return (max(blind(facts, jitter), least), .cadence)
  }

  /// Whether the wait may follow the producer's rhythm (R31).
  static func isAligned(_ facts: Facts) -> Bool {
    facts.isForeground && !facts.isLongPoll && !facts.isStreaming
  }

  /// Returns when unaligned polling would send the next request.
  ///
  /// R10: the period counts from start to start, so the rate matches the policy. After a response
  /// slower than the interval, the wait is as long as the response took, up to the interval (P9).
  static func blind(_ facts: Facts, _ jitter: Instant.Duration) -> Instant {
    let rest = min(facts.ended - facts.started, facts.interval)
    return max(facts.started + facts.interval + jitter, facts.ended + max(rest, .zero))
  }
}
