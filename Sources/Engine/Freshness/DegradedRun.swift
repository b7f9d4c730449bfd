/// The schedule's answer to answers that are less than full (R34, seed 001).
struct DegradedRun: Hashable, Sendable {
  /// The steps of the ladder that this run has used.
  private(set) var step: Int32 = 0
  /// The last answer that asked for a step.
  private(set) var lastAt: Moment?
  /// Whether realtime data is switched off on the server, so that nothing extra is asked.
  private(set) var isQuiet = false

  /// Records an answer and names the step of the ladder to wait for, if any.
  ///
  /// R34: once through the ladder, then the cadence. A good answer in between does not wind it
  /// back; only a long time without such answers does. So a flapping server never raises the rate.
  mutating func answered(_ degradation: Degradation, at now: Moment, policy: Policy) -> Int32? {
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

  /// Records that a person spoke (R34: "until the context or the person says so").
  mutating func personSpoke() { isQuiet = false }
}
