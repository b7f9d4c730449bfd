import Timetable

/// The trips of a timetable in the order of their start, in groups of similar duration.
///
/// The trips that run around an instant are found with a few binary searches, however large the
/// timetable. The groups prevent one night train from extending every search by a day. Takes 8
/// bytes per trip.
struct ActiveTrips: Sendable {
  private struct Group: Sendable {
    /// Start in the upper half (biased to be positive), trip number in the lower.
    var entries: [UInt64]
    /// The longest duration, in seconds.
    var longest: Int64
  }

  /// Durations in one group differ by less than this, and then by a factor of two.
  private static let shortest: Int32 = 900
  private static let bias: Int64 = 1 << 30

  private let groups: [Group]
  /// The latest end of any trip, in seconds after 0:00 of its service day.
  let latestEnd: Int64

  init(_ timetable: Timetable) {
    var groups = [Group](repeating: Group(entries: [], longest: 0), count: 16)
    var latest: Int64 = 0
    for number in 0..<timetable.tripCount {
      let trip = Timetable.Trip(number)
      let count = timetable.callCount(of: trip)
      guard count > 1 else { continue }
      let start = timetable.start(of: trip)
      let end = timetable.call(count - 1, of: trip).departure
      let duration = max(0, end - start)
      let group = Int32.bitWidth - (duration / Self.shortest).leadingZeroBitCount
      groups[min(group, 15)].longest = max(groups[min(group, 15)].longest, Int64(duration))
      groups[min(group, 15)].entries.append(
        UInt64(Int64(start) + Self.bias) << 32 | UInt64(number)
      )
      latest = max(latest, Int64(end))
    }
    for index in groups.indices { groups[index].entries.sort() }
    self.groups = groups.filter { !$0.entries.isEmpty }
    latestEnd = latest
  }

  /// Visits the trips that start before one time of day and end after another, and some more.
  ///
  /// - Parameters:
  ///   - start: Trips start before this, in seconds after 0:00 of the service day.
  ///   - end: Trips end after this, likewise.
  ///   - body: Receives each trip.
  func visit(startingBefore start: Int64, endingAfter end: Int64, _ body: (Timetable.Trip) -> Void)
  {
    for group in groups {
      var index = Self.place(of: end - group.longest, in: group.entries)
      let last = Self.place(of: start, in: group.entries)
      while index < last {
        body(Timetable.Trip(truncatingIfNeeded: group.entries[index]))
        index += 1
      }
    }
  }

  private static func place(of time: Int64, in entries: [UInt64]) -> Int {
    let wanted = UInt64(max(0, time + bias)) << 32
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle] < wanted { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
