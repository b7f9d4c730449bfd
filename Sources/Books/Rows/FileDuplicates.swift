/// Finds the rows of one file that are the same book.
///
/// Two rows are the same book if both have an ISBN and it is the same, or if at most one of them has an
/// ISBN and titles and main authors have the same keys. Rows with different ISBNs are different
/// editions, whatever their titles. So a row without one whose book the library knows by a number stands for that
/// number alone.
package struct FileDuplicates: Sendable {
  private struct Entry: Sendable {
    var row: Int
    var isbn: ISBN?
  }
  private struct Key: Hashable, Sendable {
    var title: String
    var author: String

    init(_ book: BookRecord) { (title, author) = (book.titleKey, book.authorKey) }
  }

  private var byISBN: [ISBN: Int] = [:]
  private var byTitle: [Key: [Entry]] = [:]

  /// Nothing yet.
  package init() {}

  /// Whether a row before would come to stand for the number of this book: then ``add(_:row:knownISBN:)`` has to
  /// be told the number that the library has for the book without one.
  package func needsKnownISBN(for book: BookRecord) -> Bool {
    guard let isbn = book.isbn, byISBN[isbn] == nil else { return false }
    return byTitle[Key(book)]?.contains { $0.isbn == nil } ?? false
  }

  /// Looks a book up among the rows before it, and remembers it.
  ///
  /// - Parameters:
  ///   - book: The book of the row.
  ///   - row: The row's number.
  ///   - knownISBN: The number of the book that the library finds for a row with the same title and author and
  ///     without a number.
  /// - Returns: The first row with the same book; `nil` if this one is the first.
  package mutating func add(_ book: BookRecord, row: Int, knownISBN: ISBN? = nil) -> Int? {
    if let isbn = book.isbn, let earlier = byISBN[isbn] { return earlier }
    let key = Key(book)
    guard !key.title.isEmpty else {
      if let isbn = book.isbn { byISBN[isbn] = row }
      return nil
    }
    var entries = byTitle[key] ?? []
    if let isbn = book.isbn, let knownISBN, knownISBN != isbn,
      let open = entries.firstIndex(where: { $0.isbn == nil })
    {
      entries[open].isbn = knownISBN
      if byISBN[knownISBN] == nil { byISBN[knownISBN] = entries[open].row }
    }
    defer { byTitle[key] = entries }
    let same = entries.firstIndex { $0.isbn == nil || book.isbn == nil }
    guard let same else {
      entries.append(Entry(row: row, isbn: book.isbn))
      if let isbn = book.isbn { byISBN[isbn] = row }
      return nil
    }
    // The earlier row now stands for this ISBN too.
    if let isbn = book.isbn {
      entries[same].isbn = isbn
      byISBN[isbn] = entries[same].row
    }
    return entries[same].row
  }
}
