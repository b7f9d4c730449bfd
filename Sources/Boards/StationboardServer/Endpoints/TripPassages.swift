import GTFS
package import Serving
import Timetable

/// Finds runs of trips: by id, and by where they leave and where they go.
package struct TripPassages: Sendable {
  let store: FeedStore
  let clock: ServiceClock
  let renderer: BoardRenderer

  /// The most runs of one answer.
  package static let most = 16
  /// How long after the instant that was asked for runs may leave, in seconds.
  package static let window: Int64 = 7_200

  /// A stop, and the runs that leave it.
  package struct Found: Sendable {
    /// stop_id of the stop that was asked for, as it is given out.
    package var stopId: String
    /// Its name.
    package var name: String
    /// The runs, in the order in which they are scheduled to leave; each from this stop on.
    package var passages: [TripPassage]
  }

  /// The run of a trip.
  ///
  /// - Parameters:
  ///   - id: trip_id.
  ///   - query: The parameters, of which `service_date` and `start_time` choose a run.
  ///   - language: The language of names; `nil` for the feed's own.
  /// - Returns: The whole run.
  /// - Throws: ``Problem`` as `GET /api/trips/{trip_id}`.
  package func passage(
    of id: String,
    _ query: QueryItems,
    language: String?
  ) throws(Problem) -> TripPassage {
    let endpoint = TripEndpoint(store: store, clock: clock, renderer: renderer)
    let journey = try endpoint.journey(id, query)
    return answer(journey, language, renderer.snapshot(of: journey.feed)).passage
  }

  /// The runs that leave a stop and go somewhere.
  ///
  /// A run goes there if a board calls that its destination, or if it calls there later, in any language of the feed. If
  /// none does, the runs of the minute asked for are given: a client that has a board knows which one it means.
  ///
  /// - Parameters:
  ///   - place: The stop: an id in any shape, or its exact name.
  ///   - destination: A destination as a board has it, or the name or id of a later stop.
  ///   - date: The day, `YYYY-MM-DD`, by the clocks of the feed; today if `nil`.
  ///   - time: The time, `HH:MM`, likewise; now if `nil`.
  ///   - limit: The most runs, 1 to ``most``.
  ///   - language: The language of names; `nil` for the feed's own.
  /// - Returns: The stop and its runs; `nil` if nothing has this id or name.
  /// - Throws: ``Problem`` 400 `invalid_parameter` for an invalid date or time, 503 `no_timetable`.
  package func leaving(
    _ place: String,
    to destination: String,
    date: String?,
    time: String?,
    limit: Int,
    language: String?
  ) async throws -> Found? {
    guard place.count <= BoardLimits.longestId, destination.count <= BoardLimits.longestId,
      let stop = try await resolve(place)
    else { return nil }
    let feed = stop.feed
    let from = try instant(date, time, feed)
    var target = TravelTarget(destination, in: feed)
    let snapshot = renderer.snapshot(of: feed)
    let limit = min(max(limit, 1), Self.most)
    var found: [BoardRow] = []
    var others: [BoardRow] = []
    for row in rows(stop, from, snapshot) {
      if goes(row, to: &target, feed, snapshot) {
        found.append(row)
        if found.count == limit { break }
      } else if (row.scheduled ?? row.effective) < from + 60 {
        others.append(row)
      }
    }
    if found.isEmpty { found = Array(others.prefix(limit)) }
    let passages = found.map { row in
      let journey = TripJourney(
        feed: feed,
        trip: row.trip,
        day: ServiceDate(daysSinceEpoch: row.day),
        extra: row.extra.flatMap { _ in self.extra(row, snapshot) }
      )
      let answer = answer(journey, language, snapshot)
      var passage = answer.passage
      let stops = answer.stops(answer.details).map(\.1.stop)
      passage.destination = self.destination(of: row, feed, snapshot) ?? passage.destination
      passage.calls = cut(passage.calls, stops, row, feed, &target)
      return passage
    }
    return Found(
      stopId: feed.publicId(feed.timetable.id(of: stop.stop)),
      name: String(
        decoding: feed.timetable.name(
          of: stop.stop,
          language: language.flatMap { feed.timetable.language($0) }
        ),
        as: UTF8.self
      ),
      passages: passages.filter { !$0.calls.isEmpty }
    )
  }

  private func answer(
    _ journey: TripJourney,
    _ language: String?,
    _ snapshot: RealtimeSnapshot
  ) -> TripAnswer {
    TripAnswer(
      journey: journey,
      language: language.flatMap { journey.feed.timetable.language($0) },
      snapshot: snapshot,
      decay: renderer.decay,
      now: clock.now
    )
  }

  private func resolve(_ place: String) async throws -> StopResolver.Resolved? {
    let feeds = try store.serving()
    let resolver = StopResolver(feeds: feeds)
    let name = SearchText.normalized(place)
    if let stop = resolver.resolve(place) ?? resolver.aliased(name) { return stop }
    for feed in feeds {
      if let stop = try await feed.stops.stop(named: name) {
        return StopResolver.Resolved(feed: feed, stop: stop, source: .alias)
      }
    }
    return nil
  }

  /// The instant that the clocks of a feed show a date and a time.
  private func instant(_ date: String?, _ time: String?, _ feed: Feed) throws(Problem) -> Int64 {
    let rule = ServiceDay(zone: feed.timetable.zone)
    let now = Int64(clock.now)
    var day = rule.date(at: now)
    if let date {
      guard let value = ServiceDate(date) else {
        throw QueryItems.invalid("date", date, "a date YYYY-MM-DD")
      }
      day = value
    }
    guard let time else { return date == nil ? now : rule.start(of: day) }
    let parts = time.split(separator: ":").map { Int($0) }
    guard parts.count == 2, let hour = parts[0], let minute = parts[1], (0..<24).contains(hour),
      (0..<60).contains(minute)
    else { throw QueryItems.invalid("time", time, "a time HH:MM") }
    let local = Int64(day.daysSinceEpoch) * 86_400 + Int64(hour * 3_600 + minute * 60)
    // The offset in force then; of an hour that comes twice, the first.
    let early = local - Int64(rule.offset(at: local - 43_200))
    if early + Int64(rule.offset(at: early)) == local { return early }
    return local - Int64(rule.offset(at: local))
  }

  /// The departures of a stop by their schedule: those of the timetable, and the trips that only realtime has.
  private func rows(
    _ stop: StopResolver.Resolved,
    _ from: Int64,
    _ snapshot: RealtimeSnapshot
  ) -> [BoardRow] {
    let timetable = stop.feed.timetable
    let until = from + Self.window
    let index = snapshot.index.flatMap { $0.timetable === timetable ? $0 : nil }
    var rows = timetable.departures(
      at: stop.stop,
      from: from,
      until: until,
      limit: BoardLimits.limits.upperBound
    )
    .map { BoardRow($0) }
    guard let index, index.version(of: Int(stop.stop)) != 0 else { return rows }
    let touched = index.rows(
      at: stop.stop,
      from: from,
      until: until,
      limit: BoardLimits.limits.upperBound
    )
    let extras = touched.filter { row in
      row.extra.map { index.extraTrips[$0].kind != .replacement } ?? false
    }
    guard !extras.isEmpty else { return rows }
    rows += extras
    return rows.sorted { ($0.scheduled ?? $0.effective) < ($1.scheduled ?? $1.effective) }
  }

  /// The trip of a row that the timetable lacks.
  private func extra(_ row: BoardRow, _ snapshot: RealtimeSnapshot) -> RealtimeTrip? {
    snapshot.index?.trips.first { $0.extra >= 0 && Int($0.extra) == row.extra }
  }

  /// What realtime, or a trip of its own, calls the destination of a row; `nil` if that is the timetable's.
  private func headsign(of row: BoardRow, _ feed: Feed, _ snapshot: RealtimeSnapshot) -> String? {
    if let headsign = snapshot.index?.headsign(of: row) { return headsign }
    guard let extra = row.extra.flatMap({ snapshot.index?.extraTrips[$0] }) else {
      return row.trip.flatMap { snapshot.index?.details(of: $0, day: row.day)?.headsign }
    }
    if let headsign = extra.headsign { return headsign }
    guard let last = extra.stops.last, last.stop != TimetableDirectory.none else { return nil }
    return Self.text(feed.timetable.name(of: feed.timetable.station(of: last.stop)))
  }

  /// What boards call the destination of a row, in the feed's own language.
  private func destination(
    of row: BoardRow,
    _ feed: Feed,
    _ snapshot: RealtimeSnapshot
  ) -> String? {
    if let headsign = headsign(of: row, feed, snapshot) { return headsign }
    return row.trip.map { trip in
      Self.text(feed.timetable.destination(of: trip, at: row.position, language: nil))
    }
  }

  /// Whether boards call the target a row's destination, or its run calls there later.
  private func goes(
    _ row: BoardRow,
    to target: inout TravelTarget,
    _ feed: Feed,
    _ snapshot: RealtimeSnapshot
  ) -> Bool {
    if let headsign = headsign(of: row, feed, snapshot) {
      if target.isDestination(headsign) { return true }
    } else if let trip = row.trip, target.isDestination(of: trip, at: row.position) {
      return true
    }
    guard row.extra == nil, let trip = row.trip else { return false }
    let timetable = feed.timetable
    for place in (row.position + 1)..<timetable.callCount(of: trip)
    where target.isStop(timetable.call(place, of: trip).stop) {
      return true
    }
    return false
  }

  /// The calls of a run from a row's stop to the last one, or to the one that was asked for if it is named.
  private func cut(
    _ calls: [TripPassage.Call],
    _ stops: [Timetable.Stop],
    _ row: BoardRow,
    _ feed: Feed,
    _ target: inout TravelTarget
  ) -> [TripPassage.Call] {
    let timetable = feed.timetable
    let station = feed.publicId(timetable.id(of: timetable.station(of: row.stop)))
    let leaves = row.scheduled ?? row.effective
    let start =
      calls.firstIndex { $0.stationId == station && $0.scheduledDeparture == leaves }
      ?? calls.firstIndex { $0.stationId == station }
    guard let start else { return [] }
    var end = calls.count - 1
    for place in (start + 1)..<max(calls.count, start + 1) where target.isStop(stops[place]) {
      end = place
      break
    }
    return Array(calls[start...end])
  }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}
