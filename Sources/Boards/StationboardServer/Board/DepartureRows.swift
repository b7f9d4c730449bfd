import GTFS
import NIOCore
import Timetable

/// Writes the departures of a board, one JSON object each (seed 002, `departures[]`).
struct DepartureRows {
  let feed: Feed
  let language: UInt32?
  /// The realtime of the board; `nil` if it has none.
  var realtime: RealtimeIndex?
  /// Where the vehicles of the board are; `nil` if it has none.
  var vehicles: VehicleIndex?
  /// The alerts of the board; `nil` if it has none.
  var alerts: AlertSelection?
  /// Whether ``writeSource(_:_:)`` is called behind every departure.
  var saysSources = false

  /// What every departure without realtime says.
  private static let withoutRealtime: StaticString = """
    "status":"UNKNOWN","rawDelaySec":null,"rawDelayMin":null,"displayedDelayMin":null,\
    "stopEvent":null,"realtimeAt":null,"realtimeFreshness":null,\
    "predictionUncertaintySec":null,"occupancy":null,"cancelled":false,\
    "cancelReasonCode":null,"platformChanged":false,"previousPlatform":null,"alerts":
    """

  /// Writes one departure.
  ///
  /// - Parameters:
  ///   - row: The departure.
  ///   - place: Its place among the rows of the board, for its alerts.
  ///   - json: Where to.
  ///   - sourceTimes: Gets the ranges of the row's source times in `json`, the members that change without a visible
  ///     change.
  /// - Returns: The range of the row's `key` in `json`, without its quotes.
  @discardableResult
  func write(
    _ row: BoardRow,
    at place: Int,
    _ json: inout JSONBytes,
    sourceTimes: inout [Range<Int>]
  ) -> Range<Int> {
    let extra = row.extra.flatMap { realtime?.extraTrips[$0] }
    let label = label(of: row, extra)
    let key = writeIdentity(row, extra, &json)
    if let label {
      json.raw(label.json)
    } else {
      json.raw("\"line\":null,\"category\":\"B\",\"number\":null,\"operator\":null,")
      json.raw("\"routeType\":3,\"routeColor\":null,\"routeTextColor\":null,")
    }
    json.raw("\"destination\":")
    writeDestination(row, extra, &json)
    json.raw(",\"scheduledDeparture\":\"")
    json.instant(row.scheduled ?? row.effective)
    json.raw("\",")
    writeCertainty(row, extra, &json)
    json.raw(",\"realtimeDeparture\":")
    if let predicted = row.predicted, !row.flags.contains(.cancelled) {
      json.raw("\"")
      json.instant(predicted)
      json.raw("\",\"delayMin\":")
    } else {
      json.raw("null,\"delayMin\":")
    }
    let isSubstitute = label.map { $0.isSubstitute } ?? false
    if row.flags.isEmpty {
      json.raw("null,\"platform\":")
      writePlatform(row.stop, &json)
      json.raw(",")
      json.raw(Self.withoutRealtime)
    } else if let range = writeRealtime(row, isTrain: label?.isTrain ?? false, &json) {
      sourceTimes.append(range)
    }
    if let alerts {
      alerts.writeAlerts(ofRow: place, &json, prefix: feed.idPrefix)
    } else {
      json.raw("[]")
    }
    json.raw(",\"replacementType\":")
    json.raw(isSubstitute ? "\"EV\"" : "null")
    json.raw(",\"flags\":[")
    writeFlags(row, isSubstitute: isSubstitute, &json)
    json.raw("],\"skippedStops\":[")
    writeSkippedStops(row, extra, &json)
    TripContinuations(
      of: row.trip,
      on: ServiceDate(daysSinceEpoch: row.day),
      Continuing(row, extra),
      realtime,
      feed
    )
    .write(&json, language)
    if let range = writeVehicle(row, extra, &json) { sourceTimes.append(range) }
    json.raw(",\"serviceDate\":\"")
    json.date(daysSinceEpoch: row.day)
    if extra == nil || extra?.kind == .replacement, let trip = row.trip,
      feed.timetable.isFrequency(trip)
    {
      json.raw("\",\"startTime\":\"")
      json.time(Int(feed.timetable.start(of: trip)))
    }
    json.raw(saysSources ? "\"" : "\"}")
    return key
  }

  /// The label of the row's route; `nil` if nothing names a route.
  private func label(of row: BoardRow, _ extra: ExtraTrip?) -> RouteLabel? {
    guard let extra else {
      return row.trip.map { feed.routes[feed.timetable.route(of: $0)] }
    }
    if let route = extra.route { return feed.routes[route] }
    return extra.routeID.map { id in
      RouteLabel(
        RouteDescription(id: id, shortName: "", longName: id, agency: "", type: 3)
      )
    }
  }

  private func writeIdentity(
    _ row: BoardRow,
    _ extra: ExtraTrip?,
    _ json: inout JSONBytes
  ) -> Range<Int> {
    let timetable = feed.timetable
    let stopId = timetable.id(of: row.stop)
    json.raw("{\"key\":\"")
    let start = json.length
    writeKey(row, extra, &json)
    let key = start..<json.length
    json.raw("\",\"trip_id\":")
    if extra != nil, extra?.tripID == nil {
      json.raw("null")
    } else {
      json.raw("\"")
      writeTripId(row, extra, &json)
      json.raw("\"")
    }
    json.raw(",\"route_id\":")
    if let extra, extra.route == nil {
      json.string(extra.routeID.map { feed.idPrefix + $0 })
    } else if let extra, let route = extra.route {
      json.string(timetable.routeId(route), prefix: feed.idPrefix)
    } else if let trip = row.trip {
      json.string(timetable.routeId(of: trip), prefix: feed.idPrefix)
    } else {
      json.raw("null")
    }
    json.raw(",\"stop_id\":")
    json.string(stopId, prefix: feed.idPrefix)
    json.raw(",\"stop_sequence\":")
    json.integer(sequence(of: row, extra))
    json.raw(",")
    return key
  }

  /// Writes what a departure keeps for life: trip, stop, service date, place in the trip, and the run; never
  /// a prediction.
  private func writeKey(_ row: BoardRow, _ extra: ExtraTrip?, _ json: inout JSONBytes) {
    let timetable = feed.timetable
    if var id = extra?.entityID, extra?.tripID == nil {
      id.withUTF8 { json.escaped(UnsafeRawBufferPointer($0)) }
    } else {
      writeTripId(row, extra, &json)
    }
    json.raw("|")
    json.escaped(timetable.id(of: row.stop), prefix: feed.idPrefix)
    json.raw("|")
    json.date(daysSinceEpoch: row.day)
    json.raw("|")
    if let extra, !extra.stops.isEmpty, !extra.stops[row.position].isNumbered {
      // Stops that lie behind leave the feed: those to come are counted from the end.
      json.raw("~")
      json.integer(extra.stops[(row.position + 1)...].count { $0.stop == row.stop })
    } else {
      json.integer(sequence(of: row, extra))
    }
    switch extra?.kind {
    case nil, .replacement:
      guard let trip = row.trip, timetable.isFrequency(trip) else { return }
      json.raw("|")
      json.time(Int(timetable.start(of: trip)))
    // A trip beside the timetable can have the id of one that is in it.
    case .new: json.raw("|new")
    case .duplicated:
      json.raw("|copy|")
      if let start = extra?.start { json.time(Int(start)) }
    }
  }

  /// stop_sequence.
  private func sequence(of row: BoardRow, _ extra: ExtraTrip?) -> Int {
    if let extra, !extra.stops.isEmpty { return Int(extra.stops[row.position].sequence) }
    return row.trip.map { Int(feed.timetable.sequence(row.position, of: $0)) } ?? row.position
  }

  private func writeTripId(_ row: BoardRow, _ extra: ExtraTrip?, _ json: inout JSONBytes) {
    if var id = extra?.tripID {
      id.withUTF8 { json.escaped(UnsafeRawBufferPointer($0), prefix: feed.idPrefix) }
    } else if extra == nil, let trip = row.trip {
      json.escaped(feed.timetable.tripId(of: trip), prefix: feed.idPrefix)
    }
  }

  private func writeDestination(_ row: BoardRow, _ extra: ExtraTrip?, _ json: inout JSONBytes) {
    let timetable = feed.timetable
    if let headsign = realtime?.headsign(of: row) { return json.string(headsign) }
    if let extra {
      let own = extra.stops.isEmpty ? nil : extra.stops[row.position].headsign
      if let headsign = own ?? extra.headsign { return json.string(headsign) }
      if extra.kind == .new || extra.isDiverted {
        let last = ending(of: row, extra)?.stop ?? extra.stops.last?.stop
        guard let last, last != TimetableDirectory.none else { return json.raw("null") }
        return json.string(timetable.name(of: timetable.station(of: last), language: language))
      }
    }
    guard let trip = row.trip else { return json.raw("null") }
    let isReplacement = extra?.kind == .replacement
    let destination = timetable.destination(
      of: trip,
      at: isReplacement ? templatePosition(row, trip) : row.position,
      endingAt: isReplacement ? nil : ending(of: row, extra)?.place,
      language: language
    )
    if destination.count > 0 { json.string(destination) } else { json.raw("null") }
  }

  /// Where a replacement's stop is in the trip it replaces, for its destination; else the start.
  private func templatePosition(_ row: BoardRow, _ trip: Timetable.Trip) -> Int {
    let plans = row.extra.flatMap { realtime?.extraTrips[$0].stops[row.position].plan }
    if let plan = plans, plan.origin >= 0 { return Int(plan.origin) }
    let station = feed.timetable.station(of: row.stop)
    return (0..<feed.timetable.callCount(of: trip)).first { position in
      let stop = feed.timetable.call(position, of: trip).stop
      return feed.timetable.station(of: stop) == station
    } ?? 0
  }

  private func writePlatform(_ stop: Timetable.Stop, _ json: inout JSONBytes) {
    let code = feed.timetable.platformCode(of: stop)
    if code.count > 0 {
      json.string(code)
    } else {
      json.string(feed.timetable.platform(of: stop))
    }
  }

  /// Writes what realtime decides, from `delayMin`'s value on; returns the place of the source time.
  private func writeRealtime(
    _ row: BoardRow,
    isTrain: Bool,
    _ json: inout JSONBytes
  ) -> Range<Int>? {
    let delay = DelayReading(row, isTrain: isTrain)
    writeNumber(delay.minutes, &json)
    json.raw(",\"platform\":")
    switch realtime?.platform(of: row) ?? .usual {
    case .usual: writePlatform(row.stop, &json)
    case .stop(let stop): writePlatform(stop, &json)
    case .named(let name): json.string(name)
    }
    json.raw(",\"status\":\"")
    json.raw(delay.status.text)
    json.raw("\",\"rawDelaySec\":")
    writeNumber(delay.seconds, &json)
    json.raw(",\"rawDelayMin\":")
    writeNumber(delay.rawMinutes, &json)
    json.raw(",\"displayedDelayMin\":")
    writeNumber(delay.minutes, &json)
    json.raw(",\"stopEvent\":")
    json.raw(row.flags.contains(.skipped) ? "\"SKIPPED\"" : "null")
    json.raw(",\"realtimeAt\":")
    var sourceTime: Range<Int>?
    if row.hasRealtime, let source = row.sourceTime {
      let start = json.length
      json.raw("\"")
      json.instant(source)
      json.raw("\"")
      sourceTime = start..<json.length
    } else {
      json.raw("null")
    }
    json.raw(",\"realtimeFreshness\":")
    if row.hasRealtime, let freshness = row.freshness {
      json.raw("\"")
      json.raw(freshness.name)
      json.raw("\"")
    } else {
      json.raw("null")
    }
    json.raw(",\"predictionUncertaintySec\":")
    writeNumber(realtime?.uncertainty(of: row), &json)
    json.raw(",\"occupancy\":")
    json.string(realtime?.occupancy(of: row))
    json.raw(",\"cancelled\":")
    json.flag(row.isCancelled)
    json.raw(",\"cancelReasonCode\":")
    json.string(row.cancelReason?.rawValue)
    json.raw(",\"platformChanged\":")
    let isChanged = row.flags.contains(.platformChanged)
    json.flag(isChanged)
    json.raw(",\"previousPlatform\":")
    if isChanged { writePlatform(row.stop, &json) } else { json.raw("null") }
    json.raw(",\"alerts\":")
    return sourceTime
  }

  private func writeFlags(_ row: BoardRow, isSubstitute: Bool, _ json: inout JSONBytes) {
    if row.flags.isEmpty {
      if isSubstitute { json.raw("\"REPLACEMENT_SERVICE\"") }
      return
    }
    var isFirst = true
    func add(_ flag: StaticString, if condition: Bool, _ json: inout JSONBytes) {
      guard condition else { return }
      json.raw(isFirst ? "\"" : ",\"")
      json.raw(flag)
      json.raw("\"")
      isFirst = false
    }
    let flags = row.flags
    add("TRIP_CANCELLED", if: flags.contains(.cancelled), &json)
    add("STOP_SKIPPED", if: flags.contains(.skipped), &json)
    add("REPLACEMENT_SERVICE", if: isSubstitute || flags.contains(.replacement), &json)
    add("EXTRA_SERVICE", if: flags.contains(.extra), &json)
    add("SHORT_TURN", if: flags.contains(.endsEarly), &json)
    add("SHORT_TURN_TERMINUS", if: flags.contains(.lastServed), &json)
    add("DETOUR", if: flags.contains(.detoured) && !flags.contains(.cancelled), &json)
    let isConfirmed = flags.contains(.predicted) && !row.isCancelled
    add("RT_CONFIRMED", if: isConfirmed, &json)
  }

  private func writeNumber(_ value: Int?, _ json: inout JSONBytes) {
    if let value { json.integer(value) } else { json.raw("null") }
  }
}

// MARK: Where rows come from

extension DepartureRows {
  /// Writes the source of a departure at its end, if the rows include it.
  ///
  /// - Parameters:
  ///   - row: The departure, which was written just now.
  ///   - json: Where to.
  /// - Returns: The range of the member in `json`, which is not visible to users; `nil` if the rows do not include it.
  func writeSource(_ row: BoardRow, _ json: inout JSONBytes) -> Range<Int>? {
    guard saysSources else { return nil }
    let start = json.length
    json.raw(",\"debug\":{\"source\":")
    json.string(row.origin.rawValue)
    json.raw(",\"flags\":[")
    var isFirst = true
    for (mark, name) in Self.tags where row.flags.contains(mark) {
      json.raw(isFirst ? "\"" : ",\"")
      json.raw(name)
      json.raw("\"")
      isFirst = false
    }
    json.raw("]}}")
    return start..<json.length - 1
  }

  /// The contract's words for what realtime did to a row.
  private static let tags: [(BoardRow.RealtimeFlags, StaticString)] = [
    (.skipped, "skipped_stop"), (.endsEarly, "short_turn"), (.lastServed, "short_turn_terminus"),
    (.extra, "extra"), (.replacement, "replacement"), (.detoured, "detour"),
  ]
}
