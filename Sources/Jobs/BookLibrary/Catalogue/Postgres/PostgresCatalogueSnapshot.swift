import Books
import PostgresClient

/// A catalogue as it is throughout one transaction.
struct PostgresCatalogueSnapshot {
  private let connection: PostgresConnection
  private let catalogue: Int64
  private let words: PostgresCatalogueWords

  init(_ connection: PostgresConnection, catalogue: Int64, slot: Int) {
    self.connection = connection
    self.catalogue = catalogue
    words = PostgresCatalogueWords(slot: slot)
  }

  // MARK: Searching

  /// Works with all of some words, the shortest first.
  func works(all step: CatalogueSearch.Title.Step) async throws -> [Int64] {
    guard let question = words.all(step) else { return [] }
    return try await connection.query(
      """
      SELECT work FROM (
        SELECT work, length(words) AS size FROM catalogue_search WHERE words @@ $1::tsquery
        LIMIT \(CatalogueLimits.mostRankedInDatabase)) AS found
      ORDER BY size, work LIMIT $2
      """,
      [.text(question), .int(CatalogueLimits.mostWorks)]
    ).map { try $0[0] }
  }

  /// Works with any of some words, those with most and rarest words first.
  ///
  /// This is BM25 for texts that have each word once, of which the usual one has eight.
  func works(
    any asked: [String],
    _ place: PostgresCatalogueWords.Place
  ) async throws -> [Int64] {
    let common = try await connection.query(
      "SELECT word, works FROM catalogue_common_word WHERE catalogue = $1 AND word = ANY($2)",
      [.int(catalogue), .array(.text, asked.map { .text($0) })]
    ).map { (try $0[0] as String, try $0[1] as Int) }
    let telling = CatalogueSearch.telling(
      asked,
      Dictionary(common) { first, _ in first },
      most: CatalogueLimits.mostRankedInDatabase
    )
    let questions = words.each(telling, place)
    guard !questions.isEmpty else { return [] }
    return try await connection.query(
      """
      WITH found AS MATERIALIZED (
        SELECT work, words FROM catalogue_search WHERE words @@ $1::tsquery
        LIMIT \(CatalogueLimits.mostRankedInDatabase)),
      asked AS MATERIALIZED (SELECT text::tsquery AS word FROM unnest($2::text[]) AS text),
      weighed AS MATERIALIZED (
        SELECT word, ln(1 + (SELECT count(*) FROM found)::float8 / greatest(1, (
          SELECT count(*) FROM found WHERE words @@ word))) AS weight FROM asked)
      SELECT work FROM found ORDER BY (SELECT sum(weight) FROM weighed WHERE words @@ word)
        / (1.3 + 0.9 * length(words)::float8 / 8) DESC, work LIMIT $3
      """,
      [
        .text(questions.joined(separator: " | ")), .array(.text, questions.map { .text($0) }),
        .int(CatalogueLimits.mostWorks),
      ]
    ).map { try $0[0] }
  }

  // MARK: Reading

  /// Works, in the order of their ids.
  func books(_ ids: [Int64]) async throws -> [CatalogueBook] {
    try await connection.query(
      """
      SELECT \(PostgresCatalogue.columns(ofWork: "work")) FROM unnest($2::bigint[]) WITH ORDINALITY AS asked (id, place)
        JOIN catalogue_work AS work ON work.catalogue = $1 AND work.id = asked.id
      ORDER BY place
      """,
      [.int(catalogue), .array(.int, ids.map { .int($0) })]
    ).map { try PostgresCatalogue.work($0, from: 0) }.compactMap(\.self)
  }

  /// Works with what is known of their first editions that have a number.
  func withEditions(_ books: [CatalogueBook]) async throws -> [CatalogueBook] {
    let works = books.compactMap { $0.work.flatMap(DumpLine.number) }
    let rows = try await connection.query(
      """
      SELECT \(PostgresCatalogue.columns(ofEdition: "edition")), edition.number, asked.id
      FROM unnest($2::bigint[]) AS asked (id) CROSS JOIN LATERAL (
        SELECT * FROM (
          SELECT edition.*, (
            SELECT min(sound.isbn) FROM unnest(edition.isbns) AS own (isbn) JOIN catalogue_isbn AS sound
              ON sound.catalogue = edition.catalogue AND sound.isbn = own.isbn AND sound.edition = edition.id)
            AS number
          FROM catalogue_edition AS edition WHERE edition.catalogue = $1 AND edition.work = asked.id) AS known
        ORDER BY number IS NULL, year NULLS FIRST, id LIMIT 1) AS edition
      """,
      [.int(catalogue), .array(.int, works.map { .int($0) })]
    )
    var places: [Int64: Int] = [:]
    for place in 0..<rows.count {
      places[try rows[place][PostgresCatalogue.editionColumns + 1]] = place
    }
    return try books.map { book in
      guard let work = book.work.flatMap(DumpLine.number), let place = places[work] else {
        return book
      }
      var book = book
      try PostgresCatalogue.complete(&book, from: rows[place], 0)
      let number: Int64? = try rows[place][PostgresCatalogue.editionColumns]
      book.isbn = number.flatMap { ISBN(String($0)) }
      return book
    }
  }
}

extension PostgresCatalogue {
  /// How many columns of an edition are read.
  static let editionColumns = 9
  /// How many columns of a work are read.
  static let workColumns = 7

  /// What is read of an edition: its id, title and subtitle, and what ``complete(_:from:_:)`` takes.
  static func columns(ofEdition table: String) -> String {
    ["id", "title", "subtitle", "publisher", "year", "pages", "language", "format", "cover"]
      .map { "\(table).\($0)" }.joined(separator: ", ")
  }

  /// What ``work(_:from:)`` reads.
  static func columns(ofWork table: String) -> String {
    ["id", "title", "subtitle", "first_year", "subjects", "cover"]
      .map { "\(table).\($0)" }.joined(separator: ", ") + ", " + names(of: table)
  }

  /// The names of the authors of a work or an edition, one a line.
  static func names(of table: String) -> String {
    """
    (SELECT string_agg(person.name, chr(10) ORDER BY listed.place)
      FROM unnest(\(table).authors) WITH ORDINALITY AS listed (author, place)
      JOIN catalogue_author AS person ON person.catalogue = \(table).catalogue AND person.id = listed.author)
    """
  }

  static func lines(_ text: String?) -> [String] {
    text?.split(separator: "\n").map(String.init) ?? []
  }

  /// A work whose columns begin at a place; `nil` without one.
  static func work(_ row: PostgresRow, from first: Int) throws -> CatalogueBook? {
    guard let id = try row[first] as Int64? else { return nil }
    var book = CatalogueBook(title: try row[first + 1])
    book.subtitle = try row[first + 2]
    book.firstYear = try row[first + 3]
    book.subjects = lines(try row[first + 4])
    book.cover = try row[first + 5]
    book.work = "OL\(id)W"
    book.authors = lines(try row[first + 6])
    return book
  }

  /// Adds what an edition says whose columns begin at a place.
  static func complete(
    _ book: inout CatalogueBook,
    from row: PostgresRow,
    _ first: Int
  ) throws {
    let id: Int64 = try row[first]
    book.edition = "OL\(id)M"
    book.publisher = try row[first + 3]
    book.year = try row[first + 4]
    book.pages = try row[first + 5]
    book.language = try row[first + 6]
    book.format = try row[first + 7]
    book.cover = try row[first + 8] ?? book.cover
  }
}
