/// Finds the rows of one file that are the same book.
///
/// Two rows are the same book if both have an ISBN and it is the same, or if at most one of them has an
/// ISBN and titles and main authors have the same keys. Rows with different ISBNs are different
/// editions, whatever their titles.
package struct FileDuplicates: Sendable {
  private struct Entry: Sendable {
    var row: Int
    var isbn: ISBN?
  }
  private struct Key: Hashable, Sendable {
    var title: String
    var author: String
  }

  private var byISBN: [ISBN: Int] = [:]
  private var byTitle: [Key: [Entry]] = [:]

  /// Nothing yet.
  package init() {}

  /// Looks a book up among the rows before it, and remembers it.
  ///
  /// - Parameters:
  ///   - book: The book of the row.
  ///   - row: The row's number.
  /// - Returns: The first row with the same book; `nil` if this one is the first.
  package mutating func add(_ book: BookRecord, row: Int) -> Int? {
    if let isbn = book.isbn, let earlier = byISBN[isbn] { return earlier }
    let key = Key(title: book.titleKey, author: book.authorKey)
    guard !key.title.isEmpty else {
      if let isbn = book.isbn { byISBN[isbn] = row }
      return nil
    }
    let entries = byTitle[key] ?? []
    let same = entries.firstIndex { $0.isbn == nil || book.isbn == nil }
    guard let same else {
      byTitle[key] = entries + [Entry(row: row, isbn: book.isbn)]
      if let isbn = book.isbn { byISBN[isbn] = row }
      return nil
    }
    // The earlier row now stands for this ISBN too.
    if let isbn = book.isbn {
      byTitle[key]?[same].isbn = isbn
      byISBN[isbn] = entries[same].row
    }
    return entries[same].row
  }
}
