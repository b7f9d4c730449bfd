import Testing

@testable import Books

@Suite struct RowTests {
  /// What becomes of one row of a table with a title, an author, an ISBN and so on.
  static func word(
    _ row: String,
    header: String = "Title,Author,ISBN,ISBN13,Rating,Date Read,Pages"
  ) throws
    -> String
  {
    try ReadFile.text(header + "\n" + row + "\n").words.joined(separator: ", ")
  }

  @Test(arguments: [
    ("Dune,Herbert,0441013597,9780441013593,4,2020-01-01,500", "ok"),
    (",Herbert,0441013597,,,,", "failed title_missing"), ("Dune,,,,,,", "author_missing"),
    (",Herbert,0441013598,,,,", "failed title_missing"), (",,,,,,", "blank"),
    ("  , ,,,,,", "blank"),
    ("Dune,Herbert,0441013598,,,,", "isbn_checksum"),
    ("Dune,Herbert,,9.78044E+12,,,", "isbn_excel_damaged"),
    ("Dune,Herbert,,978044101359,,,", "isbn_length"),
    ("Dune,Herbert,,4006381333931,,,", "isbn_prefix"),
    ("Dune,Herbert,,9790060115615,,,", "isbn_music"),
    ("Dune,Herbert,0000000000,,,,", "isbn_placeholder"),
    ("Dune,Herbert,,0000000000000,,,", "isbn_placeholder"),
    ("Dune,Herbert,0000000000,9780441013593,,,", "isbn_placeholder"),
    ("Dune,Herbert,0441013597,9.78044E+12,,,", "isbn_broken_unused"),
    ("Dune,Herbert,441013597,,,,", "isbn_zeros_restored"),
    ("Dune,Herbert,,9.780441013593E+12,,,", "isbn_notation_repaired"),
    ("Dune,Herbert,B00K0OI42W,,,,", "isbn_ignored"),
    ("Dune,Herbert,0374538654,9780441013593,,,", "isbn_mismatch"),
    ("Dune,Herbert,,,6,,", "rating_unreadable"), ("Dune,Herbert,,,,3/4/2020,", "date_ambiguous"),
    ("Dune,Herbert,,,,soon,", "date_unreadable"), ("Dune,Herbert,,,,45306,", "date_from_serial"),
    ("Dune,Herbert,,,,,many", "number_unreadable"), ("Dune,Herbert,,,,,590 p.", "ok"),
    ("Dune,Herbert,,,,,,,", "ok"), ("Dune,Herbert,,,,,,x", "failed column_count"),
    ("Dune,Herbert", "ok"), ("\"The \"Best\" Book\",Herbert,,,,,", "quote_repaired"),
  ])
  func `each fault of a row has its word`(row: String, word: String) throws {
    #expect(try Self.word(row) == word)
  }

  @Test func `rows of a known service have all their columns`() throws {
    let header = "Book Id,Title,Author,Exclusive Shelf,My Review"
    #expect(try Self.word("1,Dune,Herbert,read", header: header) == "failed column_count")
    #expect(try Self.word("1,Dune,Herbert,read,", header: header) == "ok")
  }

  @Test func `books with the same placeholder are different books`() throws {
    let text = """
      Title,Author,ISBN
      One,A,0000000000
      Two,B,"=""0000000000""\"
      Three,C,000-00

      """
    var duplicates = FileDuplicates()
    for (row, book) in try ReadFile.text(text).books.enumerated() {
      #expect(book.isbn == nil)
      #expect(duplicates.add(book, row: row) == nil)
    }
  }

  @Test func `a title that is longer than any title fails`() throws {
    let title = String(repeating: "x", count: ImportLimits().titleBytes)
    #expect(try Self.word(title + ",A") == "ok")
    #expect(try Self.word(title + "x,A") == "failed title_too_long")
  }

  @Test func `a problem names column and value and stays short`() throws {
    let rows = try ReadFile.text("Title,ISBN\nDune,0441013598\n").rows
    guard case .book(let book, let problems) = rows[0].content else {
      Issue.record("the row failed")
      return
    }
    #expect(book.title == "Dune" && book.isbn == nil)
    #expect(book.isbnText == "0441013598")
    #expect(problems[0].column == "ISBN")
    #expect(problems[0].proposal == "9780441013593")
    #expect(problems[0].description == "ISBN: the check digit of the ISBN is wrong (0441013598)")
    let long = RowProblem(.titleTooLong, value: String(repeating: "y", count: 5_000))
    #expect(long.value.count == RowProblem.longestValue)
  }

  @Test func `generic authors are read in both orders`() throws {
    func authors(_ cell: String) throws -> [String] {
      try ReadFile.text("Title,Author\nX,\"\(cell)\"\n").books[0].authors
    }
    #expect(try authors("Herbert, Frank") == ["Frank Herbert"])
    #expect(try authors("Frank Herbert, Brian Herbert") == ["Frank Herbert", "Brian Herbert"])
    #expect(
      try authors("Herbert, Frank; Anderson, Kevin J.") == ["Frank Herbert", "Kevin J. Anderson"]
    )
  }

  @Test func `lists are cut at their limit with a warning`() throws {
    let shelves = (0..<100).map { "s\($0)" }.joined(separator: ", ")
    let result = try ReadFile.text("Title,Author,Tags\nX,Y,\"\(shelves)\"\n")
    #expect(result.words == ["list_too_long"])
    #expect(result.books[0].shelves.count == ImportLimits().listElements)
  }

  @Test func `counts always add up`() {
    var counts = ImportCounts()
    for outcome in RowReport.Outcome.allCases {
      counts.add(RowReport(row: 1, line: 1, outcome: outcome))
    }
    #expect(counts.rows == 5)
    #expect(counts.isBalanced)
  }

  @Test func `rows of one file that are the same book are found`() throws {
    var duplicates = FileDuplicates()
    func add(_ title: String, _ author: String, _ isbn: String?, row: Int) -> Int? {
      var book = BookRecord(title: title)
      book.authors = [author]
      book.isbn = isbn.flatMap { ISBN($0) }
      return duplicates.add(book, row: row)
    }
    #expect(add("Dune", "Frank Herbert", "9780441013593", row: 1) == nil)
    #expect(add("Dune: a novel", "Else", "0441013597", row: 2) == 1)
    #expect(add("DUNE", "Herbert, Frank", nil, row: 3) == 1)
    // Another edition is another book.
    #expect(add("Dune", "Frank Herbert", "9780374538651", row: 4) == nil)
    #expect(add("Kindred", "Octavia E. Butler", nil, row: 5) == nil)
    // The row without an ISBN takes the first ISBN that comes.
    #expect(add("Kindred", "Octavia E. Butler", "9780807083697", row: 6) == 5)
    #expect(add("Kindred (Beacon)", "Name", "9780807083697", row: 7) == 5)
    // A number that another title has makes no other book the same.
    #expect(add("Other", "Name", "9780807083697", row: 10) == nil)
    #expect(add("Other", "Name", nil, row: 11) == 10)
    #expect(add("Kindred", "Octavia E. Butler", "9781635575637", row: 8) == nil)
    #expect(add("Dune", "Someone Else", nil, row: 9) == nil)
  }

  @Test func `a newer row replaces what changes and keeps what it does not say`() {
    var stored = BookRecord(title: "Dune")
    stored.authors = ["Frank Herbert"]
    stored.status = .reading
    stored.review = "Good so far."
    stored.shelves = ["sci-fi"]
    var newer = BookRecord(title: "DUNE")
    newer.status = .read
    newer.rating = 20
    newer.shelves = ["sci-fi", "favourites"]
    newer.publisher = "Ace"
    let isChanged = stored.update(with: newer)
    #expect(isChanged)
    #expect(stored.title == "Dune")
    #expect(stored.status == .read)
    #expect(stored.rating == 20)
    #expect(stored.review == "Good so far.")
    #expect(stored.shelves == ["sci-fi", "favourites"])
    #expect(stored.publisher == "Ace")
    let again = stored.update(with: newer)
    #expect(!again)
    var other = BookRecord(title: "x")
    other.status = .wanted
    other.pages = 500
    let isCompleted = stored.complete(with: other)
    #expect(isCompleted)
    #expect(stored.status == .read)
    #expect(stored.pages == 500)
  }
}

@Suite struct FailedRowsTests {
  static let file = """
    Title,Author,ISBN
    ,Herbert,0441013597
    ,"King, Stephen",9780374538651
    "open,King,9780441013593,x
    Fine,Writer,9780441013593

    """

  static func table(_ bytes: [UInt8]) throws -> (FailedRows, ReadFile.Result) {
    let result = try ReadFile.bytes(bytes)
    var table = FailedRows(
      header: result.file.headerLine,
      delimiter: try #require(result.file.delimiter)
    )
    for row in result.rows {
      guard case .failed(let problems, _) = row.content else { continue }
      table.add(
        row: row.number,
        problem: problems[0].description,
        raw: row.raw,
        isBroken: [.quoteUnclosed, .rowTooLong].contains(problems[0].code)
      )
    }
    return (table, result)
  }

  @Test func `failed rows keep their bytes and say why`() throws {
    let (table, _) = try Self.table(Array(Self.file.utf8))
    let text = String(decoding: table.bytes, as: UTF8.self)
    #expect(
      text == "\u{FEFF}Import row,Import problem,Title,Author,ISBN\r\n"
        + "1,Title: there is no title,,Herbert,0441013597\r\n"
        + "2,Title: there is no title,,\"King, Stephen\",9780374538651\r\n"
        + "3,\"a quote opens a field and is never closed (\"\"open,King,9780441013593,x)\","
        + "\"\"\"open,King,9780441013593,x\"\r\n"
    )
  }

  @Test func `a header that a spreadsheet has quoted gets the two columns once`() {
    let header = Array("\"Import row\",\"Import problem\",\"Title\"".utf8)
    var table = FailedRows(header: header, delimiter: 0x2C)
    table.add(row: 4, problem: "why", raw: Array("\"1\",\"old\",\"Dune\"".utf8), isBroken: false)
    #expect(
      String(decoding: table.bytes, as: UTF8.self)
        == "\u{FEFF}\"Import row\",\"Import problem\",\"Title\"\r\n4,why,\"Dune\"\r\n"
    )
  }

  /// What a spreadsheet would run does not run, and an import reads it as it was.
  @Test func `cells of failed rows are not formulas`() throws {
    let file =
      "Author,Publisher,Title,ISBN,Bookshelves\r\n"
      + "\"=HYPERLINK(\"\"http://x\"\")\",+cmd|x,,0441013597,@SUM(A1)\r\n"
      + "-2+3,\"\t=1\",,9780374538651,-1.5\r\n"
      + "Herbert,'=kept,,\"=\"\"9780156001311\"\"\",\r\n"
    let (table, first) = try Self.table(Array(file.utf8))
    let rows = String(decoding: table.bytes, as: UTF8.self).split(
      separator: "\r\n",
      omittingEmptySubsequences: false
    )
    try #require(rows.count == 5)
    #expect(rows[1].hasSuffix("\"'=HYPERLINK(\"\"http://x\"\")\",'+cmd|x,,0441013597,'@SUM(A1)"))
    // A number is one, and so is the way in which Excel writes a text.
    #expect(rows[2].hasSuffix("'-2+3,\"'\t=1\",,9780374538651,-1.5"))
    #expect(rows[3].hasSuffix("Herbert,'=kept,,\"=\"\"9780156001311\"\"\","))
    // With titles, and imported again, the books are what they would have been.
    func books(_ text: String) throws -> [BookRecord] {
      try ReadFile.text(text.replacing(",,", with: ",Dune,")).books
    }
    let corrected = try books(String(decoding: table.bytes, as: UTF8.self))
    #expect(try corrected == books(file))
    #expect(corrected.map(\.title) == ["Dune", "Dune", "Dune"])
    #expect(corrected.map(\.publisher) == ["+cmd|x", "=1", "=kept"])
    #expect(corrected.first?.shelves == ["@SUM(A1)"])
    #expect(first.words.count == 3)
  }

  @Test func `imported again they fail the same way, and corrected they pass`() throws {
    let (table, first) = try Self.table(Array(Self.file.utf8))
    let again = try ReadFile.bytes(table.bytes)
    #expect(again.words.count == 3)
    #expect(again.words.prefix(2) == first.words.prefix(2))
    #expect(again.words.allSatisfy { $0.hasPrefix("failed") || $0 == "author_missing" } == true)
    let corrected = String(decoding: table.bytes, as: UTF8.self)
      .replacing(",,Herbert", with: ",Dune,Herbert")
      .replacing(",,\"King", with: ",\"It, the book\",\"King")
    let result = try ReadFile.text(corrected)
    #expect(result.words.prefix(2) == ["ok", "ok"])
    #expect(result.books[1].title == "It, the book")
    // A table of a table has the two columns once.
    let (second, _) = try Self.table(table.bytes)
    let header = String(decoding: second.bytes, as: UTF8.self).prefix { $0 != "\r\n" }
    #expect(header == "\u{FEFF}Import row,Import problem,Title,Author,ISBN")
    let rows = String(decoding: second.bytes, as: UTF8.self).split(separator: "\r\n")
    #expect(rows[1].hasSuffix(",,Herbert,0441013597"))
    #expect(rows[2].hasSuffix(",,\"King, Stephen\",9780374538651"))
  }
}
