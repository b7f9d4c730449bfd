import Books
import GRDB

import struct Foundation.Data

/// The rows of a library within a transaction of SQLite.
struct SQLiteLibraryRows: LibraryRows {
  let database: Database
  /// The import; empty outside of one.
  var job = ""

  func book(_ id: Int64) throws -> BookRecord? { try StoredBook.fetch(id, database) }

  func id(isbn: ISBN) throws -> Int64? { try StoredBook.id(isbn: isbn, database) }

  func ids(like book: BookRecord) throws -> [Int64] { try StoredBook.ids(like: book, database) }

  func ids(entry: String) throws -> [Int64] {
    let statement = try database.cachedStatement(
      sql: "SELECT id FROM books WHERE entry = ? ORDER BY id"
    )
    return try Int64.fetchAll(statement, arguments: [entry])
  }

  func insert(_ book: BookRecord) throws -> Int64 { try StoredBook.insert(book, database) }

  func update(_ id: Int64, _ book: BookRecord) throws { try StoredBook.update(id, book, database) }

  func remove(_ id: Int64) throws {
    try database.execute(sql: "DELETE FROM books WHERE id = ?", arguments: [id])
  }

  // MARK: Sources

  func said(by source: BookSource) throws -> SourceRecord? {
    let statement = try database.cachedStatement(
      sql: "SELECT book, said, made FROM book_sources WHERE source = ? AND entry = ?"
    )
    guard let row = try Row.fetchOne(statement, arguments: [source.scope, source.entry]) else {
      return nil
    }
    return SourceRecord(book: row[0], said: StoredRecord.record(row[1]), isMade: row[2])
  }

  func sources(of book: Int64) throws -> [BookSource] {
    let statement = try database.cachedStatement(
      sql: "SELECT source, entry FROM book_sources WHERE book = ? ORDER BY source, entry"
    )
    return try Row.fetchAll(statement, arguments: [book])
      .map { BookSource(scope: $0[0], entry: $0[1]) }
  }

  func keep(_ said: SourceRecord, by source: BookSource) throws {
    let kept = try self.said(by: source)?.followed(by: said) ?? said
    try database.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO book_sources (source, entry, book, said, made)
        VALUES (?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        source.scope, source.entry, kept.book, kept.said.map(StoredRecord.text) ?? "", kept.isMade,
      ]
    )
  }

  func forget(_ source: BookSource) throws {
    try database.execute(
      sql: "DELETE FROM book_sources WHERE source = ? AND entry = ?",
      arguments: [source.scope, source.entry]
    )
  }

  // MARK: The import

  func book(ofRow row: Int) throws -> Int64? {
    let statement = try database.cachedStatement(
      sql: "SELECT book FROM import_rows WHERE job = ? AND row = ?"
    )
    return try Int64.fetchOne(statement, arguments: [job, row])
  }

  func add(_ report: RowReport, book: Int64?) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO import_rows
          (job, row, line, outcome, book, duplicate_of, title, author, isbn, problems, raw, entry)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        job, report.row, report.line, report.outcome.rawValue, book, report.duplicateOf,
        report.title, report.author, report.isbn?.description, StoredReport.problemText(report),
        report.raw.map { DatabaseBytes($0) }, report.entry,
      ]
    )
  }

  // MARK: Lists

  func isListed(_ source: BookSource) throws -> Bool {
    try Int.fetchOne(
      database,
      sql: """
        SELECT 1 FROM source_list_entries JOIN source_lists ON id = list
        WHERE source = ? AND entry = ?
        """,
      arguments: [source.scope, source.entry]
    ) != nil
  }

  func unlist(_ entry: String, from list: Int64) throws {
    try database.execute(
      sql: "DELETE FROM source_list_entries WHERE list = ? AND entry = ?",
      arguments: [list, entry]
    )
  }

  func keepRemoved(_ book: BookRecord, scope: String) throws {
    try database.execute(
      sql: "INSERT INTO removed_books (job, source, record) VALUES (?, ?, ?)",
      arguments: [job, scope, StoredRecord.text(book)]
    )
    try database.execute(
      sql: "DELETE FROM removed_books WHERE id <= ?",
      arguments: [database.lastInsertedRowID - Int64(LibraryLimits.removedBooks)]
    )
  }
}

extension SQLiteLibraryRows {
  /// Ends a list that has been read to its end: removes books that are gone, and keeps its entries.
  ///
  /// - Returns: The reports of the books that were removed.
  func closeList(of file: ImportFile, _ state: inout ImportState) throws -> [RowReport] {
    guard let scope = file.scope, ListComparison.applies(to: file) else { return [] }
    let entries = try String.fetchSet(
      database,
      sql: "SELECT entry FROM import_rows WHERE job = ? AND entry IS NOT NULL",
      arguments: [job]
    )
    guard !entries.isEmpty else { return [] }
    let lists = try Int64.fetchAll(
      database,
      sql: "SELECT id FROM source_lists WHERE source = ? ORDER BY id",
      arguments: [scope]
    ).map { list in
      let known = try String.fetchSet(
        database,
        sql: "SELECT entry FROM source_list_entries WHERE list = ?",
        arguments: [list]
      )
      return ListComparison.List(id: list, entries: known)
    }
    let isWhole = ListComparison.isWhole(file, state)
    let comparison = ListComparison(entries, with: lists, isWhole: isWhole)
    let list = try comparison.list ?? newList(scope)
    let reports = try RowImport(file: file, rows: self)
      .remove(comparison.gone, from: list, &state)
    let insert = try database.cachedStatement(
      sql: "INSERT OR IGNORE INTO source_list_entries (list, entry) VALUES (?, ?)"
    )
    for entry in entries { try insert.execute(arguments: [list, entry]) }
    return reports
  }

  private func newList(_ scope: String) throws -> Int64 {
    try database.execute(sql: "INSERT INTO source_lists (source) VALUES (?)", arguments: [scope])
    return database.lastInsertedRowID
  }
}

/// Bytes as a blob.
struct DatabaseBytes: DatabaseValueConvertible {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var databaseValue: DatabaseValue { Data(bytes).databaseValue }

  static func fromDatabaseValue(_ value: DatabaseValue) -> DatabaseBytes? {
    Data.fromDatabaseValue(value).map { DatabaseBytes(Array($0)) }
  }
}
