/// A random number supplied by the host.
///
/// The machine has no random source: every event brings a sample, and the wait that begins with the
/// event keeps it (R10). The same samples give the same run.
public struct RandomSample: Hashable, Sendable {
  /// Thirty-two evenly distributed bits.
  public var bits: UInt32

  /// Creates a sample from thirty-two evenly distributed bits.
  public init(bits: UInt32) { self.bits = bits }

  /// The lowest sample.
  public static let lowest = RandomSample(bits: .min)
  /// The sample in the middle, for which ``Jitter/within(_:)`` and ``Jitter/share(_:)`` add
  /// nothing.
  public static let middle = RandomSample(bits: 1 << 31)
  /// The highest sample.
  public static let highest = RandomSample(bits: .max)

  /// Returns a length between zero and a limit, both included.
  ///
  /// Limits over 49 days are reduced to that.
  public func upTo(_ limit: Instant.Duration) -> Instant.Duration {
    guard limit > .zero else { return .zero }
    let steps = UInt64(min(limit.milliseconds, Int64(UInt32.max) - 1)) + 1
    return Instant.Duration(milliseconds: Int64((UInt64(bits) * steps) >> 32))
  }

  /// Returns a length between two others, both included.
  public func between(_ least: Instant.Duration, _ most: Instant.Duration) -> Instant.Duration {
    least + upTo(most - least)
  }
}
