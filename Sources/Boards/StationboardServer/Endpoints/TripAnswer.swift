import GTFS
import NIOCore
import Timetable

/// A run of a trip on a day.
struct TripJourney {
  var feed: Feed
  /// The trip of the timetable, of a duplicated trip its template; `nil` for new trips.
  var trip: Timetable.Trip?
  var day: ServiceDate
  /// The trip that only realtime has.
  var extra: RealtimeTrip?
}

/// Writes the pass list of a trip with what realtime says of it.
struct TripAnswer {
  let journey: TripJourney
  let language: UInt32?
  let snapshot: RealtimeSnapshot
  let decay: RealtimeDecay
  let now: Double

  var timetable: Timetable { journey.feed.timetable }
  var prefix: String { journey.feed.idPrefix }

  /// One stop of the list.
  struct Stop {
    var stop: Timetable.Stop
    var sequence: Int
    var scheduledArrival: Int64?
    var scheduledDeparture: Int64?
    var allowsPickup: Bool
    var allowsDropOff: Bool
    var certainty = ScheduleCertainty.unscheduled
  }

  /// The body.
  func body() -> ByteBuffer {
    let realtime = details
    var json = JSONBytes()
    writeTrip(realtime, &json)
    json.raw(",\"stops\":[")
    for (number, (position, stop)) in stops(realtime).enumerated() {
      if number > 0 { json.raw(",") }
      write(stop, position, realtime, &json)
    }
    json.raw("],\"meta\":{\"serverTime\":")
    json.instant(fractional: now)
    json.raw(",\"timezone\":")
    json.string(
      journey.trip.map { timetable.zoneName(ofTrip: $0) } ?? timetable.metadata.timeZone
    )
    json.raw(",\"rtFetchedAt\":")
    if let source = snapshot.trips.sourceTime {
      json.instant(fractional: source)
    } else {
      json.raw("null")
    }
    json.raw(",\"rtCacheAgeMs\":")
    if let age = snapshot.trips.age(at: now) {
      json.integer(Int(age * 1_000))
    } else {
      json.raw("null")
    }
    json.raw("}}")
    return json.buffer
  }

  var details: TripRealtime? {
    guard let index = snapshot.index else { return nil }
    if let extra = journey.extra { return index.details(ofExtra: extra) }
    return journey.trip.flatMap { index.details(of: $0, day: journey.day.daysSinceEpoch) }
  }

  // MARK: The trip

  private func writeTrip(_ realtime: TripRealtime?, _ json: inout JSONBytes) {
    json.raw("{\"trip\":{\"trip_id\":")
    if let id = realtime?.extra?.tripID {
      json.string(prefix + id)
    } else if let trip = journey.trip {
      json.string(timetable.tripId(of: trip), prefix: prefix)
    } else {
      json.raw("null")
    }
    let route = realtime?.extra?.route ?? journey.trip.map { timetable.route(of: $0) }
    json.raw(",\"route_id\":")
    if let route {
      json.string(timetable.routeId(route), prefix: prefix)
    } else {
      json.string(realtime?.extra?.routeID.map { prefix + $0 })
    }
    json.raw(",")
    if let route {
      json.raw(journey.feed.routes[route].json)
    } else {
      json.raw("\"line\":null,\"category\":\"B\",\"number\":null,\"operator\":null,")
      json.raw("\"routeType\":3,\"routeColor\":null,\"routeTextColor\":null,")
    }
    json.raw("\"shortName\":")
    let name = journey.trip.map { timetable.shortName(of: $0) }
    if let name, name.count > 0 { json.string(name) } else { json.raw("null") }
    json.raw(",\"destination\":")
    writeDestination(realtime, &json)
    json.raw(",\"serviceDate\":\"")
    json.date(daysSinceEpoch: journey.day.daysSinceEpoch)
    json.raw("\"")
    let isOfTimetable = realtime?.isOfTimetable ?? true
    if let trip = journey.trip, isOfTimetable, timetable.isFrequency(trip) {
      json.raw(",\"startTime\":\"")
      json.time(Int(timetable.start(of: trip)))
      json.raw("\"")
    }
    json.raw(",\"headwaySec\":")
    if isOfTimetable, let headway = journey.trip.flatMap({ timetable.headway(of: $0) }) {
      json.integer(Int(headway))
    } else {
      json.raw("null")
    }
    writeState(realtime, &json)
    TripContinuations(
      of: journey.trip,
      on: journey.day,
      realtime?.continuing ?? .asScheduled,
      snapshot.index,
      journey.feed
    )
    .write(&json, language)
    writeVehicle(realtime, &json)
    json.raw("}")
  }

  private func writeDestination(_ realtime: TripRealtime?, _ json: inout JSONBytes) {
    if let headsign = realtime?.extra?.headsign ?? realtime?.headsign {
      return json.string(headsign)
    }
    if let extra = realtime?.extra, !extra.stops.isEmpty {
      let last = extra.stops.indices.last { place in
        extra.stops[place].stop != TimetableDirectory.none
          && realtime?.isSkipped(at: place) != true
      }
      guard let last else { return json.raw("null") }
      let station = timetable.station(of: extra.stops[last].stop)
      return json.string(timetable.name(of: station, language: language))
    }
    guard let trip = journey.trip else { return json.raw("null") }
    let end = (1..<timetable.callCount(of: trip)).last { realtime?.isSkipped(at: $0) != true }
    let destination = timetable.destination(of: trip, at: 0, endingAt: end, language: language)
    if destination.count > 0 { json.string(destination) } else { json.raw("null") }
  }

  /// The state of the trip, in the reference's terms, and its age.
  private func writeState(_ realtime: TripRealtime?, _ json: inout JSONBytes) {
    json.raw(",\"scheduleRelationship\":")
    switch (realtime?.trip.kind, realtime?.extra?.kind) {
    case (nil, _): json.raw("null")
    case (_, .new?): json.raw("\"NEW\"")
    case (_, .duplicated?): json.raw("\"DUPLICATED\"")
    case (_, .replacement?) where realtime?.extra?.isModification == true:
      json.raw(realtime?.isCancelled == true ? "\"CANCELED\"" : "\"SCHEDULED\"")
    case (_, .replacement?), (.replaced?, _): json.raw("\"REPLACEMENT\"")
    case (.cancelled?, _): json.raw("\"CANCELED\"")
    case (.deleted?, _): json.raw("\"DELETED\"")
    default: json.raw("\"SCHEDULED\"")
    }
    json.raw(",\"cancelled\":")
    json.flag(realtime?.isCancelled ?? false)
    json.raw(",\"detoured\":")
    json.flag(realtime?.extra?.isModification == true)
    json.raw(",\"shape\":")
    json.string(realtime?.extra?.shape)
    json.raw(",\"realtimeAt\":")
    instant(realtime?.trip.sourceTime, &json)
    json.raw(",\"realtimeFreshness\":")
    if let source = realtime?.trip.sourceTime {
      json.raw("\"")
      json.raw(decay.freshness(age: now - Double(source)).name)
      json.raw("\"")
    } else {
      json.raw("null")
    }
  }

  // MARK: The stops

  func stops(_ realtime: TripRealtime?) -> [(Int, Stop)] {
    if let extra = realtime?.extra, !extra.stops.isEmpty { return ownStops(extra, realtime) }
    guard let trip = journey.trip else { return [] }
    let start = realtime?.extra?.start.map { Int64($0) - Int64(timetable.start(of: trip)) }
    let midnight = timetable.start(of: journey.day, for: trip) + (start ?? 0)
    let count = timetable.callCount(of: trip)
    return (0..<count).map { position in
      let call = timetable.call(position, of: trip)
      let row = realtime?.row(at: position)
      let certainty = ScheduleCertainty(
        position,
        of: trip,
        timetable,
        isCopy: realtime?.extra != nil
      )
      let stop = Stop(
        stop: call.stop,
        sequence: Int(call.sequence),
        scheduledArrival: position == 0 ? nil : midnight + Int64(call.arrival),
        scheduledDeparture: position == count - 1 ? nil : midnight + Int64(call.departure),
        allowsPickup: (call.allowsPickup || row != nil) && position < count - 1
          && realtime?.isClosed(at: position) != true,
        allowsDropOff: call.allowsDropOff && position > 0,
        certainty: certainty.boarding(by: row?.flags ?? [])
      )
      return (position, stop)
    }
  }

  /// The stops of a trip whose stop time updates are all its stops.
  private func ownStops(_ extra: ExtraTrip, _ realtime: TripRealtime?) -> [(Int, Stop)] {
    extra.stops.indices.compactMap { position in
      let own = extra.stops[position]
      guard own.stop != TimetableDirectory.none else { return nil }
      let row = realtime?.row(at: position)
      if let plan = own.plan {
        return (position, stop(own, plan, position, extra.stops.count, row))
      }
      let stop = Stop(
        stop: own.stop,
        sequence: Int(own.sequence),
        scheduledDeparture: row?.scheduled,
        allowsPickup: row != nil,
        allowsDropOff: position > 0,
        certainty: (row?.scheduled == nil ? ScheduleCertainty.unscheduled : .listed)
          .boarding(by: row?.flags ?? [])
      )
      return (position, stop)
    }
  }

  /// A stop of a trip with modifications.
  private func stop(
    _ own: ExtraTrip.Stop,
    _ plan: ExtraTrip.Plan,
    _ position: Int,
    _ count: Int,
    _ row: BoardRow?
  ) -> Stop {
    var stop = Stop(
      stop: own.stop,
      sequence: Int(own.sequence),
      allowsPickup: row != nil,
      allowsDropOff: plan.allowsDropOff && position > 0
    )
    guard let trip = journey.trip else { return stop }
    let midnight = timetable.start(of: journey.day, for: trip)
    if position > 0 { stop.scheduledArrival = midnight + Int64(plan.arrival) }
    if position < count - 1 { stop.scheduledDeparture = midnight + Int64(plan.departure) }
    stop.certainty = ScheduleCertainty(plan, of: trip, timetable).boarding(by: row?.flags ?? [])
    return stop
  }

  private func write(
    _ stop: Stop,
    _ position: Int,
    _ realtime: TripRealtime?,
    _ json: inout JSONBytes
  ) {
    let row = realtime?.row(at: position)
    json.raw("{\"stop_id\":")
    json.string(timetable.id(of: stop.stop), prefix: prefix)
    json.raw(",\"stationId\":")
    json.string(timetable.id(of: timetable.station(of: stop.stop)), prefix: prefix)
    json.raw(",\"name\":")
    json.string(timetable.name(of: timetable.station(of: stop.stop), language: language))
    json.raw(",\"platform\":")
    writePlatform(stop, row, &json)
    json.raw(",\"platformChanged\":")
    json.flag(row?.flags.contains(.platformChanged) ?? false)
    json.raw(",\"stop_sequence\":")
    json.integer(stop.sequence)
    json.raw(",\"scheduledArrival\":")
    instant(stop.scheduledArrival, &json)
    json.raw(",\"scheduledDeparture\":")
    instant(stop.scheduledDeparture, &json)
    let arrival = realtime?.arrival(at: position)
    json.raw(",\"realtimeArrival\":")
    instant(arrival, &json)
    let departure = row.flatMap { $0.flags.contains(.cancelled) ? nil : $0.predicted }
    json.raw(",\"realtimeDeparture\":")
    instant(departure, &json)
    json.raw(",\"delaySec\":")
    if realtime?.isOfTimetable ?? true, journey.trip.map({ timetable.isHeadway($0) }) ?? false {
      // Nothing schedules a frequency without exact times to the minute.
      json.raw("null")
    } else if let departure, let planned = stop.scheduledDeparture {
      json.integer(Int(departure - planned))
    } else if let arrival, let planned = stop.scheduledArrival {
      json.integer(Int(arrival - planned))
    } else {
      json.raw("null")
    }
    json.raw(",\"predictionUncertaintySec\":")
    if let seconds = row.flatMap({ snapshot.index?.uncertainty(of: $0) }) {
      json.integer(seconds)
    } else {
      json.raw("null")
    }
    json.raw(",\"occupancy\":")
    json.string(row.flatMap { snapshot.index?.occupancy(of: $0) })
    json.raw(",\"stopEvent\":")
    json.raw(realtime?.isSkipped(at: position) == true ? "\"SKIPPED\"" : "null")
    json.raw(",\"pickup\":")
    json.flag(stop.allowsPickup)
    json.raw(",\"dropOff\":")
    json.flag(stop.allowsDropOff)
    json.raw(",")
    stop.certainty.write(&json)
    json.raw("}")
  }

  private func writePlatform(_ stop: Stop, _ row: BoardRow?, _ json: inout JSONBytes) {
    let platform = row.flatMap { snapshot.index?.platform(of: $0) } ?? .usual
    switch platform {
    case .usual: json.string(timetable.platform(of: stop.stop))
    case .stop(let other): json.string(timetable.platform(of: other))
    case .named(let name): json.string(name)
    }
  }

  private func instant(_ seconds: Int64?, _ json: inout JSONBytes) {
    guard let seconds else { return json.raw("null") }
    json.raw("\"")
    json.instant(seconds)
    json.raw("\"")
  }
}
