import GTFS
import Timetable

/// How much of the realtime in use fits the timetable, as reported to operators.
package struct MatchReport: Sendable {
  /// The verdict.
  package enum Status: String, Hashable, Sendable, CaseIterable {
    /// Enough fits.
    case ok
    /// Less than the set share fits.
    case matchesLittle = "matches_little"
    /// Nothing fits that should.
    case matchesNothing = "matches_nothing"
  }

  /// The outcomes of the trip updates of one line.
  package struct Line: Hashable, Sendable {
    /// The number of the route.
    package var route: Int
    /// route_id.
    package var id: String
    /// The name of the line.
    package var name: String
    /// Trips with realtime.
    package var matched: Int
    /// Trip updates of the route that match no single trip.
    package var unmatched: Int
  }

  /// The verdict.
  package let status: Status
  /// The counters of the trip updates; without any, all are 0.
  package let counters: RealtimeCounters
  /// The lines with trip updates that match nothing, those with most of them first.
  package let lines: [Line]
  /// Each source by itself.
  let sources: [SourceView]
  private let leastPercent: Int
  /// What is likely wrong; `nil` if nothing points to it.
  package let hint: String?

  /// Reads the report off the realtime in use.
  ///
  /// - Parameters:
  ///   - index: The index of the trip updates.
  ///   - feed: The timetable.
  ///   - leastPercent: The share that must match.
  package init(_ index: RealtimeIndex, of feed: Feed, leastPercent: Int) {
    self.init(index, of: feed, sources: [], leastPercent: leastPercent)
  }

  /// Reads the report off the realtime in use; the verdict is that on the worst of its sources.
  init(_ index: RealtimeIndex?, of feed: Feed, sources: [SourceView], leastPercent: Int) {
    let counters = index?.counters ?? RealtimeCounters()
    self.counters = counters
    self.sources = sources
    self.leastPercent = leastPercent
    let verdicts =
      [Self.status(counters, leastPercent: leastPercent)]
      + sources.compactMap { Self.status(of: $0, leastPercent: leastPercent) }
    status =
      verdicts.contains(.matchesNothing)
      ? .matchesNothing : verdicts.contains(.matchesLittle) ? .matchesLittle : .ok
    lines = index.map { Self.lines($0, feed) } ?? []
    hint = index.flatMap { index in
      Self.hint(
        counters,
        feed.timetable,
        modifiedAt: feed.entry.origin?.modifiedAt,
        feedTime: index.sourceTime
      )
    }
  }

  /// The verdict on one source; `nil` as long as nothing came of it.
  func status(of source: SourceView) -> Status? {
    Self.status(of: source, leastPercent: leastPercent)
  }

  private static func status(of source: SourceView, leastPercent: Int) -> Status? {
    if let alerts = source.alerts { return status(alerts) }
    return source.counters.map { status($0, leastPercent: leastPercent) }
  }

  /// The verdict on alerts, of which many may be about other networks.
  private static func status(_ alerts: AlertCounters) -> Status {
    alerts.alerts == 0 && alerts.withoutEffect >= MatchLimits.fewestJudged ? .matchesNothing : .ok
  }

  /// What does not fit, in a sentence for each source.
  var misfits: [String] {
    let found = sources.compactMap { source -> String? in
      guard let status = status(of: source), status != .ok, let matches = source.matches else {
        return nil
      }
      let of = source.of > 1 ? " of source \(source.number)" : ""
      return Self.misfit(matches, source.kind.label + of)
    }
    guard found.isEmpty, status != .ok else { return found }
    return [Self.misfit((counters.matching, counters.unmatched), "trip updates")]
  }

  private static func misfit(_ matches: (matching: Int, unmatched: Int), _ what: String) -> String {
    "\(matches.matching) of \(matches.matching + matches.unmatched) \(what) match the timetable"
  }

  /// The verdict on trip updates.
  static func status(_ counters: RealtimeCounters, leastPercent: Int) -> Status {
    if counters.matchesNothing { return .matchesNothing }
    let wanted = counters.matching + counters.unmatched
    guard wanted >= MatchLimits.fewestJudged else { return .ok }
    return counters.matching * 100 < wanted * leastPercent ? .matchesLittle : .ok
  }

  private static func lines(_ index: RealtimeIndex, _ feed: Feed) -> [Line] {
    guard !index.counters.unmatchedByRoute.isEmpty else { return [] }
    var matched: [Int: Int] = [:]
    for trip in index.trips where trip.extra < 0 && trip.missed == 0 {
      matched[feed.timetable.route(of: trip.trip), default: 0] += 1
    }
    return index.counters.unmatchedByRoute.map { route, unmatched in
      Line(
        route: route,
        id: feed.idPrefix + feed.timetable.route(route).id,
        name: feed.routes[route].line,
        matched: matched[route, default: 0],
        unmatched: unmatched
      )
    }
    .sorted { ($1.unmatched, $0.route) < ($0.unmatched, $1.route) }
  }

  /// Why the ids may not fit: the timetable is older than the feed, or not of its day.
  ///
  /// It is as old as its feed_version says, or else the Last-Modified of its file.
  private static func hint(
    _ counters: RealtimeCounters,
    _ timetable: Timetable,
    modifiedAt: Int64?,
    feedTime: Int64
  ) -> String? {
    let unknown = counters.withoutEffect[.unknownTrip, default: 0]
    guard unknown > 0 else { return nil }
    let zone = ServiceDay(zone: timetable.zone)
    let day = zone.date(at: feedTime)
    let start =
      "\(unknown) of \(counters.received) trip updates name trips that this timetable does not have; "
    if day > timetable.lastDay {
      return start + "the timetable ends on \(timetable.lastDay), the feed is from \(day)"
    }
    if day < timetable.firstDay {
      return start + "the timetable begins on \(timetable.firstDay), the feed is from \(day)"
    }
    let made =
      timetable.metadata.version.flatMap { date(in: $0) } ?? modifiedAt.map { zone.date(at: $0) }
    guard let made, made < day else { return nil }
    return start + "the timetable is from \(made), the feed from \(day)"
  }

  /// The first date in a feed_version, as `2023-03-09` or `20230309`.
  static func date(in version: String) -> ServiceDate? {
    let bytes = Array(version.utf8.prefix(200))
    for start in bytes.indices where start == 0 || !isDigit(bytes[start - 1]) {
      for length in [10, 8] where start + length <= bytes.count {
        let end = start + length
        guard end == bytes.count || !isDigit(bytes[end]) else { continue }
        let date = bytes[start..<end].withUnsafeBytes { ServiceDate($0) }
        // Eight digits may be any number.
        if let date, date >= Self.earliest { return date }
      }
    }
    return nil
  }

  private static let earliest = ServiceDate(daysSinceEpoch: 10_957)

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// An id of a feed as it is shown.
  static func shown(_ id: String?) -> String? {
    id.map { String($0.prefix(MatchLimits.longestExample)) }
  }

  /// The report as sentences.
  package var sentences: [String] {
    let wanted = counters.matched + counters.unmatched
    let found = RealtimeCounters.Rung.allCases.dropFirst().compactMap { rung -> String? in
      guard let count = counters.byRung[rung], count > 0 else { return nil }
      return
        "\(count) by \(rung == .affix ? "an id that differs in a part" : "route, start and last stop")"
    }
    var first = "\(counters.matched) of \(wanted) trip updates match a trip of the timetable"
    if !found.isEmpty { first += ", " + found.joined(separator: ", ") }
    if counters.added > 0 { first += "; \(counters.added) are of added trips" }
    var sentences = [first]
    for (reason, count) in counters.withoutEffect.sorted(by: { $0.key.rawValue < $1.key.rawValue })
    {
      let ids = counters.examples.filter { $0.reason == reason }
        .prefix(MatchLimits.mostExamples).compactMap { Self.shown($0.trip) }
      let such = ids.isEmpty ? "" : ", such as " + ids.joined(separator: ", ")
      sentences.append("\(count) without effect: \(reason.sentence)\(such)")
    }
    for line in lines.prefix(MatchLimits.mostLines) {
      sentences.append(
        "line \(line.name) (\(line.id)): \(line.matched) trips match, \(line.unmatched) updates do not"
      )
    }
    if let hint { sentences.append(hint) }
    return sentences
  }
}
