/// Days as runs of days that follow each other.
package struct DayRuns: Hashable, Sendable {
  /// Days since 1970-01-01, ascending: the first and the last of each run.
  package var bounds: [Int]

  /// Creates the days of some runs.
  package init(_ bounds: [Int] = []) { self.bounds = bounds }

  /// Whether the list is empty.
  package var isEmpty: Bool { bounds.isEmpty }

  /// Whether the bounds are in order, and of days that a calendar can have.
  package var isSound: Bool {
    bounds.count % 2 == 0 && bounds.allSatisfy { abs($0) <= 1 << 30 }
      && zip(bounds, bounds.dropFirst()).allSatisfy { $0 <= $1 }
  }

  /// How many runs end before a day.
  private func count(before day: Int) -> Int {
    var (low, high) = (0, bounds.count / 2)
    while low < high {
      let middle = (low + high) / 2
      if bounds[2 * middle + 1] < day { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Whether a day is one of them.
  package func contains(_ day: Int) -> Bool {
    let run = count(before: day)
    return run < bounds.count / 2 && bounds[2 * run] <= day
  }

  /// The day that is a number of these days before a day.
  ///
  /// Before the first of them every day counts.
  ///
  /// - Parameters:
  ///   - count: How many days to go back, 0 or more.
  ///   - day: The day to begin at, whether it is one of them or not.
  /// - Returns: The day.
  package func day(_ count: Int, before day: Int) -> Int {
    guard count > 0 else { return day }
    var rest = count
    var earliest = day
    var run = self.count(before: day)
    if run == bounds.count / 2 || bounds[2 * run] >= day { run -= 1 }
    while run >= 0 {
      let last = min(bounds[2 * run + 1], day - 1)
      let length = last - bounds[2 * run] + 1
      if rest <= length { return last - rest + 1 }
      rest -= length
      earliest = bounds[2 * run]
      run -= 1
    }
    return earliest - rest
  }
}

extension DayRuns: Codable {
  package init(from decoder: any Decoder) throws {
    bounds = try decoder.singleValueContainer().decode([Int].self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(bounds)
  }
}
