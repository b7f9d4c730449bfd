/// The meaning of a column of a book list.
package enum BookColumn: String, Hashable, Sendable, CaseIterable {
  /// The title of the book.
  case title
  /// The author, or all authors in one cell.
  case author
  /// Further authors.
  case otherAuthors = "other_authors"
  /// An ISBN of ten digits.
  case isbn10
  /// An ISBN of thirteen digits.
  case isbn13
  /// ISBNs of either length, or another identifier in their place.
  case isbn
  /// The owner's rating.
  case rating
  /// The publisher.
  case publisher
  /// Hardcover, paperback, audio and the like.
  case format
  /// How many pages there are.
  case pages
  /// The year of this edition.
  case year
  /// The year of the first edition.
  case firstYear = "first_year"
  /// When reading began.
  case started
  /// When reading ended.
  case finished
  /// When reading was given up.
  case stopped
  /// Several periods of reading in one cell.
  case readingPeriods = "reading_periods"
  /// When the book was added to the list.
  case added
  /// Read, reading, to read and the like.
  case status
  /// Shelves, tags or collections.
  case shelves
  /// The owner's review.
  case review
  /// The owner's private notes.
  case notes
  /// How often the book was read.
  case readCount = "read_count"
  /// How many copies are owned, or yes and no.
  case owned
  /// The language.
  case language
  /// The identifier of the entry in the service that wrote the file.
  case entry
  /// The series and the number in it.
  case series
  /// The key of the book at Open Library.
  case openLibrary = "open_library"
  /// The result of an earlier import; it is not read.
  case ignored

  /// The names that columns have, as ``name(of:)`` writes them.
  ///
  /// From the exports of Goodreads, StoryGraph, LibraryThing and BookWyrm, and from lists that people keep.
  static let names: [String: BookColumn] = {
    let lists: [(BookColumn, [String])] = [
      (.title, ["title", "book title", "book name", "book"]),
      (.author, ["author", "authors", "author name", "author text", "primary author", "writer"]),
      (
        .otherAuthors, ["additional authors", "secondary author", "secondary authors", "coauthors"]
      ),
      (.isbn10, ["isbn10", "isbn 10"]),
      (.isbn13, ["isbn13", "isbn 13", "ean", "ean13", "ean 13"]),
      (.isbn, ["isbn", "isbns", "isbn/uid"]),
      (.rating, ["rating", "my rating", "star rating", "user rating", "stars"]),
      (.publisher, ["publisher", "publication"]),
      (.format, ["format", "binding", "media"]),
      (.pages, ["pages", "page count", "number of pages"]),
      (.year, ["year", "year published", "publication year", "published year", "date"]),
      (.firstYear, ["original publication year", "first published", "first publish year"]),
      (.started, ["date started", "started", "start date"]),
      (
        .finished,
        ["date read", "last date read", "date finished", "finished", "finish date", "read date"]
      ),
      (.stopped, ["stopped date", "date stopped", "stopped"]),
      (.readingPeriods, ["dates read"]),
      (.added, ["date added", "added", "entry date", "shelf date"]),
      (.status, ["exclusive shelf", "read status", "status", "reading status", "shelf"]),
      (.shelves, ["bookshelves", "shelves", "tags", "collections", "labels", "bookshelf"]),
      (.review, ["review", "my review", "review content"]),
      (.notes, ["notes", "private notes", "private comment", "comments", "comment"]),
      (.readCount, ["read count", "times read"]),
      (.owned, ["owned", "owned copies", "copies"]),
      (.language, ["language", "languages"]),
      (.entry, ["book id", "id", "remote id"]),
      (.series, ["series"]),
      (.openLibrary, ["openlibrary key", "open library key", "open library id"]),
      (.ignored, ["import row", "import problem"]),
    ]
    var names: [String: BookColumn] = [:]
    for (column, list) in lists { for name in list { names[name] = column } }
    return names
  }()

  /// A column's name without what differs from file to file: case, whitespace, hyphens, underscores, a
  /// question mark.
  package static func name(of header: String) -> String {
    var name = ""
    for scalar in CellText.plain(header).unicodeScalars {
      switch scalar {
      case " ", "_", "-", ".", "\t", "\u{A0}", "\n", "\r":
        if !name.isEmpty, name.last != " " { name.append(" ") }
      case "?", ":", "\u{FEFF}": break
      default: name += scalar.properties.lowercaseMapping
      }
    }
    if name.last == " " { name.removeLast() }
    return name
  }
}
