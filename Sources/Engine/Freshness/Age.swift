/// The age of data, which grows by the device's monotonic clock alone (R27).
public struct Age: Hashable, Sendable {
  /// How old the data was when it arrived.
  public var atArrival: Timespan
  /// When it arrived.
  public var arrivedAt: Moment

  /// Creates an age from its value at one moment.
  public init(atArrival: Timespan, arrivedAt: Moment) {
    self.atArrival = atArrival
    self.arrivedAt = arrivedAt
  }

  /// Measures the age at a moment.
  ///
  /// R27: a change of the device's wall clock does not move it, and being offline does not stop it.
  public func value(at now: Moment) -> Timespan { atArrival + max(now - arrivedAt, .zero) }

  /// The unit and number a label speaks (R28).
  public enum Wording: Hashable, Sendable {
    /// "updated 12 s ago"
    case seconds(Int64)
    /// "updated 3 min ago"
    case minutes(Int64)
    /// "updated 2 h ago"
    case hours(Int64)
  }

  /// Puts an age into the number and unit of a label; the host chooses the words.
  public static func wording(_ age: Timespan) -> Wording {
    let seconds = max(age.milliseconds, 0) / 1_000
    if seconds < 60 { return .seconds(seconds) }
    return seconds < 3_600 ? .minutes(seconds / 60) : .hours(seconds / 3_600)
  }
}
