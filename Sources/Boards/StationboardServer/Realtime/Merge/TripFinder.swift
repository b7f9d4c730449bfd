import Timetable

/// Finds the trips that a feed names, first where the feed before it had them.
///
/// Producers write their trips in the same order again: the trip after the one found last is most often the wanted one.
/// Checking its id takes one comparison; searching the timetable takes some twenty, each of which waits for memory, and
/// was half the cost of finding the trips.
struct TripFinder {
  /// How many trips may be missing in a row without a search for each one that follows.
  private static let lookahead = 4

  private let timetable: Timetable
  /// The trips of the feed before, in its order.
  private let before: [RealtimeTrip]
  /// The index in ``before`` to check first; `nil` until the first search.
  private var next: Int?

  /// - Parameters:
  ///   - timetable: The timetable.
  ///   - previous: The index of the feed before, of the same timetable.
  init(_ timetable: Timetable, after previous: RealtimeIndex?) {
    self.timetable = timetable
    before = previous?.trips ?? []
  }

  /// The runs of the trip with an id, as the timetable has them.
  mutating func runs(id: UnsafeRawBufferPointer) -> Range<UInt32> {
    if let next {
      for place in next..<min(next + Self.lookahead, before.count) {
        let trip = before[place].trip
        guard trip != TimetableDirectory.none, timetable.hasOneRun(trip, id: id) else { continue }
        self.next = place + 1
        return trip..<trip + 1
      }
    }
    let runs = timetable.trips(id: id)
    if next == nil, let first = runs.first {
      next = before.firstIndex { $0.trip == first }.map { $0 + 1 } ?? before.count
    }
    return runs
  }
}
