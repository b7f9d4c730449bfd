import Foundation
import Testing

@testable import BookLibrary
@testable import Books

// What every library does, whichever database keeps it.
@Suite struct `Every library` {
  static func book(
    _ title: String,
    _ author: String = "",
    isbn: String? = nil,
    change: (inout BookRecord) -> Void = { _ in }
  ) -> BookRecord {
    var book = BookRecord(title: title)
    if !author.isEmpty { book.authors = [author] }
    book.isbn = isbn.flatMap { ISBN($0) }
    change(&book)
    return book
  }

  static func pending(
    _ number: Int,
    _ content: RowReader.Row,
    duplicateOf: Int? = nil
  ) -> PendingRow {
    let row = BookFile.Row(number: number, line: number + 1, content: content, raw: [0x61])
    return PendingRow(row: row, duplicateOf: duplicateOf)
  }

  static func file(_ job: String) -> ImportFile {
    ImportFile(job: job, name: "a.csv", source: .generic, encoding: .utf8)
  }

  static func store(
    _ books: [BookRecord],
    into library: any LibraryStore,
    job: String = "j1"
  ) async throws -> [RowReport.Outcome] {
    let rows = books.enumerated().map { pending($0 + 1, .book($1, [])) }
    return try await library.store(rows, of: file(job), isLast: true).map(\.outcome)
  }

  @Test(arguments: LibraryKind.allCases)
  func `a book comes back as it was stored`(
    kind: LibraryKind
  )
    async throws
  {
    let stage = try await LibraryStage(kind)
    let library = try stage.open()
    let book = Self.book("Dune", "Frank Herbert", isbn: "9780441013593") { book in
      book.authors.append("Brian Herbert")
      book.series = "Dune"
      book.seriesNumber = "1"
      book.publisher = "Ace"
      book.format = "Paperback"
      book.pages = 600
      book.year = 2005
      book.firstYear = -800
      book.language = "English"
      book.status = .abandoned
      book.rating = 17
      book.started = BookDate(year: 2020)
      book.finished = BookDate(year: 2020, month: 2)
      book.readings = [
        ReadingPeriod(started: BookDate(year: 2019), finished: nil),
        ReadingPeriod(started: BookDate(year: 2020), finished: BookDate(year: 2020, month: 2)),
      ]
      book.added = BookDate(year: 2020, month: 2, day: 29)
      book.shelves = ["a", "b, c"]
      book.review = "two\nlines"
      book.notes = "n"
      book.readCount = 0
      book.owned = 2
      book.entry = "7"
      book.openLibrary = "OL1M"
    }
    #expect(try await Self.store([book], into: library) == [.imported])
    let stored = try await library.books()
    #expect(stored.map(\.record) == [book])
    // Another process sees the same.
    let again = try stage.open()
    #expect(try await again.book(isbn: #require(book.isbn))?.record == book)
  }

  @Test(arguments: LibraryKind.allCases)
  func `rows become imported, updated or duplicates by number, else by title and author`(
    kind: LibraryKind
  )
    async throws
  {
    let library = try await LibraryStage(kind).open()
    let dune = Self.book("Dune", "Frank Herbert", isbn: "9780441013593")
    #expect(try await Self.store([dune], into: library) == [.imported])
    let outcomes = try await Self.store(
      [
        dune, Self.book("The DUNE", "Herbert, Frank"),
        Self.book("Dune: a novel", "x", isbn: "0441013597") { $0.rating = 20 },
        Self.book("Dune", "Frank Herbert", isbn: "9780374538651"), Self.book("Dune", "Somebody"),
      ],
      into: library,
      job: "j2"
    )
    #expect(outcomes == [.duplicate, .duplicate, .updated, .imported, .imported])
    // A book without a number takes the one of the next row.
    #expect(
      try await Self.store([Self.book("Emma", "Jane Austen")], into: library, job: "j3") == [
        .imported
      ]
    )
    let emma = Self.book("Emma", "Jane Austen", isbn: "9780141439587")
    #expect(try await Self.store([emma], into: library, job: "j4") == [.updated])
    #expect(try await library.book(isbn: #require(emma.isbn))?.record.title == "Emma")
    #expect(try await library.count() == 4)
  }

  @Test(arguments: LibraryKind.allCases)
  func `a batch that is stored again is not stored twice`(
    kind: LibraryKind
  )
    async throws
  {
    let library = try await LibraryStage(kind).open()
    let problem = RowProblem(.isbnChecksum, column: "ISBN", value: "12 \"x\"\u{1}é")
    let rows = [
      Self.pending(1, .book(Self.book("A"), [])), Self.pending(2, .blank),
      Self.pending(3, .failed([problem], title: "B")),
      Self.pending(4, .book(Self.book("A"), []), duplicateOf: 1),
    ]
    let first = try await library.store(Array(rows[..<2]), of: Self.file("j"), isLast: false)
    let second = try await library.store(rows, of: Self.file("j"), isLast: true)
    let third = try await library.store(rows, of: Self.file("j"), isLast: true)
    #expect(first.map(\.row) == [1, 2])
    #expect(second.map(\.row) == [3, 4])
    #expect(third.isEmpty)
    let state = try await library.state(of: "j")
    #expect(state.rowsDone == 4)
    #expect(state.isFinished)
    #expect(state.counts.isBalanced)
    #expect(state.counts.imported == 1 && state.counts.duplicates == 1 && state.counts.failed == 1)
    #expect(try await library.reports(of: "j", from: 1) == first + second)
    #expect(try await library.reports(of: "j", from: 3, limit: 1).map(\.problems) == [[problem]])
    #expect(try await library.reports(of: "j", from: 3, limit: 1).first?.raw == [0x61])
    #expect(try await library.count() == 1)
  }

  @Test(arguments: LibraryKind.allCases)
  func `an earlier row of the file takes what a later one adds`(
    kind: LibraryKind
  )
    async throws
  {
    let library = try await LibraryStage(kind).open()
    let taken = Self.book("Other", "x", isbn: "9780374538651")
    _ = try await Self.store([taken], into: library, job: "j0")
    let rows = [
      Self.pending(1, .book(Self.book("A", "B"), [])),
      Self.pending(
        2,
        .book(Self.book("A", "B", isbn: "9780441013593") { $0.pages = 9 }, []),
        duplicateOf: 1
      ),
    ]
    _ = try await library.store(rows, of: Self.file("j"), isLast: true)
    let stored = try await library.book(isbn: #require(ISBN("9780441013593")))
    #expect(stored?.record.pages == 9)
    // A number that another book has is left where it is.
    let clash = [
      Self.pending(1, .book(Self.book("C", "D"), [])),
      Self.pending(2, .book(Self.book("C", "D", isbn: "9780374538651"), []), duplicateOf: 1),
    ]
    let reports = try await library.store(clash, of: Self.file("k"), isLast: true)
    #expect(reports.map(\.outcome) == [.imported, .duplicate])
    #expect(try await library.book(isbn: #require(taken.isbn))?.record.title == "Other")
  }

  @Test(arguments: LibraryKind.allCases)
  func `an export is read by an import as the same books`(
    kind: LibraryKind
  )
    async throws
  {
    let library = try await LibraryStage(kind).open()
    var books = (0..<2_300).map { number in
      Self.book("Title \(number)", "Ann \"A\" O'Neil") { book in
        book.rating = number % 20 + 1
        book.status = ReadingStatus.allCases[number % 5]
        book.shelves = number % 2 == 0 ? ["one", "two"] : []
      }
    }
    books[0].title = "=HYPERLINK(\"x\")"
    books[1].review = "a\nb, \"c\""
    books[2].series = "S"
    books[2].seriesNumber = "2"
    books[3].series = "Alone"
    for start in stride(from: 0, to: books.count, by: LibraryLimits.batchRows) {
      let rows = books[start..<min(start + LibraryLimits.batchRows, books.count)].enumerated()
        .map { Self.pending(start + $0 + 1, .book($1, [])) }
      _ = try await library.store(rows, of: Self.file("j"), isLast: false)
    }
    var bytes: [UInt8] = []
    var counts: [Int] = []
    try await library.export {
      bytes += $0
      counts.append($1)
    }
    #expect(counts.last == books.count)
    #expect(counts == counts.sorted())
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains("\"'=HYPERLINK(\"\"x\"\")\""))
    var file = BookFile(encoding: .utf8, markBytes: 0)
    try file.feed(bytes)
    try file.finish()
    var read: [BookRecord] = []
    while let row = try file.next() {
      guard case .book(let book, let warnings) = row.content else {
        Issue.record("row \(row.number) is no book")
        continue
      }
      #expect(warnings.isEmpty)
      read.append(book)
    }
    #expect(read == books)
  }

  @Test(arguments: LibraryKind.allCases)
  func `books are found by words and read page by page`(
    kind: LibraryKind
  )
    async throws
  {
    let library = try await LibraryStage(kind).open()
    let books = [
      Self.book("Les Misérables", "Victor Hugo"), Self.book("Dune", "Frank Herbert"),
      Self.book("Dune Messiah", "Frank Herbert"),
    ]
    _ = try await Self.store(books, into: library)
    #expect(try await library.books(matching: "miserables HUGO").map(\.id) == [1])
    #expect(try await library.books(matching: "herb").map(\.id) == [2, 3])
    #expect(try await library.books(matching: "une").isEmpty)
    #expect(try await library.books(after: 1, limit: 1).map(\.id) == [2])
    #expect(try await library.books(matching: "'; DROP TABLE books; --").isEmpty)
    #expect(try await library.count() == 3)
  }

  @Test(arguments: LibraryKind.allCases)
  func `any text comes back, however long it is`(kind: LibraryKind) async throws {
    let library = try await LibraryStage(kind).open()
    let long = String(repeating: "é\u{1}\"\\", count: 3_000)
    let book = Self.book(String(repeating: "Title ", count: 330), long) { book in
      (book.review, book.entry, book.shelves) = (long, long, [long])
    }
    var file = Self.file("j")
    (file.name, file.scope, file.entries) = (long, "goodreads", [long])
    let rows = [Self.pending(1, .book(book, [RowProblem(.isbnChecksum, value: long)]))]
    let reports = try await library.store(rows, of: file, isLast: true)
    #expect(reports.map(\.outcome) == [.imported])
    #expect(try await library.books().map(\.record) == [book])
    #expect(try await library.reports(of: "j", from: 1) == reports)
    var later = file
    later.job = "k"
    let again = try await library.store(rows, of: later, isLast: true)
    #expect(again.map(\.outcome) == [.duplicate])
    #expect(try await library.imports() == ["j", "k"])
    try await library.forget("j")
    #expect(try await library.imports() == ["k"])
    #expect(try await library.reports(of: "j", from: 1).isEmpty)
    #expect(try await library.count() == 1)
  }

  @Test(arguments: LibraryKind.allCases)
  func `owners have nothing in common`(kind: LibraryKind) async throws {
    let stage = try await LibraryStage(kind)
    let (ann, ben) = (try stage.open(owner: "ann"), try stage.open(owner: "ben"))
    let book = Self.book("Dune", "Frank Herbert", isbn: "9780441013593")
    #expect(try await Self.store([book], into: ann) == [.imported])
    #expect(try await ben.count() == 0)
    #expect(try await ben.book(isbn: #require(book.isbn)) == nil)
    #expect(try await ben.state(of: "j1").rowsDone == 0)
    #expect(try await ben.restore(1) == nil)
    #expect(try await Self.store([book], into: ben) == [.imported])
    try await ben.forget("j1")
    #expect(try await ann.imports() == ["j1"])
    #expect(try await ann.books().map(\.id) == [1])
    #expect(try await ben.books().map(\.id) == [1])
  }

  @Test(arguments: LibraryKind.allCases)
  func `numbers that books exchange within a batch end where they belong`(
    kind: LibraryKind
  )
    async throws
  {
    let library = try await LibraryStage(kind).open()
    func books(_ numbers: [String?]) -> [PendingRow] {
      numbers.enumerated().map { place, isbn in
        let book = Self.book("Book \(place)", "A", isbn: isbn) { $0.entry = "\(place)" }
        return Self.pending(place + 1, .book(book, []))
      }
    }
    var file = Self.file("j1")
    (file.scope, file.entries) = ("goodreads", ["0", "1", "2"])
    let (dune, emma) = ("9780441013593", "9780141439587")
    _ = try await library.store(books([dune, emma, nil]), of: file, isLast: true)
    file.job = "j2"
    // The first gives its number up, the third takes it.
    let reports = try await library.store(books([nil, dune, dune]), of: file, isLast: true)
    #expect(reports.map(\.outcome) == [.updated, .updated, .duplicate])
    let numbers = try await library.books().map { $0.record.isbn?.description }
    #expect(numbers == [nil, dune, nil])
  }

  @Test func `a name of an owner is short and plain`() throws {
    for name in [
      "default", "a", "Team-7", "ann.b_c@example.org", String(repeating: "x", count: 200),
    ] {
      #expect(try LibraryOwner(name).name == name)
    }
    let wrong = [
      "", "-a", "a b", "ä", "a\0", "a'b", "a/b", ".", String(repeating: "x", count: 201),
    ]
    for name in wrong { #expect(throws: LibraryOwner.Invalid.self) { try LibraryOwner(name) } }
  }
}
