/// An instant on a monotonic timeline that the host owns.
///
/// Instants can only be compared with other instants of the same run; they have no calendar. The
/// host's clock should include the time that the device sleeps. If it does not, the host reports
/// the gap (R14).
public struct Instant: Hashable, Comparable, Sendable {
  /// The time since the run began, in milliseconds.
  public var milliseconds: Int64

  /// Creates an instant a number of milliseconds after the run began.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// The instant the run began.
  public static let start = Instant(milliseconds: 0)

  /// Compares two instants.
  public static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.milliseconds < rhs.milliseconds }

  /// Returns an instant that is later by a length of time.
  public static func + (lhs: Instant, rhs: Duration) -> Instant {
    Instant(milliseconds: (Duration(milliseconds: lhs.milliseconds) + rhs).milliseconds)
  }

  /// Returns an instant that is earlier by a length of time.
  public static func - (lhs: Instant, rhs: Duration) -> Instant {
    Instant(milliseconds: (Duration(milliseconds: lhs.milliseconds) - rhs).milliseconds)
  }

  /// Returns the time from one instant to another.
  public static func - (lhs: Instant, rhs: Instant) -> Duration {
    Duration(milliseconds: lhs.milliseconds) - Duration(milliseconds: rhs.milliseconds)
  }
}
