/// Counts of durations in fixed ranges, as Prometheus reads them.
public struct Histogram: Hashable, Sendable {
  /// The upper bounds of the ranges, in seconds; one more range follows the last.
  public static let bounds: [Double] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
  ]

  /// The number of durations in each range, not cumulative.
  public private(set) var counts: [UInt64]
  /// The sum of all durations, in seconds.
  public private(set) var sum = 0.0

  /// Creates an empty histogram.
  public init() { counts = Array(repeating: 0, count: Self.bounds.count + 1) }

  /// The number of durations.
  public var count: UInt64 { counts.reduce(0, +) }

  /// Records a duration in seconds; a negative one counts as 0.
  public mutating func record(_ seconds: Double) {
    let seconds = seconds > 0 ? seconds : 0
    counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    sum += seconds
  }

  /// Adds the durations of another histogram.
  public mutating func add(_ other: Histogram) {
    for place in counts.indices { counts[place] += other.counts[place] }
    sum += other.sum
  }
}
