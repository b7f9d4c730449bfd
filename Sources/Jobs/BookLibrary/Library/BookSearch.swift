import Books

/// Finds the book of the library that a row means.
struct BookSearch<Rows: LibraryRows> {
  /// The result of the search.
  enum Found {
    /// An entry that was there before.
    case entry(Int64, said: BookRecord?)
    /// A book with the same number, or the same title and author.
    case book(Int64)
    /// No book; the number is that of another one, if there is a title.
    case none(numberOf: String?)
  }

  let rows: Rows
  let book: BookRecord
  let source: BookSource?
  /// The identifiers of all entries of the file: each is a book of its own.
  let entries: Set<String>
  /// Whether the file is an export of a library, whose identifiers are those of many services.
  var isOfLibrary = false

  func find() throws -> Found {
    if let source, let known = try rows.said(by: source), try isSame(known.book, in: source.scope) {
      return .entry(known.book, said: known.said)
    }
    if let source, let id = try unlinked(source) { return .book(id) }
    var taken: String?
    var question = book
    if let isbn = book.isbn, let id = try rows.id(isbn: isbn), let stored = try rows.book(id) {
      guard stored.isOther(than: book) else { return .book(id) }
      taken = stored.title
      question.isbn = nil
    }
    var first: Int64?
    for id in try rows.ids(like: question) {
      guard let stored = try rows.book(id), !stored.isNamesake(of: book),
        try !isOfAnotherEntry(id), !isOfAnotherRow(stored)
      else { continue }
      guard isOfLibrary, stored.entry != book.entry else { return .book(id) }
      first = first ?? id
    }
    if let first { return .book(first) }
    return .none(numberOf: taken)
  }

  /// Identifiers of a table of any kind may mean something else in the next one.
  private func isSame(_ id: Int64, in scope: String) throws -> Bool {
    guard scope == ExportSource.generic.rawValue else { return true }
    guard let stored = try rows.book(id) else { return false }
    return stored.titleKey == book.titleKey && !book.titleKey.isEmpty
      || stored.authorKey == book.authorKey && !book.authorKey.isEmpty
      || stored.isbn != nil && stored.isbn == book.isbn
  }

  /// A book with the identifier, from before it was known of which service identifiers are.
  private func unlinked(_ source: BookSource) throws -> Int64? {
    for id in try rows.ids(entry: source.entry) {
      guard try rows.sources(of: id).allSatisfy({ $0.scope == BookSource.listScope }),
        let stored = try rows.book(id), !stored.isOther(than: book),
        stored.authorKey == book.authorKey
      else { continue }
      return id
    }
    return nil
  }

  /// Whether a book is that of another row of an export of a library.
  private func isOfAnotherRow(_ stored: BookRecord) -> Bool {
    guard isOfLibrary, let mine = book.entry, let other = stored.entry else { return false }
    return mine != other && entries.contains(other)
  }

  /// Whether a book is another entry of the same file.
  private func isOfAnotherEntry(_ id: Int64) throws -> Bool {
    guard let source else { return false }
    return try rows.sources(of: id).contains {
      $0.scope == source.scope && $0.entry != source.entry && entries.contains($0.entry)
    }
  }
}
