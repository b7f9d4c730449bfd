import Books
import GRDB

extension SQLiteLibrary {
  package func removed(limit: Int) async throws -> [RemovedBook] {
    try await pool.read { database in
      try Row.fetchAll(
        database,
        sql: "SELECT id, removed_at, record FROM removed_books ORDER BY id DESC LIMIT ?",
        arguments: [max(1, min(limit, LibraryLimits.page))]
      ).compactMap { row in
        StoredRecord.record(row[2]).map {
          RemovedBook(id: row[0], removedAt: row[1], record: $0)
        }
      }
    }
  }

  package func restore(_ id: Int64) async throws -> LibraryBook? {
    try await pool.write { database in
      guard
        let row = try Row.fetchOne(
          database,
          sql: "SELECT record FROM removed_books WHERE id = ?",
          arguments: [id]
        ), let record = StoredRecord.record(row[0])
      else { return nil }
      let rows = SQLiteLibraryRows(database: database)
      let book = try rows.restore(record)
      try database.execute(sql: "DELETE FROM removed_books WHERE id = ?", arguments: [id])
      return book
    }
  }
}
