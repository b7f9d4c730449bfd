/// The requests of many clients per second, within a period.
package struct CrowdCounter: Sendable {
  /// The requests of each second.
  package private(set) var seconds: [Int]
  private let start: Int64

  /// Creates an empty counter.
  ///
  /// - Parameters:
  ///   - start: The instant from which requests count, in milliseconds.
  ///   - length: The number of seconds to count.
  package init(from start: Int64, seconds length: Int) {
    self.start = start
    seconds = [Int](repeating: 0, count: max(length, 1))
  }

  /// Counts a request.
  package mutating func note(at instant: Int64) {
    guard instant >= start, (instant - start) / 1_000 < seconds.count else { return }
    seconds[Int((instant - start) / 1_000)] += 1
  }

  /// The total number.
  package var total: Int { seconds.reduce(0, +) }
  /// The number in the busiest second.
  package var busiest: Int { seconds.max() ?? 0 }
  /// The mean number per second.
  package var mean: Double { Double(total) / Double(seconds.count) }
  /// The busiest second in multiples of the mean; 0 without requests.
  package var ratio: Double { total == 0 ? 0 : Double(busiest) / mean }
}
