import BookLibrary
import Books

/// A book as `freshet library` and `freshet catalogue find` print it with `--json`.
struct ListedBook: Encodable {
  var title: String
  var authors: [String]
  var isbn: String?
  var year: Int?
  var status: String?
  /// Of five.
  var stars: Double?
  /// The id of the work in Open Library.
  var work: String?
  /// How sure a match is, from 0 to 1.
  var confidence: Double?
  /// The number by which a removed book is restored.
  var number: Int64?
  /// When a removed book was removed.
  var removedAt: String?

  init(_ book: BookRecord) {
    title = book.title
    authors = book.authors
    isbn = book.isbn?.description
    year = book.firstYear ?? book.year
    status = book.status?.rawValue
    stars = book.rating.map { Double($0) / 4 }
  }

  init(_ removed: RemovedBook) {
    self.init(removed.record)
    number = removed.id
    removedAt = removed.removedAt
  }

  init(_ match: BookLookup.Match) {
    title = match.book.title
    authors = match.book.authors
    isbn = match.book.isbn?.description
    year = match.book.firstYear ?? match.book.year
    work = match.book.work
    confidence = match.confidence
  }
}
