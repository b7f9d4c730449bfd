import Books
import GRDB
import Storage

/// A whole catalogue in a file.
final class SQLiteCatalogueReader: Sendable {
  private let pool: DatabasePool
  /// Whether searches rank works; a catalogue of an earlier version of this program does not.
  let isRanked: Bool

  /// Opens a catalogue.
  ///
  /// - Throws: ``LibraryError`` if the file is not a catalogue.
  init(path: String) throws(LibraryError) {
    do {
      let pool = try DatabaseFile.openForReading(path: path)
      let (application, version) = try pool.read { database in
        (
          try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0,
          try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        )
      }
      guard application == SQLiteCatalogueSchema.applicationID,
        SQLiteCatalogueSchema.readable.contains(version)
      else {
        throw LibraryError(
          .otherFile,
          application == SQLiteCatalogueSchema.applicationID
            ? "\(path): made by another version of this program; run freshet catalogue import again"
            : "\(path): not a book catalogue"
        )
      }
      self.pool = pool
      isRanked = version == SQLiteCatalogueSchema.version
    } catch let error as LibraryError {
      throw error
    } catch {
      throw LibraryError(opening: path, error)
    }
  }

  /// The edition with a number, completed from its work.
  func book(isbn: ISBN) async throws(ProviderError) -> CatalogueBook? {
    try await read { database in
      let statement = try database.cachedStatement(sql: "SELECT edition FROM isbns WHERE isbn = ?")
      guard let edition = try Int64.fetchOne(statement, arguments: [Int64(isbn.value)]) else {
        return nil
      }
      var book = try Self.edition(edition, database)
      book?.isbn = isbn
      return book
    }
  }

  /// Works with the words of a title, and of an author if there is one.
  ///
  /// First all words must be there, then all words of the main title with the family name, then any of the
  /// words, of which the most common are left out in a large catalogue.
  func candidates(
    title: String,
    author: String?,
    limit: Int
  ) async throws(ProviderError) -> [CatalogueBook] {
    guard let asked = CatalogueSearch.Title(title, author: author) else { return [] }
    return try await read { database in
      var queries = asked.steps.map { Self.query($0.words, $0.family, " AND ") }
      let telling = try Self.telling(asked.anyOf, database)
      if !telling.isEmpty { queries.append(Self.query(telling, nil, " OR ")) }
      var ids: [Int64] = []
      for query in queries {
        for id in try Self.works(query, database) where !ids.contains(id) { ids.append(id) }
        if ids.count >= limit { break }
      }
      let question = BookLookup.Question(title: title, author: author)
      let books = try ids.prefix(CatalogueLimits.mostWorks).compactMap {
        try Self.work($0, database)
      }
      return try CatalogueSearch.best(books, limit) {
        BookLookup.confidence(of: $0, for: question)
      }.map { try Self.withEdition($0, database) }
    }
  }

  /// Works with any of the words in their titles or authors, those with most and rarest words first.
  func candidates(words: String, limit: Int) async throws(ProviderError) -> [CatalogueBook] {
    let asked = CatalogueSearch.spine(words)
    guard !asked.isEmpty else { return [] }
    return try await read { database in
      let telling = try Self.telling(asked, database)
      guard !telling.isEmpty else { return [] }
      let query = telling.map { "\"\($0)\"" }.joined(separator: " OR ")
      let books = try Self.works(query, database).compactMap { try Self.work($0, database) }
      return try CatalogueSearch.best(books, limit) {
        BookMatch.spine(words, title: $0.title, authors: $0.authors)
      }.map { try Self.withEdition($0, database) }
    }
  }

  private static func works(_ query: String, _ database: Database) throws -> [Int64] {
    let statement = try database.cachedStatement(
      sql: "SELECT rowid FROM search WHERE search MATCH ? ORDER BY rank LIMIT ?"
    )
    return try Int64.fetchAll(statement, arguments: [query, CatalogueLimits.mostWorks])
  }

  /// How many works, editions and authors there are.
  func counts() async throws(ProviderError) -> CatalogueCounts {
    try await read { database in
      func count(_ table: String) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
      }
      return CatalogueCounts(
        works: try count("works"),
        editions: try count("editions"),
        authors: try count("authors")
      )
    }
  }

  private func read<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws(ProviderError) -> Value {
    do {
      return try await pool.read(body)
    } catch is CancellationError {
      throw ProviderError(.cancelled, "cancelled")
    } catch {
      throw ProviderError(.unavailable, "the catalogue cannot be read: \(error)")
    }
  }

  /// The rarest of some words, as many as can be ranked in good time.
  static func telling(_ words: [String], _ database: Database) throws -> [String] {
    let statement = try database.cachedStatement(
      sql: "SELECT works FROM common_words WHERE word = ?"
    )
    var works: [String: Int] = [:]
    for word in words { works[word] = try Int.fetchOne(statement, arguments: [word]) }
    return CatalogueSearch.telling(words, works, most: CatalogueLimits.mostRanked)
  }

  private static func query(_ words: [String], _ family: String?, _ connective: String) -> String {
    // The words are letters and digits only; quotes keep AND, OR and NOT from being operators.
    let titles = words.map { "title:\"\($0)\"" }.joined(separator: connective)
    return family.map { "(\(titles)) AND authors:\"\($0)\"" } ?? titles
  }

  private static func edition(_ id: Int64, _ database: Database) throws -> CatalogueBook? {
    let statement = try database.cachedStatement(
      sql: """
        SELECT work, title, subtitle, publisher, year, pages, language, format, cover
        FROM editions WHERE id = ?
        """
    )
    guard let row = try Row.fetchOne(statement, arguments: [id]) else { return nil }
    let known = try (row[0] as Int64?).flatMap { try work($0, database) }
    var book = known ?? CatalogueBook(title: row[1])
    book.title = row[1]
    book.subtitle = row[2] ?? known?.subtitle
    complete(&book, id, row)
    if book.authors.isEmpty {
      book.authors = try String.fetchAll(
        database.cachedStatement(
          sql: """
            SELECT name FROM edition_authors JOIN authors ON authors.id = author
            WHERE edition = ? ORDER BY position
            """
        ),
        arguments: [id]
      )
    }
    return book
  }

  private static func complete(_ book: inout CatalogueBook, _ id: Int64, _ row: Row) {
    book.edition = "OL\(id)M"
    book.publisher = row[3]
    book.year = row[4]
    book.pages = row[5]
    book.language = row[6]
    book.format = row[7]
    book.cover = row[8] ?? book.cover
  }

  private static func work(_ id: Int64, _ database: Database) throws -> CatalogueBook? {
    let statement = try database.cachedStatement(
      sql: "SELECT title, subtitle, first_year, subjects, cover FROM works WHERE id = ?"
    )
    guard let row = try Row.fetchOne(statement, arguments: [id]) else { return nil }
    var book = CatalogueBook(title: row[0])
    book.subtitle = row[1]
    book.firstYear = row[2]
    book.subjects = (row[3] as String?)?.split(separator: "\n").map(String.init) ?? []
    book.cover = row[4]
    book.work = "OL\(id)W"
    book.authors = try String.fetchAll(
      database.cachedStatement(
        sql: """
          SELECT name FROM work_authors JOIN authors ON authors.id = author
          WHERE work = ? ORDER BY position
          """
      ),
      arguments: [id]
    )
    return book
  }

  /// A work with what is known of its first edition that has a number.
  private static func withEdition(
    _ book: CatalogueBook,
    _ database: Database
  ) throws -> CatalogueBook {
    guard let work = book.work, let id = DumpLine.number(work) else { return book }
    let statement = try database.cachedStatement(
      sql: """
        SELECT work, title, subtitle, publisher, year, pages, language, format, cover, editions.id,
          (SELECT min(isbn) FROM isbns WHERE edition = editions.id) AS number
        FROM editions WHERE work = ? ORDER BY number IS NULL, year, editions.id LIMIT 1
        """
    )
    guard let row = try Row.fetchOne(statement, arguments: [id]) else { return book }
    var book = book
    complete(&book, row[9], row)
    book.isbn = (row[10] as Int64?).flatMap { ISBN(String($0)) }
    return book
  }
}
