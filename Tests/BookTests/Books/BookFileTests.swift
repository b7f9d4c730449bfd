import Testing

@testable import Books

/// Reads whole files for tests.
enum ReadFile {
  struct Result {
    var file: BookFile
    var rows: [BookFile.Row]

    var books: [BookRecord] {
      rows.compactMap { row in if case .book(let book, _) = row.content { book } else { nil } }
    }
    /// The codes of each row: `blank`, `ok`, warnings or errors.
    var words: [String] {
      rows.map { row in
        switch row.content {
        case .blank: "blank"
        case .book(_, let warnings):
          warnings.isEmpty ? "ok" : warnings.map(\.code.rawValue).joined(separator: " ")
        case .failed(let problems, _): "failed " + problems[0].code.rawValue
        }
      }
    }
  }

  static func bytes(
    _ bytes: [UInt8],
    piece: Int = .max,
    mapping: [String: BookColumn] = [:],
    limits: ImportLimits = ImportLimits()
  ) throws(ImportFileError) -> Result {
    var survey = EncodingSurvey()
    survey.feed(bytes)
    let (encoding, mark) = try survey.finish()
    var file = BookFile(encoding: encoding, markBytes: mark, mapping: mapping, limits: limits)
    var rows: [BookFile.Row] = []
    var start = 0
    while start < bytes.count {
      let end = start + min(piece, bytes.count - start)
      try file.feed(bytes[start..<end])
      while let row = try file.next() { rows.append(row) }
      start = end
    }
    try file.finish()
    while let row = try file.next() { rows.append(row) }
    return Result(file: file, rows: rows)
  }

  static func text(
    _ text: String,
    mapping: [String: BookColumn] = [:],
    limits: ImportLimits = ImportLimits()
  ) throws(ImportFileError) -> Result {
    try bytes(Array(text.utf8), mapping: mapping, limits: limits)
  }
}

@Suite struct BookFileTests {
  static let goodreads = """
    Book Id,Title,Author,Author l-f,Additional Authors,ISBN,ISBN13,My Rating,Average Rating,Publisher,\
    Binding,Number of Pages,Year Published,Original Publication Year,Date Read,Date Added,Bookshelves,\
    Bookshelves with positions,Exclusive Shelf,My Review,Spoiler,Private Notes,Read Count,Owned Copies

    """

  @Test func `a row of Goodreads is read whole`() throws {
    let row = #"""
      44767458,"Dune (Dune, #1)",Frank Herbert,"Herbert, Frank","Brian Herbert, Kevin J. Anderson",\#
      "=""0441013597""","=""9780441013593""",4,4.26,Ace,Paperback,688,2006,1965,2021/11/05,2021/10/22,\#
      "sci-fi, to-read","sci-fi (#1), to-read (#7)",read,"Great.<br/>Read it ""again"".
      And again.",,note,2,1

      """#
    let result = try ReadFile.text(Self.goodreads + row)
    #expect(result.words == ["ok"])
    #expect(result.file.map?.source == .goodreads)
    let book = try #require(result.books.first)
    #expect(book.title == "Dune")
    #expect(book.series == "Dune")
    #expect(book.seriesNumber == "1")
    #expect(book.authors == ["Frank Herbert", "Brian Herbert", "Kevin J. Anderson"])
    #expect(book.isbn?.description == "9780441013593")
    #expect(book.rating == 16)
    #expect(book.publisher == "Ace")
    #expect(book.format == "Paperback")
    #expect(book.pages == 688)
    #expect(book.year == 2006)
    #expect(book.firstYear == 1965)
    #expect(book.finished?.description == "2021-11-05")
    #expect(book.added?.description == "2021-10-22")
    #expect(book.status == .read)
    #expect(book.shelves == ["sci-fi"])
    #expect(book.review == "Great.\nRead it \"again\".\nAnd again.")
    #expect(book.notes == "note")
    #expect(book.readCount == 2)
    #expect(book.owned == 1)
    #expect(book.entry == "44767458")
  }

  @Test func `a row of StoryGraph is read whole`() throws {
    let result = try ReadFile.text(
      """
      Title,Authors,Contributors,ISBN/UID,Format,Read Status,Date Added,Last Date Read,Dates Read,\
      Read Count,Moods,Star Rating,Review,Tags,Owned?
      Piranesi,"Susanna Clarke, Other Person",,9781635575637,hardcover,did-not-finish,2021/01/02,,\
      "2021/02/01-2021/02/09, 2021/03/01-2021/03/05",2,dark,4.25,,"magic, houses",Yes
      Old Thing,Someone,,9d0b43c8-0c7a-4f6a,digital,to-read,2021/01/02,,,0,,,,,No

      """
    )
    #expect(result.words == ["ok", "ok"])
    #expect(result.file.map?.source == .storyGraph)
    let book = result.books[0]
    #expect(book.authors == ["Susanna Clarke", "Other Person"])
    #expect(book.isbn?.description == "9781635575637")
    #expect(book.status == .abandoned)
    #expect(book.started?.description == "2021-03-01")
    #expect(book.finished?.description == "2021-03-05")
    #expect(
      book.readings.map(\.description) == ["2021-02-01/2021-02-09", "2021-03-01/2021-03-05"]
    )
    #expect(book.rating == 17)
    #expect(book.owned == 1)
    #expect(book.shelves == ["magic", "houses"])
    #expect(result.books[1].isbn == nil)
    #expect(result.books[1].entry == "9d0b43c8-0c7a-4f6a")
    #expect(result.books[1].owned == 0)
  }

  @Test(
    arguments: [
      ("2021/02/01-2021/02/09", "2021-02-01 2021-02-09", []),
      (
        "2021/02/01-2021/02/09, 2022/01/01", "- 2022-01-01",
        ["2021-02-01/2021-02-09", "/2022-01-01"]
      ),
      ("2019, 2020/05, 2021/06/07", "- 2021-06-07", ["/2019", "/2020-05", "/2021-06-07"]),
      ("soon, 2021/02/01-2021/02/09", "2021-02-01 2021-02-09", []), ("", "- -", []),
    ] as [(String, String, [String])]
  )
  func `all times in which a book was read are kept`(
    cell: String,
    last: String,
    all: [String]
  ) throws {
    let result = try ReadFile.text(
      "Title,Authors,ISBN/UID,Read Status,Dates Read\nPiranesi,Susanna Clarke,,read,\"\(cell)\"\n"
    )
    let book = result.books[0]
    let dates = [book.started, book.finished].map { $0?.description ?? "-" }
    #expect(dates.joined(separator: " ") == last)
    #expect(book.readings.map(\.description) == all)
    #expect(ReadingPeriod.list(ReadingPeriod.text(book.readings)) == book.readings)
    #expect(result.words == [cell.hasPrefix("soon") ? "date_unreadable" : "ok"])
  }

  @Test func `a number of StoryGraph that is not an ISBN is its own`() throws {
    let result = try ReadFile.text(
      """
      Title,Authors,ISBN/UID,Read Status,Star Rating
      Piranesi,Susanna Clarke,38549081,read,4
      Emma,Jane Austen,9780141439588,read,4
      Ruby,Cynthia Bond,80442957X,read,4

      """
    )
    #expect(result.words == ["ok", "isbn_checksum", "isbn_zeros_restored"])
    #expect(result.books.map(\.entry) == ["38549081", nil, nil])
    #expect(result.books.map(\.isbn) == [nil, nil, ISBN("9780804429573")])
  }

  @Test func `a row of LibraryThing is read whole`() throws {
    let result = try ReadFile.text(
      "Book Id\tTitle\tSort Character\tPrimary Author\tSecondary Author\tPublication\tDate\tReview\t"
        + "Rating\tPage Count\tDate Started\tDate Read\tTags\tCollections\tLanguages\tISBN\tISBNs\t"
        + "Entry Date\tCopies\n"
        + "101\tLe Petit Prince\t1\tSaint-Exupéry, Antoine de\tDoe, Jane|Roe, Rick\tParis : Gallimard\t"
        + "1999\t\t4.5\t96 \t[2007-05-01]\t[2007-05-08]\tclassic,french\tYour library, To read\tFrench\t"
        + "[2070408507]\t2070408507, 9782070408504\t[2007-04-01]\t1\n"
    )
    #expect(result.words == ["ok"])
    #expect(result.file.map?.source == .libraryThing)
    #expect(result.file.delimiter == 0x09)
    let book = result.books[0]
    #expect(book.authors == ["Antoine de Saint-Exupéry", "Jane Doe", "Rick Roe"])
    #expect(book.isbn?.isbn10 == "2070408507")
    #expect(book.pages == 96)
    #expect(book.year == 1999)
    #expect(book.rating == 18)
    #expect(book.started?.description == "2007-05-01")
    #expect(book.finished?.description == "2007-05-08")
    #expect(book.added?.description == "2007-04-01")
    #expect(book.shelves == ["classic", "french", "Your library"])
    #expect(book.status == .wanted)
  }

  @Test func `a row of BookWyrm is read whole`() throws {
    let result = try ReadFile.text(
      """
      title,author_text,remote_id,openlibrary_key,isbn_10,isbn_13,start_date,finish_date,stopped_date,\
      rating,review_name,review_content,shelf,shelf_name,shelf_date
      Kindred,"Octavia E. Butler, Someone Else",https://bookwyrm.example/book/7,OL1M,0807083690,\
      9780807083697,2022-01-01,2022-01-09,,4.5,,Strong.,read,Read,2022-01-10

      """
    )
    #expect(result.words == ["ok"])
    #expect(result.file.map?.source == .bookWyrm)
    let book = result.books[0]
    #expect(book.authors == ["Octavia E. Butler", "Someone Else"])
    #expect(book.isbn?.description == "9780807083697")
    #expect(book.status == .read)
    #expect(book.rating == 18)
    #expect(book.openLibrary == "OL1M")
    #expect(book.entry == "https://bookwyrm.example/book/7")
    #expect(book.added?.description == "2022-01-10")
  }

  @Test(arguments: [",", ";", "\t", "|"])
  func `the delimiter is found`(delimiter: String) throws {
    let lines = ["Title*Author*ISBN", "Dune*Herbert, Frank*9780441013593"]
    let text = lines.joined(separator: "\n").replacing("*", with: delimiter)
    let plain = delimiter == "," ? text.replacing("Herbert, Frank", with: "Herbert") : text
    let result = try ReadFile.text(plain)
    #expect(result.file.delimiter == delimiter.utf8.first)
    #expect(result.books[0].isbn?.description == "9780441013593")
    if delimiter != "," { #expect(result.books[0].authors == ["Frank Herbert"]) }
  }

  @Test func `Excel's line before the header names the delimiter, and lines keep their numbers`()
    throws
  {
    let result = try ReadFile.text("sep=;\r\n\r\nTitle;Author\r\nDune;Herbert\r\n;;\r\nIt;King\r\n")
    #expect(result.file.delimiter == 0x3B)
    #expect(result.rows.map(\.line) == [4, 5, 6])
    #expect(result.rows.map(\.number) == [1, 2, 3])
    #expect(result.words == ["ok", "blank", "ok"])
  }

  @Test func `every split of a file gives the same rows`() throws {
    let text =
      "\u{FEFF}" + Self.goodreads
      + "1,Dune,Frank Herbert,,,\"=\"\"0441013597\"\"\",\"=\"\"\"\"\",4,,,,,,,,,,,read,\"a\r\nb\",,,,\r\n"
      + "\r\n2,\"open,x\r\n3,É,Y,,,,9780441013593,0,,,,,,,,,,,to-read,,,,,"
    let bytes = Array(text.utf8)
    let whole = try ReadFile.bytes(bytes)
    #expect(whole.words == ["ok", "blank", "failed quote_unclosed", "ok"])
    for piece in 1...80 {
      let other = try ReadFile.bytes(bytes, piece: piece)
      #expect(other.words == whole.words)
      #expect(other.rows.map(\.line) == whole.rows.map(\.line))
      #expect(other.rows.map(\.raw) == whole.rows.map(\.raw))
      #expect(other.books == whole.books)
    }
  }

  @Test(arguments: [
    ("", ImportFileError.Code.empty), ("\n\n  \n", .empty), ("Title,Author\n", .noRows),
    ("foo,bar\n1,2\n", .unknownHeader), ("Author,Rating\nX,4\n", .unknownHeader),
  ])
  func `files that are not lists of books are refused`(text: String, code: ImportFileError.Code) {
    let error = #expect(throws: ImportFileError.self) { try ReadFile.text(text) }
    #expect(error?.code == code)
  }

  @Test func `limits hold to the row and the byte`() throws {
    var limits = ImportLimits()
    limits.rows = 3
    let text = "Title\na\nb\nc\n"
    #expect(try ReadFile.text(text, limits: limits).rows.count == 3)
    let rows = #expect(throws: ImportFileError.self) {
      try ReadFile.text(text + "d\n", limits: limits)
    }
    #expect(rows?.code == .tooManyRows)
    limits.fileBytes = text.utf8.count
    #expect(try ReadFile.text(text, limits: limits).rows.count == 3)
    limits.fileBytes -= 1
    let bytes = #expect(throws: ImportFileError.self) { try ReadFile.text(text, limits: limits) }
    #expect(bytes?.code == .tooLarge)
    let header = String(repeating: "x", count: TableStart.longestHeader + 1)
    let long = #expect(throws: ImportFileError.self) { try ReadFile.text(header) }
    #expect(long?.code == .unknownHeader)
  }

  @Test func `a mapping by hand names unknown columns`() throws {
    let text = "Buch;Verfasser;Nummer\nDune;Frank Herbert;9780441013593\n"
    let refused = #expect(throws: ImportFileError.self) { try ReadFile.text(text) }
    #expect(refused?.code == .unknownHeader)
    let mapping: [String: BookColumn] = ["Buch": .title, "verfasser": .author, "Nummer": .isbn]
    // Nothing of the header is known before the mapping, so the delimiter with most fields counts.
    let book = try ReadFile.text(text, mapping: mapping).books[0]
    #expect(book.title == "Dune")
    #expect(book.isbn != nil)
    let unknown = #expect(throws: ImportFileError.self) {
      try ReadFile.text(text, mapping: ["Titel": .title])
    }
    #expect(unknown?.code == .unknownColumn)
    #expect(unknown?.description.contains("\"Titel\"") == true)
  }

  @Test func `a list of ISBNs alone is a list of books`() throws {
    let result = try ReadFile.text("isbn\n9780441013593\n\n0441013598\n")
    #expect(result.words == ["ok", "blank", "failed isbn_checksum"])
  }
}
