/// An instant on a wall clock, in milliseconds since 1970 UTC.
///
/// The machine only subtracts wall times of the same clock. The single exception is the skew, which
/// is measured and reported but does not influence decisions (R27).
public struct WallTime: Hashable, Comparable, Sendable {
  /// The milliseconds since 1970-01-01T00:00:00Z.
  public var milliseconds: Int64

  /// Creates a wall time from milliseconds since 1970 UTC.
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  /// Compares two wall times.
  public static func < (lhs: WallTime, rhs: WallTime) -> Bool {
    lhs.milliseconds < rhs.milliseconds
  }

  /// Returns the time from one wall time to another.
  public static func - (lhs: WallTime, rhs: WallTime) -> Instant.Duration {
    Instant.Duration(milliseconds: lhs.milliseconds)
      - Instant.Duration(milliseconds: rhs.milliseconds)
  }
}
