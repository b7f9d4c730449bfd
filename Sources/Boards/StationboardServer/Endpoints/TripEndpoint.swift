import GTFS
import Hummingbird
import Serving
import Timetable

/// `GET /api/trips/{trip_id}`: the pass list of a trip on a service day.
struct TripEndpoint {
  let store: FeedStore
  let clock: ServiceClock
  let renderer: BoardRenderer

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
    let journey = try journey(id, query)
    let language = RequestLanguage.choose(
      parameter: query["lang"],
      acceptLanguage: request.headers[.acceptLanguage]
    )
    let answer = TripAnswer(
      journey: journey,
      language: language.flatMap { journey.feed.timetable.language($0) },
      snapshot: renderer.snapshot(of: journey.feed),
      decay: renderer.decay,
      now: now
    )
    return JSONAnswer.response(answer.body(), vary: "Accept-Encoding, Accept-Language")
  }

  /// The run of a trip that a request means.
  ///
  /// - Parameters:
  ///   - id: trip_id, decoded.
  ///   - query: The parameters, of which `service_date` and `start_time` choose a run.
  /// - Returns: The run.
  /// - Throws: ``Problem`` as ``answer(_:id:)``.
  func journey(_ id: String, _ query: QueryItems) throws(Problem) -> TripJourney {
    let now = clock.now
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
      // A duplicated trip may have the id of the trip it repeats, which is meant where it runs.
      let today = ServiceDay(zone: feed.timetable.zone).date(at: Int64(now))
      let isScheduled = runs.contains { feed.timetable.runs($0, on: date ?? today) }
      let day = runs.isEmpty ? date : date ?? today
      if !isScheduled, let extra = extra(local, feed, day) { return extra }
      guard !runs.isEmpty else { continue }
      return try choose(feed, runs, id, date, start, today, now)
    }
    throw Problem(.notFound, "trip_not_found", detail: "there is no trip \"\(id.prefix(80))\"")
  }

  /// A trip that only realtime has, on the day that was asked for; without one the first.
  private func extra(_ id: String, _ feed: Feed, _ date: ServiceDate?) -> TripJourney? {
    guard let index = renderer.snapshot(of: feed).index,
      let found = index.extraTrip(id: id, day: date.map { Int32($0.daysSinceEpoch) })
    else { return nil }
    return TripJourney(
      feed: feed,
      trip: found.trip == TimetableDirectory.none ? nil : found.trip,
      day: ServiceDate(daysSinceEpoch: Int(found.day)),
      extra: found
    )
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
  ) throws(Problem) -> TripJourney {
    let timetable = feed.timetable
    if let start, runs.contains(where: { timetable.isFrequency($0) }) {
      guard let run = runs.first(where: { timetable.start(of: $0) == start }) else {
        throw Problem(
          .notFound,
          "trip_not_found",
          detail: "the trip \"\(id.prefix(80))\" does not start at that time"
        )
      }
      return TripJourney(feed: feed, trip: run, day: try day(timetable, run, date, today))
    }
    let chosen = try day(timetable, runs.lowerBound, date, today)
    let midnight = timetable.start(of: chosen, for: runs.lowerBound)
    let nearest = runs.min { left, right in
      let first = abs(midnight + Int64(timetable.start(of: left)) - Int64(now))
      let second = abs(midnight + Int64(timetable.start(of: right)) - Int64(now))
      return first < second
    }
    return TripJourney(feed: feed, trip: nearest ?? runs.lowerBound, day: chosen)
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
}
