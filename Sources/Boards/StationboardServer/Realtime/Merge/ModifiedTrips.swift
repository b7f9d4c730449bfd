import GTFS
import GTFSRealtime
import Timetable

/// Which trips of the timetable the trip modifications of a feed change, on which days.
struct ModifiedTrips {
  /// A trip on a day that changes.
  struct Entry {
    var trip: UInt32
    var day: Int32
    /// The number of its ``TripModifications`` in the feed.
    var modifications: Int
    /// The trip update of the changed trip, by its number in the feed.
    var update: Int?
  }

  /// The trips, in the order of the feed.
  private(set) var entries: [Entry] = []
  /// The trip updates of changed trips.
  private(set) var updates: Set<Int> = []
  private var places: [UInt64: Int] = [:]

  /// No trips.
  init() {}

  /// Finds the trips.
  ///
  /// - Parameters:
  ///   - feed: The feed.
  ///   - timetable: The timetable its ids mean.
  ///   - today: The day of the feed, in days since 1970-01-01.
  ///   - policy: How far from it days may be, and how many trips are changed.
  init(_ feed: TripUpdateFeed, _ timetable: Timetable, today: Int, _ policy: RealtimePolicy) {
    guard !feed.modifications.isEmpty else { return }
    var looks = 0
    for (number, entity) in feed.modifications.enumerated() {
      let days = Set(entity.serviceDates).sorted().filter {
        (-policy.modifiedDaysBefore...policy.modifiedDaysAfter)
          .contains($0.daysSinceEpoch - today)
      }
      let starts = Set(entity.startTimes)
      for id in entity.tripIDs {
        for run in timetable.trips(id: id) {
          guard looks < policy.mostModifiedTrips else { break }
          looks += 1
          if timetable.isFrequency(run), !starts.isEmpty,
            !starts.contains(timetable.start(of: run))
          {
            continue
          }
          for day in days where timetable.runs(run, on: day) {
            enter(run, Int32(day.daysSinceEpoch), number)
          }
        }
      }
    }
    match(feed, timetable)
  }

  /// The entry of a trip on a day.
  func find(_ trip: UInt32, _ day: Int32) -> Entry? {
    places.isEmpty ? nil : places[Self.key(trip, day)].map { entries[$0] }
  }

  private static func key(_ trip: UInt32, _ day: Int32) -> UInt64 {
    UInt64(trip) << 32 | UInt64(UInt32(bitPattern: day))
  }

  /// Enters a trip; the first modifications of a trip on a day count.
  private mutating func enter(_ trip: UInt32, _ day: Int32, _ number: Int) {
    let key = Self.key(trip, day)
    guard places[key] == nil else { return }
    places[key] = entries.count
    entries.append(Entry(trip: trip, day: day, modifications: number))
  }

  /// Finds the trip updates of changed trips (`ModifiedTripSelector`); of several the newest counts, then the last.
  private mutating func match(_ feed: TripUpdateFeed, _ timetable: Timetable) {
    struct Name: Hashable {
      var modifications: String
      var trip: String
    }
    var places: [Name: [Int]] = [:]
    for (place, entry) in entries.enumerated() {
      let name = Name(
        modifications: feed.modifications[entry.modifications].entityID,
        trip: String(decoding: timetable.tripId(of: entry.trip), as: UTF8.self)
      )
      places[name, default: []].append(place)
    }
    for (number, update) in feed.trips.enumerated() {
      guard let selector = update.modifiedTrip, let id = feed.texts[selector.modificationsID],
        let trip = feed.texts[selector.affectedTripID]
      else { continue }
      let candidates = (places[Name(modifications: id, trip: trip)] ?? []).filter { place in
        let entry = entries[place]
        if let date = selector.startDate, entry.day != Int32(date.daysSinceEpoch) { return false }
        guard timetable.isFrequency(entry.trip), let start = selector.startTime else { return true }
        return timetable.start(of: entry.trip) == start
      }
      guard candidates.count == 1, let place = candidates.first else { continue }
      if let other = entries[place].update {
        guard (update.timestamp ?? 0) >= (feed.trips[other].timestamp ?? 0) else { continue }
        updates.remove(other)
      }
      entries[place].update = number
      updates.insert(number)
    }
  }
}
