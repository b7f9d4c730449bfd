import Testing

@testable import Books

@Suite struct FileDuplicateTests {
  private func book(_ isbn: String?) -> BookRecord {
    var book = BookRecord(title: "Ed")
    book.authors = ["Au"]
    book.isbn = isbn.flatMap { ISBN($0) }
    return book
  }

  @Test func `a row whose book the library knows by a number stands for no other one`() {
    let (stored, other) = ("9780441013593", "9780261103573")
    var duplicates = FileDuplicates()
    #expect(duplicates.add(book(nil), row: 1) == nil)
    #expect(duplicates.needsKnownISBN(for: book(other)))
    #expect(duplicates.add(book(other), row: 2, knownISBN: ISBN(stored)) == nil)
    #expect(!duplicates.needsKnownISBN(for: book(other)))
    #expect(duplicates.add(book(other), row: 3) == 2)
    #expect(duplicates.add(book(stored), row: 4) == 1)
    #expect(duplicates.add(book(nil), row: 5) == 1)
  }

  @Test func `entries of a service are books of their own, and one entry is one book`() {
    var duplicates = FileDuplicates()
    #expect(duplicates.add(book(nil), entry: "1", row: 1) == nil)
    #expect(duplicates.add(book(nil), entry: "2", row: 2) == nil)
    #expect(duplicates.add(book("9780441013593"), entry: "3", row: 3) == nil)
    #expect(duplicates.add(book("9780441013593"), entry: "4", row: 4) == 3)
    #expect(duplicates.add(BookRecord(title: "Anything"), entry: "2", row: 5) == 2)
    #expect(duplicates.add(book(nil), row: 6) == 1)
  }

  @Test func `books of different series are different books`() {
    var duplicates = FileDuplicates()
    func add(_ text: String, row: Int) -> Int? {
      let parts = SeriesTitle(text)
      var book = BookRecord(title: parts.title)
      book.authors = ["Sarah J. Maas"]
      (book.series, book.seriesNumber) = (parts.series, parts.number)
      return duplicates.add(book, row: row)
    }
    #expect(add("Untitled (Throne of Glass, #8)", row: 1) == nil)
    #expect(add("Untitled (Crescent City, #4)", row: 2) == nil)
    #expect(add("Untitled (Crescent City, #5)", row: 3) == nil)
    #expect(add("Untitled (Throne of Glass Series, #8)", row: 4) == 1)
    #expect(add("Untitled", row: 5) == 1)
  }

  @Test func `a row that the library does not know stands for the first number`() {
    var duplicates = FileDuplicates()
    #expect(duplicates.add(book(nil), row: 1) == nil)
    #expect(duplicates.add(book("9780261103573"), row: 2) == 1)
    #expect(duplicates.add(book("9780441013593"), row: 3) == nil)
  }

  @Test(arguments: [
    ("C", "C++"), ("C++", "C#"), ("C Primer", "C++ Primer"), ("Learning F#", "Learning F"),
    ("Disney+", "Disney"),
  ])
  func `signs behind a word make another title`(one: String, other: String) {
    var duplicates = FileDuplicates()
    var book = BookRecord(title: one)
    book.authors = ["A Author"]
    var next = BookRecord(title: other)
    next.authors = book.authors
    #expect(duplicates.add(book, row: 1) == nil)
    #expect(duplicates.add(next, row: 2) == nil)
    #expect(duplicates.add(book, row: 3) == 1)
    #expect(duplicates.add(next, row: 4) == 2)
    #expect(TitleComparison(one, other) == .otherTitle)
  }

  @Test(arguments: [
    ("Saga #2", "Saga 2"), ("Saga#2", "Saga 2"), ("C++ Primer: C#", "C++ Primer"), ("1 + 1", "1 1"),
  ])
  func `other signs say nothing of the title`(one: String, other: String) {
    #expect(TitleComparison(one, other) != .otherTitle)
  }
}
