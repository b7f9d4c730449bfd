import BookLibrary
import Books

/// A book as `freshet library list --json` and `freshet catalogue find --json` print it.
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

  init(_ book: BookRecord) {
    title = book.title
    authors = book.authors
    isbn = book.isbn?.description
    year = book.firstYear ?? book.year
    status = book.status?.rawValue
    stars = book.rating.map { Double($0) / 4 }
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
