package import Books
import Foundation
import GRDB
import Storage

/// A person's books, in one SQLite file.
///
/// The books belong to the owner of the file.
package final class SQLiteLibrary: LibraryStore {
  let pool: DatabasePool
  private let waits = DatabaseWaits(longest: 5)

  /// Opens a library, or creates an empty one.
  ///
  /// - Parameter path: The file; its folder must be there.
  /// - Throws: ``LibraryError``.
  package init(path: String) throws(LibraryError) {
    // A database of another program stays as it is: opening it for writing would give it a write-ahead log.
    do throws(LibraryError) {
      try Self.check(path: path)
    } catch let error where error.code != .otherFile {
      // What cannot be read now is reported when it is opened.
    }
    do {
      let pool = try DatabaseFile.openForWriting(path: path, label: "freshet.library", waits: waits)
      // One that another program has locked can be read, and most often needs nothing more.
      if try pool.read({ try !SQLiteLibrarySchema.isPrepared($0) }) {
        try pool.write { try SQLiteLibrarySchema.prepare($0, path: path) }
      }
      self.pool = pool
    } catch let error as LibraryError {
      throw error
    } catch {
      throw LibraryError(opening: path, error)
    }
  }

  /// Checks that a file is a library that this program can read, if it is there; nothing is changed.
  ///
  /// - Throws: ``LibraryError``.
  package static func check(path: String) throws(LibraryError) {
    guard FileManager.default.fileExists(atPath: path) else { return }
    do {
      var configuration = Configuration()
      configuration.readonly = true
      DatabaseFile.rollBack(path)
      let database = try DatabaseQueue(path: path, configuration: configuration)
      _ = try database.read { try SQLiteLibrarySchema.check($0, path: path) }
      try database.close()
    } catch let error as LibraryError {
      throw error
    } catch {
      throw LibraryError(opening: path, error)
    }
  }

  package func stopWaiting() { waits.stop() }

  /// Brings what is in the write-ahead log into the file.
  package func finishWriting() async { await DatabaseFile.checkpoint(pool) }

  package func count() async throws -> Int {
    try await pool.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM books") ?? 0 }
  }

  package func books(
    after id: Int64,
    limit: Int,
    matching words: String
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
      arguments.append(max(1, min(limit, LibraryLimits.page)))
      let ids = try Int64.fetchAll(database, sql: sql, arguments: StatementArguments(arguments))
      return try ids.compactMap { id in
        try StoredBook.fetch(id, database).map { LibraryBook(id: id, record: $0) }
      }
    }
  }

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
