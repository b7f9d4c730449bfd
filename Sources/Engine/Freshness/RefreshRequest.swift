/// A request for a fresh copy, with its reason.
public struct RefreshRequest: Hashable, Sendable {
  /// The reason for a refresh, from weakest to strongest.
  public enum Reason: UInt8, Hashable, Comparable, Sendable {
    /// The resource may be observed soon (R35).
    case prefetch
    /// The schedule.
    case schedule
    /// A return: start, foreground, network, or a gap in time (R5, R11, R14, R24).
    case catchUp
    /// The stream or the application reports that the copy is out of date (R33).
    case change
    /// The user (R2, R5).
    case person

    /// Compares two reasons by strength.
    public static func < (lhs: Reason, rhs: Reason) -> Bool { lhs.rawValue < rhs.rawValue }
  }

  /// The strongest reason of the request.
  public var reason: Reason
  /// Whether to apply the response even if it is worse than the current copy (R20).
  ///
  /// A forced request is also unconditional.
  public var isForced: Bool
  /// Whether the request is sent without a validator (R17, R18).
  public var isUnconditional: Bool
  /// Whether the loading hint shows while the request is in flight (R25).
  public var showsLoading: Bool
  /// Why it repeats a request whose response was of no use; it is not repeated again.
  var repetition = Repetition.none

  /// The reasons to repeat a request once, from weakest to strongest.
  enum Repetition: UInt8, Hashable, Sendable {
    /// It repeats none.
    case none
    /// The response may not have had what was asked for (R33, R38).
    case uncertain
    /// The response had no body (R17).
    case missingBody
  }

  /// Creates a refresh request.
  public init(
    _ reason: Reason,
    isForced: Bool = false,
    isUnconditional: Bool = false,
    showsLoading: Bool = false
  ) {
    self.reason = reason
    self.isForced = isForced
    self.isUnconditional = isUnconditional
    self.showsLoading = showsLoading
  }

  /// Pull to refresh by the user.
  public static let person = RefreshRequest(.person, showsLoading: true)
  /// A hard refresh by the user, which may also make the copy worse (R20).
  public static let hardRefresh = RefreshRequest(.person, isForced: true, showsLoading: true)
  /// The next request of the schedule.
  public static let schedule = RefreshRequest(.schedule)
  /// The application reports that the copy is out of date.
  public static let change = RefreshRequest(.change)

  /// Whether it only says that the copy is out of date (R33).
  var isChangeNotice: Bool { reason == .change && !isForced && !isUnconditional }

  /// Merges two refresh requests into one that satisfies both.
  ///
  /// R2: the stronger reason wins, and "forced" survives.
  @inline(never)
  public func merged(with other: RefreshRequest) -> RefreshRequest {
    var refresh = self
    refresh.reason = max(reason, other.reason)
    refresh.isForced = isForced || other.isForced
    refresh.isUnconditional = isUnconditional || other.isUnconditional
    refresh.showsLoading = showsLoading || other.showsLoading
    // R33: of one that repeats and one that does not, the response may be repeated.
    let isRecovery = repetition == .missingBody || other.repetition == .missingBody
    let repeats = repetition == .uncertain && other.repetition == .uncertain
    refresh.repetition = isRecovery ? .missingBody : repeats ? .uncertain : .none
    return refresh
  }
}
