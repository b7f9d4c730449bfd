/// The report of one row.
package struct RowReport: Hashable, Sendable {
  /// The outcome of a row.
  package enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// A new book is in the library.
    case imported
    /// A book of the library has changed.
    case updated
    /// The book already exists, in the library or in an earlier row.
    case duplicate
    /// The row could not be read; ``RowReport/problems`` says why.
    case failed
    /// There is nothing in the row.
    case blank
    /// The row is gone: the book was in the last export of the service and is not in this one.
    case removed
  }

  /// The number of the row below the header, from 1; empty rows count.
  ///
  /// Books that were removed have the numbers behind the last row.
  package var row: Int
  /// The line of the file it starts on, from 1; 0 for a book that was removed.
  package var line: Int
  /// The outcome.
  package var outcome: Outcome
  /// The earlier row of the file that has the same book.
  package var duplicateOf: Int?
  /// The title, for display; empty if unknown.
  package var title = ""
  /// The main author, for display; empty if unknown.
  package var author = ""
  /// The number, if there is one.
  package var isbn: ISBN?
  /// Errors first, then warnings.
  package var problems: [RowProblem] = []
  /// The identifier of the entry in the service, if that says which book is meant.
  package var entry: String?
  /// The row in the file, in UTF-8; kept for failed rows only.
  package var raw: [UInt8]?

  /// Creates a report.
  package init(row: Int, line: Int, outcome: Outcome) {
    self.row = row
    self.line = line
    self.outcome = outcome
  }
}
