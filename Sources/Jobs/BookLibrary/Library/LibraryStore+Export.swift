import Books

/// The columns of an export; every one of them is read by an import, which knows by them that authors and shelves are
/// written as ``Books/NameList`` writes them.
private let exportedColumns = [
  "Title", "Authors", "ISBN13", "Series", "Status", "Rating", "Shelves", "Date Started",
  "Date Read", "Date Added", "Publisher", "Year Published", "Original Publication Year", "Pages",
  "Format", "Language", "Read Count", "Owned", "Review", "Private Notes", "Book Id",
  "OpenLibrary Key", "Dates Read",
]

extension LibraryStore {
  /// Writes all books as CSV (RFC 4180, UTF-8, CRLF), page by page.
  ///
  /// Texts that a spreadsheet would run as a formula get an apostrophe.
  ///
  /// - Parameter write: Takes the next bytes, and how many books have been written with them.
  /// - Throws: An error of the database; what `write` throws.
  package func export(to write: ([UInt8], Int) async throws -> Void) async throws {
    try await write(DelimitedText.record(exportedColumns), 0)
    var count = 0
    var last: Int64 = 0
    while true {
      let page = try await books(after: last)
      guard let end = page.last else { return }
      last = end.id
      var bytes: [UInt8] = []
      for book in page {
        bytes += DelimitedText.record(Self.fields(book.record), guardsFormulas: true)
      }
      count += page.count
      try await write(bytes, count)
    }
  }

  private static func fields(_ book: BookRecord) -> [String] {
    let fields: [String?] = [
      // The number of the series follows the title, where an import finds it.
      title(book), NameList.text(book.authors, separator: NameList.authors),
      book.isbn?.description ?? book.isbnText,
      book.seriesNumber == nil ? book.series : nil, book.status?.rawValue,
      book.rating.map(RatingCell.text(quarters:)),
      NameList.text(book.shelves, separator: NameList.shelves),
      book.started?.description, book.finished?.description, book.added?.description,
      book.publisher, book.year.map(String.init), book.firstYear.map(String.init),
      book.pages.map(String.init), book.format, book.language, book.readCount.map(String.init),
      book.owned.map(String.init), book.review, book.notes, book.entry, book.openLibrary,
      ReadingPeriod.text(book.readings),
    ]
    return fields.map { $0 ?? "" }
  }

  private static func title(_ book: BookRecord) -> String {
    guard let series = book.series, let number = book.seriesNumber else { return book.title }
    return "\(book.title) (\(series), #\(number))"
  }
}
