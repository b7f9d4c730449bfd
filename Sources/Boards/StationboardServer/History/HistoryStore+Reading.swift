import Foundation
import GRDB

extension HistoryStore {
  /// A line on a day, with what all its sources reported, or one.
  package struct LineRow: Sendable {
    package var line: Line
    /// The service day, as days since 1970-01-01.
    package var day: Int
    /// The number of the source; 0 for what no source reported.
    package var source: Int
    package var counts: LineCounts
  }

  /// A point as it was written.
  package struct PointRow: Sendable {
    /// Its length in seconds.
    package var step: Int64
    /// Its beginning, in seconds since 1970-01-01T00:00:00Z.
    package var start: Int64
    package var subject: HistorySubject
    package var point: HistoryPoint
  }

  /// Which rows are wanted.
  package struct Selection: Sendable {
    /// The first and the last service day, as days since 1970-01-01.
    package var days: ClosedRange<Int>
    /// The key of a feed; `nil` for all.
    package var feed: String?
    /// route_id without the prefix of its feed; `nil` for all.
    package var route: String?
    /// The name of lines in any case; `nil` for all.
    package var name: String?
    /// The most rows.
    package var limit: Int

    /// A selection.
    package init(
      days: ClosedRange<Int>,
      feed: String? = nil,
      route: String? = nil,
      name: String? = nil,
      limit: Int = HistoryLimits.lineRows
    ) {
      self.days = days
      self.feed = feed
      self.route = route
      self.name = name
      self.limit = limit
    }
  }

  /// Reads the counts of lines, ordered by day, feed and route.
  ///
  /// - Throws: ``HistoryFailure``.
  package func lines(_ selection: Selection) async throws -> [LineRow] {
    do {
      return try await database.read { try Self.lines($0, selection) }
    } catch {
      throw Self.failure(error, "history")
    }
  }

  static func lines(_ database: Database, _ selection: Selection) throws -> [LineRow] {
    var condition = "day BETWEEN ? AND ?"
    var values: [any DatabaseValueConvertible] = [
      selection.days.lowerBound, selection.days.upperBound,
    ]
    if let feed = selection.feed {
      condition += " AND feed = ?"
      values.append(feed)
    }
    if let route = selection.route {
      condition += " AND route = ?"
      values.append(route)
    }
    if let name = selection.name {
      condition += " AND name = ? COLLATE NOCASE"
      values.append(name)
    }
    let rows = try Row.fetchCursor(
      database,
      sql: """
        SELECT line_day.*, feed, route, name, agency, type, color, text_color
        FROM line_day JOIN line ON line.id = line_day.line
        WHERE \(condition) ORDER BY day, feed, route, source LIMIT \(selection.limit)
        """,
      arguments: StatementArguments(values)
    )
    var found: [LineRow] = []
    while let row = try rows.next() {
      var counts = LineCounts()
      for column in LineCounts.columns { counts[keyPath: column.field] = row[column.name] }
      counts.delays = DelayHistogram(bytes: Array(row["delays"] as Data)) ?? DelayHistogram()
      let line = Line(
        feed: row["feed"],
        route: row["route"],
        name: row["name"],
        agency: row["agency"],
        type: row["type"],
        color: (row["color"] as Int64?).flatMap { UInt32(exactly: $0) },
        textColor: (row["text_color"] as Int64?).flatMap { UInt32(exactly: $0) }
      )
      found.append(LineRow(line: line, day: row["day"], source: row["source"], counts: counts))
    }
    return found
  }

  /// The counts of a feed on some days, as a recorder continues with.
  func counts(of feed: String, on days: [Int]) throws -> [LineDay: LineCounts] {
    guard let first = days.min(), let last = days.max() else { return [:] }
    var counts: [LineDay: LineCounts] = [:]
    let rows = try database.read { database in
      try Self.lines(database, Selection(days: first...last, feed: feed))
    }
    for row in rows {
      counts[LineDay(day: row.day, route: row.line.route, source: row.source)] = row.counts
    }
    return counts
  }

  /// Reads points, ordered by their beginning.
  ///
  /// - Parameters:
  ///   - span: The first instant, and the first that is not wanted, in seconds since 1970-01-01T00:00:00Z.
  ///   - limit: The most points.
  /// - Returns: The points.
  /// - Throws: ``HistoryFailure``.
  package func points(_ span: Range<Int64>, limit: Int) async throws -> [PointRow] {
    do {
      return try await database.read { database in
        try Self.points(
          database,
          where: "start >= ? AND start < ? ORDER BY start, feed, kind, number LIMIT \(limit)",
          [span.lowerBound, span.upperBound]
        )
      }
    } catch {
      throw Self.failure(error, "history")
    }
  }

  static func points(
    _ database: Database,
    where condition: String,
    _ values: [any DatabaseValueConvertible]
  ) throws -> [PointRow] {
    try Row.fetchAll(
      database,
      sql: "SELECT * FROM point WHERE \(condition)",
      arguments: StatementArguments(values)
    )
    .map { row in
      PointRow(
        step: row["step"],
        start: row["start"],
        subject: HistorySubject(feed: row["feed"], kind: row["kind"], number: row["number"]),
        point: HistoryPoint(text: row["content"]) ?? HistoryPoint()
      )
    }
  }

  /// The first and the last service day of which something was counted; `nil` without any.
  package func span() async throws -> ClosedRange<Int>? {
    try await database.read { database in
      let row = try Row.fetchOne(
        database,
        sql: "SELECT min(day) AS first, max(day) AS last FROM line_day"
      )
      guard let first = row?["first"] as Int?, let last = row?["last"] as Int? else { return nil }
      return first...last
    }
  }

  /// What the recorder of a feed needs to continue; `nil` if there is nothing, or nothing that can be read.
  func checkpoint(of feed: String) throws -> HistoryCheckpoint? {
    let bytes = try database.read { database in
      try Data.fetchOne(
        database,
        sql: "SELECT content FROM checkpoint WHERE feed = ?",
        arguments: [feed]
      )
    }
    return bytes.flatMap { try? JSONDecoder().decode(HistoryCheckpoint.self, from: $0) }
  }
}

extension HistoryPoint {
  /// The point as a text: its numbers, then the counts of its histograms.
  var text: String {
    var parts = [
      Self.text(seconds), Self.text(least), Self.text(most), Self.text(ageSum),
    ]
    let numbers = [
      good, bad, matched, unmatched, cancelled, unpredicted, unobserved, missing,
    ]
    parts += numbers.map { "\($0)" }
    parts.append(answers.contains { $0 > 0 } ? answers.map { "\($0)" }.joined(separator: ",") : "")
    parts.append(
      delays.total > 0 ? delays.counts.map { "\($0)" }.joined(separator: ",") : ""
    )
    return parts.joined(separator: " ")
  }

  /// Milliseconds are enough of an age.
  private static func text(_ value: Double) -> String {
    value.isFinite ? "\((value * 1_000).rounded() / 1_000)" : "-"
  }

  /// Reads what ``text`` wrote; `nil` if it is something else.
  init?(text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 14 else { return nil }
    self.init()
    let ages = parts[0..<4].map { $0 == "-" ? Double.infinity : Double($0) }
    let numbers = parts[4..<12].map { Int($0) }
    guard let seconds = ages[0], let least = ages[1], let most = ages[2], let sum = ages[3],
      numbers.allSatisfy({ $0 != nil })
    else { return nil }
    (self.seconds, self.least, self.most, ageSum) = (seconds, least, most, sum)
    let counts = numbers.compactMap(\.self)
    (good, bad, matched, unmatched) = (counts[0], counts[1], counts[2], counts[3])
    (cancelled, unpredicted, unobserved, missing) = (counts[4], counts[5], counts[6], counts[7])
    if !parts[12].isEmpty {
      let answered = parts[12].split(separator: ",").compactMap { Int($0) }
      guard answered.count == answers.count else { return nil }
      answers = answered
    }
    if !parts[13].isEmpty {
      let counted = parts[13].split(separator: ",").compactMap { UInt32($0) }
      guard let delays = DelayHistogram(counts: counted) else { return nil }
      self.delays = delays
    }
  }
}
