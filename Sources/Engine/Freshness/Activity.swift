/// What the watched resource is doing, as far as the client knows (seed 003, R9).
public enum Activity: UInt8, Hashable, Sendable {
  /// No work is known to be in progress.
  case quiet
  /// Work is in progress.
  case active
}

/// The pace derived from activity, fastest first (seed 003, R9).
public enum Pace: UInt8, Hashable, Sendable {
  /// Work is in progress, or a local action has not shown its effect yet (R13).
  case active
  /// The activity changed recently.
  case recent
  /// No recent change. Slow, but never stopped (R12).
  case idle
  /// The app is not visible (R11).
  case background
}

/// The activity of one resource over time.
struct ActivityHistory: Hashable, Sendable {
  /// The current activity.
  private(set) var current: Activity = .quiet
  /// When the activity last changed.
  private(set) var changedAt: Instant?
  /// When the burst after a local action ends, unless its effect is seen earlier (R13).
  private(set) var burstEnds: Instant?

  /// Records an observed activity.
  mutating func observed(_ activity: Activity, at now: Instant) {
    guard activity != current else { return }
    current = activity
    changedAt = now
    if activity == .active { burstEnds = nil }
  }

  /// Records a local action whose effect is expected soon (R13).
  mutating func acted(until deadline: Instant) {
    burstEnds = burstEnds.map { max($0, deadline) } ?? deadline
  }

  /// Records that the expected effect was seen (R13).
  mutating func fulfilled() { burstEnds = nil }

  /// Returns the pace of a wait that began at an instant.
  ///
  /// R9: a pure function. Only the beginning of the wait counts, so inspecting a wait never changes
  /// its length.
  func pace(at instant: Instant, recentFor: Instant.Duration) -> Pace {
    if current == .active { return .active }
    if let burstEnds, instant < burstEnds { return .active }
    if let changedAt, instant - changedAt < recentFor { return .recent }
    return .idle
  }
}
