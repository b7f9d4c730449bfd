package import Books
import GRDB

extension Library {
  /// A book that was removed because its service does not have it any more.
  package struct RemovedBook: Hashable, Sendable {
    /// The number it is restored by.
    package var id: Int64
    /// When it was removed, like `2026-11-24T07:00:00Z`.
    package var removedAt: String
    /// The book.
    package var record: BookRecord
  }

  /// The most books that were removed and are kept; the oldest go first.
  package static let mostRemoved = 20_000

  /// An export has at least this part of what the export before it had, or it is another list, or a part of one.
  ///
  /// Half: a person adds and removes less in a month, and two people have less in common.
  private static let leastShare = (1, 2)

  /// The books that were removed, the newest first.
  package func removed(limit: Int = longestPage) async throws -> [RemovedBook] {
    try await pool.read { database in
      try Row.fetchAll(
        database,
        sql: "SELECT id, removed_at, record FROM removed_books ORDER BY id DESC LIMIT ?",
        arguments: [max(1, min(limit, Self.longestPage))]
      ).compactMap { row in
        StoredRecord.record(row[2]).map {
          RemovedBook(id: row[0], removedAt: row[1], record: $0)
        }
      }
    }
  }

  /// Restores a removed book.
  ///
  /// - Parameter id: The number of the removed book.
  /// - Returns: The book; `nil` if no removed book has the number.
  /// - Throws: An error of SQLite.
  package func restore(_ id: Int64) async throws -> LibraryBook? {
    try await pool.write { database in
      guard
        let row = try Row.fetchOne(
          database,
          sql: "SELECT record FROM removed_books WHERE id = ?",
          arguments: [id]
        ), var book = StoredRecord.record(row[0])
      else { return nil }
      // The number may be another book's by now.
      if let isbn = book.isbn, try StoredBook.id(isbn: isbn, database) != nil {
        (book.isbn, book.isbnText) = (nil, isbn.description)
      }
      let stored = try StoredBook.insert(book, database)
      try BookSource.keepListed(book, stored, database)
      try database.execute(sql: "DELETE FROM removed_books WHERE id = ?", arguments: [id])
      return LibraryBook(id: stored, record: book)
    }
  }

  /// Compares an export that has been read to its end with the one before, and removes the books that are gone.
  ///
  /// A book stays if a person has changed it here, if another list has it too, or if it was there before the
  /// service said anything of it. Nothing is removed because of a file with rows that failed: a book may be in one of
  /// them.
  ///
  /// - Returns: The reports of the books that were removed.
  static func closeList(
    of file: ImportFile,
    _ state: ImportState,
    _ database: Database
  ) throws -> [RowReport] {
    guard let scope = file.scope, scope != ExportSource.generic.rawValue else { return [] }
    let entries = try String.fetchSet(
      database,
      sql: "SELECT entry FROM import_rows WHERE job = ? AND entry IS NOT NULL",
      arguments: [file.job]
    )
    guard !entries.isEmpty else { return [] }
    let (share, whole) = leastShare
    var before: (list: Int64, entries: Set<String>, common: Int)?
    var wider: Int64?
    let lists = try Int64.fetchAll(
      database,
      sql: "SELECT id FROM source_lists WHERE source = ? ORDER BY id",
      arguments: [scope]
    )
    for list in lists {
      let known = try String.fetchSet(
        database,
        sql: "SELECT entry FROM source_list_entries WHERE list = ?",
        arguments: [list]
      )
      let common = known.intersection(entries).count
      if common * whole >= known.count * share, common > before?.common ?? 0 {
        before = (list, known, common)
      }
      if common * whole >= entries.count * share, common > 0 { wider = wider ?? list }
    }
    let isWhole = !file.isPart && state.counts.failed == 0
    guard let list = try before?.list ?? wider ?? newList(scope, database) else { return [] }
    var reports: [RowReport] = []
    if isWhole, let before {
      for entry in before.entries.subtracting(entries).sorted() {
        let number = state.rowsDone + reports.count + 1
        if let report = try remove(entry, scope, list, row: number, file.job, database) {
          reports.append(report)
        }
      }
    }
    let insert = try database.cachedStatement(
      sql: "INSERT OR IGNORE INTO source_list_entries (list, entry) VALUES (?, ?)"
    )
    for entry in entries { try insert.execute(arguments: [list, entry]) }
    return reports
  }

  private static func newList(_ scope: String, _ database: Database) throws -> Int64? {
    try database.execute(sql: "INSERT INTO source_lists (source) VALUES (?)", arguments: [scope])
    return database.lastInsertedRowID
  }

  /// Takes an entry out of a list, and its book out of the library if nothing else holds it there.
  private static func remove(
    _ entry: String,
    _ scope: String,
    _ list: Int64,
    row: Int,
    _ job: String,
    _ database: Database
  ) throws -> RowReport? {
    try database.execute(
      sql: "DELETE FROM source_list_entries WHERE list = ? AND entry = ?",
      arguments: [list, entry]
    )
    let isElsewhere =
      try Int.fetchOne(
        database,
        sql: """
          SELECT 1 FROM source_list_entries JOIN source_lists ON id = list
          WHERE source = ? AND entry = ?
          """,
        arguments: [scope, entry]
      ) != nil
    guard !isElsewhere,
      let source = try Row.fetchOne(
        database,
        sql: "SELECT book, said, made FROM book_sources WHERE source = ? AND entry = ?",
        arguments: [scope, entry]
      )
    else { return nil }
    let id: Int64 = source[0]
    try database.execute(
      sql: "DELETE FROM book_sources WHERE source = ? AND entry = ?",
      arguments: [scope, entry]
    )
    let isHeld =
      try Int.fetchOne(
        database,
        sql: "SELECT 1 FROM book_sources WHERE book = ?",
        arguments: [id]
      ) != nil
    guard !isHeld, source[2] as Bool, let said = StoredRecord.record(source[1]),
      let book = try StoredBook.fetch(id, database), book.says(whatIsSaidBy: said)
    else { return nil }
    try database.execute(
      sql: "INSERT INTO removed_books (job, source, record) VALUES (?, ?, ?)",
      arguments: [job, scope, StoredRecord.text(book)]
    )
    try database.execute(
      sql: "DELETE FROM removed_books WHERE id <= ?",
      arguments: [database.lastInsertedRowID - Int64(mostRemoved)]
    )
    try database.execute(sql: "DELETE FROM books WHERE id = ?", arguments: [id])
    var report = RowReport(row: row, line: 0, outcome: .removed)
    report.title = book.title
    report.author = book.authors.first ?? ""
    report.isbn = book.isbn
    report.problems = [RowProblem(.removedAtSource)]
    return report
  }
}
