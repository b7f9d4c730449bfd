import ConditionalHTTP
import Foundation
import GTFS
import HTTPTypes
import Hummingbird
import NIOCore
import Serving
import Timetable

/// `GET /api/history/lines`, `/api/history/lines/{route_id}` and `/api/history/points`, as JSON or CSV.
struct HistoryEndpoint {
  let store: FeedStore
  let clock: ServiceClock
  /// The history; `nil` if it is turned off.
  let history: HistoryService?

  // MARK: Lines

  /// The counts of all lines on a day, or of some days together.
  func lines(_ request: Request) async throws -> Response {
    let query = QueryItems(request)
    let isCSV = try Self.wantsCSV(request, query)
    let days = try days(query)
    var selection = HistoryStore.Selection(days: days)
    selection.feed = try feed(query)
    selection.name = try text(query, "line")
    let rows = try await open().lines(selection)
    var sums: [HistoryStore.Line: LineCounts] = [:]
    for row in rows { sums[row.line, default: LineCounts()].add(row.counts) }
    var lines = sums.sorted { left, right in
      (left.key.feed, left.key.route) < (right.key.feed, right.key.route)
    }
    .map { LineEntry(name: name($0.key), summary: LineSummary($0.value)) }
    let isCut = lines.count > HistoryLimits.answerLines
    if isCut { lines = Array(lines.prefix(HistoryLimits.answerLines)) }
    if isCSV {
      return Self.csv(
        request,
        ["from", "to", "feed", "route_id", "line", "operator"],
        lines.map { line in
          (
            [
              Self.text(days.lowerBound), Self.text(days.upperBound), line.name.feed,
              line.name.routeID, line.name.line ?? "", line.name.operator ?? "",
            ], line.summary
          )
        }
      )
    }
    return try Self.json(
      request,
      LinesAnswer(
        from: Self.text(days.lowerBound),
        to: Self.text(days.upperBound),
        basis: Self.basis,
        isCut: isCut,
        lines: lines
      )
    )
  }

  /// The counts of one line, day by day.
  func line(_ request: Request, id: String) async throws -> Response {
    let query = QueryItems(request)
    let isCSV = try Self.wantsCSV(request, query)
    let days = try days(query)
    guard id.count <= HistoryLimits.longestName else {
      throw QueryItems.invalid("route_id", id, "at most \(HistoryLimits.longestName) characters")
    }
    let file = try open()
    var rows: [HistoryStore.LineRow] = []
    for (feed, prefix) in feeds where prefix.isEmpty || id.hasPrefix(prefix) {
      let route = String(id.dropFirst(prefix.count))
      let selection = HistoryStore.Selection(days: days, feed: feed, route: route)
      rows = try await file.lines(selection)
      if !rows.isEmpty { break }
    }
    guard let first = rows.last?.line else {
      throw Problem.unknownLine(
        id,
        from: Self.text(days.lowerBound),
        to: Self.text(days.upperBound)
      )
    }
    var total = LineCounts()
    var byDay: [Int: [HistoryStore.LineRow]] = [:]
    for row in rows {
      total.add(row.counts)
      byDay[row.day, default: []].append(row)
    }
    let entries = byDay.sorted { $0.key < $1.key }.map { day, rows in
      DayEntry(
        day: Self.text(day),
        summary: LineSummary(rows.reduce(into: LineCounts()) { $0.add($1.counts) }),
        sources: rows.map { SourceEntry(source: $0.source, summary: LineSummary($0.counts)) }
      )
    }
    let name = name(first)
    if isCSV {
      return Self.csv(
        request,
        ["day", "feed", "route_id", "line", "operator"],
        entries.map { day in
          (
            [day.day, name.feed, name.routeID, name.line ?? "", name.operator ?? ""], day.summary
          )
        }
      )
    }
    return try Self.json(
      request,
      LineAnswer(
        name: name,
        from: Self.text(days.lowerBound),
        to: Self.text(days.upperBound),
        basis: Self.basis,
        total: LineSummary(total),
        days: entries
      )
    )
  }

  // MARK: Points

  /// The lengths of points that can be asked for, in seconds.
  static let steps: [Int64] = [300, 900, 3_600, 86_400]

  /// The ages of sources, the ages that clients saw, and what was counted, in steps of time.
  func points(_ request: Request) async throws -> Response {
    let query = QueryItems(request)
    let isCSV = try Self.wantsCSV(request, query)
    let now = clock.now
    let until = try instant(query, "to") ?? now
    let from = try instant(query, "from") ?? until - 86_400
    guard from < until else {
      throw QueryItems.invalid("from", query["from"] ?? "", "an instant before to")
    }
    let asked = try query.integer("step") ?? Int(HistoryLimits.pointSeconds)
    guard let step = Self.steps.first(where: { $0 == Int64(asked) }) else {
      throw QueryItems.invalid(
        "step",
        "\(asked)",
        "one of \(Self.steps.map(String.init).joined(separator: ", "))"
      )
    }
    guard (until - from) / Double(step) <= Double(HistoryLimits.answerPoints) / 10 else {
      throw QueryItems.invalid(
        "from",
        query["from"] ?? "",
        "at most \(HistoryLimits.answerPoints / 10) steps before to; take a longer step"
      )
    }
    let feed = try feed(query)
    let first = Int64(from) - Int64(from) % step
    let end = Int64(until.rounded(.up))
    let rows = try await open().points(first..<end, limit: HistoryLimits.pointRows)
    var sums: [HistorySeries.Place: HistoryPoint] = [:]
    for row in rows where feed == nil || row.subject.feed.isEmpty || row.subject.feed == feed {
      let place = HistorySeries.Place(start: row.start - row.start % step, subject: row.subject)
      sums[place, default: HistoryPoint()].add(row.point)
    }
    guard sums.count <= HistoryLimits.answerPoints else {
      throw QueryItems.invalid(
        "from",
        query["from"] ?? "",
        "a range with at most \(HistoryLimits.answerPoints) points, or a longer step"
      )
    }
    let subjects = Dictionary(grouping: sums, by: \.key.subject)
    let series = subjects.sorted { left, right in
      (left.key.feed, left.key.kind, left.key.number)
        < (right.key.feed, right.key.kind, right.key.number)
    }
    .map { subject, points in
      SeriesEntry(
        subject,
        points.sorted { $0.key.start < $1.key.start }.map { ($0.key.start, $0.value) }
      )
    }
    if isCSV { return Self.pointsCSV(request, series) }
    return try Self.json(
      request,
      PointsAnswer(
        from: InstantText.write(Double(first)),
        to: InstantText.write(Double(end)),
        step: Int(step),
        series: series
      )
    )
  }

  // MARK: Parameters

  private func open() throws(Problem) -> HistoryStore {
    guard let history else {
      throw Problem.historyOff
    }
    guard let store = history.store else {
      throw Problem.historyNotReady
    }
    return store
  }

  /// The keys of the feeds that serve, and the prefixes of their ids.
  private var feeds: [(key: String, prefix: String)] {
    store.feeds.map { ($0.entry.key, $0.idPrefix) }
  }

  private func name(_ line: HistoryStore.Line) -> LineName {
    LineName(line, idPrefix: feeds.first { $0.key == line.feed }?.prefix ?? "")
  }

  private func feed(_ query: QueryItems) throws(Problem) -> String? { try text(query, "feed") }

  private func text(_ query: QueryItems, _ name: String) throws(Problem) -> String? {
    guard let value = query[name] else { return nil }
    guard !value.isEmpty, value.count <= HistoryLimits.longestName else {
      throw QueryItems.invalid(
        name,
        String(value.prefix(80)),
        "1 to \(HistoryLimits.longestName) characters"
      )
    }
    return value
  }

  private func days(_ query: QueryItems) throws(Problem) -> ClosedRange<Int> {
    if query["day"] != nil, query["from"] != nil || query["to"] != nil {
      throw QueryItems.invalid("day", query["day"] ?? "", "either day, or from and to")
    }
    let zone = store.feeds.first?.timetable.zone ?? .gmt
    let today = ServiceDay(zone: zone).date(at: Int64(clock.now))
    let day = try date(query, "day")
    let (from, to) = (try date(query, "from"), try date(query, "to"))
    let last = day ?? to ?? today
    let first = day ?? from ?? last
    guard first <= last else {
      throw QueryItems.invalid("from", query["from"] ?? "", "a day that is not after to")
    }
    let range = first.daysSinceEpoch...last.daysSinceEpoch
    guard range.count <= HistoryLimits.answerDays else {
      throw QueryItems.invalid(
        "from",
        query["from"] ?? "",
        "at most \(HistoryLimits.answerDays) days up to to"
      )
    }
    return range
  }

  private func date(_ query: QueryItems, _ name: String) throws(Problem) -> ServiceDate? {
    guard let text = query[name] else { return nil }
    guard let date = ServiceDate(text) else {
      throw QueryItems.invalid(name, String(text.prefix(80)), "a day YYYY-MM-DD")
    }
    return date
  }

  private func instant(_ query: QueryItems, _ name: String) throws(Problem) -> Double? {
    guard let text = query[name] else { return nil }
    guard let instant = InstantText.read(text) else {
      throw QueryItems.invalid(
        name,
        String(text.prefix(80)),
        "an instant like 2026-11-24T07:00:00Z"
      )
    }
    return instant
  }
}
