import Foundation
import GRDB
import JobsServer
import PostgresClient
import PostgresCluster
import Synchronization
import Testing

@testable import BookLibrary
@testable import Books

/// The libraries that pass the same tests.
enum LibraryKind: String, CaseIterable, CustomTestStringConvertible {
  case sqlite
  case postgres

  var testDescription: String { rawValue }
}

/// A place for the library of one test.
final class LibraryStage: Sendable {
  private static let stages = Atomic(0)

  let kind: LibraryKind
  let folder: TestFolder
  /// The schema of the test.
  let schema: String

  init(_ kind: LibraryKind) async throws {
    self.kind = kind
    folder = try TestFolder()
    schema = "library\(Self.stages.add(1, ordering: .relaxed).newValue)"
    guard kind == .postgres else { return }
    let connection = try await PostgresConnection.open(try address, limits: Self.limits)
    _ = try await tables.migrate(connection)
    await connection.close()
  }

  /// The limits of connections: many tests share one server, and the processors with others.
  static var limits: PostgresClientLimits {
    var limits = PostgresClientLimits()
    limits.connections = 4
    (limits.waitSeconds, limits.connectSeconds, limits.statementSeconds) = (120, 120, 120)
    limits.idleTransactionSeconds = 120
    return limits
  }

  var address: PostgresAddress { get throws { try PostgresAddress(PostgresCluster.uri) } }

  /// The tables of the test.
  var tables: PostgresSchema { PostgresSchema.jobs(name: schema) }

  /// Opens the library, as one process does.
  func open(owner: String = LibraryOwner.usual.name) throws -> any LibraryStore {
    switch kind {
    case .sqlite: return try SQLiteLibrary(path: folder.path + "/\(owner).sqlite")
    case .postgres:
      let pool = tables.pool(try address, limits: Self.limits)
      return PostgresLibrary(pool, owner: try LibraryOwner(owner))
    }
  }

  /// Changes a book as a person does who opens the database.
  func change(
    _ title: String,
    in library: any LibraryStore,
    _ change: (inout BookRecord) -> Void
  ) async throws {
    var book = try #require(try await library.books().first { $0.record.title == title })
    change(&book.record)
    if let library = library as? SQLiteLibrary {
      try await library.pool.write { [book] in try StoredBook.update(book.id, book.record, $0) }
    } else if let library = library as? PostgresLibrary {
      try await library.pool.query(
        "UPDATE book SET record = $2 WHERE id = $1",
        [.int(book.id), .text(StoredRecord.text(book.record))]
      )
    }
  }
}

/// Everything that a library knows, whichever database keeps it.
struct LibraryContents: Equatable {
  var books: [BookRecord] = []
  /// By service and entry: the place of the book, what was said, and whether it was made.
  var sources: [[String]] = []
  /// The entries of the lists, the oldest list first.
  var lists: [[String]] = []
  var removed: [BookRecord] = []
  var reports: [String: [RowReport]] = [:]
  var states: [String: ImportState] = [:]

  init(_ library: any LibraryStore) async throws {
    var stored: [LibraryBook] = []
    while case let page = try await library.books(after: stored.last?.id ?? 0), !page.isEmpty {
      stored += page
    }
    books = stored.map(\.record)
    let places = Dictionary(uniqueKeysWithValues: stored.enumerated().map { ($1.id, $0) })
    removed = try await library.removed().map(\.record)
    for job in try await library.imports() {
      reports[job] = try await library.reports(of: job, from: 1)
      states[job] = try await library.state(of: job)
    }
    @Sendable func source(
      _ scope: String,
      _ entry: String,
      _ book: Int64,
      _ said: String,
      _ made: Int64
    )
      -> [String]
    {
      let place = places[book].map(String.init) ?? "none"
      return [scope, scope == "list" ? "#" + place : entry, place, said, "\(made)"]
    }
    if let library = library as? SQLiteLibrary {
      (sources, lists) = try await library.pool.read { database in
        let sources = try Row.fetchAll(
          database,
          sql: "SELECT source, entry, book, said, made FROM book_sources"
        ).map { source($0[0], $0[1], $0[2], $0[3], $0[4]) }
        let lists = try Int64.fetchAll(database, sql: "SELECT id FROM source_lists ORDER BY id")
          .map {
            try String.fetchAll(
              database,
              sql: "SELECT entry FROM source_list_entries WHERE list = ?",
              arguments: [$0]
            ).sorted()
          }
        return (sources, lists)
      }
    } else if let library = library as? PostgresLibrary {
      sources = try await library.pool.query(
        "SELECT source, entry, book, said, made FROM book_source"
      ).map { row in
        let entry: [UInt8] = try row[1]
        return source(
          try row[0],
          String(decoding: entry, as: UTF8.self),
          try row[2],
          try row[3],
          try row[4]
        )
      }
      let entries = try await library.pool.query(
        "SELECT list, entry FROM source_list_entry ORDER BY list"
      ).map {
        (list: try $0[0] as Int, entry: String(decoding: try $0[1] as [UInt8], as: UTF8.self))
      }
      lists = Dictionary(grouping: entries, by: \.list).sorted { $0.key < $1.key }
        .map { $0.value.map(\.entry).sorted() }
    }
    sources.sort { $0.lexicographicallyPrecedes($1) }
  }
}
