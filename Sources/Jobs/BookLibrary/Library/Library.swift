package import Books
import GRDB
import Storage

/// A person's books, in one SQLite file.
///
/// Imports write in batches: the books of a batch, the outcome of each row and the progress of the import are one
/// transaction. An import that is called again after a crash continues after the last batch.
package final class Library: Sendable {
  /// The most rows of one batch.
  package static let mostRows = 500
  /// The most books or reports that are read at once.
  package static let longestPage = 1_000

  let pool: DatabasePool
  private let waits = DatabaseWaits(longest: 5)

  /// Opens a library, or creates an empty one.
  ///
  /// - Parameter path: The file; its folder must be there.
  /// - Throws: ``LibraryError``.
  package init(path: String) throws(LibraryError) {
    do {
      let pool = try DatabaseFile.openForWriting(path: path, label: "freshet.library", waits: waits)
      // One that another program has locked can be read, and most often needs nothing more.
      if try pool.read({ try !LibrarySchema.isPrepared($0) }) {
        try pool.write { try LibrarySchema.prepare($0, path: path) }
      }
      self.pool = pool
    } catch let error as LibraryError {
      throw error
    } catch {
      throw LibraryError(.unusable, "\(path): \(error)")
    }
  }

  /// Lets nothing wait for a lock any more: the program ends.
  package func stopWaiting() { waits.stop() }

  /// Brings what is in the write-ahead log into the file.
  package func checkpoint() async { await DatabaseFile.checkpoint(pool) }

  /// How many books there are.
  package func count() async throws -> Int {
    try await pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM books") ?? 0 }
  }

  /// The books behind an id, in the order in which they came.
  ///
  /// - Parameters:
  ///   - id: The id of the last book of the page before; 0 for the first page.
  ///   - limit: The most books, at most ``longestPage``.
  ///   - words: Only books whose title or authors have these words, folded; all books without any.
  /// - Returns: The books.
  /// - Throws: An error of SQLite.
  package func books(
    after id: Int64 = 0,
    limit: Int = longestPage,
    matching words: String = ""
  ) async throws -> [LibraryBook] {
    let keys = BookKey.words(words)
    return try await pool.read { database in
      var sql = "SELECT id FROM books WHERE id > ?"
      var arguments: [any DatabaseValueConvertible] = [id]
      for key in keys {
        sql += " AND (instr(' ' || title_key, ' ' || ?) OR instr(' ' || author_key, ' ' || ?))"
        arguments += [key, key]
      }
      sql += " ORDER BY id LIMIT ?"
      arguments.append(max(1, min(limit, Self.longestPage)))
      let ids = try Int64.fetchAll(database, sql: sql, arguments: StatementArguments(arguments))
      return try ids.compactMap { id in
        try StoredBook.fetch(id, database).map { LibraryBook(id: id, record: $0) }
      }
    }
  }

  /// The number of the book that a row with this title and author and without a number means.
  ///
  /// - Returns: The number; `nil` if the library has no such book, or the book has no number.
  package func isbn(ofBooksLike book: BookRecord) async throws -> ISBN? {
    var question = book
    question.isbn = nil
    return try await pool.read { [question] database in
      for id in try StoredBook.ids(like: question, database) {
        guard let stored = try StoredBook.fetch(id, database),
          !stored.isNamesake(of: question)
        else { continue }
        return stored.isbn
      }
      return nil
    }
  }

  /// A book by its number.
  package func book(isbn: ISBN) async throws -> LibraryBook? {
    try await pool.read { database in
      guard
        let id = try Int64.fetchOne(
          database,
          sql: "SELECT id FROM books WHERE isbn = ?",
          arguments: [isbn.description]
        )
      else { return nil }
      return try StoredBook.fetch(id, database).map { LibraryBook(id: id, record: $0) }
    }
  }
}

/// A book of a library.
package struct LibraryBook: Hashable, Sendable {
  /// Its number in the library.
  package var id: Int64
  /// Its record.
  package var record: BookRecord
}
