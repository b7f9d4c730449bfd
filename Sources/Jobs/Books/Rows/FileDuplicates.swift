/// Finds the rows of one file that are the same book.
///
/// The identifier that the service gives an entry comes first: rows with the same one are one book, rows with
/// different ones are different books, unless they have the same ISBN and no other title. Of other rows two are the
/// same book if both have an ISBN and it is the same, or if at most one of them has an ISBN and titles and main
/// authors have the same keys. Rows with different ISBNs are different editions, whatever their titles; titles
/// that are not alike, of different series, or with different signs (`C`, `C++`) are those of different books. So a row without a number whose book the
/// library knows by one represents that number alone.
package struct FileDuplicates: Sendable {
  private struct Entry: Sendable {
    var row: Int
    var isbn: ISBN?
    var entry: String?
    var book: BookRecord
  }
  private struct Key: Hashable, Sendable {
    var title: String
    var author: String

    init(_ book: BookRecord) { (title, author) = (book.titleKey, book.authorKey) }
  }

  /// A row and what it calls its book.
  private struct Named: Sendable {
    var row: Int
    var book: BookRecord
  }

  private var byEntry: [String: Int] = [:]
  private var byISBN: [ISBN: Named] = [:]
  private var byTitle: [Key: [Entry]] = [:]

  /// Nothing yet.
  package init() {}

  /// Whether an earlier row would come to represent the number of this book: then ``add(_:entry:row:knownISBN:)`` needs
  /// the number that the library has for the book without one.
  package func needsKnownISBN(for book: BookRecord) -> Bool {
    guard let isbn = book.isbn, byISBN[isbn] == nil else { return false }
    return byTitle[Key(book)]?.contains { $0.isbn == nil } ?? false
  }

  /// Looks a book up among the rows before it, and remembers it.
  ///
  /// - Parameters:
  ///   - book: The book of the row.
  ///   - entry: The identifier of the row in the service, if it has one.
  ///   - row: The row's number.
  ///   - knownISBN: The number of the book that the library finds for a row with the same title and author and
  ///     without a number.
  /// - Returns: The first row with the same book; `nil` if this one is the first.
  package mutating func add(
    _ book: BookRecord,
    entry: String? = nil,
    row: Int,
    knownISBN: ISBN? = nil
  ) -> Int? {
    if let entry, let earlier = byEntry[entry] { return earlier }
    let earlier = find(book, entry, row, knownISBN)
    if let entry { byEntry[entry] = earlier ?? row }
    return earlier
  }

  private mutating func find(
    _ book: BookRecord,
    _ entry: String?,
    _ row: Int,
    _ knownISBN: ISBN?
  ) -> Int? {
    let named = Named(row: row, book: Self.names(of: book))
    // A number that is that of another title is not the book's.
    var isbn = book.isbn
    if let number = isbn, let earlier = byISBN[number] {
      if !earlier.book.isOther(than: book) { return earlier.row }
      isbn = nil
    }
    let key = Key(book)
    guard !key.title.isEmpty else {
      if let isbn { byISBN[isbn] = named }
      return nil
    }
    var entries = byTitle[key] ?? []
    if let isbn, let knownISBN, knownISBN != isbn,
      let open = entries.firstIndex(where: { $0.isbn == nil })
    {
      entries[open].isbn = knownISBN
      if byISBN[knownISBN] == nil {
        byISBN[knownISBN] = Named(row: entries[open].row, book: entries[open].book)
      }
    }
    defer { byTitle[key] = entries }
    let same = entries.firstIndex { other in
      (other.isbn == nil || isbn == nil) && (other.entry == nil || entry == nil)
        && !other.book.isNamesake(of: book)
    }
    guard let same else {
      entries.append(Entry(row: row, isbn: isbn, entry: entry, book: named.book))
      if let isbn { byISBN[isbn] = named }
      return nil
    }
    // The earlier row now represents this ISBN too.
    if let isbn {
      entries[same].isbn = isbn
      byISBN[isbn] = Named(row: entries[same].row, book: entries[same].book)
    }
    if entries[same].entry == nil { entries[same].entry = entry }
    return entries[same].row
  }

  /// The members that identify a book.
  private static func names(of book: BookRecord) -> BookRecord {
    var names = BookRecord(title: book.title)
    names.series = book.series
    names.seriesNumber = book.seriesNumber
    return names
  }
}
