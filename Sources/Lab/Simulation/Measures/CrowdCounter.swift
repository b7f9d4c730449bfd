/// The requests of many clients by the second, within a span of time.
package struct CrowdCounter: Sendable {
  /// The requests of each second.
  package private(set) var seconds: [Int]
  private let start: Int64

  /// Creates a tally of nothing.
  ///
  /// - Parameters:
  ///   - start: The moment from which on requests count, in milliseconds.
  ///   - length: For how many seconds they do.
  package init(from start: Int64, seconds length: Int) {
    self.start = start
    seconds = [Int](repeating: 0, count: max(length, 1))
  }

  /// Counts a request.
  package mutating func note(at moment: Int64) {
    guard moment >= start, (moment - start) / 1_000 < seconds.count else { return }
    seconds[Int((moment - start) / 1_000)] += 1
  }

  /// All of them.
  package var total: Int { seconds.reduce(0, +) }
  /// Those of the busiest second.
  package var busiest: Int { seconds.max() ?? 0 }
  /// Those of a second, on average.
  package var mean: Double { Double(total) / Double(seconds.count) }
  /// The busiest second in multiples of the mean; 0 without requests.
  package var ratio: Double { total == 0 ? 0 : Double(busiest) / mean }
}
