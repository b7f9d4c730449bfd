import Books
import GRDB

/// What sources said of books, and which book an entry of a source is.
///
/// A source is a service and the identifier it gives an entry. The last record of each is kept, so that a later export
/// changes, adds and removes what that source contributed, and nothing else.
struct BookSource {
  /// The service.
  var scope: String
  /// The identifier of the entry.
  var entry: String

  /// The book that an entry was before, and what was said of it.
  func known(_ database: Database) throws -> (book: Int64, said: BookRecord?)? {
    let statement = try database.cachedStatement(
      sql: "SELECT book, said FROM book_sources WHERE source = ? AND entry = ?"
    )
    guard let row = try Row.fetchOne(statement, arguments: [scope, entry]) else { return nil }
    return (row[0], StoredRecord.record(row[1]))
  }

  /// What other sources say of a book.
  func others(of book: Int64, _ database: Database) throws -> [BookRecord] {
    let statement = try database.cachedStatement(
      sql: "SELECT said FROM book_sources WHERE book = ? AND (source <> ? OR entry <> ?)"
    )
    return try String.fetchAll(statement, arguments: [book, scope, entry])
      .compactMap(StoredRecord.record)
  }

  /// Keeps what is said of a book.
  ///
  /// - Parameters:
  ///   - said: The row in the file.
  ///   - book: The book.
  ///   - isMade: Whether the library has the book because of this row.
  ///   - database: The library.
  /// - Throws: An error of SQLite.
  func keep(_ said: BookRecord, of book: Int64, isMade: Bool, _ database: Database) throws {
    try database.cachedStatement(
      sql: """
        INSERT INTO book_sources (source, entry, book, said, made) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT (source, entry) DO UPDATE SET book = excluded.book, said = excluded.said,
          made = CASE WHEN book = excluded.book THEN max(made, excluded.made) ELSE excluded.made END
        """
    ).execute(arguments: [scope, entry, book, StoredRecord.text(said), isMade])
  }

  /// The scope of lists whose rows have no identifiers.
  static let listScope = "list"

  /// Remembers that a list without identifiers has a book too: no other list takes it away.
  static func keepListed(_ said: BookRecord, _ book: Int64, _ database: Database) throws {
    try BookSource(scope: listScope, entry: "#\(book)")
      .keep(said, of: book, isMade: false, database)
  }
}

/// Finds the book of the library that a row means.
struct BookSearch {
  /// The result of the search.
  enum Found {
    /// An entry that was there before.
    case entry(Int64, said: BookRecord?)
    /// A book with the same number, or the same title and author.
    case book(Int64)
    /// No book; the number is that of another one, if there is a title.
    case none(numberOf: String?)
  }

  let book: BookRecord
  let source: BookSource?
  /// The identifiers of all entries of the file: each is a book of its own.
  let entries: Set<String>
  /// Whether the file is an export of a library, whose identifiers are those of many services.
  var isOfLibrary = false

  func find(_ database: Database) throws -> Found {
    if let source, let known = try source.known(database),
      try isSame(known.book, in: source.scope, database)
    {
      return .entry(known.book, said: known.said)
    }
    if let source, let id = try unlinked(source, database) { return .book(id) }
    var taken: String?
    var question = book
    if let isbn = book.isbn, let id = try StoredBook.id(isbn: isbn, database),
      let stored = try StoredBook.fetch(id, database)
    {
      guard stored.isOther(than: book) else { return .book(id) }
      taken = stored.title
      question.isbn = nil
    }
    var first: Int64?
    for id in try StoredBook.ids(like: question, database) {
      guard let stored = try StoredBook.fetch(id, database), !stored.isNamesake(of: book),
        try !isOfAnotherEntry(id, database), !isOfAnotherRow(stored)
      else { continue }
      guard isOfLibrary, stored.entry != book.entry else { return .book(id) }
      first = first ?? id
    }
    if let first { return .book(first) }
    return .none(numberOf: taken)
  }

  /// Identifiers of a table of any kind may mean something else in the next one.
  private func isSame(_ id: Int64, in scope: String, _ database: Database) throws -> Bool {
    guard scope == ExportSource.generic.rawValue else { return true }
    guard let stored = try StoredBook.fetch(id, database) else { return false }
    return stored.titleKey == book.titleKey && !book.titleKey.isEmpty
      || stored.authorKey == book.authorKey && !book.authorKey.isEmpty
      || stored.isbn != nil && stored.isbn == book.isbn
  }

  /// A book with the identifier, from before it was known of which service identifiers are.
  private func unlinked(_ source: BookSource, _ database: Database) throws -> Int64? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT id FROM books WHERE entry = ?
          AND NOT EXISTS (SELECT 1 FROM book_sources WHERE book = books.id AND source <> ?)
        ORDER BY id
        """
    )
    for id in try Int64.fetchAll(statement, arguments: [source.entry, BookSource.listScope]) {
      guard let stored = try StoredBook.fetch(id, database), !stored.isOther(than: book),
        stored.authorKey == book.authorKey
      else { continue }
      return id
    }
    return nil
  }

  /// Whether a book is that of another row of an export of a library.
  private func isOfAnotherRow(_ stored: BookRecord) -> Bool {
    guard isOfLibrary, let mine = book.entry, let other = stored.entry else { return false }
    return mine != other && entries.contains(other)
  }

  /// Whether a book is another entry of the same file.
  private func isOfAnotherEntry(_ id: Int64, _ database: Database) throws -> Bool {
    guard let source else { return false }
    let statement = try database.cachedStatement(
      sql: "SELECT entry FROM book_sources WHERE book = ? AND source = ?"
    )
    return try String.fetchAll(statement, arguments: [id, source.scope])
      .contains { $0 != source.entry && entries.contains($0) }
  }
}
