import Books
import GRDB

/// Books in the tables of a library.
enum StoredBook {
  private static let columns = """
    title, isbn, series, series_number, publisher, format, pages, year, first_year, language, status, \
    rating_quarters, started, finished, added, review, notes, read_count, owned, entry, open_library, \
    isbn_text, readings
    """

  // Statements, put together once.
  private static let selection = "SELECT \(columns) FROM books WHERE id = ?"
  private static let insertion = """
    INSERT INTO books (\(columns), title_key, author_key)
    VALUES (\(Array(repeating: "?", count: 25).joined(separator: ", ")))
    """
  private static let replacement = """
    UPDATE books SET \(assignments), updated_at = strftime('%Y-%m-%dT%H:%M:%SZ', 'now')
    WHERE id = ?
    """
  private static let assignments = (columns + ", title_key, author_key").split(separator: ",")
    .map { "\($0) = ?" }.joined(separator: ", ")

  /// Reads a book; `nil` if it does not exist.
  static func fetch(_ id: Int64, _ database: Database) throws -> BookRecord? {
    let statement = try database.cachedStatement(sql: selection)
    guard let row = try Row.fetchOne(statement, arguments: [id]) else { return nil }
    var book = BookRecord(title: row[0])
    book.isbn = (row[1] as String?).flatMap { ISBN($0) }
    book.series = row[2]
    book.seriesNumber = row[3]
    book.publisher = row[4]
    book.format = row[5]
    book.pages = row[6]
    book.year = row[7]
    book.firstYear = row[8]
    book.language = row[9]
    book.status = (row[10] as String?).flatMap { ReadingStatus(rawValue: $0) }
    book.rating = row[11]
    book.started = date(row[12])
    book.finished = date(row[13])
    book.added = date(row[14])
    book.review = row[15]
    book.notes = row[16]
    book.readCount = row[17]
    book.owned = row[18]
    book.entry = row[19]
    book.openLibrary = row[20]
    book.isbnText = row[21]
    book.readings = (row[22] as String?).map(ReadingPeriod.list) ?? []
    book.authors = try String.fetchAll(
      database.cachedStatement(
        sql: "SELECT name FROM book_authors WHERE book = ? ORDER BY position"
      ),
      arguments: [id]
    )
    book.shelves = try String.fetchAll(
      database.cachedStatement(
        sql: "SELECT shelf FROM book_shelves WHERE book = ? ORDER BY position"
      ),
      arguments: [id]
    )
    return book
  }

  private static func date(_ text: String?) -> BookDate? {
    guard let text, case .date(let date) = BookDate.read(text) else { return nil }
    return date
  }

  private static func arguments(_ book: BookRecord) -> [(any DatabaseValueConvertible)?] {
    [
      book.title, book.isbn?.description, book.series, book.seriesNumber, book.publisher,
      book.format, book.pages, book.year, book.firstYear, book.language, book.status?.rawValue,
      book.rating, book.started?.description, book.finished?.description, book.added?.description,
      book.review, book.notes, book.readCount, book.owned, book.entry, book.openLibrary,
      book.isbnText, book.readings.isEmpty ? nil : ReadingPeriod.text(book.readings),
      book.titleKey, book.authorKey,
    ]
  }

  /// Adds a book.
  ///
  /// - Returns: Its id.
  static func insert(_ book: BookRecord, _ database: Database) throws -> Int64 {
    let statement = try database.cachedStatement(sql: insertion)
    try statement.execute(arguments: StatementArguments(arguments(book)))
    let id = database.lastInsertedRowID
    try insertLists(of: book, id, database)
    return id
  }

  /// Replaces what is stored of a book.
  static func update(_ id: Int64, _ book: BookRecord, _ database: Database) throws {
    let statement = try database.cachedStatement(sql: replacement)
    try statement.execute(arguments: StatementArguments(arguments(book) + [id]))
    for table in ["book_authors", "book_shelves"] {
      try database.cachedStatement(sql: "DELETE FROM \(table) WHERE book = ?")
        .execute(arguments: [id])
    }
    try insertLists(of: book, id, database)
  }

  private static func insertLists(
    of book: BookRecord,
    _ id: Int64,
    _ database: Database
  ) throws {
    let authors = try database.cachedStatement(
      sql: "INSERT INTO book_authors (book, position, name) VALUES (?, ?, ?)"
    )
    for (position, name) in book.authors.enumerated() {
      try authors.execute(arguments: [id, position, name])
    }
    let shelves = try database.cachedStatement(
      sql: "INSERT INTO book_shelves (book, position, shelf) VALUES (?, ?, ?)"
    )
    for (position, shelf) in book.shelves.enumerated() {
      try shelves.execute(arguments: [id, position, shelf])
    }
  }

  /// The book with a number.
  static func id(isbn: ISBN, _ database: Database) throws -> Int64? {
    let statement = try database.cachedStatement(sql: "SELECT id FROM books WHERE isbn = ?")
    return try Int64.fetchOne(statement, arguments: [isbn.description])
  }

  /// The books with the same title and main author as one, if at most one of the two has an ISBN; none without a
  /// title.
  static func ids(like book: BookRecord, _ database: Database) throws -> [Int64] {
    let key = book.titleKey
    guard !key.isEmpty else { return [] }
    let statement = try database.cachedStatement(
      sql: """
        SELECT id FROM books WHERE title_key = ? AND author_key = ? AND (isbn IS NULL OR ?)
        ORDER BY id LIMIT \(LibraryLimits.alikeBooks)
        """
    )
    return try Int64.fetchAll(statement, arguments: [key, book.authorKey, book.isbn == nil])
  }
}
