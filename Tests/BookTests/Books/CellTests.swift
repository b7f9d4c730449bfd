import Testing

@testable import Books

@Suite struct CellTests {
  /// The books of a file that is read again, with what its columns were seen to be.
  private static func books(
    _ text: String
  ) throws -> [(book: BookRecord, problems: [RowProblem])] {
    let bytes = Array(text.utf8)
    let survey = try ReadFile.bytes(bytes).file.survey
    var file = BookFile(encoding: .utf8, markBytes: 0, survey: survey)
    try file.feed(bytes)
    try file.finish()
    var books: [(BookRecord, [RowProblem])] = []
    while let row = try file.next() {
      guard case .book(let book, let problems) = row.content else { continue }
      books.append((book, problems))
    }
    return books
  }

  @Test(arguments: [
    ("2024-01-15", "2024-01-15"), ("2024/1/5", "2024-01-05"), ("[2007-05-08]", "2007-05-08"),
    ("2024.01.15", "2024-01-15"), ("2024-01-15 10:20:30", "2024-01-15"),
    ("2024-01-15T10:20:30Z", "2024-01-15"), ("2024-02", "2024-02"), ("2024", "2024"),
    ("15.01.2024", "2024-01-15"), ("3.4.2024", "2024-04-03"), ("1/15/2024", "2024-01-15"),
    ("15/1/2024", "2024-01-15"), ("4/4/2024", "2024-04-04"), ("Jan 15, 2024", "2024-01-15"),
    ("15 January 2024", "2024-01-15"), ("Sept 3 2021", "2021-09-03"), ("March 1999", "1999-03"),
    ("2024-02-29", "2024-02-29"),
  ])
  func `dates are read in every usual form`(cell: String, text: String) {
    guard case .date(let date) = BookDate.read(cell) else {
      Issue.record("\(cell) is \(BookDate.read(cell))")
      return
    }
    #expect(date.description == text)
  }

  @Test(arguments: [("45306", "2024-01-15"), ("36526", "2000-01-01"), ("25569", "1970-01-01")])
  func `the days of a spreadsheet are dates`(cell: String, text: String) {
    guard case .serial(let date) = BookDate.read(cell) else {
      Issue.record("\(cell) is \(BookDate.read(cell))")
      return
    }
    #expect(date.description == text)
  }

  @Test func `two numbers that may both be months are not guessed`() {
    #expect(BookDate.read("3/4/2024") == .ambiguous)
  }

  @Test(arguments: [
    ("3/15/24", "2024-03-15"), ("15.3.24", "2024-03-15"), ("15/3/69", "2069-03-15"),
    ("15/3/70", "1970-03-15"), ("15. März 2024", "2024-03-15"),
    ("15 de marzo de 2024", "2024-03-15"),
    ("1er août 2023", "2023-08-01"), ("juillet 2023", "2023-07"), ("3 maggio 2023", "2023-05-03"),
    ("5 Dez 2023", "2023-12-05"), ("12 mei 2021", "2021-05-12"),
  ])
  func `short years and months of other languages are read`(cell: String, text: String) {
    #expect(BookDate.read(cell) == BookDate.read(text))
    guard case .date(let date) = BookDate.read(cell) else {
      Issue.record("\(cell) is \(BookDate.read(cell))")
      return
    }
    #expect(date.description == text)
  }

  @Test func `dates are read by what their column shows`() throws {
    func dates(_ rows: String) throws -> [String] {
      try Self.books("Title,Author,Date Read,Date Added\n" + rows).map { book, _ in
        "\(book.finished?.description ?? "-") \(book.added?.description ?? "-")"
      }
    }
    // Month first, shown by one date; the other column follows.
    #expect(
      try dates("A,X,3/4/2024,5/6/2024\nB,X,3/15/2024,\n")
        == ["2024-03-04 2024-05-06", "2024-03-15 -"]
    )
    // Each column on its own.
    #expect(
      try dates("A,X,3/4/24,5/6/24\nB,X,3/15/24,16/6/24\n")
        == ["2024-03-04 2024-06-05", "2024-03-15 2024-06-16"]
    )
    // What contradicts itself, or shows nothing, is left out.
    #expect(
      try dates("A,X,3/4/2024,\nB,X,3/15/2024,\nC,X,15/3/2024,\n")
        == ["- -", "2024-03-15 -", "2024-03-15 -"]
    )
    #expect(try dates("A,X,3/4/2024,5/6/2024\n") == ["- -"])
  }

  @Test(arguments: [
    "yesterday", "2023-02-29", "13/13/2024", "2024-13-01", "2024-00-10", "99999", "12",
    "2024-01-15-16", "0024-01-01", "2024-01-", "١٢/١٣/٢٠٢٤", "15 Foo 2024", "99999999999999999999",
  ])
  func `what is not a date is unreadable`(cell: String) {
    #expect(BookDate.read(cell) == .unreadable)
  }

  @Test(arguments: ["", " ", "[]", "=\"\""])
  func `cells without a date are empty`(cell: String) {
    #expect(BookDate.read(cell) == .empty)
  }

  @Test(arguments: [
    ("5", 20), ("4.25", 17), ("3,5", 14), ("[4]", 16), ("0.25", 1), ("4.0", 16), ("3.9", 16),
  ])
  func `ratings are read in quarters of stars`(cell: String, quarters: Int) {
    #expect(RatingCell(cell) == .quarters(quarters))
  }

  @Test(arguments: [
    ("4/5", 16), ("8/10", 16), ("7,5 / 10", 15), ("80%", 16), ("80 %", 16), ("★★★★", 16),
    ("★★★☆☆", 12), ("⭐️⭐️", 8), ("***", 12), ("100/100", 20),
  ])
  func `a rating may say itself out of how many it is`(cell: String, quarters: Int) {
    #expect(RatingCell(cell) == .quarters(quarters))
    // Whatever the column is out of.
    #expect(RatingCell(cell, scale: 10) == .quarters(quarters))
  }

  @Test func `ratings are read by what their column shows`() throws {
    func ratings(_ cells: String..., header: String = "Title,Rating") throws -> [Int?] {
      let rows = cells.enumerated().map { "Book \($0.offset),\($0.element)\n" }.joined()
      return try Self.books(header + "\n" + rows).map(\.book.rating)
    }
    #expect(try ratings("4", "5", "0", "2.5") == [16, 20, nil, 10])
    #expect(try ratings("8", "9.5", "4", "4/5", "") == [16, 19, 8, 16, nil])
    #expect(try ratings("80", "95", "5") == [16, 19, 1])
    // Nothing is out of so many.
    #expect(try ratings("4", "999") == [16, nil])
    // A service that gives five stars gives no six.
    #expect(
      try ratings("6,read", "4,read", header: "Title,Star Rating,Read Status") == [nil, 16]
    )
  }

  @Test func `seconds since 1970 are dates where the whole column has them`() throws {
    func dates(_ cells: String...) throws -> [String] {
      let rows = cells.enumerated().map { "Book \($0.offset),\($0.element)\n" }.joined()
      return try Self.books("Title,Date Read\n" + rows).map { book, problems in
        let words = problems.map(\.code.rawValue).filter { $0.hasPrefix("date") }
        return ([book.finished?.description ?? "-"] + words).joined(separator: " ")
      }
    }
    #expect(
      try dates("1705312800", "", "951782399", "1705312800123") == [
        "2024-01-15 date_from_epoch", "-", "2000-02-28 date_from_epoch",
        "2024-01-15 date_from_epoch",
      ]
    )
    // Beside dates, a number is ambiguous.
    #expect(
      try dates("1705312800", "2024-01-15") == ["- date_unreadable", "2024-01-15"]
    )
    #expect(try dates("1705312") == ["- date_unreadable"])
  }

  @Test func `no rating is not the lowest rating`() {
    #expect(RatingCell("0") == .none)
    #expect(RatingCell("") == .none)
    #expect(RatingCell("0.0") == .none)
  }

  @Test(arguments: [
    "6", "5.25", "-1", "five", "4.x", "4.", "1.2.3", "6/5", "4/0", "4/", "/5", "101%", "★x", "9999",
  ])
  func `other ratings are unreadable`(cell: String) {
    #expect(RatingCell(cell) == .unreadable)
  }

  @Test func `ratings are written as they are read`() {
    for quarters in 1...20 {
      #expect(RatingCell(RatingCell.text(quarters: quarters)) == .quarters(quarters))
    }
  }

  @Test(arguments: [
    ("to-read", ReadingStatus.wanted), ("Want to Read", .wanted), ("currently-reading", .reading),
    ("READ", .read), ("did-not-finish", .abandoned), ("stopped-reading", .abandoned),
    ("already read", .read), ("paused", .paused), ("Wishlist", .wanted),
  ])
  func `the words of all services have a status`(word: String, status: ReadingStatus) {
    #expect(ReadingStatus(word: word) == status)
  }

  @Test func `a shelf of one's own is not a status`() {
    #expect(ReadingStatus(word: "beach books") == nil)
  }

  @Test func `what spreadsheets put around text is passed`() {
    #expect(CellText.plain("=\"0374538654\"") == "0374538654")
    #expect(CellText.plain("\u{FEFF} Title\u{A0}") == "Title")
    #expect(CellText.plain("'=1+1") == "=1+1")
    #expect(CellText.plain("'Tis") == "'Tis")
    #expect(CellText.withoutBrackets("[[2007-05-08]]") == "2007-05-08")
    #expect(CellText.onOneLine(" a\n b \t c ") == "a b c")
    #expect(CellText.paragraphs("a<br/>b<BR>c<br />d<i>e</i>") == "a\nb\nc\nd<i>e</i>")
  }

  @Test(arguments: [
    ("Author l-f", "author l f"), ("isbn_13", "isbn 13"), ("Owned?", "owned"),
    ("  Book   Title ", "book title"), ("ISBN/UID", "isbn/uid"), ("=\"Title\"", "title"),
  ])
  func `names of columns are compared without case and marks`(header: String, name: String) {
    #expect(BookColumn.name(of: header) == name)
  }

  @Test func `the series behind a title is taken off`() {
    let dune = SeriesTitle("Dune Messiah (Dune, #2)")
    #expect(dune == SeriesTitle(title: "Dune Messiah", series: "Dune", number: "2"))
    #expect(SeriesTitle("It (The Novel)") == SeriesTitle(title: "It (The Novel)"))
    #expect(SeriesTitle("(Dune, #2)") == SeriesTitle(title: "(Dune, #2)"))
    #expect(SeriesTitle("A (B #1-3)") == SeriesTitle(title: "A", series: "B", number: "1-3"))
    #expect(SeriesTitle("C (#hashtag)") == SeriesTitle(title: "C (#hashtag)"))
  }
}

extension SeriesTitle {
  fileprivate init(title: String, series: String? = nil, number: String? = nil) {
    self.init("")
    self.title = title
    self.series = series
    self.number = number
  }
}
