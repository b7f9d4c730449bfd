package import Foundation
package import GTFS

/// A stop of a trip with its times.
package struct ScheduledCall: Hashable, Sendable {
  /// The stop.
  package var stop: Timetable.Stop
  /// stop_sequence.
  package var sequence: UInt32
  /// Seconds after 0:00 of the service day.
  package var arrival: Int32
  /// See ``arrival``.
  package var departure: Int32
  /// Whether people may get on (pickup_type is not 1).
  package var allowsPickup: Bool
  /// Whether people may get off (drop_off_type is not 1).
  package var allowsDropOff: Bool
  /// Whether the feed gives no time and the times are those between the neighbours'.
  package var isInterpolated: Bool

  /// Creates a stop of a trip.
  package init(
    stop: Timetable.Stop,
    sequence: UInt32,
    arrival: Int32,
    departure: Int32,
    allowsPickup: Bool = true,
    allowsDropOff: Bool = true,
    isInterpolated: Bool = false
  ) {
    self.stop = stop
    self.sequence = sequence
    self.arrival = arrival
    self.departure = departure
    self.allowsPickup = allowsPickup
    self.allowsDropOff = allowsDropOff
    self.isInterpolated = isInterpolated
  }
}

extension Timetable {
  /// The runs of a trip, by its id: one, or each departure of a frequency, ordered by start.
  package func trips(id: String) -> Range<Trip> {
    var id = id
    return id.withUTF8 { trips(id: UnsafeRawBufferPointer($0)) }
  }

  /// The runs of a trip, by the bytes of its id.
  package func trips(id wanted: UnsafeRawBufferPointer) -> Range<Trip> {
    var low = 0
    var high = image.trips.count
    while low < high {
      let middle = (low + high) / 2
      if ByteOrder.compare(image.tripId(Trip(middle)), wanted) < 0 {
        low = middle + 1
      } else {
        high = middle
      }
    }
    // Equal ids are adjacent: one trip, or the runs of a frequency.
    var end = low
    while end < image.trips.count, ByteOrder.compare(image.tripId(Trip(end)), wanted) == 0 {
      end += 1
    }
    return Trip(low)..<Trip(end)
  }

  /// Whether a trip has an id and is the only one with it, so that ``trips(id:)`` would find it alone.
  package func hasOneRun(_ trip: Trip, id wanted: UnsafeRawBufferPointer) -> Bool {
    ByteOrder.compare(image.tripId(trip), wanted) == 0 && !isFrequency(trip)
  }

  /// trip_id.
  package func tripId(of trip: Trip) -> UnsafeRawBufferPointer { image.tripId(trip) }

  /// trip_short_name; empty if the feed gives none.
  package func shortName(of trip: Trip) -> UnsafeRawBufferPointer {
    image.text(image.trips[Int(trip)].shortName)
  }

  /// The number of the trip's route.
  package func route(of trip: Trip) -> Int { Int(image.trips[Int(trip)].route) }

  /// The first departure in seconds after 0:00 of the service day.
  package func start(of trip: Trip) -> Int32 { image.trips[Int(trip)].start }

  /// direction_id; `nil` if the feed gives none.
  package func direction(of trip: Trip) -> UInt8? {
    let direction = image.trips[Int(trip)].direction
    return direction == 255 ? nil : direction
  }

  /// Whether the run is one of frequencies.txt.
  package func isFrequency(_ trip: Trip) -> Bool { image.trips[Int(trip)].frequency != 0 }

  /// Whether the run is one of a frequency without exact times (exact_times is not 1): a vehicle every so
  /// often, which the timetable only spaces out.
  package func isHeadway(_ trip: Trip) -> Bool { image.trips[Int(trip)].frequency == 1 }

  /// Seconds between the run of a frequency without exact times and its neighbor, the nearer one; `nil` for
  /// every other trip, and for a run without a neighbor.
  package func headway(of trip: Trip) -> Int32? {
    guard isHeadway(trip) else { return nil }
    let id = image.tripId(trip)
    let start = image.trips[Int(trip)].start
    let neighbors = [Int(trip) - 1, Int(trip) + 1].filter { other in
      image.trips.indices.contains(other) && image.trips[other].frequency == 1
        && ByteOrder.compare(image.tripId(Trip(other)), id) == 0
    }
    return neighbors.map { abs(image.trips[$0].start - start) }.filter { $0 > 0 }.min()
  }

  /// Whether a trip runs on a service day.
  package func runs(_ trip: Trip, on date: ServiceDate) -> Bool {
    image.daySet(
      image.trips[Int(trip)].daySet,
      contains: date.daysSinceEpoch - metadata.firstDay
    )
  }

  /// The first service day from a date on, then the last one before it, on which a trip runs.
  package func nearestDay(of trip: Trip, to date: ServiceDate) -> ServiceDate? {
    let set = image.trips[Int(trip)].daySet
    let wanted = date.daysSinceEpoch - metadata.firstDay
    let later = max(0, wanted)..<max(0, wanted, metadata.dayCount)
    let day =
      later.first { image.daySet(set, contains: $0) }
      ?? (0..<min(max(0, wanted), metadata.dayCount)).last { image.daySet(set, contains: $0) }
    return day.map { firstDay + $0 }
  }

  /// 0:00 of a service day of a trip, in seconds since 1970-01-01T00:00:00Z: in the time zone of its agency.
  package func start(of date: ServiceDate, for trip: Trip) -> Int64 {
    start(of: date, inZone: zoneNumber(of: trip))
  }

  /// 0:00 of a service day in the time zone of the first agency, in seconds since 1970-01-01T00:00:00Z.
  ///
  /// Of a trip's day ``start(of:for:)`` is the beginning.
  package func start(of date: ServiceDate) -> Int64 { start(of: date, inZone: 0) }

  /// The first and the last instant at which a service day begins in a zone of the timetable, in seconds since
  /// 1970-01-01T00:00:00Z.
  package func starts(of date: ServiceDate) -> ClosedRange<Int64> {
    let starts = zones.all.indices.map { start(of: date, inZone: $0) }
    return (starts.min() ?? 0)...(starts.max() ?? 0)
  }

  /// The time zone of a trip's agency.
  package func zone(of trip: Trip) -> TimeZone { zones.all[zoneNumber(of: trip)] }

  /// The name of the time zone of a trip's agency.
  package func zoneName(ofTrip trip: Trip) -> String { zones.names[zoneNumber(of: trip)] }

  private func zoneNumber(of trip: Trip) -> Int {
    zones.routes.isEmpty ? 0 : Int(zones.routes[Int(image.trips[Int(trip)].route)])
  }

  private func start(of date: ServiceDate, inZone zone: Int) -> Int64 {
    let day = date.daysSinceEpoch - metadata.firstDay
    let starts = zones.dayStarts[zone]
    if starts.indices.contains(day) { return starts[day] }
    return ServiceDay(zone: zones.all[zone]).start(of: date)
  }

  /// How many stops a trip has.
  package func callCount(of trip: Trip) -> Int {
    Int(image.patterns[Int(image.trips[Int(trip)].pattern)].count)
  }

  /// A stop of a trip.
  package func call(_ position: Int, of trip: Trip) -> ScheduledCall {
    let record = image.trips[Int(trip)]
    let place = Int(image.patterns[Int(record.pattern)].first) + position
    return call(record.start, place, Int(record.profile) + position)
  }

  /// Reads all stops of a trip, in order, replacing the contents of an array.
  ///
  /// Reading many trips into the same array reuses its memory.
  package func readCalls(of trip: Trip, into calls: inout [ScheduledCall]) {
    calls.removeAll(keepingCapacity: true)
    let record = image.trips[Int(trip)]
    let pattern = image.patterns[Int(record.pattern)]
    let first = Int(pattern.first)
    let profile = Int(record.profile)
    for position in 0..<Int(pattern.count) {
      calls.append(call(record.start, first + position, profile + position))
    }
  }

  /// The stop at a place of the patterns, with the times at a place of the profiles.
  @inline(__always)
  private func call(_ start: Int32, _ place: Int, _ profile: Int) -> ScheduledCall {
    let attributes = image.patternAttributes[place]
    let time = image.profileTimes[profile]
    return ScheduledCall(
      stop: image.patternStops[place],
      sequence: image.patternSequences[place],
      arrival: start + time.arrival,
      departure: start + time.departure,
      allowsPickup: attributes.pickupType != 1,
      allowsDropOff: attributes.dropOffType != 1,
      isInterpolated: attributes.isInterpolated
    )
  }

  /// Whether the feed gives no time of a stop of a trip.
  package func isInterpolated(_ position: Int, of trip: Trip) -> Bool {
    let pattern = image.patterns[Int(image.trips[Int(trip)].pattern)]
    return image.patternAttributes[Int(pattern.first) + position].isInterpolated
  }

  /// stop_sequence of a stop of a trip.
  package func sequence(_ position: Int, of trip: Trip) -> UInt32 {
    let pattern = image.patterns[Int(image.trips[Int(trip)].pattern)]
    return image.patternSequences[Int(pattern.first) + position]
  }
}
