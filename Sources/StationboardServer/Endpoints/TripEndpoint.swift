import Foundation
import GTFS
import Hummingbird
import NIOCore
import Serving
import Timetable

/// `GET /api/trips/{trip_id}`: the pass list of a trip on a service day.
struct TripEndpoint {
  let store: FeedStore
  let clock: ServiceClock

  /// A run of a trip on a day.
  private struct Journey {
    var feed: Feed
    var trip: Timetable.Trip
    var day: ServiceDate
  }

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - request: The request, for its parameters.
  ///   - id: trip_id, decoded.
  /// - Returns: The pass list.
  /// - Throws: ``Problem`` 400 `invalid_parameter`, 404 `trip_not_found`, `trip_not_running`, 503
  ///   `no_timetable`.
  func answer(_ request: Request, id: String) throws -> Response {
    let query = QueryItems(request)
    let now = clock.now
    let journey = try self.journey(id, query, now)
    let language = RequestLanguage.choose(
      parameter: query["lang"],
      acceptLanguage: request.headers[.acceptLanguage]
    )
    var json = JSONBytes()
    let tag = language.flatMap { journey.feed.timetable.language($0) }
    write(journey, tag, now, &json)
    return JSONAnswer.response(json.buffer, vary: "Accept-Encoding, Accept-Language")
  }

  private func journey(_ id: String, _ query: QueryItems, _ now: Double) throws(Problem) -> Journey
  {
    guard id.count <= BoardLimits.longestId else {
      throw QueryItems.invalid("trip_id", id, "at most \(BoardLimits.longestId) characters")
    }
    var date: ServiceDate?
    if let text = query[first: ["service_date", "serviceDate"]] {
      guard let value = ServiceDate(text) else {
        throw QueryItems.invalid("service_date", text, "a date YYYY-MM-DD")
      }
      date = value
    }
    var start: Int32?
    if let text = query[first: ["start_time", "startTime"]] {
      let value = Array(text.utf8).withUnsafeBytes { TimeOfDay.read($0) }
      guard case .seconds(let seconds) = value else {
        throw QueryItems.invalid("start_time", text, "a time HH:MM:SS")
      }
      start = seconds
    }
    for feed in try store.serving() {
      guard let local = feed.localId(id) else { continue }
      let runs = feed.timetable.trips(id: local)
      guard !runs.isEmpty else { continue }
      let today = ServiceDay(zone: feed.timetable.zone).date(at: Int64(now))
      return try choose(feed, runs, id, date, start, today, now)
    }
    throw Problem(.notFound, "trip_not_found", detail: "there is no trip \"\(id.prefix(80))\"")
  }

  /// The run that was asked for; without a start time the one nearest to now.
  private func choose(
    _ feed: Feed,
    _ runs: Range<Timetable.Trip>,
    _ id: String,
    _ date: ServiceDate?,
    _ start: Int32?,
    _ today: ServiceDate,
    _ now: Double
  ) throws(Problem) -> Journey {
    let timetable = feed.timetable
    if let start, runs.contains(where: { timetable.isFrequency($0) }) {
      guard let run = runs.first(where: { timetable.start(of: $0) == start }) else {
        throw Problem(
          .notFound,
          "trip_not_found",
          detail: "the trip \"\(id.prefix(80))\" does not start at that time"
        )
      }
      return Journey(feed: feed, trip: run, day: try day(timetable, run, date, today))
    }
    let chosen = try day(timetable, runs.lowerBound, date, today)
    let midnight = timetable.start(of: chosen)
    let nearest = runs.min { left, right in
      let first = abs(midnight + Int64(timetable.start(of: left)) - Int64(now))
      let second = abs(midnight + Int64(timetable.start(of: right)) - Int64(now))
      return first < second
    }
    return Journey(feed: feed, trip: nearest ?? runs.lowerBound, day: chosen)
  }

  private func day(
    _ timetable: Timetable,
    _ trip: Timetable.Trip,
    _ date: ServiceDate?,
    _ today: ServiceDate
  ) throws(Problem) -> ServiceDate {
    if let date {
      guard timetable.runs(trip, on: date) else {
        throw Problem(
          .notFound,
          "trip_not_running",
          detail: "the trip does not run on \(date)"
        )
      }
      return date
    }
    guard let day = timetable.nearestDay(of: trip, to: today) else {
      throw Problem(.notFound, "trip_not_running", detail: "the trip runs on no day")
    }
    return day
  }

  private func write(
    _ journey: Journey,
    _ language: UInt32?,
    _ now: Double,
    _ json: inout JSONBytes
  ) {
    let timetable = journey.feed.timetable
    let prefix = journey.feed.idPrefix
    let trip = journey.trip
    let midnight = timetable.start(of: journey.day)
    json.raw("{\"trip\":{\"trip_id\":")
    json.string(timetable.tripId(of: trip), prefix: prefix)
    json.raw(",\"route_id\":")
    json.string(timetable.routeId(of: trip), prefix: prefix)
    json.raw(",")
    json.raw(journey.feed.routes[timetable.route(of: trip)].json)
    json.raw("\"shortName\":")
    let name = timetable.shortName(of: trip)
    if name.count > 0 { json.string(name) } else { json.raw("null") }
    json.raw(",\"destination\":")
    let destination = timetable.destination(of: trip, at: 0, language: language)
    if destination.count > 0 { json.string(destination) } else { json.raw("null") }
    json.raw(",\"serviceDate\":\"")
    json.date(daysSinceEpoch: journey.day.daysSinceEpoch)
    json.raw("\"")
    if timetable.isFrequency(trip) {
      json.raw(",\"startTime\":\"")
      json.time(Int(timetable.start(of: trip)))
      json.raw("\"")
    }
    json.raw("},\"stops\":[")
    let count = timetable.callCount(of: trip)
    for position in 0..<count {
      if position > 0 { json.raw(",") }
      let call = timetable.call(position, of: trip)
      json.raw("{\"stop_id\":")
      json.string(timetable.id(of: call.stop), prefix: prefix)
      json.raw(",\"stationId\":")
      json.string(timetable.id(of: timetable.station(of: call.stop)), prefix: prefix)
      json.raw(",\"name\":")
      json.string(timetable.name(of: timetable.station(of: call.stop), language: language))
      json.raw(",\"platform\":")
      json.string(timetable.platform(of: call.stop))
      json.raw(",\"stop_sequence\":")
      json.integer(Int(call.sequence))
      json.raw(",\"scheduledArrival\":")
      instant(position == 0 ? nil : midnight + Int64(call.arrival), &json)
      json.raw(",\"scheduledDeparture\":")
      instant(position == count - 1 ? nil : midnight + Int64(call.departure), &json)
      json.raw(",\"pickup\":")
      json.flag(call.allowsPickup && position < count - 1)
      json.raw(",\"dropOff\":")
      json.flag(call.allowsDropOff && position > 0)
      json.raw(",\"isInterpolated\":")
      json.flag(call.isInterpolated)
      json.raw("}")
    }
    json.raw("],\"meta\":{\"serverTime\":")
    json.instant(fractional: now)
    json.raw(",\"timezone\":")
    json.string(timetable.metadata.timeZone)
    json.raw("}}")
  }

  private func instant(_ seconds: Int64?, _ json: inout JSONBytes) {
    guard let seconds else { return json.raw("null") }
    json.raw("\"")
    json.instant(seconds)
    json.raw("\"")
  }
}
