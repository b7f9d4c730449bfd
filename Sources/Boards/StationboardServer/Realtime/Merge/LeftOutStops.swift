import Timetable

/// The stops of a trip of the timetable that its replacement does not list.
struct LeftOutStops {
  /// Their places in the trip of the timetable, in order.
  private(set) var places: [UInt16] = []
  /// For each stop of the replacement the place in the trip of the timetable that it, or a stop before it, has; −1 as
  /// long as none has one.
  private(set) var reached: [Int32] = []

  /// Compares the stops of a replacement with those of the trip that it replaces.
  ///
  /// - Parameters:
  ///   - own: The stops of the replacement in its order, those that it skips included; ``TimetableDirectory/none`` for
  ///     one that the timetable does not have.
  ///   - schedule: The stops of the trip that it replaces.
  ///   - isDiverted: Whether the replacement ends where that trip does not stop, so that it serves no later stop of it.
  ///     Else what lies behind its end is not left out on the way.
  ///   - directory: Which stops are one station.
  init(
    _ own: [UInt32],
    insteadOf schedule: [ScheduledCall],
    isDiverted: Bool,
    _ directory: TimetableDirectory
  ) {
    var visits: [UInt64: [Int]] = [:]
    for (place, call) in schedule.enumerated() {
      for number in directory.stationNumbers(of: call.stop) {
        visits[number, default: []].append(place)
      }
    }
    var listed: Set<UInt64> = []
    var next = 0
    for stop in own {
      if stop != TimetableDirectory.none {
        let numbers = directory.stationNumbers(of: stop)
        listed.formUnion(numbers)
        let visit = numbers.compactMap { visits[$0]?.first(atOrAfter: next) }.min()
        if let visit { next = visit + 1 }
      }
      reached.append(Int32(next - 1))
    }
    let end = isDiverted ? schedule.count : next
    for place in 0..<end {
      let numbers = directory.stationNumbers(of: schedule[place].stop)
      if listed.isDisjoint(with: numbers) { places.append(UInt16(truncatingIfNeeded: place)) }
    }
  }
}

extension [Int] {
  /// The first of these rising numbers that is not less than another one.
  fileprivate func first(atOrAfter least: Int) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < least { low = middle + 1 } else { high = middle }
    }
    return low < count ? self[low] : nil
  }
}
