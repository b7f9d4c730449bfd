import Foundation
import GRDB
import GTFS
import Storage

/// Why the history cannot be kept.
package struct HistoryFailure: Error, CustomStringConvertible, Sendable {
  /// What is wrong, where, and what to do.
  package var description: String
  /// Whether the file is damaged, so that a new one can be begun.
  var isDamage = false
}

/// The history of a data folder: an SQLite file with the counts of lines and the points of sources.
///
/// One program writes it, in one transaction at a time: the counts and what the recorder needs to continue. A program that is
/// killed loses what it has not written, and nothing else.
package final class HistoryStore: Sendable {
  /// The name of the file in the data folder.
  package static let fileName = "history.sqlite"
  /// `FrHi`: identifies the file as a history.
  static let applicationID: Int32 = 0x4672_4869
  /// The version of the format.
  static let version: Int32 = 1
  /// The name of a file that was set aside because it is damaged, after that of the history.
  static let damagedSuffix = ".damaged"

  let database: any DatabaseReader
  private let writer: DatabasePool?

  private init(_ database: any DatabaseReader, writer: DatabasePool?) {
    self.database = database
    self.writer = writer
  }

  /// Opens the history of a folder to write it, creating it if necessary.
  ///
  /// - Parameter folder: The data folder.
  /// - Returns: The open history.
  /// - Throws: ``HistoryFailure``.
  static func open(in folder: DataFolder) throws(HistoryFailure) -> HistoryStore {
    let path = path(in: folder)
    try refuseForeignLinks(in: folder)
    do {
      let pool = try DatabaseFile.openForWriting(path: path, label: "freshet.history", readers: 3)
      try pool.writeWithoutTransaction { try prepare($0, path) }
      return HistoryStore(pool, writer: pool)
    } catch let failure as HistoryFailure {
      throw failure
    } catch {
      throw Self.failure(error, path)
    }
  }

  /// Opens the history of a folder to read it, also while a server writes it.
  ///
  /// - Parameter folder: The data folder.
  /// - Returns: The open history.
  /// - Throws: ``HistoryFailure`` if the file is missing or cannot be read.
  package static func openForReading(in folder: DataFolder) throws(HistoryFailure) -> HistoryStore {
    let path = path(in: folder)
    try refuseForeignLinks(in: folder)
    guard FileManager.default.fileExists(atPath: path) else {
      throw HistoryFailure(
        description: "\(path): there is no history; a server begins one when it serves this folder"
      )
    }
    do {
      let pool = try DatabaseFile.openForReading(path: path, readers: 1)
      try pool.read { try check($0, path) }
      return HistoryStore(pool, writer: nil)
    } catch let failure as HistoryFailure {
      throw failure
    } catch {
      throw Self.failure(error, path)
    }
  }

  private static func refuseForeignLinks(in folder: DataFolder) throws(HistoryFailure) {
    do throws(FeedError) {
      try folder.refuseForeignLinks()
    } catch {
      throw HistoryFailure(description: error.message)
    }
  }

  /// Moves a damaged history out of the way.
  ///
  /// - Returns: Where it is now.
  /// - Throws: What the file system says.
  static func setAside(in folder: DataFolder) throws -> String {
    let path = path(in: folder)
    let manager = FileManager.default
    for ending in ["", "-wal", "-shm"] {
      let place = path + Self.damagedSuffix + ending
      if manager.fileExists(atPath: place) { try manager.removeItem(atPath: place) }
      if manager.fileExists(atPath: path + ending) {
        try manager.moveItem(atPath: path + ending, toPath: place)
      }
    }
    return path + Self.damagedSuffix
  }

  /// The path of the history of a folder.
  static func path(in folder: DataFolder) -> String { folder.path + "/" + fileName }

  static func failure(_ error: any Error, _ path: String) -> HistoryFailure {
    guard let error = error as? DatabaseError else {
      return HistoryFailure(description: "\(path): \(error)")
    }
    let reason = error.message ?? "\(error.resultCode)"
    switch error.resultCode {
    case .SQLITE_CORRUPT, .SQLITE_NOTADB:
      return HistoryFailure(description: "\(path): is damaged: \(reason)", isDamage: true)
    case .SQLITE_FULL:
      return HistoryFailure(description: "\(path): the disk is full")
    default:
      return HistoryFailure(description: "\(path): cannot be used: \(reason)")
    }
  }

  // MARK: The format

  private static func check(_ database: Database, _ path: String) throws {
    let id = try Int32.fetchOne(database, sql: "PRAGMA application_id") ?? 0
    let found = try Int32.fetchOne(database, sql: "PRAGMA user_version") ?? 0
    guard id == applicationID else {
      throw HistoryFailure(
        description: "\(path): is not a history of this program",
        isDamage: true
      )
    }
    guard found == version else {
      throw HistoryFailure(
        description:
          "\(path): has version \(found) of the format; this program reads version \(version): "
          + "use the newer program, or move the file away"
      )
    }
  }

  private static func prepare(_ database: Database, _ path: String) throws {
    try database.execute(sql: "PRAGMA journal_size_limit = 4194304")
    let isEmpty = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
    if isEmpty {
      try database.inTransaction {
        try database.execute(sql: schema)
        return .commit
      }
    }
    try check(database, path)
    let damage = try String.fetchOne(database, sql: "PRAGMA quick_check(1)")
    guard damage == "ok" else {
      throw HistoryFailure(
        description: "\(path): is damaged: \(damage ?? "unreadable")",
        isDamage: true
      )
    }
  }

  private static var schema: String {
    let counts = LineCounts.columns.map { "\($0.name) INTEGER NOT NULL" }.joined(separator: ", ")
    return """
      CREATE TABLE line (
        id INTEGER PRIMARY KEY, feed TEXT NOT NULL, route TEXT NOT NULL, name TEXT NOT NULL,
        agency TEXT NOT NULL, type INTEGER NOT NULL, color INTEGER, text_color INTEGER,
        UNIQUE (feed, route)
      );
      CREATE TABLE line_day (
        day INTEGER NOT NULL, line INTEGER NOT NULL, source INTEGER NOT NULL, \(counts),
        delays BLOB NOT NULL, PRIMARY KEY (day, line, source)
      ) WITHOUT ROWID;
      CREATE INDEX line_day_line ON line_day (line, day);
      CREATE TABLE point (
        step INTEGER NOT NULL, start INTEGER NOT NULL, feed TEXT NOT NULL, kind TEXT NOT NULL,
        number INTEGER NOT NULL, content TEXT NOT NULL,
        PRIMARY KEY (step, start, feed, kind, number)
      ) WITHOUT ROWID;
      CREATE TABLE checkpoint (feed TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID;
      PRAGMA application_id = \(applicationID);
      PRAGMA user_version = \(version);
      """
  }

  // MARK: Writing

  /// A line as it is named.
  package struct Line: Hashable, Sendable {
    /// The key of its feed.
    package var feed: String
    /// route_id, without the prefix of its feed.
    package var route: String
    package var name: String
    package var agency: String
    /// route_type.
    package var type: Int
    package var color: UInt32?
    package var textColor: UInt32?
  }

  /// What is written at once.
  struct Batch: Sendable {
    /// The counts of a line, whole.
    typealias Entry = (line: Line, day: Int, source: Int, counts: LineCounts)

    /// Counts of lines.
    var lines: [Entry] = []
    /// Points, whole.
    var points: [(start: Int64, subject: HistorySubject, point: HistoryPoint)] = []
    /// What the recorder of each feed needs to continue.
    var checkpoints: [String: HistoryCheckpoint] = [:]
    /// The present day, as days since 1970-01-01, and instant.
    var today: Int
    var now: Double
    /// How many days of lines are kept.
    var days: Int
  }

  /// Writes a batch; all of it or nothing.
  ///
  /// - Throws: ``HistoryFailure``.
  func write(_ batch: Batch) async throws(HistoryFailure) {
    guard let writer else { return }
    do {
      try await writer.write { database in
        for entry in batch.lines { try Self.write(entry, database) }
        for entry in batch.points {
          try Self.write(
            entry.start,
            entry.subject,
            entry.point,
            HistoryLimits.pointSeconds,
            database
          )
        }
        for (feed, checkpoint) in batch.checkpoints {
          try database.execute(
            sql: "INSERT OR REPLACE INTO checkpoint VALUES (?, ?)",
            arguments: [feed, try JSONEncoder().encode(checkpoint)]
          )
        }
        try Self.prune(batch, database)
      }
    } catch {
      throw Self.failure(error, writer.path)
    }
  }

  private static func write(
    _ entry: Batch.Entry,
    _ database: Database
  ) throws {
    let line = entry.line
    let id = try Int64.fetchOne(
      database,
      sql: """
        INSERT INTO line (feed, route, name, agency, type, color, text_color) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (feed, route) DO UPDATE SET name = excluded.name, agency = excluded.agency,
          type = excluded.type, color = excluded.color, text_color = excluded.text_color
        RETURNING id
        """,
      arguments: [
        line.feed, line.route, line.name, line.agency, line.type, line.color.map { Int64($0) },
        line.textColor.map { Int64($0) },
      ]
    )
    let columns = LineCounts.columns
    let marks = Array(repeating: "?", count: columns.count + 4).joined(separator: ", ")
    var values: [(any DatabaseValueConvertible)?] = [entry.day, id, entry.source]
    values += columns.map { entry.counts[keyPath: $0.field] as any DatabaseValueConvertible }
    values.append(Data(entry.counts.delays.bytes))
    try database.execute(
      sql: "INSERT OR REPLACE INTO line_day VALUES (\(marks))",
      arguments: StatementArguments(values)
    )
  }

  private static func write(
    _ start: Int64,
    _ subject: HistorySubject,
    _ point: HistoryPoint,
    _ step: Int64,
    _ database: Database
  ) throws {
    try database.execute(
      sql: "INSERT OR REPLACE INTO point VALUES (?, ?, ?, ?, ?, ?)",
      arguments: [step, start, subject.feed, subject.kind, subject.number, point.text]
    )
  }

  // MARK: Keeping it small

  /// The most points of five minutes that one write makes hours of.
  private static let compactedPoints = 2_000

  private static func prune(_ batch: Batch, _ database: Database) throws {
    try database.execute(
      sql: "DELETE FROM line_day WHERE day < ?",
      arguments: [batch.today - batch.days + 1]
    )
    let removed = database.changesCount
    while let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM line_day"),
      count > HistoryLimits.lineRows
    {
      try database.execute(
        sql: "DELETE FROM line_day WHERE day = (SELECT min(day) FROM line_day)"
      )
    }
    if removed > 0 {
      try database.execute(
        sql:
          "DELETE FROM line WHERE NOT EXISTS (SELECT 1 FROM line_day WHERE line_day.line = line.id)"
      )
    }
    try compact(batch.now, database)
    let day: Int64 = 86_400
    try database.execute(
      sql: "DELETE FROM point WHERE start < ?",
      arguments: [Int64(batch.now) - Int64(batch.days) * day]
    )
    let excess = try Int.fetchOne(database, sql: "SELECT count(*) FROM point") ?? 0
    if excess > HistoryLimits.pointRows {
      try database.execute(
        sql: """
          DELETE FROM point WHERE (step, start) IN (SELECT DISTINCT step, start FROM point ORDER BY start LIMIT ?)
          """,
        arguments: [excess - HistoryLimits.pointRows]
      )
    }
  }

  /// Makes hours of points of five minutes that are old.
  private static func compact(_ now: Double, _ database: Database) throws {
    let old = Int64(now) - Int64(HistoryLimits.detailDays) * 86_400
    let limit = old - old % HistoryLimits.hourSeconds
    let rows = try points(
      database,
      where: "step = ? AND start < ? ORDER BY start LIMIT \(compactedPoints)",
      [HistoryLimits.pointSeconds, limit]
    )
    guard !rows.isEmpty else { return }
    var hours: [HistorySeries.Place: HistoryPoint] = [:]
    for row in rows {
      let start = row.start - row.start % HistoryLimits.hourSeconds
      hours[HistorySeries.Place(start: start, subject: row.subject), default: HistoryPoint()]
        .add(row.point)
      try database.execute(
        sql:
          "DELETE FROM point WHERE step = ? AND start = ? AND feed = ? AND kind = ? AND number = ?",
        arguments: [
          HistoryLimits.pointSeconds, row.start, row.subject.feed, row.subject.kind,
          row.subject.number,
        ]
      )
    }
    for (place, var point) in hours {
      let subject = place.subject
      let known = try points(
        database,
        where: "step = ? AND start = ? AND feed = ? AND kind = ? AND number = ?",
        [HistoryLimits.hourSeconds, place.start, subject.feed, subject.kind, subject.number]
      )
      for row in known { point.add(row.point) }
      try write(place.start, subject, point, HistoryLimits.hourSeconds, database)
    }
  }

  /// Copies the log into the file, for a program that ends.
  func close() async {
    if let writer { await DatabaseFile.checkpoint(writer) }
  }
}
