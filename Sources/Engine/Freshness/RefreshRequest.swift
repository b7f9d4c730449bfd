/// Somebody's wish for a fresh copy.
public struct RefreshRequest: Hashable, Sendable {
  /// Who wishes, from the weakest to the strongest.
  public enum Origin: UInt8, Hashable, Comparable, Sendable {
    /// A guess that somebody will look soon (R35).
    case prefetch
    /// The schedule.
    case schedule
    /// A return: start, foreground, network, a gap in time (R5, R11, R14, R24).
    case catchUp
    /// News that the copy is out of date, from a stream or from the application (R33).
    case change
    /// A person (R2, R5).
    case person

    /// Compares two origins by strength.
    public static func < (lhs: Origin, rhs: Origin) -> Bool { lhs.rawValue < rhs.rawValue }
  }

  /// The strongest origin of the wish.
  public var origin: Origin
  /// Whether the answer is to be applied even if it is worse than the copy at hand (R20).
  ///
  /// A forced wish is also unconditional.
  public var isForced: Bool
  /// Whether the request goes out without a validator (R17, R18).
  public var isUnconditional: Bool
  /// Whether the loading hint shows while the request is out (R25).
  public var showsLoading: Bool
  /// Whether this is the one repetition after an answer without a body (R17).
  var isRecovery = false

  /// Creates a wish.
  public init(
    _ origin: Origin,
    isForced: Bool = false,
    isUnconditional: Bool = false,
    showsLoading: Bool = false
  ) {
    self.origin = origin
    self.isForced = isForced
    self.isUnconditional = isUnconditional
    self.showsLoading = showsLoading
  }

  /// A person's pull to refresh.
  public static let person = RefreshRequest(.person, showsLoading: true)
  /// A person's hard refresh, which may also make the copy worse (R20).
  public static let hardRefresh = RefreshRequest(.person, isForced: true, showsLoading: true)
  /// The next step of the schedule.
  public static let schedule = RefreshRequest(.schedule)
  /// The application knows that the copy is out of date.
  public static let change = RefreshRequest(.change)

  /// Whether it says no more than that the copy is out of date (R33).
  var isNews: Bool { origin == .change && !isForced && !isUnconditional && !isRecovery }

  /// Merges two wishes into one that satisfies both.
  ///
  /// R2: the stronger origin wins, and "forced" survives.
  public func merged(with other: RefreshRequest) -> RefreshRequest {
    var wish = self
    wish.origin = max(origin, other.origin)
    wish.isForced = isForced || other.isForced
    wish.isUnconditional = isUnconditional || other.isUnconditional
    wish.showsLoading = showsLoading || other.showsLoading
    wish.isRecovery = isRecovery || other.isRecovery
    return wish
  }
}
