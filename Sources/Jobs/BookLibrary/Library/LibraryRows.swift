import Books

/// The rows of a library within one transaction of an import: what the rules of imports ask for and change.
///
/// The rules are written once, against this protocol. In SQLite each call is a statement; in PostgreSQL the rows that a
/// batch may ask for are read beforehand, and what it has changed is written afterwards.
protocol LibraryRows {
  // MARK: Books

  /// A book; `nil` if it does not exist.
  func book(_ id: Int64) throws -> BookRecord?
  /// The book with a number.
  func id(isbn: ISBN) throws -> Int64?
  /// The books with the same title and main author as one, if at most one of the two has an ISBN, in order of their ids,
  /// at most ``LibraryLimits/alikeBooks``; none without a title.
  func ids(like book: BookRecord) throws -> [Int64]
  /// The books with an identifier of an entry, in order of their ids.
  func ids(entry: String) throws -> [Int64]
  /// Adds a book.
  ///
  /// - Returns: Its id.
  func insert(_ book: BookRecord) throws -> Int64
  /// Replaces what is stored of a book.
  func update(_ id: Int64, _ book: BookRecord) throws
  /// Removes a book of which no source says anything.
  func remove(_ id: Int64) throws

  // MARK: Sources

  /// What a source said last.
  func said(by source: BookSource) throws -> SourceRecord?
  /// The sources that say something of a book, in order.
  func sources(of book: Int64) throws -> [BookSource]
  /// Keeps what a source says, in place of what it said before.
  func keep(_ said: SourceRecord, by source: BookSource) throws
  /// Forgets what a source said.
  func forget(_ source: BookSource) throws

  // MARK: The import

  /// The book of an earlier row of the import.
  func book(ofRow row: Int) throws -> Int64?
  /// Adds the outcome of a row.
  func add(_ report: RowReport, book: Int64?) throws

  // MARK: Lists

  /// Whether a list of a service has an entry.
  func isListed(_ source: BookSource) throws -> Bool
  /// Takes an entry out of a list.
  func unlist(_ entry: String, from list: Int64) throws
  /// Keeps a book that was removed because of a list of a service.
  func keepRemoved(_ book: BookRecord, scope: String) throws
}

extension LibraryRows {
  /// Adds a book that was removed before; its number may be another book's by now.
  func restore(_ removed: BookRecord) throws -> LibraryBook {
    var book = removed
    if let isbn = book.isbn, try id(isbn: isbn) != nil {
      (book.isbn, book.isbnText) = (nil, isbn.description)
    }
    let id = try insert(book)
    try keep(SourceRecord(book: id, said: book, isMade: false), by: .list(of: id))
    return LibraryBook(id: id, record: book)
  }
}

/// The source of a book's data: a service, and its identifier of the entry.
struct BookSource: Hashable {
  /// The service.
  var scope: String
  /// The identifier of the entry.
  var entry: String

  /// The scope of lists whose rows have no identifiers.
  static let listScope = "list"

  /// Means all lists without identifiers that have a book.
  static func list(of book: Int64) -> Self { BookSource(scope: listScope, entry: "#\(book)") }
}

/// The last record of a source, kept so that a later export changes, adds and removes what that source contributed, and
/// nothing else.
struct SourceRecord: Hashable {
  /// The book.
  var book: Int64
  /// The row in the file; `nil` if it is damaged.
  var said: BookRecord?
  /// Whether the library has the book because of this source.
  var isMade: Bool

  /// The record after one more of the same source.
  func followed(by next: SourceRecord) -> SourceRecord {
    SourceRecord(
      book: next.book,
      said: next.said,
      isMade: next.isMade || next.book == book && isMade
    )
  }
}
