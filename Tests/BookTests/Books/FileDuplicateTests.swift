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

  @Test func `a row that the library does not know stands for the first number`() {
    var duplicates = FileDuplicates()
    #expect(duplicates.add(book(nil), row: 1) == nil)
    #expect(duplicates.add(book("9780261103573"), row: 2) == 1)
    #expect(duplicates.add(book("9780441013593"), row: 3) == nil)
  }
}
