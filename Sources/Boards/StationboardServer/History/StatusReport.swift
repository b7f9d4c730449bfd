import ConditionalHTTP
import GTFS
import Serving
import Timetable

/// What a server serves now, how its sources fare, and how punctual today is: the content of `/api/status`.
///
/// Public: no addresses, no paths, no fields of requests.
struct StatusReport: Encodable, Sendable {
  /// A timetable that serves.
  struct TimetableEntry: Encodable, Sendable {
    var feed: String
    var publisher: String?
    var generation: String
    var version: String?
    var timezone: String
    var importedAt: String
    var validFrom: String
    var validUntil: String
    var daysLeft: Int
    var stops: Int
    var routes: Int
    var trips: Int
    var departures: Int
    var held: String?
    /// What passengers would lose by the import that is held back.
    var losses: TimetableStatus.Losses?
    var waiting: String?
    /// The first day of the import that waits for it.
    var waitingFrom: String?
    /// Where it comes from by itself.
    var source: TimetableStatus.Source?
    /// Whether it is the one that the database of timetables has, if servers share them.
    var shared: SharedState?
  }

  /// How a timetable compares with the one that the database of timetables has.
  enum SharedState: String, Encodable, Sendable, CaseIterable {
    case current, fetching, waiting, refused
    /// The database does not have it.
    case onlyHere = "only_here"
    /// The database does not answer.
    case unknown
  }

  /// A realtime source.
  struct SourceEntry: Encodable, Sendable {
    /// How a source fares.
    enum State: String, Encodable, Sendable, CaseIterable {
      case ok, failing
      /// Nothing ever came of it.
      case silent
    }

    /// Which server polls a source.
    enum Leader: String, Encodable, Sendable, CaseIterable {
      case thisServer = "this_server"
      case another, nobody
      /// Their database does not answer.
      case unknown
    }

    var feed: String
    var kind: String
    var number: Int
    var state: State
    var sourceTime: String?
    var fetchedAt: String?
    var periodSec: Double?
    var entities: Int?
    var payloadBytes: Int?
    var polls: Int
    var pollsFailed: Int
    var lastError: String?
    var matched: Int?
    var unmatched: Int?
    /// Which server polls it, if servers share it.
    var leader: Leader?
  }

  /// Why trip updates have no effect.
  struct Reason: Encodable, Sendable {
    var reason: String
    var count: Int
    var examples: [String]
  }

  /// A line with trip updates that match nothing.
  struct UnmatchedLine: Encodable, Sendable {
    var routeID: String
    var line: String
    var matched: Int
    var unmatched: Int

    private enum CodingKeys: String, CodingKey {
      case routeID = "route_id"
      case line, matched, unmatched
    }
  }

  /// How the trip updates in use fit a timetable.
  struct MatchEntry: Encodable, Sendable {
    var feed: String
    var status: String
    var received: Int
    var matched: Int
    var unmatched: Int
    var added: Int
    var matchedPercent: Double?
    var byAffix: Int
    var byStart: Int
    var hint: String?
    var reasons: [Reason]
    var lines: [UnmatchedLine]
  }

  /// Today, as it has been counted so far.
  struct Today: Encodable, Sendable {
    var feed: String
    var day: String
    var total: LineSummary
    /// The lines with the smallest share of punctual departures.
    var worst: [LineEntry]
    /// The lines with the most trips of which realtime said nothing, though it covers them.
    var missing: [LineEntry]
    /// Lines of which realtime says nothing at all.
    var uncovered: Int
  }

  /// Whether the history is kept.
  struct HistoryState: Encodable, Sendable {
    var isWritten: Bool
    var days: Int
  }

  /// The service clock when this was read; what is older is so much older.
  var servedAt: String
  var version: String
  var timetables: [TimetableEntry]
  var sources: [SourceEntry]
  var matches: [MatchEntry]
  var today: [Today]
  var history: HistoryState?
  /// The thresholds of the ages of realtime, in seconds.
  var freshSec: Double
  var staleSec: Double
  /// How many minutes late a departure is at most that counts as punctual, and how many early.
  var punctualLateMin: Int
  var punctualEarlyMin: Int
}

/// Reads a ``StatusReport`` off a server.
struct StatusReader: Sendable {
  /// A line is judged when it has at least this many departures with a delay.
  static let leastDepartures = 10

  let store: FeedStore
  let clock: ServiceClock
  let realtime: RealtimeFeeds?
  let history: HistoryService?
  let sharing: TimetableSharing?

  /// The current report.
  func report() -> StatusReport {
    let feeds = store.feeds
    let now = clock.now
    let counts = history?.current ?? [:]
    var sources: [StatusReport.SourceEntry] = []
    var matches: [StatusReport.MatchEntry] = []
    for feed in feeds {
      guard let realtime else { continue }
      let snapshot = realtime.snapshot(of: feed)
      sources += snapshot.sources.map { entry($0, feed.entry.key, feed.entry.prefix ?? "") }
      if snapshot.index != nil || snapshot.sources.contains(where: { $0.matches != nil }) {
        let report = MatchReport(
          snapshot.index,
          of: feed,
          sources: snapshot.sources,
          leastPercent: realtime.leastPercent(of: feed)
        )
        matches.append(entry(report, feed))
      }
    }
    return StatusReport(
      servedAt: InstantText.write(now),
      version: StationboardService.version,
      timetables: feeds.map { entry($0, now) },
      sources: sources,
      matches: matches,
      today: feeds.compactMap { feed in
        counts[feed.entry.key].map { today(feed, $0, now) }
      },
      history: history.map {
        StatusReport.HistoryState(isWritten: $0.failure == nil && $0.store != nil, days: $0.days)
      },
      freshSec: RealtimeDecay.standard.fresh,
      staleSec: RealtimeDecay.standard.ageing,
      punctualLateMin: 3,
      punctualEarlyMin: 1
    )
  }

  private func entry(_ feed: Feed, _ now: Double) -> StatusReport.TimetableEntry {
    let timetable = feed.timetable
    let known = store.manifest.feed(feed.entry.key)
    let status = TimetableStatus(of: feed, known, in: store.folder)
    return StatusReport.TimetableEntry(
      feed: feed.entry.key,
      publisher: timetable.metadata.publisher,
      generation: feed.entry.generation,
      version: timetable.metadata.version,
      timezone: timetable.metadata.timeZone,
      importedAt: InstantText.write(timetable.metadata.importedAt.rounded()),
      validFrom: timetable.firstDay.description,
      validUntil: timetable.lastDay.description,
      daysLeft: feed.daysLeft(at: now),
      stops: timetable.stopCount,
      routes: timetable.routeCount,
      trips: timetable.tripCount,
      departures: timetable.departureCount,
      held: known?.held?.reason.rawValue,
      losses: status.losses,
      waiting: known?.waiting?.name,
      waitingFrom: status.waitingFrom,
      source: status.source,
      shared: sharing?.state(of: feed.entry.key)
    )
  }

  private func entry(
    _ source: SourceView,
    _ feed: String,
    _ prefix: String
  ) -> StatusReport.SourceEntry {
    let status = source.status
    return StatusReport.SourceEntry(
      feed: feed,
      kind: source.kind.rawValue,
      number: source.number,
      state: status.lastError != nil ? .failing : status.sourceTime == nil ? .silent : .ok,
      sourceTime: status.sourceText,
      fetchedAt: status.fetchedAt.map { InstantText.write($0) },
      periodSec: status.period,
      entities: status.metrics.entities,
      payloadBytes: status.payloadBytes,
      polls: status.metrics.answered + status.metrics.failed,
      pollsFailed: status.metrics.failed,
      lastError: status.lastError,
      matched: source.counters?.matching,
      unmatched: source.counters?.unmatched,
      leader: realtime?.leader(of: source, ofFeed: prefix)
    )
  }

  private func entry(_ report: MatchReport, _ feed: Feed) -> StatusReport.MatchEntry {
    let counters = report.counters
    let reasons = counters.withoutEffect.sorted {
      ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue)
    }
    return StatusReport.MatchEntry(
      feed: feed.entry.key,
      status: report.status.rawValue,
      received: counters.received,
      matched: counters.matching,
      unmatched: counters.unmatched,
      added: counters.added,
      matchedPercent: LineSummary.percent(
        counters.matching,
        of: counters.matching + counters.unmatched
      ),
      byAffix: counters.byRung[.affix, default: 0],
      byStart: counters.byRung[.start, default: 0],
      hint: report.hint,
      reasons: reasons.map { reason, count in
        StatusReport.Reason(
          reason: reason.rawValue,
          count: count,
          examples: counters.examples.filter { $0.reason == reason }.prefix(3)
            .compactMap { MatchReport.shown($0.trip ?? $0.route) }
        )
      },
      lines: report.lines.prefix(HistoryLimits.namedLines).map { line in
        StatusReport.UnmatchedLine(
          routeID: line.id,
          line: line.name,
          matched: line.matched,
          unmatched: line.unmatched
        )
      }
    )
  }

  private func today(
    _ feed: Feed,
    _ counts: [LineDay: LineCounts],
    _ now: Double
  ) -> StatusReport.Today {
    let day = ServiceDay(zone: feed.timetable.zone).date(at: Int64(now))
    var total = LineCounts()
    var lines: [String: LineCounts] = [:]
    for (line, counted) in counts where line.day == day.daysSinceEpoch {
      total.add(counted)
      lines[line.route, default: LineCounts()].add(counted)
    }
    let summaries = lines.mapValues { LineSummary($0) }
    let covered = summaries.filter { $0.value.tripsSeen > 0 || $0.value.predicted > 0 }
    func named(_ found: [(key: String, value: LineSummary)]) -> [LineEntry] {
      found.prefix(HistoryLimits.namedLines).compactMap { route, summary in
        (history?.line(route, of: feed)).map { line in
          LineEntry(name: LineName(line, idPrefix: feed.idPrefix), summary: summary)
        }
      }
    }
    let judged = covered.filter { $0.value.predicted >= Self.leastDepartures }
    return StatusReport.Today(
      feed: feed.entry.key,
      day: day.description,
      total: LineSummary(total),
      worst: named(
        judged.sorted { left, right in
          (left.value.punctualPercent ?? 100, left.key)
            < (right.value.punctualPercent ?? 100, right.key)
        }
      ),
      missing: named(
        covered.filter { $0.value.tripsMissing > 0 }.sorted { left, right in
          (right.value.tripsMissing, left.key) < (left.value.tripsMissing, right.key)
        }
      ),
      uncovered: summaries.count - covered.count
    )
  }
}
