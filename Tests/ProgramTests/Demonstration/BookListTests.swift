import Demonstration
import Testing

@Suite struct BookListTests {
  private func rows(_ list: BookList) -> [Substring] {
    list.text.split(separator: "\r\n").dropFirst().map(\.self)
  }

  @Test func `A list has its size, and the largest fits into an upload`() {
    for count in [1, 10_000] {
      let list = BookList(number: 1, count: count)
      #expect(rows(list).count == count)
      #expect(list.text.hasPrefix("Title,Author,ISBN13,My Rating\r\n"))
      #expect(list.text.utf8.count < 10 << 20)
    }
  }

  @Test func `Two lists have no book in common`() {
    let (first, second) = (BookList(number: 1, count: 10_000), BookList(number: 2, count: 10_000))
    let titles = Set(
      rows(first).map { $0.prefix { $0 != "," } + $0.drop { $0 != "," }.prefix { $0 != "\"" } }
    )
    #expect(titles.count == 10_000)
    #expect(
      titles.isDisjoint(
        with: rows(second).map {
          $0.prefix { $0 != "," } + $0.drop { $0 != "," }.prefix { $0 != "\"" }
        }
      )
    )
    #expect(first.name != second.name)
  }

  @Test func `Numbers have the right check digit, but for every 97th`() {
    for (place, row) in rows(BookList(number: 3, count: 400)).enumerated() {
      let book = 20_000 + place
      let isbn = row.split(separator: ",", omittingEmptySubsequences: false).dropLast().last ?? ""
      guard book % 40 != 39 else {
        #expect(isbn.isEmpty)
        continue
      }
      let digits = isbn.compactMap(\.wholeNumberValue)
      #expect(digits.count == 13)
      let sum = digits.enumerated().reduce(0) { $0 + $1.element * ($1.offset % 2 == 0 ? 1 : 3) }
      #expect((sum % 10 == 0) == (book % 97 != 96), "\(isbn)")
    }
  }
}
