import GTFS
import Hummingbird
import NIOCore
import Serving
import Timetable

/// `GET /health` and `GET /version.json`.
struct HealthEndpoint {
  let store: FeedStore
  let clock: ServiceClock
  let port: ListeningPort
  let realtime: RealtimeFeeds?

  /// Whether the service can answer, and from what.
  ///
  /// 200 with feeds, 503 without.
  func health() -> Response {
    let feeds = store.feeds
    let failure = store.failure
    var json = JSONBytes()
    json.raw("{\"ok\":")
    json.flag(!feeds.isEmpty)
    json.raw(",\"status\":")
    let isWhole = failure == nil && !feeds.contains { report($0).map { $0.status != .ok } ?? false }
    json.string(feeds.isEmpty ? "no_timetable" : isWhole ? "ok" : "degraded")
    json.raw(",\"port\":")
    json.integer(port.number)
    json.raw(",\"db\":")
    json.flag(!feeds.isEmpty)
    json.raw(",\"ENABLE_RT\":")
    json.flag(realtime != nil)
    json.raw(",\"hasToken\":")
    json.flag(realtime?.hasCredentials ?? false)
    json.raw(",\"serverTime\":")
    json.instant(fractional: clock.now)
    json.raw(",\"failure\":")
    json.string(failure)
    json.raw(",\"warnings\":[")
    for (index, warning) in warnings(feeds).enumerated() {
      if index > 0 { json.raw(",") }
      json.string(warning)
    }
    json.raw("],\"feeds\":[")
    for (index, feed) in feeds.enumerated() {
      if index > 0 { json.raw(",") }
      write(feed, &json)
    }
    json.raw("]}")
    var response = JSONAnswer.response(json.buffer)
    if feeds.isEmpty { response.status = .serviceUnavailable }
    return response
  }

  private func write(_ feed: Feed, _ json: inout JSONBytes) {
    let timetable = feed.timetable
    json.raw("{\"key\":")
    json.string(feed.entry.key)
    json.raw(",\"prefix\":")
    json.string(feed.entry.prefix)
    json.raw(",\"generation\":")
    json.string(feed.entry.generation)
    json.raw(",\"version\":")
    json.string(timetable.metadata.version)
    json.raw(",\"timezone\":")
    json.string(timetable.metadata.timeZone)
    json.validity(of: timetable)
    json.raw(",\"stops\":")
    json.integer(timetable.stopCount)
    json.raw(",\"routes\":")
    json.integer(timetable.routeCount)
    json.raw(",\"trips\":")
    json.integer(timetable.tripCount)
    json.raw(",\"departures\":")
    json.integer(timetable.departureCount)
    json.raw(",\"daysLeft\":")
    json.integer(feed.daysLeft(at: clock.now))
    let entry = store.manifest.feed(feed.entry.key)
    json.raw(",\"held\":")
    json.string(entry?.held?.reason.rawValue)
    json.raw(",\"waiting\":")
    json.string(entry?.waiting?.name)
    json.raw(",\"realtime\":")
    writeRealtime(feed, &json)
    json.raw("}")
  }

  /// What needs an operator's attention: timetables that end soon, are over, or are held back, and realtime that does not come
  /// or does not fit.
  private func warnings(_ feeds: [Feed]) -> [String] {
    let manifest = store.manifest
    return feeds.flatMap { feed -> [String] in
      var warnings: [String] = []
      let left = feed.daysLeft(at: clock.now)
      let name = "the timetable of the feed \(feed.entry.key)"
      if left < 0 {
        warnings.append("\(name) is over")
      } else if left < StaticFeedLimits.expiryDays {
        warnings.append("\(name) ends on \(feed.timetable.lastDay)")
      }
      if let held = manifest.feed(feed.entry.key)?.held {
        let why = held.reason.sentence(nil, maxLostShare: nil)
        warnings.append("a new import of the feed \(feed.entry.key) is \(why)")
      }
      return warnings + realtimeWarnings(feed)
    }
  }

  private func realtimeWarnings(_ feed: Feed) -> [String] {
    guard let realtime else { return [] }
    let failing = realtime.snapshot(of: feed).sources.filter { $0.status.lastError != nil }
    var warnings = failing.map {
      "the realtime source \($0.kind.rawValue) \($0.number) of the feed \(feed.entry.key) fails"
    }
    guard let report = report(feed) else { return warnings }
    warnings += (report.misfits + [report.hint].compactMap { $0 })
      .map { "the feed \(feed.entry.key): \($0)" }
    return warnings
  }

  /// How the realtime in use fits the timetable; `nil` without any.
  private func report(_ feed: Feed) -> MatchReport? {
    guard let realtime else { return nil }
    let snapshot = realtime.snapshot(of: feed)
    guard snapshot.sources.contains(where: { $0.matches != nil }) || snapshot.index != nil else {
      return nil
    }
    return MatchReport(
      snapshot.index,
      of: feed,
      sources: snapshot.sources,
      leastPercent: realtime.leastPercent(of: feed)
    )
  }

  /// Writes how much of the realtime in use matches the timetable.
  private func writeRealtime(_ feed: Feed, _ json: inout JSONBytes) {
    guard let report = report(feed) else { return json.raw("null") }
    report.write(&json, idPrefix: feed.idPrefix, now: clock.now)
  }

  /// Which program answers, and which contract.
  func version() -> Response {
    var json = JSONBytes()
    json.raw("{\"name\":\"freshet\",\"version\":")
    json.string(StationboardService.version)
    json.raw(",\"apiVersion\":")
    json.string(StationboardService.apiVersion)
    json.raw(",\"timetableFileVersion\":")
    json.integer(Timetable.fileVersion)
    json.raw("}")
    return JSONAnswer.response(json.buffer)
  }
}
