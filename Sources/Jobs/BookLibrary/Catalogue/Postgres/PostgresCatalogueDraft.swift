import PostgresClient

/// Rows of a catalogue that is not read yet.
struct PostgresCatalogueDraft: CatalogueDraft {
  /// The tables that hold parts of catalogues, with the second column of their keys.
  static let tables = [
    ("catalogue_search", "work"), ("catalogue_isbn", "isbn"), ("catalogue_edition", "id"),
    ("catalogue_work", "id"), ("catalogue_author", "id"),
  ]

  /// The number of the catalogue.
  let catalogue: Int64
  private let connection: PostgresConnection
  private let words: PostgresCatalogueWords

  init(_ connection: PostgresConnection, catalogue: Int64, slot: Int) {
    self.connection = connection
    self.catalogue = catalogue
    words = PostgresCatalogueWords(slot: slot)
  }

  private func run(_ sql: String, _ columns: [PostgresValue]) async throws {
    try await connection.query(
      sql,
      [.int(catalogue)] + columns,
      within: CatalogueLimits.partSeconds
    )
  }

  // MARK: Filling

  func add(_ batch: CatalogueBatch) async throws {
    try await add(batch.authors)
    try await add(batch.works)
    try await add(batch.editions)
  }

  private func add(_ authors: [DumpLine.Author]) async throws {
    let rows = Self.last(authors, by: \.id)
    guard !rows.isEmpty else { return }
    try await run(
      """
      INSERT INTO catalogue_author (catalogue, id, name)
      SELECT $1, * FROM unnest($2::bigint[], $3::text[])
      ON CONFLICT (catalogue, id) DO UPDATE SET name = excluded.name
      """,
      [.array(.int, rows.map { .int($0.id) }), Self.texts(rows.map(\.name))]
    )
  }

  private func add(_ works: [DumpLine.Work]) async throws {
    let rows = Self.last(works, by: \.id)
    guard !rows.isEmpty else { return }
    try await run(
      """
      INSERT INTO catalogue_work (catalogue, id, title, subtitle, first_year, subjects, cover, authors)
      SELECT $1, id, title, subtitle, first_year, subjects, cover, string_to_array(authors, ' ')::bigint[]
      FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::bigint[], $8::text[])
        AS new (id, title, subtitle, first_year, subjects, cover, authors)
      ON CONFLICT (catalogue, id) DO UPDATE SET title = excluded.title, subtitle = excluded.subtitle,
        first_year = excluded.first_year, subjects = excluded.subjects, cover = excluded.cover,
        authors = excluded.authors
      """,
      [
        .array(.int, rows.map { .int($0.id) }), Self.texts(rows.map(\.title)),
        Self.texts(rows.map(\.subtitle)), .array(.int, rows.map { .int($0.firstYear) }),
        Self.texts(rows.map(\.subjectText)), .array(.int, rows.map { .int($0.cover) }),
        Self.lists(rows.map(\.authors)),
      ]
    )
  }

  private func add(_ editions: [CatalogueBatch.Edition]) async throws {
    let rows = Self.last(editions, by: \.line.id)
    guard !rows.isEmpty else { return }
    let lines = rows.map(\.line)
    try await run(
      """
      INSERT INTO catalogue_edition
        (catalogue, id, work, title, subtitle, publisher, year, pages, language, format, cover, authors, isbns)
      SELECT $1, id, work, title, subtitle, publisher, year, pages, language, format, cover,
        string_to_array(authors, ' ')::bigint[], string_to_array(isbns, ' ')::bigint[]
      FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
        $9::text[], $10::text[], $11::bigint[], $12::text[], $13::text[])
        AS new (id, work, title, subtitle, publisher, year, pages, language, format, cover, authors, isbns)
      ON CONFLICT (catalogue, id) DO UPDATE SET work = excluded.work, title = excluded.title,
        subtitle = excluded.subtitle, publisher = excluded.publisher, year = excluded.year,
        pages = excluded.pages, language = excluded.language, format = excluded.format,
        cover = excluded.cover, authors = excluded.authors, isbns = excluded.isbns
      """,
      [
        .array(.int, lines.map { .int($0.id) }), .array(.int, lines.map { .int($0.work) }),
        Self.texts(lines.map(\.title)), Self.texts(lines.map(\.subtitle)),
        Self.texts(lines.map(\.publisher)), .array(.int, lines.map { .int($0.year) }),
        .array(.int, lines.map { .int($0.pages) }), Self.texts(lines.map(\.language)),
        Self.texts(lines.map(\.format)), .array(.int, lines.map { .int($0.cover) }),
        Self.lists(lines.map(\.authors)), Self.lists(rows.map(\.isbns)),
      ]
    )
    // In the order of the lines: a number belongs to the first edition that has it.
    let numbers = editions.flatMap { edition in edition.isbns.map { ($0, edition.line.id) } }
    guard !numbers.isEmpty else { return }
    try await run(
      """
      INSERT INTO catalogue_isbn (catalogue, isbn, edition)
      SELECT $1, * FROM unnest($2::bigint[], $3::bigint[]) ON CONFLICT DO NOTHING
      """,
      [
        .array(.int, numbers.map { .int($0.0) }), .array(.int, numbers.map { .int($0.1) }),
      ]
    )
  }

  /// The last row of each id, in the order of the ids: a statement changes a row once.
  private static func last<Row>(_ rows: [Row], by id: (Row) -> Int64) -> [Row] {
    Dictionary(rows.map { (id($0), $0) }) { $1 }.sorted { $0.key < $1.key }.map(\.value)
  }

  /// PostgreSQL stores no U+0000 in text.
  private static func texts(_ texts: [String?]) -> PostgresValue {
    .array(
      .text,
      texts.map { text in
        .text(text.map { $0.utf8.contains(0) ? $0.replacing("\0", with: "\u{FFFD}") : $0 })
      }
    )
  }

  private static func lists(_ lists: [[Int64]]) -> PostgresValue {
    .array(.text, lists.map { .text($0.map(String.init).joined(separator: " ")) })
  }

  // MARK: Ordering

  /// Makes the catalogue ready for searches, once all lines are there.
  func order() async throws {
    var last = Int64.min
    while true {
      let rows = try await connection.query(
        """
        SELECT id, title || ' ' || coalesce(subtitle, ''), coalesce(\(PostgresCatalogue.names(of: "work")), '')
        FROM catalogue_work AS work WHERE catalogue = $1 AND id > $2 ORDER BY id LIMIT $3
        """,
        [.int(catalogue), .int(last), .int(CatalogueLimits.orderedAtOnce)],
        within: CatalogueLimits.partSeconds
      )
      guard rows.count > 0 else { break }
      var ids: [PostgresValue] = []
      var vectors: [PostgresValue] = []
      for place in 0..<rows.count {
        last = try rows[place][0]
        ids.append(.int(last))
        vectors.append(
          .text(words.vector(title: try rows[place][1], authors: try rows[place][2]))
        )
      }
      try await run(
        """
        INSERT INTO catalogue_search (catalogue, work, words)
        SELECT $1, id, text::tsvector FROM unnest($2::bigint[], $3::text[]) AS new (id, text)
        """,
        [.array(.int, ids), .array(.text, vectors)]
      )
    }
    try await connection.query(
      """
      INSERT INTO catalogue_common_word (catalogue, word, works)
      SELECT $1, substr(word, $2::integer), count(*)
      FROM catalogue_search CROSS JOIN unnest(tsvector_to_array(words)) AS word
      WHERE catalogue = $1 GROUP BY word HAVING count(*) > $3
      """,
      [
        .int(catalogue), .int(words.prefix.unicodeScalars.count + 1),
        .int(CatalogueLimits.fewWorks),
      ],
      within: CatalogueLimits.countSeconds
    )
  }

  /// How much there is.
  func counts() async throws -> CatalogueCounts {
    func count(_ table: String) async throws -> Int {
      let rows = try await connection.query(
        "SELECT count(*) FROM \(table) WHERE catalogue = $1",
        [.int(catalogue)],
        within: CatalogueLimits.countSeconds
      )
      return try rows.first?[0] ?? 0
    }
    return CatalogueCounts(
      works: try await count("catalogue_work"),
      editions: try await count("catalogue_edition"),
      authors: try await count("catalogue_author")
    )
  }
}
