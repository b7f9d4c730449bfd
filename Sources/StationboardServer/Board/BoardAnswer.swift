import GTFS
import NIOCore
import Serving
import Timetable

/// Renders a board as the body of the contract (seed 002).
struct BoardAnswer {
  let board: ScheduledBoard
  let requestId: String
  /// When the request came, on the service clock.
  let now: Double
  /// Milliseconds spent so far.
  let elapsed: Double

  /// The body.
  func body() -> ByteBuffer {
    var json = JSONBytes(capacity: 4_096 + board.departures.count * 1_024)
    let stop = board.request.stop
    let language = board.request.language.flatMap { stop.feed.timetable.language($0) }
    json.raw("{\"station\":")
    station(&json, stop, language)
    json.raw(",\"resolved\":{\"canonicalId\":")
    json.string(stop.canonicalId)
    json.raw(",\"source\":\"")
    json.raw(Array(stop.source.rawValue.utf8))
    json.raw("\",\"childrenCount\":")
    json.integer(stop.feed.timetable.servedStops(of: stop.stop).count { $0 != stop.stop })
    json.raw("},\"departures\":[")
    let rows = DepartureRows(feed: stop.feed, language: language)
    for (index, departure) in board.departures.enumerated() {
      if index > 0 { json.raw(",") }
      rows.write(departure, &json)
    }
    json.raw("],\"banners\":[],\"rt\":")
    json.raw(StaticRealtime.rt)
    json.raw(",\"alerts\":")
    alerts(&json)
    json.raw(",\"noService\":")
    noService(&json)
    if board.request.isDebug { BoardDebug(board: board, requestId: requestId).write(&json) }
    json.raw(",\"meta\":")
    meta(&json)
    json.raw("}")
    return json.buffer
  }

  private func station(
    _ json: inout JSONBytes,
    _ stop: StopResolver.Resolved,
    _ language: UInt32?
  ) {
    let timetable = stop.feed.timetable
    json.raw("{\"id\":")
    json.string(timetable.id(of: stop.stop), prefix: stop.feed.idPrefix)
    json.raw(",\"name\":")
    json.string(timetable.name(of: stop.stop, language: language))
    json.raw(",\"timezone\":")
    let zone = timetable.zoneName(of: stop.stop)
    if zone.count > 0 { json.string(zone) } else { json.string(timetable.metadata.timeZone) }
    if let place = timetable.coordinate(of: stop.stop) {
      json.raw(",\"lat\":")
      json.degrees(place.latitude)
      json.raw(",\"lon\":")
      json.degrees(place.longitude)
    } else {
      json.raw(",\"lat\":null,\"lon\":null")
    }
    json.raw("}")
  }

  private func alerts(_ json: inout JSONBytes) {
    json.raw("{\"available\":false,\"applied\":false,\"reason\":\"disabled\",")
    json.raw("\"fetchedAt\":null,\"cacheFetchedAt\":null,\"cacheAgeMs\":null,\"ageSeconds\":null,")
    json.raw("\"includeRequested\":")
    json.flag(board.request.includeAlerts)
    json.raw(",\"includeApplied\":false,\"status\":null,\"lastStatus\":null,")
    json.raw("\"lastError\":null,\"alertsSource\":null,\"entities\":[]}")
  }

  private func noService(_ json: inout JSONBytes) {
    guard let noService = board.noService else { return json.raw("null") }
    json.raw("{\"reason\":")
    json.string(noService.reason.rawValue)
    json.raw(",\"window\":{\"from\":\"")
    json.instant(board.window.from)
    json.raw("\",\"to\":\"")
    json.instant(board.window.until)
    json.raw("\",\"minutes\":")
    json.integer(board.request.window)
    json.raw("},\"nextDeparture\":")
    if let next = noService.next {
      json.raw("\"")
      json.instant(next)
      json.raw("\"}")
    } else {
      json.raw("null}")
    }
  }

  private func meta(_ json: inout JSONBytes) {
    json.raw("{\"serverTime\":")
    json.instant(fractional: now)
    json.raw(",\"responseMode\":\"full\",\"requestId\":")
    json.string(requestId)
    json.raw(",\"totalBackendMs\":")
    json.decimal(elapsed)
    json.raw(",\"skippedSteps\":[],")
    json.raw(StaticRealtime.meta)
    json.raw(",\"timetable\":")
    timetable(&json)
    json.raw("}")
  }

  private func timetable(_ json: inout JSONBytes) {
    let timetable = board.request.stop.feed.timetable
    json.raw("{\"version\":")
    json.string(timetable.metadata.version)
    json.raw(",\"publisher\":")
    json.string(timetable.metadata.publisher)
    json.raw(",\"importedAt\":")
    json.instant(fractional: timetable.metadata.importedAt)
    json.raw(",\"validFrom\":\"")
    json.date(daysSinceEpoch: timetable.firstDay.daysSinceEpoch)
    json.raw("\",\"validUntil\":\"")
    json.date(daysSinceEpoch: timetable.lastDay.daysSinceEpoch)
    json.raw("\"}")
  }
}

/// What an answer says about realtime while the server has none.
enum StaticRealtime {
  /// The contract's `rt`.
  static let rt: StaticString = """
    {"available":false,"applied":false,"reason":"disabled","feedKey":"none","fetchedAt":null,\
    "cacheFetchedAt":null,"cacheAgeMs":null,"ageMs":null,"ageSeconds":null,"lastPollAt":null,\
    "lastSuccessfulPollAt":null,"pollAgeMs":null,"pollAgeSeconds":null,\
    "freshnessThresholdMs":45000,"freshnessMaxAgeSeconds":45,"cacheStatus":"DISABLED",\
    "status":null,"lastStatus":null,"lastError":null,"payloadBytes":null,"rtSource":null,\
    "instance":{"id":"freshet","allocId":null,"host":null,"pid":null,"build":null}}
    """

  /// The realtime members of the contract's `meta`.
  static let meta: StaticString = """
    "rtStatus":"disabled","rtAppliedCount":0,"rtSource":null,"rtFetchedAt":null,\
    "rtLastPollAt":null,"rtCacheAgeMs":null,"rtPollAgeMs":null,"alertsStatus":"disabled",\
    "alertsSource":null,"alertsFetchedAt":null,"alertsCacheAgeMs":null
    """
}
