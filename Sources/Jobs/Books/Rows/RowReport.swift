/// What became of one row.
package struct RowReport: Hashable, Sendable {
  /// What became of it.
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// A new book is in the library.
    case imported
    /// A book of the library has changed.
    case updated
    /// The book is there already, in the library or in an earlier row.
    case duplicate
    /// The row could not be read; ``RowReport/problems`` says why.
    case failed
    /// There is nothing in the row.
    case blank
    /// There is no row any more: the book was in the last export of the service and is not in this one.
    case removed
  }

  /// The number of the row below the header, from 1; blank rows count.
  ///
  /// Books that were removed have the numbers behind the last row.
  package var row: Int
  /// The line of the file it starts on, from 1; 0 for a book that was removed.
  package var line: Int
  /// What became of it.
  package var outcome: Outcome
  /// The earlier row of the file that has the same book.
  package var duplicateOf: Int?
  /// The title, for people; empty if there is none.
  package var title = ""
  /// The main author, for people; empty if there is none.
  package var author = ""
  /// The number, if there is one.
  package var isbn: ISBN?
  /// Errors first, then warnings.
  package var problems: [RowProblem] = []
  /// The identifier of the entry in the service, if that says which book is meant.
  package var entry: String?
  /// The row as it stands in the file, in UTF-8; kept for failed rows only.
  package var raw: [UInt8]?

  /// Creates a report.
  package init(row: Int, line: Int, outcome: Outcome) {
    self.row = row
    self.line = line
    self.outcome = outcome
  }
}
