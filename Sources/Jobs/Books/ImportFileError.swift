/// Why a file cannot be imported at all.
package struct ImportFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of fault.
  package enum Code: String, Hashable, Sendable, CaseIterable {
    /// The file is empty, or has only whitespace.
    case empty = "file_empty"
    /// The file is larger than the limit.
    case tooLarge = "file_too_large"
    /// The file is a workbook, an archive or another file that is not text.
    case notText = "file_not_text"
    /// The first line names no column of a book.
    case unknownHeader = "header_unknown"
    /// There is a header and no row below it.
    case noRows = "rows_missing"
    /// There are more rows than the limit.
    case tooManyRows = "rows_too_many"
    /// A mapping given by hand names a column that the file does not have.
    case unknownColumn = "column_unknown"
  }

  /// The kind of fault.
  package var code: Code
  /// What is wrong and where, for display.
  package var description: String

  /// Creates an error.
  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
