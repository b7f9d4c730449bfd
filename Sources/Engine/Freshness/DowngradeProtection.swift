/// The rule that keeps a better copy on screen when a worse one arrives (R20, seed 000).
public enum DowngradeProtection: Hashable, Sendable {
  /// The decision about a response, and its reason.
  public enum Verdict: UInt8, Hashable, Sendable {
    /// Keep: the response was "not modified".
    case keepUnmodified
    /// Apply: the response has realtime data.
    case applyRealtime
    /// Apply: there is no realtime data on screen to lose.
    case applyNothingToLose
    /// Apply: the user asked for it, or the context changed.
    case applyForced
    /// Apply: the data on screen is too old to keep.
    case applyTooOld
    /// Apply: the policy disables downgrade protection.
    case applyAlways
    /// Keep: the realtime data on screen is better.
    case keepBetter
    /// Keep: the data on screen was made later (R36).
    case keepNewer

    /// Whether the response is applied.
    public var applies: Bool {
      switch self {
      case .keepUnmodified, .keepBetter, .keepNewer: false
      case .applyRealtime, .applyNothingToLose, .applyForced, .applyTooOld, .applyAlways: true
      }
    }
  }

  /// Decides what to do with a response; the first match wins.
  ///
  /// - Parameters:
  ///   - isModified: Whether the response has a body.
  ///   - hasRealtime: Whether the response has realtime data.
  ///   - showsRealtime: Whether the copy on screen has realtime data.
  ///   - isForced: Whether the user forced it, or the context changed.
  ///   - age: The age of the data on screen, not the time since it arrived (R20 corrects seed 000
  ///     here).
  ///   - cap: The age from which data is no longer protected; `nil` disables protection.
  /// - Returns: The first verdict whose condition holds.
  public static func verdict(
    isModified: Bool,
    hasRealtime: Bool,
    showsRealtime: Bool,
    isForced: Bool,
    age: Instant.Duration,
    cap: Instant.Duration?
  ) -> Verdict {
    guard isModified else { return .keepUnmodified }
    guard let cap else { return .applyAlways }
    if hasRealtime { return .applyRealtime }
    guard showsRealtime else { return .applyNothingToLose }
    if isForced { return .applyForced }
    return age >= cap ? .applyTooOld : .keepBetter
  }
}
