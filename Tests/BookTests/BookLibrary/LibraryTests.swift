import Foundation
import GRDB
import Testing

@testable import BookLibrary
@testable import Books

@Suite struct LibraryTests {
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
  ) -> Library.PendingRow {
    let row = BookFile.Row(number: number, line: number + 1, content: content, raw: [0x61])
    return Library.PendingRow(row: row, duplicateOf: duplicateOf)
  }

  static func file(_ job: String) -> Library.ImportFile {
    Library.ImportFile(job: job, name: "a.csv", source: .generic, encoding: .utf8)
  }

  static func store(
    _ books: [BookRecord],
    into library: Library,
    job: String = "j1"
  ) async throws -> [RowReport.Outcome] {
    let rows = books.enumerated().map { pending($0 + 1, .book($1, [])) }
    return try await library.store(rows, of: file(job), isLast: true).map(\.outcome)
  }

  @Test func `a book comes back as it was stored`() async throws {
    let folder = try TestFolder()
    let library = try Library(path: folder.path + "/l.sqlite")
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
    let again = try Library(path: folder.path + "/l.sqlite")
    #expect(try await again.book(isbn: #require(book.isbn))?.record == book)
  }

  @Test func `a library of the first version gets the keys of this one`() async throws {
    let folder = try TestFolder()
    let path = folder.path + "/l.sqlite"
    let books = [Self.book("Οδύσσεια", "Όμηρος"), Self.book("Nought", isbn: "9780441013593")]
    #expect(try await Self.store(books, into: try Library(path: path)) == [.imported, .imported])
    let queue = try DatabaseQueue(path: path)
    try await queue.write { database in
      try database.execute(
        sql: """
          UPDATE books SET title_key = 'οδύσσεια', author_key = 'όμηρος' WHERE id = 1;
          UPDATE books SET isbn = '9780000000002' WHERE id = 2;
          PRAGMA user_version = 1;
          """
      )
    }
    try queue.close()
    let library = try Library(path: path)
    let again = [
      Self.book("ΟΔΥΣΣΕΙΑ", "ΟΜΗΡΟΣ"), Self.book("Nought", isbn: "9780441013593"),
    ]
    #expect(try await Self.store(again, into: library, job: "j2") == [.duplicate, .updated])
    #expect(try await library.count() == 2)
    let version = try await library.pool.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    #expect(version == LibrarySchema.version)
  }

  @Test func `rows become imported, updated or duplicates by number, else by title and author`()
    async throws
  {
    let folder = try TestFolder()
    let library = try Library(path: folder.path + "/l.sqlite")
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

  @Test func `a batch that is stored again is not stored twice`() async throws {
    let folder = try TestFolder()
    let library = try Library(path: folder.path + "/l.sqlite")
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

  @Test func `an earlier row of the file takes what a later one adds`() async throws {
    let folder = try TestFolder()
    let library = try Library(path: folder.path + "/l.sqlite")
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

  @Test func `an export is read by an import as the same books`() async throws {
    let folder = try TestFolder()
    let library = try Library(path: folder.path + "/l.sqlite")
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
    for start in stride(from: 0, to: books.count, by: Library.mostRows) {
      let rows = books[start..<min(start + Library.mostRows, books.count)].enumerated()
        .map { Self.pending(start + $0 + 1, .book($1, [])) }
      _ = try await library.store(rows, of: Self.file("j"), isLast: false)
    }
    var bytes: [UInt8] = []
    try await library.export { bytes += $0 }
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

  @Test func `books are found by words and read page by page`() async throws {
    let folder = try TestFolder()
    let library = try Library(path: folder.path + "/l.sqlite")
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

  @Test func `a person who opens the file finds plain names`() async throws {
    let folder = try TestFolder()
    let path = folder.path + "/l.sqlite"
    let library = try Library(path: path)
    let book = Self.book("Dune", "Frank Herbert") { book in
      book.authors.append("B")
      book.rating = 18
      book.shelves = ["x", "y"]
    }
    _ = try await Self.store([book], into: library)
    let problem = RowProblem(.titleMissing, column: "Title")
    _ = try await library.store(
      [Self.pending(1, .failed([problem], title: ""))],
      of: Self.file("k"),
      isLast: true
    )
    let queue = try DatabaseQueue(path: path)
    let shown = try queue.read { database in
      try Row.fetchOne(database, sql: "SELECT title, authors, rating, shelves FROM library")
    }
    let failed = try await queue.read { database in
      try String.fetchOne(database, sql: "SELECT text FROM failed_rows")
    }
    #expect(shown?["authors"] == "Frank Herbert; B")
    #expect(shown?["rating"] == 4.5)
    #expect(shown?["shelves"] == "x; y")
    #expect(failed == "a")
  }

  @Test func `other files are left alone`() async throws {
    let folder = try TestFolder()
    let other = folder.path + "/other.sqlite"
    try await DatabaseQueue(path: other).write { try $0.execute(sql: "CREATE TABLE notes (text)") }
    let error = #expect(throws: LibraryError.self) { try Library(path: other) }
    #expect(error?.code == .otherFile)
    let text = try folder.file("text.sqlite", Array("this is not a database, only text".utf8))
    #expect(throws: LibraryError.self) { try Library(path: text) }
    #expect(throws: LibraryError.self) { try Library(path: folder.path + "/none/l.sqlite") }
    let newer = folder.path + "/newer.sqlite"
    _ = try Library(path: newer)
    try await DatabaseQueue(path: newer).write { try $0.execute(sql: "PRAGMA user_version = 99") }
    let version = #expect(throws: LibraryError.self) { try Library(path: newer) }
    #expect(version?.description.contains("newer version") == true)
  }
}
