/// How the schedule reacts to degraded responses (R34, seed 001).
struct DegradedRun: Hashable, Sendable {
  /// The backoff steps used in this series.
  private(set) var step: Int32 = 0
  /// When a response last asked for a step.
  private(set) var lastAt: Instant?
  /// Whether realtime data is switched off on the server, so no extra requests are made.
  private(set) var isQuiet = false

  /// Records a response and returns the backoff step to wait for, if any.
  ///
  /// R34: once through the ladder, then the cadence. A good response in between does not reset it;
  /// only a long time without degraded responses does. A flapping server therefore never raises the
  /// rate.
  mutating func answered(_ degradation: Degradation, at now: Instant, policy: Policy) -> Int32? {
    switch degradation {
    case .none:
      isQuiet = false
      return nil
    case .steady: return nil
    case .disabled:
      isQuiet = true
      return nil
    case .retried:
      guard !isQuiet else { return nil }
      if let lastAt, now - lastAt >= policy.degradedRearm { step = 0 }
      lastAt = now
      guard step < policy.ladder.count else { return nil }
      step += 1
      return step - 1
    }
  }

  /// Records that the user requested a refresh (R34: "until the context or the person says so").
  mutating func personSpoke() { isQuiet = false }
}
