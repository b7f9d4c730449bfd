extension Instant {
  /// A length of time in whole milliseconds.
  ///
  /// Sixty-four bits, because `Int` has thirty-two in the browser: a timer of twenty-five days must
  /// not overflow (scenario P11). Arithmetic saturates, so no header value can trap. In the module for
  /// browsers it is called rather than inlined, which makes the module a twelfth smaller.
  public struct Duration: Hashable, Comparable, Sendable {
    /// The length in milliseconds; negative lengths point backward.
    public var milliseconds: Int64

    /// Creates a length from milliseconds.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// No time.
    public static let zero = Duration(milliseconds: 0)
    /// The longest length; it means "never".
    public static let longest = Duration(milliseconds: .max)

    /// Creates a length from milliseconds.
    public static func milliseconds(_ count: Int64) -> Duration { Duration(milliseconds: count) }

    /// Creates a length from seconds.
    public static func seconds(_ count: Int64) -> Duration {
      Duration(milliseconds: 1_000) * count
    }

    /// Creates a length from minutes.
    public static func minutes(_ count: Int64) -> Duration { seconds(60) * count }

    /// Compares two lengths.
    public static func < (lhs: Duration, rhs: Duration) -> Bool {
      lhs.milliseconds < rhs.milliseconds
    }

    /// Adds two lengths.
    #if hasFeature(Embedded)
    @inline(never)
    #endif
    public static func + (lhs: Duration, rhs: Duration) -> Duration {
      let (sum, overflow) = lhs.milliseconds.addingReportingOverflow(rhs.milliseconds)
      return Duration(milliseconds: overflow ? (rhs.milliseconds < 0 ? .min : .max) : sum)
    }

    /// Subtracts one length from another.
    #if hasFeature(Embedded)
    @inline(never)
    #endif
    public static func - (lhs: Duration, rhs: Duration) -> Duration {
      let (sum, overflow) = lhs.milliseconds.subtractingReportingOverflow(rhs.milliseconds)
      return Duration(milliseconds: overflow ? (rhs.milliseconds < 0 ? .max : .min) : sum)
    }

    /// Multiplies a length.
    #if hasFeature(Embedded)
    @inline(never)
    #endif
    public static func * (lhs: Duration, rhs: Int64) -> Duration {
      let (product, overflow) = lhs.milliseconds.multipliedReportingOverflow(by: rhs)
      guard overflow else { return Duration(milliseconds: product) }
      return Duration(milliseconds: (lhs.milliseconds < 0) == (rhs < 0) ? .max : .min)
    }

    /// Returns a share of the length, in percent, rounded toward zero.
    public func percent(_ share: Int64) -> Duration {
      Duration(milliseconds: (self * share).milliseconds / 100)
    }
  }
}
