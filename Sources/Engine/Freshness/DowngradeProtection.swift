/// The rule that keeps a better copy on screen when a worse one arrives (R20, seed 000).
public enum DowngradeProtection: Hashable, Sendable {
  /// What becomes of an answer, and why.
  public enum Verdict: UInt8, Hashable, Sendable {
    /// Keep: nothing was modified.
    case keepUnmodified
    /// Apply: the answer has realtime data.
    case applyRealtime
    /// Apply: there is no realtime data on screen to lose.
    case applyNothingToLose
    /// Apply: a person asked for it, or the context changed.
    case applyForced
    /// Apply: the data on screen is too old to keep.
    case applyTooOld
    /// Apply: the policy does not hold anything.
    case applyAlways
    /// Keep: the realtime data on screen is better.
    case keepBetter
    /// Keep: the data on screen was made later (R36).
    case keepNewer

    /// Whether the answer goes on screen.
    public var applies: Bool {
      switch self {
      case .keepUnmodified, .keepBetter, .keepNewer: false
      case .applyRealtime, .applyNothingToLose, .applyForced, .applyTooOld, .applyAlways: true
      }
    }
  }

  /// Decides what becomes of an answer; the first match wins.
  ///
  /// - Parameters:
  ///   - isModified: Whether the answer has a body.
  ///   - hasRealtime: Whether the answer has realtime data.
  ///   - showsRealtime: Whether the copy on screen has realtime data.
  ///   - isForced: Whether a person insists, or the context changed.
  ///   - age: The age of the data on screen: not of its arrival (R20 corrects seed 000 here).
  ///   - cap: The age at which data is no longer kept; `nil` holds nothing.
  /// - Returns: The first verdict whose condition holds.
  public static func verdict(
    isModified: Bool,
    hasRealtime: Bool,
    showsRealtime: Bool,
    isForced: Bool,
    age: Timespan,
    cap: Timespan?
  ) -> Verdict {
    guard isModified else { return .keepUnmodified }
    guard let cap else { return .applyAlways }
    if hasRealtime { return .applyRealtime }
    guard showsRealtime else { return .applyNothingToLose }
    if isForced { return .applyForced }
    return age >= cap ? .applyTooOld : .keepBetter
  }
}
