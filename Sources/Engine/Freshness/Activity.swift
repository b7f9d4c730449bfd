/// What the watched thing is doing, as far as the client knows (seed 003, R9).
public enum Activity: UInt8, Hashable, Sendable {
  /// Nothing is known to be going on.
  case quiet
  /// Work is going on.
  case active
}

/// The pace that follows from activity, from fastest to slowest (seed 003, R9).
public enum Pace: UInt8, Hashable, Sendable {
  /// Work is going on, or a local action is still waiting for its effect (R13).
  case active
  /// The activity changed a short while ago.
  case recent
  /// Nothing happened for a while. Slow, never dead (R12).
  case idle
  /// Nobody looks at the screen (R11).
  case background
}

/// The activity of one resource over time.
struct ActivityHistory: Hashable, Sendable {
  /// What the watched thing is doing.
  private(set) var current: Activity = .quiet
  /// The last change of activity that was observed.
  private(set) var changedAt: Moment?
  /// The end of the burst after a local action, unless its effect is seen before (R13).
  private(set) var burstEnds: Moment?

  /// Records an observed activity.
  mutating func observed(_ activity: Activity, at now: Moment) {
    guard activity != current else { return }
    current = activity
    changedAt = now
    if activity == .active { burstEnds = nil }
  }

  /// Records a local action whose effect is expected soon (R13).
  mutating func acted(until deadline: Moment) {
    burstEnds = burstEnds.map { max($0, deadline) } ?? deadline
  }

  /// Records that the expected effect was seen (R13).
  mutating func fulfilled() { burstEnds = nil }

  /// Names the pace of a wait that began at a moment.
  ///
  /// R9: a pure function. The beginning of the wait decides, so that a wait never changes its
  /// length just because it was looked at.
  func pace(at moment: Moment, recentFor: Timespan) -> Pace {
    if current == .active { return .active }
    if let burstEnds, moment < burstEnds { return .active }
    if let changedAt, moment - changedAt < recentFor { return .recent }
    return .idle
  }
}
