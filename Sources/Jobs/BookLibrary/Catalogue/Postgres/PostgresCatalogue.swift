package import Books
package import PostgresClient
import Synchronization

/// The catalogue of an owner in a PostgreSQL database that any number of servers share.
///
/// Each question is answered from one snapshot of the database, so from one whole catalogue: the one before an import, or
/// the one after it.
package final class PostgresCatalogue: CatalogueStore {
  /// What reports call it.
  package let name = "dump"

  /// Whose catalogue it is.
  package let owner: LibraryOwner
  let pool: PostgresPool
  /// The longest statement with which an import waits for another one, in seconds.
  let turnPartSeconds: Double
  /// Whether the last question found no catalogue: then the next one looks for it before it begins a transaction.
  private let isMissing = Atomic<Bool>(false)

  /// Names the catalogue; an import creates it.
  ///
  /// - Parameters:
  ///   - pool: Connections that use the schema with ``PostgresCatalogueTables``.
  ///   - owner: Whose catalogue it is.
  ///   - turnPartSeconds: The longest statement with which an import waits for another one, in seconds.
  package init(
    _ pool: PostgresPool,
    owner: LibraryOwner = .usual,
    turnPartSeconds: Double = CatalogueLimits.turnPartSeconds
  ) {
    self.pool = pool
    self.owner = owner
    self.turnPartSeconds = turnPartSeconds
  }

  /// The catalogue of an owner, and its database.
  package var place: String { "the catalogue of \(owner) in \(pool.address)" }

  package func counts() async throws(ProviderError) -> CatalogueCounts? {
    try await mappingErrors {
      let rows = try await pool.query(
        "SELECT works, editions, authors FROM catalogue WHERE owner = $1 AND state = 'serving'",
        [.text(owner.name)]
      )
      return try rows.first.map {
        CatalogueCounts(works: try $0[0], editions: try $0[1], authors: try $0[2])
      }
    }
  }

  /// The edition with a number, completed from its work.
  package func book(isbn: ISBN) async throws(ProviderError) -> CatalogueBook? {
    try await mappingErrors {
      let rows = try await pool.query(
        """
        SELECT \(Self.columns(ofEdition: "edition")), \(Self.columns(ofWork: "work")),
          \(Self.names(of: "edition"))
        FROM catalogue JOIN catalogue_isbn AS number ON number.catalogue = catalogue.id AND number.isbn = $2
          JOIN catalogue_edition AS edition ON edition.catalogue = catalogue.id AND edition.id = number.edition
          LEFT JOIN catalogue_work AS work ON work.catalogue = catalogue.id AND work.id = edition.work
        WHERE catalogue.owner = $1 AND catalogue.state = 'serving'
        """,
        [.text(owner.name), .int(Int64(isbn.value))]
      )
      guard let row = rows.first else { return nil }
      let known = try Self.work(row, from: Self.editionColumns)
      let title: String = try row[1]
      let subtitle: String? = try row[2]
      var book = known ?? CatalogueBook(title: title)
      book.title = title
      book.subtitle = subtitle ?? known?.subtitle
      try Self.complete(&book, from: row, 0)
      if book.authors.isEmpty {
        book.authors = Self.lines(try row[Self.editionColumns + Self.workColumns])
      }
      book.isbn = isbn
      return book
    }
  }

  /// Works with the words of a title, and of an author if there is one.
  ///
  /// First all words must be there, then all words of the main title with the family name, then any of the
  /// words, of which the most common are left out in a large catalogue.
  package func candidates(
    title: String,
    author: String?,
    limit: Int
  ) async throws(ProviderError) -> [CatalogueBook] {
    guard let asked = CatalogueSearch.Title(title, author: author) else { return [] }
    let question = BookLookup.Question(title: title, author: author)
    return try await reading { snapshot in
      var ids: [Int64] = []
      func add(_ found: [Int64]) { for id in found where !ids.contains(id) { ids.append(id) } }
      for step in asked.steps where ids.count < limit { add(try await snapshot.works(all: step)) }
      if ids.count < limit { add(try await snapshot.works(any: asked.anyOf, .title)) }
      let books = try await snapshot.books(Array(ids.prefix(CatalogueLimits.mostWorks)))
      let best = CatalogueSearch.best(books, limit) {
        BookLookup.confidence(of: $0, for: question)
      }
      return try await snapshot.withEditions(best)
    } ?? []
  }

  /// Works with any of the words in their titles or authors, those with most and rarest words first.
  package func candidates(
    words: String,
    limit: Int
  ) async throws(ProviderError) -> [CatalogueBook] {
    let asked = CatalogueSearch.spine(words)
    guard !asked.isEmpty else { return [] }
    return try await reading { snapshot in
      let ids = try await snapshot.works(any: asked, .any)
      let best = CatalogueSearch.best(try await snapshot.books(ids), limit) {
        BookMatch.spine(words, title: $0.title, authors: $0.authors)
      }
      return try await snapshot.withEditions(best)
    } ?? []
  }

  /// Reads from one snapshot.
  ///
  /// - Returns: What `body` returns; `nil` if there is no catalogue.
  private func reading<Value>(
    _ body: (PostgresCatalogueSnapshot) async throws -> Value
  ) async throws(ProviderError) -> Value? {
    try await mappingErrors {
      if isMissing.load(ordering: .relaxed) {
        let rows = try await pool.query(
          "SELECT FROM catalogue WHERE owner = $1 AND state = 'serving'",
          [.text(owner.name)]
        )
        if rows.first == nil { return nil }
      }
      return try await pool.transaction(isReadOnly: true) { connection in
        // Compiling a question takes longer than answering it.
        let rows = try await connection.query(
          """
          SELECT id, slot, set_config('jit', 'off', true) FROM catalogue WHERE owner = $1 AND state = 'serving'
          """,
          [.text(owner.name)]
        )
        isMissing.store(rows.first == nil, ordering: .relaxed)
        guard let row = rows.first else { return nil }
        return try await body(
          PostgresCatalogueSnapshot(connection, catalogue: try row[0], slot: try row[1])
        )
      }
    }
  }

  private func mappingErrors<Value>(
    _ body: () async throws -> Value
  ) async throws(ProviderError) -> Value {
    do {
      return try await body()
    } catch is CancellationError {
      throw ProviderError(.cancelled, "cancelled")
    } catch let error as PostgresError {
      throw Self.failure(error)
    } catch {
      throw ProviderError(.unavailable, "the catalogue cannot be read: \(error)")
    }
  }

  /// What an error of the database means for the caller: a query that takes too long, or an outage.
  static func failure(_ error: PostgresError) -> ProviderError {
    let code: ProviderError.Code =
      switch error.kind {
      case .timedOut: .timedOut
      case .crowded: .busy
      case .invalidValue: .unreadable
      // query_canceled, by a limit that the operator of the database set
      case .server where error.sqlState == "57014": .timedOut
      case .server, .unreachable, .connectionLost, .closed: .unavailable
      }
    var failure = ProviderError(code, "the catalogue cannot be read: \(error)")
    // disk_full may be of this question alone.
    if code == .unavailable, error.isTransient, error.sqlState != "53100" { failure.outage = error }
    return failure
  }
}
