/// The times at which trips of one service begin.
enum Departures {
  /// Times spread over a part of the day as timetables spread them.
  ///
  /// Trips leave at equal intervals that divide the hour; those left over fill gaps, the busiest
  /// hours first. A handful of trips goes to the hours riders want. More trips than minutes spread
  /// evenly over the seconds.
  ///
  /// - Parameters:
  ///   - count: The number of trips.
  ///   - window: The minutes after midnight between which trips begin.
  ///   - phase: A number from 0 that shifts the times of one line against those of others.
  /// - Returns: The seconds after midnight, in order.
  static func times(count: Int, window: ClosedRange<Int>, phase: Int) -> [Int] {
    guard count > 0 else { return [] }
    if window.lowerBound >= 1400 { return self.even(count, window) }
    if count < 7 { return self.few(count, window, phase) }
    for interval in [2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60, 120] {
      let start = window.lowerBound + phase % interval
      let regular = Array(stride(from: start, through: window.upperBound, by: interval))
      guard regular.count <= count else { continue }
      let between = regular.dropLast().map { $0 + interval / 2 }
      guard count - regular.count <= between.count else { break }
      let busiest = between.sorted { (self.calm($0), $0) < (self.calm($1), $1) }
      let minutes = regular + busiest.prefix(count - regular.count)
      return minutes.sorted().map { $0 * 60 }
    }
    return self.even(count, window)
  }

  /// The minutes from a time to the nearest rush hour.
  private static func calm(_ minute: Int) -> Int { min(abs(minute - 450), abs(minute - 1050)) }

  private static func few(_ count: Int, _ window: ClosedRange<Int>, _ phase: Int) -> [Int] {
    let wanted = [430, 1005, 735, 1090, 395, 865, 1150].prefix(count)
    let minutes = wanted.map { minute in
      min(max(minute + phase % 15, window.lowerBound), window.upperBound)
    }
    return minutes.sorted().map { $0 * 60 }
  }

  private static func even(_ count: Int, _ window: ClosedRange<Int>) -> [Int] {
    let span = (window.upperBound - window.lowerBound) * 60
    return (0..<count).map { index in
      let second = window.lowerBound * 60 + (count == 1 ? 0 : span * index / (count - 1))
      return count > span / 120 ? second : second / 60 * 60
    }
  }
}
