import GRDB
import GTFS
import Storage
import Synchronization
import Timetable

/// Finds stops by what people type and by where they are.
struct StopIndex: Sendable {
  /// The kind of a stored name.
  enum NameKind: Int {
    case name = 0
    case translation = 1
    case alias = 2
  }

  /// A name that may be what was meant.
  struct Candidate: Hashable, Sendable {
    var stop: Timetable.Stop
    var text: String
    var normalized: String
    var kind: Int
    var departures: Int
  }

  /// The most names of each kind that one query examines; a limit on work, not on results.
  static let mostCandidates = 300

  /// Raised whenever the tables change (`PRAGMA user_version`).
  static let schemaVersion = 2

  /// The stops by their other ids and names, as those are written and normalized (``SearchText``).
  let aliases: [String: Timetable.Stop]
  private let database: DatabasePool
  private let allWords = WordsOnce()

  /// Opens a finished index.
  ///
  /// - Throws: An error of the database, or ``FeedError`` if another version of the program wrote it.
  init(path: String) throws {
    database = try DatabaseFile.openForReading(path: path)
    let version = try database.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    guard version == Self.schemaVersion else {
      throw FeedError(
        .damagedTimetable,
        "version \(version ?? 0); this program reads version \(Self.schemaVersion):"
          + " import the feed again"
      )
    }
    aliases = try database.read { database in
      let rows = try Row.fetchCursor(database, sql: "SELECT text, stop FROM alias")
      var stops: [String: Timetable.Stop] = [:]
      while let row = try rows.next() { stops[row[0]] = Timetable.Stop(row[1] as Int64) }
      return stops
    }
  }

  /// The names that begin like the query or contain its words.
  ///
  /// - Parameter query: Normalized (``SearchText``), not empty.
  /// - Returns: Names to be ranked; a stop may appear with several.
  /// - Throws: An error of the database.
  func likely(_ query: String) async throws -> [Candidate] {
    try await database.read { database in
      try named(query, database)
        + containing(query.split(separator: " ").map(String.init), database)
    }
  }

  /// The names that share letters with the query, for queries with typing errors.
  func similar(_ query: String) async throws -> [Candidate] {
    let groups = try await words().rarestGroups(of: query)
    guard !groups.isEmpty else { return [] }
    return try await database.read { database in try resembling(groups, database) }
  }

  /// The names with a word that is one of the query's except for typing errors; for queries that no index helps with (an
  /// error in three letters).
  ///
  /// - Parameters:
  ///   - query: Normalized, not empty.
  ///   - work: Counts the words that were compared.
  /// - Returns: Names to be ranked.
  /// - Throws: An error of the database.
  func misspelled(_ query: String, work: SearchWork) async throws -> [Candidate] {
    let word = query.split(separator: " ").max { $0.utf8.count < $1.utf8.count }
    let names = try await words()
      .names(like: String(word ?? ""), most: Self.mostCandidates, work: work)
    guard !names.isEmpty else { return [] }
    let marks = [String](repeating: "?", count: names.count).joined(separator: ", ")
    return try await database.read { database in
      try fetch(
        database,
        where: "id IN (\(marks))",
        order: "departures DESC",
        arguments: StatementArguments(names)
      )
    }
  }

  /// The words of all names, read when they are needed for the first time.
  private func words() async throws -> StopWords {
    try await allWords.value { [database] in
      try await database.read { database in
        let cursor = try Row.fetchCursor(
          database,
          sql: "SELECT id, normalized FROM name ORDER BY departures DESC, id"
        )
        var names: [(id: Int64, normalized: String)] = []
        while let row = try cursor.next() { names.append((row[0], row[1])) }
        return StopWords(names)
      }
    }
  }

  /// Names that are the query or begin with it, shortest first.
  private func named(_ query: String, _ database: Database) throws -> [Candidate] {
    try fetch(
      database,
      where: "normalized >= ? AND normalized < ?",
      order: "length(normalized), departures DESC",
      arguments: [query, query + "\u{10FFFF}"]
    )
  }

  /// Names that contain every word of the query (of two letters: as a beginning of a word).
  private func containing(_ words: [String], _ database: Database) throws -> [Candidate] {
    let long = words.filter { $0.unicodeScalars.count >= 3 }
    guard !long.isEmpty else {
      let word = words[0]
      return try fetch(
        database,
        where: "normalized LIKE ? OR normalized LIKE ?",
        order: "departures DESC",
        arguments: [word + "%", "% " + word + "%"]
      )
    }
    let match = long.map { "\"\($0)\"" }.joined(separator: " AND ")
    return try fetch(
      database,
      where: "id IN (SELECT rowid FROM name_trigram WHERE name_trigram MATCH ?)",
      order: "departures DESC",
      arguments: [match]
    )
  }

  /// Names that share groups of three letters with the query; the rarer the group, the better.
  private func resembling(_ groups: [String], _ database: Database) throws -> [Candidate] {
    let sql = """
      SELECT stop, text, normalized, kind, departures
      FROM (
        SELECT rowid AS near FROM name_trigram WHERE name_trigram MATCH ? ORDER BY rank LIMIT ?
      ) JOIN name ON name.id = near
      """
    return try rows(
      database,
      sql,
      [groups.map { "\"\($0)\"" }.joined(separator: " OR "), Self.mostCandidates]
    )
  }

  private func fetch(
    _ database: Database,
    where condition: String,
    order: String,
    arguments: StatementArguments
  ) throws -> [Candidate] {
    try rows(
      database,
      """
      SELECT stop, text, normalized, kind, departures FROM name
      WHERE \(condition) ORDER BY \(order) LIMIT \(Self.mostCandidates)
      """,
      arguments
    )
  }

  private func rows(
    _ database: Database,
    _ sql: String,
    _ arguments: StatementArguments
  ) throws -> [Candidate] {
    let statement = try database.cachedStatement(sql: sql)
    var found: [Candidate] = []
    let cursor = try Row.fetchCursor(statement, arguments: arguments)
    while let row = try cursor.next() {
      found.append(
        Candidate(
          stop: Timetable.Stop(row[0] as Int64),
          text: row[1],
          normalized: row[2],
          kind: row[3],
          departures: row[4]
        )
      )
    }
    return found
  }

  /// The stops in a box of coordinates, in degrees.
  func stops(
    latitudes: ClosedRange<Double>,
    longitudes: ClosedRange<Double>
  ) async throws -> [Timetable.Stop] {
    try await database.read { database in
      let statement = try database.cachedStatement(
        sql: """
          SELECT stop FROM place_box
          WHERE max_latitude >= ? AND min_latitude <= ?
            AND max_longitude >= ? AND min_longitude <= ?
          """
      )
      return try Int64.fetchAll(
        statement,
        arguments: [
          latitudes.lowerBound, latitudes.upperBound,
          longitudes.lowerBound, longitudes.upperBound,
        ]
      ).map { Timetable.Stop($0) }
    }
  }
}

extension StopIndex {
  /// The busiest stop whose name, translation or alias is exactly this.
  ///
  /// - Parameter name: Normalized (``SearchText``).
  /// - Returns: The stop; `nil` if no name is this one.
  /// - Throws: An error of the database.
  func stop(named name: String) async throws -> Timetable.Stop? {
    try await database.read { database in
      let stop = try Int64.fetchOne(
        database,
        sql: "SELECT stop FROM name WHERE normalized = ? ORDER BY departures DESC LIMIT 1",
        arguments: [name]
      )
      return stop.map { Timetable.Stop($0) }
    }
  }
}

/// The words of an index, built once: the first request builds them and later ones wait.
private final class WordsOnce: Sendable {
  private let making = Mutex<Task<StopWords, any Error>?>(nil)

  /// The words.
  ///
  /// - Parameter make: Makes them; not canceled with the search that needs them first.
  /// - Returns: The words.
  /// - Throws: What making them throws.
  func value(_ make: @escaping @Sendable () async throws -> StopWords) async throws -> StopWords {
    let task = making.withLock { making in
      let task = making ?? Task.detached { try await make() }
      making = task
      return task
    }
    do {
      return try await task.value
    } catch {
      // The next search tries again.
      making.withLock { if $0 == task { $0 = nil } }
      throw error
    }
  }
}
