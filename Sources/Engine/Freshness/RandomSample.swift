/// One draw of chance, made by the host.
///
/// The machine rolls no dice: every event brings a draw, and the wait that begins with the event
/// keeps it (R10). The same draws give the same run.
public struct RandomSample: Hashable, Sendable {
  /// Thirty-two evenly distributed bits.
  public var bits: UInt32

  /// Creates a draw from thirty-two evenly distributed bits.
  public init(bits: UInt32) { self.bits = bits }

  /// The lowest draw.
  public static let lowest = RandomSample(bits: .min)
  /// The draw in the middle; ``Jitter/within(_:)`` and ``Jitter/share(_:)`` vanish.
  public static let middle = RandomSample(bits: 1 << 31)
  /// The highest draw.
  public static let highest = RandomSample(bits: .max)

  /// Picks a length between nothing and a limit, both included.
  ///
  /// Limits over 49 days are cut to that.
  public func upTo(_ limit: Timespan) -> Timespan {
    guard limit > .zero else { return .zero }
    let steps = UInt64(min(limit.milliseconds, Int64(UInt32.max) - 1)) + 1
    return Timespan(milliseconds: Int64((UInt64(bits) * steps) >> 32))
  }

  /// Picks a length between two others, both included.
  public func between(_ least: Timespan, _ most: Timespan) -> Timespan {
    least + upTo(most - least)
  }
}
