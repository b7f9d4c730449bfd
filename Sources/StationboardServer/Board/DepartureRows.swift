import Timetable

/// Writes the departures of a board, one JSON object each (seed 002, `departures[]`).
struct DepartureRows {
  let feed: Feed
  let language: UInt32?

  /// What every departure says while there is no realtime.
  private static let scheduledOnly: StaticString = """
    ,"realtimeDeparture":null,"delayMin":null
    """
  private static let withoutRealtime: StaticString = """
    "platformChanged":false,"previousPlatform":null,"cancelled":false,"cancelReasonCode":null,\
    "replacementType":null,"alerts":[],"status":"UNKNOWN","flags":[],"stopEvent":null,\
    "rawDelaySec":null,"rawDelayMin":null,"displayedDelayMin":null,"serviceDate":"
    """

  /// Writes one departure.
  func write(_ departure: ScheduledDeparture, _ json: inout JSONBytes) {
    let timetable = feed.timetable
    let tripId = timetable.tripId(of: departure.trip)
    let stopId = timetable.id(of: departure.stop)
    json.raw("{\"key\":\"")
    json.escaped(tripId, prefix: feed.idPrefix)
    json.raw("|")
    json.escaped(stopId, prefix: feed.idPrefix)
    json.raw("|")
    json.instant(departure.time)
    json.raw("\",\"trip_id\":")
    json.string(tripId, prefix: feed.idPrefix)
    json.raw(",\"route_id\":")
    json.string(timetable.routeId(of: departure.trip), prefix: feed.idPrefix)
    json.raw(",\"stop_id\":")
    json.string(stopId, prefix: feed.idPrefix)
    json.raw(",\"stop_sequence\":")
    json.integer(Int(timetable.sequence(departure.position, of: departure.trip)))
    json.raw(",")
    json.raw(feed.routes[timetable.route(of: departure.trip)].json)
    json.raw("\"destination\":")
    let destination = timetable.destination(
      of: departure.trip,
      at: departure.position,
      language: language
    )
    if destination.count > 0 { json.string(destination) } else { json.raw("null") }
    json.raw(",\"scheduledDeparture\":\"")
    json.instant(departure.time)
    json.raw("\"")
    json.raw(Self.scheduledOnly)
    json.raw(",\"platform\":")
    let code = timetable.platformCode(of: departure.stop)
    if code.count > 0 {
      json.string(code)
    } else {
      json.string(timetable.platform(of: departure.stop))
    }
    json.raw(",")
    json.raw(Self.withoutRealtime)
    json.date(daysSinceEpoch: departure.day)
    if timetable.isFrequency(departure.trip) {
      json.raw("\",\"startTime\":\"")
      json.time(Int(timetable.start(of: departure.trip)))
    }
    json.raw("\"}")
  }
}
