import Books
import PostgresClient

// What a transaction reads before the rules of imports are applied, and what it writes after.
extension PostgresLibrary {
  /// What the rules may ask for.
  struct Wanted {
    var isbns: [ISBN] = []
    var alike: [String] = []
    var sources: [BookSource] = []
    /// Earlier rows of the import.
    var rows: [Int] = []
    var job = ""

    init(isbns: [ISBN]) { self.isbns = isbns }

    init(sources: [BookSource]) { self.sources = sources }

    /// What the rows of an import may ask for.
    init(_ pending: [PendingRow], of file: ImportFile) {
      job = file.job
      rows = pending.compactMap(\.duplicateOf)
      for pending in pending {
        guard case .book(let book, _) = pending.row.content else { continue }
        if let isbn = book.isbn { isbns.append(isbn) }
        if !book.titleKey.isEmpty { alike.append(PostgresLibraryRows.alikeKey(book)) }
        if let scope = file.scope, let entry = book.entry(in: scope) {
          sources.append(BookSource(scope: scope, entry: entry))
        }
      }
    }
  }

  /// Reads books, with everything that sources said of them.
  func load(_ library: Locked, _ wanted: Wanted, _ connection: PostgresConnection) async throws {
    let entries = PostgresValue.array(.bytes, wanted.sources.map { .bytes(Array($0.entry.utf8)) })
    // At most one service is asked about.
    let scope = wanted.sources.first?.scope ?? ""
    let earlier = try await connection.query(
      """
      SELECT row, book FROM import_row
      WHERE library = $1 AND job = $2 AND row = ANY($3) AND book IS NOT NULL
      """,
      [
        .int(library.id), .text(wanted.job), .array(.int, wanted.rows.map { .int(Int64($0)) }),
      ]
    )
    for row in try earlier.map({ (try $0[0] as Int, try $0[1] as Int64) }) {
      library.rows.load(row: row.0, book: row.1)
    }
    // Each key is looked up by itself: for all at once, PostgreSQL would read the whole library until it has counted its books.
    let ids = try await connection.query(
      """
      WITH entry AS (SELECT sha256(entry) AS key FROM unnest($3::bytea[]) AS entry)
      SELECT id FROM unnest($2::text[]) AS wanted (isbn) CROSS JOIN LATERAL (
        SELECT id FROM book WHERE library = $1 AND book.isbn = wanted.isbn OFFSET 0) AS found
      UNION SELECT id FROM entry CROSS JOIN LATERAL (
        SELECT id FROM book WHERE library = $1 AND entry_key = entry.key OFFSET 0) AS found
      UNION SELECT book FROM entry CROSS JOIN LATERAL (
        SELECT book FROM book_source WHERE library = $1 AND source = $4 AND entry_key = entry.key OFFSET 0) AS found
      UNION SELECT id FROM unnest($5::text[]) AS wanted (text) CROSS JOIN LATERAL (
        SELECT id, row_number() OVER (PARTITION BY isbn IS NULL ORDER BY id) AS place FROM book
        WHERE library = $1 AND alike = md5(wanted.text)) AS found
        WHERE place <= \(LibraryLimits.alikeBooks)
      UNION SELECT unnest($6::bigint[])
      """,
      [
        .int(library.id), .array(.text, wanted.isbns.map { .text($0.description) }), entries,
        .text(scope), .array(.text, wanted.alike.map { .text($0) }),
        .array(.int, try earlier.map { .int(try $0[1] as Int64) }),
      ]
    ).map { PostgresValue.int(try $0[0] as Int64) }
    let found = try await connection.query(
      """
      SELECT id, record FROM unnest($2::bigint[]) AS id CROSS JOIN LATERAL (
        SELECT record FROM book WHERE library = $1 AND book.id = id.id OFFSET 0) AS found
      """,
      [.int(library.id), .array(.int, ids)]
    )
    for book in try found.map(Self.book) { library.rows.load(book.id, book.record) }
    let sources = try await connection.query(
      """
      SELECT source, entry, id, said, made FROM unnest($2::bigint[]) AS id CROSS JOIN LATERAL (
        SELECT source, entry, said, made FROM book_source WHERE library = $1 AND book = id.id OFFSET 0) AS found
      """,
      [.int(library.id), .array(.int, ids)]
    )
    for index in 0..<sources.count {
      let row = sources[index]
      let (scope, entry): (String, [UInt8]) = (try row[0], try row[1])
      let record = SourceRecord(
        book: try row[2],
        said: StoredRecord.record(try row[3]),
        isMade: try row[4] as Int > 0
      )
      library.rows.load(
        BookSource(scope: scope, entry: String(decoding: entry, as: UTF8.self)),
        record
      )
    }
  }

  /// Writes what has changed.
  func write(_ library: Locked, job: String, _ connection: PostgresConnection) async throws {
    let rows = library.rows
    let id = PostgresValue.int(library.id)
    if !rows.deleted.isEmpty {
      try await connection.query(
        "DELETE FROM book USING unnest($2::bigint[]) AS old (id) WHERE library = $1 AND book.id = old.id",
        [id, .array(.int, rows.deleted.sorted().map { .int($0) })]
      )
    }
    if !rows.inserted.isEmpty {
      try await connection.query(
        """
        INSERT INTO book (library, id, isbn, entry, title_key, author_key, record)
        SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[])
        """,
        [id] + Self.columns(rows, rows.inserted)
      )
    }
    if !rows.updated.isEmpty {
      try await connection.query(
        """
        UPDATE book SET isbn = new.isbn, entry = new.entry, title_key = new.title_key,
          author_key = new.author_key, record = new.record, updated_at = now()
        FROM unnest($2::bigint[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[])
          AS new (id, isbn, entry, title_key, author_key, record)
        WHERE book.library = $1 AND book.id = new.id
        """,
        [id] + Self.columns(rows, rows.updated)
      )
    }
    try await writeSources(rows, id, connection)
    try await writeReports(rows, id, job, connection)
    try await writeRemoved(rows, id, job, connection)
    try await connection.query(
      "UPDATE library SET last_book = $2, last_removed = $3, last_list = $4 WHERE id = $1",
      [id, .int(rows.lastBook), .int(rows.lastRemoved), .int(library.lastList)]
    )
    rows.finish()
  }

  /// The columns of books.
  private static func columns(_ rows: PostgresLibraryRows, _ ids: Set<Int64>) -> [PostgresValue] {
    let books = ids.sorted().compactMap { id in rows.books[id].map { (id: id, record: $0) } }
    return [
      .array(.int, books.map { .int($0.id) }),
      .array(.text, books.map { .text($0.record.isbn?.description) }),
      .array(.bytes, books.map { .bytes($0.record.entry.map { Array($0.utf8) }) }),
      .array(.text, books.map { .text($0.record.titleKey) }),
      .array(.text, books.map { .text($0.record.authorKey) }),
      .array(.text, books.map { .text(StoredRecord.text($0.record)) }),
    ]
  }

  private func writeSources(
    _ rows: PostgresLibraryRows,
    _ library: PostgresValue,
    _ connection: PostgresConnection
  ) async throws {
    if !rows.forgotten.isEmpty {
      let sources = Array(rows.forgotten.values)
      try await connection.query(
        """
        DELETE FROM book_source USING unnest($2::text[], $3::bytea[]) AS old (source, entry)
        WHERE library = $1 AND book_source.source = old.source AND entry_key = sha256(old.entry)
        """,
        [
          library, .array(.text, sources.map { .text($0.scope) }),
          .array(.bytes, sources.map { .bytes(Array($0.entry.utf8)) }),
        ]
      )
    }
    let kept = rows.kept.compactMap { rows.records[$0] }
    guard !kept.isEmpty else { return }
    try await connection.query(
      """
      INSERT INTO book_source (library, source, entry, book, said, made)
      SELECT $1, * FROM unnest($2::text[], $3::bytea[], $4::bigint[], $5::text[], $6::bigint[])
      ON CONFLICT (library, source, entry_key) DO UPDATE
      SET book = excluded.book, said = excluded.said, made = excluded.made
      """,
      [
        library, .array(.text, kept.map { .text($0.source.scope) }),
        .array(.bytes, kept.map { .bytes(Array($0.source.entry.utf8)) }),
        .array(.int, kept.map { .int($0.record.book) }),
        .array(.text, kept.map { .text($0.record.said.map(StoredRecord.text) ?? "") }),
        .array(.int, kept.map { .int($0.record.isMade ? 1 : 0) }),
      ]
    )
  }

  private func writeReports(
    _ rows: PostgresLibraryRows,
    _ library: PostgresValue,
    _ job: String,
    _ connection: PostgresConnection
  ) async throws {
    let reports = rows.reports
    guard !reports.isEmpty else { return }
    try await connection.query(
      """
      INSERT INTO import_row (library, job, row, outcome, book, entry, report, raw)
      SELECT $1, $2, * FROM unnest(
        $3::bigint[], $4::text[], $5::bigint[], $6::bytea[], $7::text[], $8::bytea[])
      """,
      [
        library, .text(job), .array(.int, reports.map { .int(Int64($0.report.row)) }),
        .array(.text, reports.map { .text($0.report.outcome.rawValue) }),
        .array(.int, reports.map { .int($0.book) }),
        .array(.bytes, reports.map { .bytes($0.report.entry.map { Array($0.utf8) }) }),
        .array(.text, reports.map { .text(StoredReport.text($0.report)) }),
        .array(.bytes, reports.map { .bytes($0.report.raw) }),
      ]
    )
  }

  private func writeRemoved(
    _ rows: PostgresLibraryRows,
    _ library: PostgresValue,
    _ job: String,
    _ connection: PostgresConnection
  ) async throws {
    if !rows.unlisted.isEmpty {
      try await connection.query(
        """
        DELETE FROM source_list_entry USING unnest($2::bigint[], $3::bytea[]) AS old (list, entry)
        WHERE library = $1 AND source_list_entry.list = old.list AND entry_key = sha256(old.entry)
        """,
        [
          library, .array(.int, rows.unlisted.map { .int($0.list) }),
          .array(.bytes, rows.unlisted.map { .bytes(Array($0.entry.utf8)) }),
        ]
      )
    }
    guard !rows.removed.isEmpty else { return }
    try await connection.query(
      """
      INSERT INTO removed_book (library, id, job, source, record)
      SELECT $1, id, $2, source, record FROM unnest($3::bigint[], $4::text[], $5::text[])
        AS new (id, source, record)
      """,
      [
        library, .text(job), .array(.int, rows.removed.map { .int($0.id) }),
        .array(.text, rows.removed.map { .text($0.scope) }),
        .array(.text, rows.removed.map { .text(StoredRecord.text($0.record)) }),
      ]
    )
    try await connection.query(
      "DELETE FROM removed_book WHERE library = $1 AND id <= $2",
      [library, .int(rows.lastRemoved - Int64(LibraryLimits.removedBooks))]
    )
  }
}
