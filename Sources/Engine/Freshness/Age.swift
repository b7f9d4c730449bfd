/// The age of data, which advances only with the device's monotonic clock (R27).
public struct Age: Hashable, Sendable {
  /// How old the data was when it arrived.
  public var atArrival: Instant.Duration
  /// When it arrived.
  public var arrivedAt: Instant

  /// Creates an age from its value at an instant.
  public init(atArrival: Instant.Duration, arrivedAt: Instant) {
    self.atArrival = atArrival
    self.arrivedAt = arrivedAt
  }

  /// Returns the age at an instant.
  ///
  /// R27: changing the device's wall clock does not affect it, and being offline does not stop it.
  public func value(at now: Instant) -> Instant.Duration { atArrival + max(now - arrivedAt, .zero) }

  /// The unit and number that a label shows (R28).
  public enum Wording: Hashable, Sendable {
    /// "updated 12 s ago"
    case seconds(Int64)
    /// "updated 3 min ago"
    case minutes(Int64)
    /// "updated 2 h ago"
    case hours(Int64)
  }

  /// Converts an age to the number and unit of a label; the host supplies the text.
  public static func wording(_ age: Instant.Duration) -> Wording {
    let seconds = max(age.milliseconds, 0) / 1_000
    if seconds < 60 { return .seconds(seconds) }
    return seconds < 3_600 ? .minutes(seconds / 60) : .hours(seconds / 3_600)
  }
}
