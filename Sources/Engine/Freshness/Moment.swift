/// An instant on a monotonic timeline that the host owns.
///
/// Moments are only compared with, or measured from, other moments of the same run. They carry no
/// calendar. The host's clock should count the time the device sleeps; where it does not, the host
/// reports a gap instead (R14).
public struct Moment: Hashable, Comparable, Sendable {
  /// The time since the run began, in milliseconds.
  public var milliseconds: Int64

  /// Creates a moment a number of milliseconds after the run began.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// The moment the run began.
  public static let start = Moment(milliseconds: 0)

  /// Compares two moments.
  public static func < (lhs: Moment, rhs: Moment) -> Bool { lhs.milliseconds < rhs.milliseconds }

  /// Moves a moment by a length of time.
  public static func + (lhs: Moment, rhs: Timespan) -> Moment {
    Moment(milliseconds: (Timespan(milliseconds: lhs.milliseconds) + rhs).milliseconds)
  }

  /// Moves a moment back by a length of time.
  public static func - (lhs: Moment, rhs: Timespan) -> Moment {
    Moment(milliseconds: (Timespan(milliseconds: lhs.milliseconds) - rhs).milliseconds)
  }

  /// Measures the time from one moment to another.
  public static func - (lhs: Moment, rhs: Moment) -> Timespan {
    Timespan(milliseconds: lhs.milliseconds) - Timespan(milliseconds: rhs.milliseconds)
  }
}
