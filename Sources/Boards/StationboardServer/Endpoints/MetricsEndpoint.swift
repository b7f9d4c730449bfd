import FreshnessServer
import GTFS
import HTTPTypes
import Hummingbird
import NIOCore
import Serving
import Timetable

/// `GET /metrics`: the counters and measurements of the server, for Prometheus.
struct MetricsEndpoint {
  let store: FeedStore
  let clock: ServiceClock
  let renderer: BoardRenderer
  let serving: ResourceServing
  let alsoServed: [ServingMetrics]
  let responses: ResponseCounter?
  /// The history of punctuality; `nil` if it is turned off.
  let history: HistoryService?
  /// Writes the measurements of what else the server does.
  let others: @Sendable (inout MetricsText) async -> Void

  /// The current measurements; never cached.
  func answer() async -> Response {
    var metrics = MetricsText()
    writeProgram(&metrics)
    writeBoards(&metrics)
    let feeds = store.feeds
    writeTimetables(feeds, &metrics)
    writeSources(feeds, &metrics)
    writeMatches(feeds, &metrics)
    writeMerge(feeds, &metrics)
    renderer.realtime?.sharing?.write(to: &metrics)
    if let history {
      metrics.add(
        "freshet_history_failing",
        .gauge,
        "1 while the history of punctuality is not written, else 0",
        history.failure == nil ? 0 : 1
      )
    }
    await others(&metrics)
    ServingMetrics.write([serving.metrics] + alsoServed, to: &metrics)
    return Response(
      status: .ok,
      headers: [.contentType: MetricsText.mediaType, .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text))
    )
  }

  private func writeProgram(_ metrics: inout MetricsText) {
    metrics.add(
      "freshet_build_info",
      .gauge,
      "Always 1; the labels say which program this is",
      [(labels: [("version", StationboardService.version)], value: 1)]
    )
    metrics.add("freshet_clock_seconds", .gauge, "The service clock, as Unix time", clock.now)
    metrics.add(
      "process_resident_memory_bytes",
      .gauge,
      "Memory of the process that is in use",
      ResidentMemory.bytes.map(Double.init)
    )
    let statuses = responses?.byStatus.sorted { $0.key < $1.key } ?? []
    metrics.add(
      "freshet_http_responses_total",
      .counter,
      "Answers by HTTP status",
      statuses.map { (labels: [("status", String($0.key))], value: Double($0.value)) }
    )
  }

  private func writeBoards(_ metrics: inout MetricsText) {
    metrics.add(
      "freshet_boards_total",
      .counter,
      "Boards by how they were answered",
      renderer.metrics.byAnswer.map { (labels: [("answer", $0.label)], value: Double($1)) }
    )
    metrics.add(
      "freshet_board_departures_total",
      .counter,
      "Departures of the boards made that could carry realtime, by what they carry",
      renderer.metrics.byCoverage.map { (labels: [("realtime", $0)], value: Double($1)) }
    )
    metrics.add(
      "freshet_board_editions",
      .gauge,
      "Boards that are kept to be shown again",
      Double(renderer.renderedBoards)
    )
    metrics.add(
      "freshet_waiting",
      .gauge,
      "Long polls and streams that wait for a change",
      Double(serving.waiters)
    )
  }

  private func writeTimetables(_ feeds: [Feed], _ metrics: inout MetricsText) {
    func values(_ value: (Timetable) -> Int) -> [(labels: [(String, String)], value: Double?)] {
      feeds.map { (labels: [("feed", $0.entry.key)], value: Double(value($0.timetable))) }
    }
    metrics.add("freshet_timetable_stops", .gauge, "Stops", values { $0.stopCount })
    metrics.add("freshet_timetable_trips", .gauge, "Trips", values { $0.tripCount })
    metrics.add("freshet_timetable_departures", .gauge, "Stop times", values { $0.departureCount })
    metrics.add(
      "freshet_timetable_last_day_seconds",
      .gauge,
      "The last day of the timetable, as Unix time of its midnight in UTC",
      values { Int($0.lastDay.daysSinceEpoch) * 86_400 }
    )
    metrics.add(
      "freshet_timetable_days_left",
      .gauge,
      "Days after today on which the timetable has service; negative once it is over",
      feeds.map { (labels: [("feed", $0.entry.key)], value: Double($0.daysLeft(at: clock.now))) }
    )
    let manifest = store.manifest
    metrics.add(
      "freshet_timetable_held",
      .gauge,
      "1 if a new import is held back until a person accepts it",
      manifest.feeds.map { (labels: [("feed", $0.key)], value: $0.held == nil ? 0 : 1) }
    )
  }

  private func writeSources(_ feeds: [Feed], _ metrics: inout MetricsText) {
    var statuses: [(labels: [(String, String)], status: SourceStatus)] = []
    for feed in feeds {
      let snapshot = renderer.snapshot(of: feed)
      for source in snapshot.sources {
        statuses.append((labels: Self.labels(feed, source), status: source.status))
      }
    }
    func gauge(_ name: String, _ help: String, _ value: (SourceStatus) -> Double?) {
      metrics.add(
        name,
        .gauge,
        help,
        statuses.map { (labels: $0.labels, value: value($0.status)) }
      )
    }
    func counter(
      _ name: String,
      _ label: String,
      _ help: String,
      _ counts: (SourceMetrics) -> [String: Int]
    ) {
      let values = statuses.flatMap { labels, status in
        counts(status.metrics).sorted { $0.key < $1.key }.map { word, count in
          (labels: labels + [(label, word)], value: Double?(Double(count)))
        }
      }
      metrics.add(name, .counter, help, values)
    }
    let now = clock.now
    gauge("freshet_realtime_age_seconds", "How old the feed in use is") { $0.age(at: now) }
    gauge("freshet_realtime_payload_bytes", "Bytes of the feed in use") {
      $0.payloadBytes.map(Double.init)
    }
    gauge("freshet_realtime_entities", "Entities of the feed in use") {
      $0.metrics.entities.map(Double.init)
    }
    gauge("freshet_realtime_period_seconds", "Time between the last two publications") { $0.period }
    gauge("freshet_realtime_decode_seconds", "Time it took to decode the feed in use") {
      $0.metrics.decodeSeconds
    }
    gauge("freshet_realtime_index_seconds", "Time it took to build the index in use") {
      $0.metrics.indexSeconds
    }
    counter(
      "freshet_realtime_polls_total",
      "outcome",
      "Requests to a source by what became of them"
    ) {
      $0.polls
    }
    counter("freshet_realtime_feeds_total", "verdict", "Feeds by what was thought of them") {
      $0.verdicts
    }
  }

  /// The labels of a source: its number only where a feed has several of its kind.
  private static func labels(_ feed: Feed, _ source: SourceView) -> [(String, String)] {
    let labels = [("feed", feed.entry.key), label(source.kind)]
    return source.of > 1 ? labels + [("source", "\(source.number)")] : labels
  }

  private static func label(_ kind: RealtimeSource.Kind) -> (String, String) {
    ("kind", kind.rawValue.replacing("-", with: "_"))
  }

  /// Writes how much of each kind of realtime is about something that the timetable has.
  private func writeMatches(_ feeds: [Feed], _ metrics: inout MetricsText) {
    var entities: [(labels: [(String, String)], value: Double?)] = []
    var selectors: [(labels: [(String, String)], value: Double?)] = []
    for feed in feeds {
      let snapshot = renderer.snapshot(of: feed)
      let label = ("feed", feed.entry.key)
      let trips = snapshot.index.map { ($0.counters.matching, $0.counters.unmatched) }
      let vehicles = snapshot.vehicleIndex.map { ($0.counters.matching, $0.counters.unmatched) }
      let alerts = snapshot.alertIndex.map { ($0.counters.alerts, $0.counters.withoutEffect) }
      let kinds: [(RealtimeSource.Kind, (Int, Int)?)] = [
        (.tripUpdates, trips), (.vehiclePositions, vehicles), (.alerts, alerts),
      ]
      for case (let kind, let (matched, unmatched)?) in kinds {
        entities += [("matched", matched), ("unmatched", unmatched)].map { word, count in
          (labels: [label, Self.label(kind), ("match", word)], value: Double(count))
        }
      }
      selectors +=
        snapshot.alertIndex?.counters.unresolved.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { (labels: [label, ("reason", $0.rawValue)], value: Double($1)) } ?? []
    }
    metrics.add(
      "freshet_realtime_matches",
      .gauge,
      "Entities of the feeds in use by whether they are about something that the timetable has",
      entities
    )
    metrics.add(
      "freshet_realtime_alert_selectors_without_effect",
      .gauge,
      "Selectors of the alerts in use that select nothing, by reason",
      selectors
    )
  }

  private func writeMerge(_ feeds: [Feed], _ metrics: inout MetricsText) {
    var trips: [(labels: [(String, String)], value: Double?)] = []
    var without: [(labels: [(String, String)], value: Double?)] = []
    var stops: [(labels: [(String, String)], value: Double?)] = []
    var coverage: [(labels: [(String, String)], value: Double?)] = []
    var rungs: [(labels: [(String, String)], value: Double?)] = []
    var lines: [(labels: [(String, String)], value: Double?)] = []
    for feed in feeds {
      let snapshot = renderer.snapshot(of: feed)
      guard let index = snapshot.index else { continue }
      let counters = index.counters
      let label = ("feed", feed.entry.key)
      let kinds = [
        ("applied", counters.applied), ("added", counters.added),
        ("duplicated", counters.duplicated),
        ("replaced", counters.replaced), ("cancelled", counters.cancelled),
        ("deleted", counters.deleted),
        ("kept", counters.kept), ("modified", counters.modified),
      ]
      trips += kinds.map { (labels: [label, ("effect", $0)], value: Double($1)) }
      without += counters.withoutEffect.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { (labels: [label, ("reason", $0.rawValue)], value: Double($1)) }
      if let share = counters.matchedShare { coverage.append((labels: [label], value: share)) }
      for source in snapshot.sources where source.kind == .tripUpdates && source.of > 1 {
        guard let share = source.counters?.matchedShare else { continue }
        coverage.append((labels: [label, ("source", "\(source.number)")], value: share))
      }
      let otherwise = counters.byRung.values.reduce(0, +)
      rungs += RealtimeCounters.Rung.allCases.map { rung in
        let count = rung == .id ? counters.matched - otherwise : counters.byRung[rung, default: 0]
        return (labels: [label, ("by", rung.rawValue)], value: Double(count))
      }
      lines += MatchReport(index, of: feed, leastPercent: 0).lines
        .prefix(MatchLimits.mostMeasuredLines).flatMap { line in
          [("matched", line.matched), ("unmatched", line.unmatched)].map { word, count in
            (labels: [label, ("route", line.id), ("match", word)], value: Double?(Double(count)))
          }
        }
      stops += [
        (labels: [label, ("reason", "unlinked")], value: Double(counters.unlinkedStops)),
        (labels: [label, ("reason", "implausible")], value: Double(counters.implausibleTimes)),
        (
          labels: [label, ("reason", "modification")],
          value: Double(counters.unusableModifications)
        ),
      ]
    }
    metrics.add(
      "freshet_realtime_trips",
      .gauge,
      "Trip updates of the feed in use by what they do",
      trips
    )
    metrics.add(
      "freshet_realtime_trips_without_effect",
      .gauge,
      "Trip updates of the feed in use that do nothing, by reason",
      without
    )
    metrics.add(
      "freshet_realtime_matched_ratio",
      .gauge,
      "Share of the trip updates about trips of the timetable that match one, 0 to 1",
      coverage
    )
    metrics.add(
      "freshet_realtime_trips_matched",
      .gauge,
      "Trip updates of the feed in use that match a trip, by how it was found",
      rungs
    )
    metrics.add(
      "freshet_realtime_line_trips",
      .gauge,
      "Trip updates of lines of which some match no trip",
      lines
    )
    metrics.add(
      "freshet_realtime_stop_times_without_effect",
      .gauge,
      "Stop time updates of the feed in use that do nothing, by reason",
      stops
    )
  }
}
