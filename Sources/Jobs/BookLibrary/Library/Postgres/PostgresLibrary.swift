package import Books
package import PostgresClient

/// A person's books in a PostgreSQL database that any number of servers share.
///
/// Each change of a library is one transaction that locks the row of the library first, so that imports take turns batch
/// by batch. It then compares the lease of the import's job, and keeps it from changing hands until the end of the
/// transaction: a worker that lost its lease writes nothing.
package struct PostgresLibrary: LibraryStore {
  /// Makes sure, until the end of the transaction, that a worker still has the lease of a job.
  ///
  /// Throws if it does not.
  package typealias LeaseCheck =
    @Sendable (_ connection: PostgresConnection, _ job: String, _ fence: Int64) async throws -> Void

  let pool: PostgresPool
  /// Whose library it is.
  package let owner: LibraryOwner
  private let checkLease: LeaseCheck

  /// Creates the store; the library is created by its first import.
  ///
  /// - Parameters:
  ///   - pool: Connections that use the schema with ``PostgresLibraryTables``.
  ///   - owner: Whose library it is.
  ///   - checkLease: Compares leases; imports outside of a server have none.
  package init(
    _ pool: PostgresPool,
    owner: LibraryOwner = .usual,
    checkLease: @escaping LeaseCheck = { _, _, _ in }
  ) {
    self.pool = pool
    self.owner = owner
    self.checkLease = checkLease
  }

  /// The id of the library, for statements whose first parameter is the owner.
  static let library = "(SELECT id FROM library WHERE owner = $1)"

  // MARK: Books

  package func count() async throws -> Int {
    let rows = try await pool.query(
      "SELECT count(*) FROM book WHERE library = \(Self.library)",
      [.text(owner.name)]
    )
    return try rows.first?[0] ?? 0
  }

  package func books(
    after id: Int64,
    limit: Int,
    matching words: String
  ) async throws -> [LibraryBook] {
    try await pool.query(
      """
      SELECT id, record FROM book WHERE library = \(Self.library) AND id > $2 AND NOT EXISTS (
        SELECT 1 FROM unnest($4::text[]) AS word WHERE position(' ' || word IN ' ' || title_key) = 0
          AND position(' ' || word IN ' ' || author_key) = 0)
      ORDER BY id LIMIT $3
      """,
      [
        .text(owner.name), .int(id), .int(max(1, min(limit, LibraryLimits.page))),
        .array(.text, BookKey.words(words).map { .text($0) }),
      ]
    ).map(Self.book)
  }

  package func book(isbn: ISBN) async throws -> LibraryBook? {
    let rows = try await pool.query(
      "SELECT id, record FROM book WHERE library = \(Self.library) AND isbn = $2",
      [.text(owner.name), .text(isbn.description)]
    )
    return try rows.first.map(Self.book)
  }

  package func isbn(ofBooksLike book: BookRecord) async throws -> ISBN? {
    guard !book.titleKey.isEmpty else { return nil }
    var question = book
    question.isbn = nil
    let rows = try await pool.query(
      """
      SELECT id, record FROM book WHERE library = \(Self.library) AND alike = md5($2)
      ORDER BY id LIMIT $3
      """,
      [
        .text(owner.name), .text(PostgresLibraryRows.alikeKey(book)),
        .int(LibraryLimits.alikeBooks),
      ]
    )
    return try rows.map(Self.book).first { !$0.record.isNamesake(of: question) }?.record.isbn
  }

  static func book(_ row: PostgresRow) throws -> LibraryBook {
    LibraryBook(id: try row[0], record: try record(try row[1]))
  }

  static func record(_ text: String) throws -> BookRecord {
    guard let record = StoredRecord.record(text) else {
      throw LibraryError(.unusable, "a book of the database is damaged: \(text.prefix(100))")
    }
    return record
  }

  // MARK: Changes

  /// A library whose row is locked until the end of the transaction.
  struct Locked {
    let id: Int64
    let rows: PostgresLibraryRows
    var lastList: Int64
  }

  /// Locks the library, and creates it if it is new.
  func lock(_ connection: PostgresConnection) async throws -> Locked {
    // Statements are planned for the books that there are now, and look rows up by their keys: a library grows faster than
    // PostgreSQL counts.
    try await connection.query(
      """
      SELECT set_config('plan_cache_mode', 'force_custom_plan', true), set_config('enable_hashjoin', 'off', true),
        set_config('enable_mergejoin', 'off', true)
      """
    )
    let sql = """
      SELECT id, last_book, last_removed, last_list FROM library WHERE owner = $1 FOR UPDATE
      """
    var found = try await connection.query(sql, [.text(owner.name)])
    if found.first == nil {
      try await connection.query(
        "INSERT INTO library (owner) VALUES ($1) ON CONFLICT DO NOTHING",
        [.text(owner.name)]
      )
      found = try await connection.query(sql, [.text(owner.name)])
    }
    guard let row = found.first else {
      throw LibraryError(.unusable, "the library of \(owner) cannot be created")
    }
    let rows = PostgresLibraryRows()
    rows.lastBook = try row[1]
    rows.lastRemoved = try row[2]
    return Locked(id: try row[0], rows: rows, lastList: try row[3])
  }

  /// Compares the lease of an import, after the library is locked: an import that waits for the library locks no job.
  func checkLease(of file: ImportFile, _ connection: PostgresConnection) async throws {
    guard let fence = file.fence else { return }
    try await checkLease(connection, file.job, fence)
  }

  // MARK: Removed books

  package func removed(limit: Int) async throws -> [RemovedBook] {
    try await pool.query(
      """
      SELECT id, to_char(removed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), record FROM removed_book
      WHERE library = \(Self.library) ORDER BY id DESC LIMIT $2
      """,
      [.text(owner.name), .int(max(1, min(limit, LibraryLimits.page)))]
    ).map {
      RemovedBook(id: try $0[0], removedAt: try $0[1], record: try Self.record(try $0[2]))
    }
  }

  package func restore(_ id: Int64) async throws -> LibraryBook? {
    try await pool.transaction { connection in
      let library = try await lock(connection)
      let found = try await connection.query(
        "DELETE FROM removed_book WHERE library = $1 AND id = $2 RETURNING record",
        [.int(library.id), .int(id)]
      )
      guard let row = found.first else { return nil }
      let record = try Self.record(try row[0])
      try await load(library, Wanted(isbns: record.isbn.map { [$0] } ?? []), connection)
      let book = try library.rows.restore(record)
      try await write(library, job: "", connection)
      return book
    }
  }

  // MARK: The end

  /// Statements have deadlines of their own.
  package func stopWaiting() {}

  /// A commit is complete.
  package func finishWriting() async {}
}
