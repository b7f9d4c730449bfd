import Foundation
import GRDB
import GTFS
import Storage
import Timetable

/// Builds the database that stop search and nearby stops are answered from.
///
///     place(stop, departures)               one row per station or lone stop
///     name(id, stop, text, normalized, …)   its name, translations and aliases; the departures again,
///                                           so that a search reads one table
///     name_trigram                          FTS5 over `normalized`, tokenizer trigram
///     alias(text, stop)                     other ids and names, as they are written and normalized
///     place_box                             R*Tree over the coordinates
struct StopIndexBuilder {
  let timetable: Timetable
  let aliases: StopAliases

  /// Writes the database.
  ///
  /// - Returns: Its size in bytes.
  func write(to path: String) throws(FeedError) -> Int {
    do {
      let queue = try DatabaseFile.create(path: path)
      try queue.inTransaction { database in
        try createTables(database)
        try fill(database)
        return .commit
      }
      try queue.vacuum()
      try queue.writeWithoutTransaction { database in
        try database.execute(sql: "PRAGMA user_version = \(StopIndex.schemaVersion)")
      }
      try queue.close()
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
      return size ?? 0
    } catch {
      throw FeedError(.cannotWrite, "\(path): the stop search cannot be written: \(error)")
    }
  }

  private func createTables(_ database: Database) throws {
    try database.execute(
      sql: """
        CREATE TABLE place (
          stop INTEGER PRIMARY KEY,
          departures INTEGER NOT NULL
        );
        CREATE TABLE name (
          id INTEGER PRIMARY KEY,
          stop INTEGER NOT NULL REFERENCES place (stop),
          text TEXT NOT NULL,
          normalized TEXT NOT NULL,
          kind INTEGER NOT NULL,
          departures INTEGER NOT NULL
        );
        CREATE TABLE alias (
          text TEXT PRIMARY KEY,
          stop INTEGER NOT NULL
        );
        CREATE VIRTUAL TABLE name_trigram USING fts5 (
          normalized, content = '', tokenize = 'trigram'
        );
        CREATE VIRTUAL TABLE place_box USING rtree (
          stop, min_latitude, max_latitude, min_longitude, max_longitude
        );
        """
    )
  }

  private func fill(_ database: Database) throws {
    let place = try database.makeStatement(sql: "INSERT INTO place VALUES (?, ?)")
    let name = try database.makeStatement(
      sql: "INSERT INTO name (stop, text, normalized, kind, departures) VALUES (?, ?, ?, ?, ?)"
    )
    let trigram = try database.makeStatement(
      sql: "INSERT INTO name_trigram (rowid, normalized) VALUES (?, ?)"
    )
    let box = try database.makeStatement(sql: "INSERT INTO place_box VALUES (?, ?, ?, ?, ?)")
    let languages = timetable.metadata.languages.compactMap { timetable.language($0) }
    let aliased = try aliasesByStop(database)
    for stop in 0..<Timetable.Stop(timetable.stopCount) {
      // People do not search for entrances, nodes and boarding areas.
      guard timetable.station(of: stop) == stop, timetable.locationType(of: stop) < 2 else {
        continue
      }
      let departures = timetable.departureCount(of: stop)
      try place.execute(arguments: [Int64(stop), departures])
      var seen = Set<String>()
      func add(_ text: String, _ kind: StopIndex.NameKind) throws {
        let normalized = SearchText.normalized(text)
        guard !normalized.isEmpty, seen.insert(normalized).inserted else { return }
        try name.execute(arguments: [Int64(stop), text, normalized, kind.rawValue, departures])
        try trigram.execute(arguments: [database.lastInsertedRowID, normalized])
      }
      try add(String(decoding: timetable.name(of: stop), as: UTF8.self), .name)
      for language in languages {
        try add(
          String(decoding: timetable.name(of: stop, language: language), as: UTF8.self),
          .translation
        )
      }
      for alias in aliased[stop] ?? [] { try add(alias, .alias) }
      if let (latitude, longitude) = timetable.coordinate(of: stop) {
        try box.execute(arguments: [Int64(stop), latitude, latitude, longitude, longitude])
      }
    }
    try database.execute(sql: "CREATE INDEX name_normalized ON name (normalized)")
    try database.execute(sql: "INSERT INTO name_trigram (name_trigram) VALUES ('optimize')")
  }

  /// Writes the aliases whose stop is in this feed; the others belong to another feed of the same file.
  ///
  /// Of two that are equal, the first counts; how one is written goes before how names are compared.
  ///
  /// - Returns: The aliases by their stations.
  private func aliasesByStop(_ database: Database) throws -> [Timetable.Stop: [String]] {
    let add = try database.makeStatement(sql: "INSERT OR IGNORE INTO alias VALUES (?, ?)")
    let found = aliases.entries.compactMap { entry in
      StopResolver.find(entry.stopId, in: timetable).map { (alias: entry.alias, stop: $0.stop) }
    }
    for entry in found { try add.execute(arguments: [entry.alias, Int64(entry.stop)]) }
    for entry in found {
      let normalized = SearchText.normalized(entry.alias)
      if !normalized.isEmpty { try add.execute(arguments: [normalized, Int64(entry.stop)]) }
    }
    return Dictionary(grouping: found) { timetable.station(of: $0.stop) }
      .mapValues { $0.map(\.alias) }
  }
}
