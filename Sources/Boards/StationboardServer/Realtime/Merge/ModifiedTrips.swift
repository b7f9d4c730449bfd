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
    /// The encoded polyline of the path that it takes; `nil` if the feed gives none.
    var shape: String?
    /// The trip update of the changed trip, by its number in the feed.
    var update: Int?
  }

  /// The trips, in the order of the feed.
  private(set) var entries: [Entry] = []
  /// The trip updates of changed trips.
  private(set) var updates: Set<Int> = []
  /// Trips on a day that would have more stops than positions can count, which keep the timetable.
  private(set) var oversized = 0
  private var places: [UInt64: Int] = [:]

  /// No trips.
  init() {}

  /// Finds the trips.
  ///
  /// - Parameters:
  ///   - feed: The feed.
  ///   - timetable: The timetable its ids mean.
  ///   - today: The day of the feed, in days since 1970-01-01.
  ///   - reference: When the feed was made, in seconds since 1970-01-01T00:00:00Z.
  ///   - policy: How far from it days may be, and how many trips and stops are changed.
  init(
    _ feed: TripUpdateFeed,
    _ timetable: Timetable,
    today: Int,
    reference: Int64,
    _ policy: RealtimePolicy
  ) {
    guard !feed.modifications.isEmpty else { return }
    enterAll(of: feed, timetable, today: today, policy)
    match(feed, timetable, reference, policy)
  }

  /// Enters the trips, until one of the limits is reached.
  private mutating func enterAll(
    of feed: TripUpdateFeed,
    _ timetable: Timetable,
    today: Int,
    _ policy: RealtimePolicy
  ) {
    var examined = 0
    var stops = 0
    for (number, entity) in feed.modifications.enumerated() {
      let days = Set(entity.serviceDates).sorted().filter {
        (-policy.modifiedDaysBefore...policy.modifiedDaysAfter)
          .contains($0.daysSinceEpoch - today)
      }
      let starts = Set(entity.startTimes)
      let added = entity.modifications.reduce(0) { $0 + $1.replacements.count }
      let selectors = 2 * entity.modifications.count
      for id in entity.tripIDs {
        for run in timetable.trips(id: id) {
          guard examined < policy.mostModifiedTrips else { return }
          examined += 1
          if timetable.isFrequency(run), !starts.isEmpty,
            !starts.contains(timetable.start(of: run))
          {
            continue
          }
          let most = timetable.callCount(of: run) + added
          for day in days where timetable.runs(run, on: day) {
            guard find(run, Int32(day.daysSinceEpoch)) == nil else { continue }
            guard most <= Int(UInt16.max) else {
              oversized += 1
              continue
            }
            stops += most + selectors
            guard entries.count < policy.mostModifiedTrips, stops <= policy.mostModifiedStops
            else { return }
            let shape = entity.tripShapes[id].flatMap { feed.shapes[$0] }
            enter(run, Int32(day.daysSinceEpoch), number, shape)
          }
        }
      }
    }
  }

  /// The entry of a trip on a day.
  func find(_ trip: UInt32, _ day: Int32) -> Entry? {
    places.isEmpty ? nil : places[Self.key(trip, day)].map { entries[$0] }
  }

  private static func key(_ trip: UInt32, _ day: Int32) -> UInt64 {
    UInt64(trip) << 32 | UInt64(UInt32(bitPattern: day))
  }

  /// Enters a trip that has no modifications yet: the first ones of a trip on a day count.
  private mutating func enter(_ trip: UInt32, _ day: Int32, _ number: Int, _ shape: String?) {
    places[Self.key(trip, day)] = entries.count
    entries.append(Entry(trip: trip, day: day, modifications: number, shape: shape))
  }

  /// Finds the trip updates of changed trips (`ModifiedTripSelector`); of several the newest counts, then the last.
  private mutating func match(
    _ feed: TripUpdateFeed,
    _ timetable: Timetable,
    _ reference: Int64,
    _ policy: RealtimePolicy
  ) {
    struct Name: Hashable {
      var modifications: String
      var trip: String
    }
    // The entries of a trip by the start of its run.
    var runs: [Name: [Int32: [Int]]] = [:]
    for (place, entry) in entries.enumerated() {
      let name = Name(
        modifications: feed.modifications[entry.modifications].entityID,
        trip: String(decoding: timetable.tripId(of: entry.trip), as: UTF8.self)
      )
      runs[name, default: [:]][timetable.start(of: entry.trip), default: []].append(place)
    }
    for (number, update) in feed.trips.enumerated() {
      guard let selector = update.modifiedTrip, let id = feed.texts[selector.modificationsID],
        let trip = feed.texts[selector.affectedTripID],
        let starts = runs[Name(modifications: id, trip: trip)],
        let first = starts.first?.value.first
      else { continue }
      var days: [Int]?
      if timetable.isFrequency(entries[first].trip), let start = selector.startTime {
        days = starts[start]
      } else if starts.count == 1 {
        days = starts.first?.value
      }
      let place: Int? =
        if let date = selector.startDate {
          days?.only { entries[$0].day == Int32(date.daysSinceEpoch) }
        } else {
          days.flatMap { nearest($0, timetable, reference, policy) }
        }
      guard let place else { continue }
      if let other = entries[place].update {
        guard (update.timestamp ?? 0) >= (feed.trips[other].timestamp ?? 0) else { continue }
        updates.remove(other)
      }
      entries[place].update = number
      updates.insert(number)
    }
  }

  /// Returns the entry of a trip for the day that an update without a date means: the only day, or of several the one
  /// on which the trip runs now or nearest to now.
  ///
  /// - Returns: `nil` if no day is near, or two are equally near.
  private func nearest(
    _ days: [Int],
    _ timetable: Timetable,
    _ reference: Int64,
    _ policy: RealtimePolicy
  ) -> Int? {
    guard days.count > 1 else { return days.first }
    let distances = days.map { place in
      let entry = entries[place]
      let day = ServiceDate(daysSinceEpoch: Int(entry.day))
      let midnight = timetable.start(of: day, for: entry.trip)
      let last = timetable.callCount(of: entry.trip) - 1
      let end = midnight + Int64(timetable.call(last, of: entry.trip).arrival)
      let start = midnight + Int64(timetable.start(of: entry.trip))
      return max(0, start - reference, reference - end)
    }
    guard let least = distances.min(), least <= policy.farthestDay else { return nil }
    return days.indices.only { distances[$0] == least }.map { days[$0] }
  }
}

extension Collection {
  /// The only element that fits; `nil` if none does, or several.
  fileprivate func only(_ fits: (Element) -> Bool) -> Element? {
    guard let place = firstIndex(where: fits),
      !self[index(after: place)...].contains(where: fits)
    else { return nil }
    return self[place]
  }
}
