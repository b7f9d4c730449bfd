/// A row of a feed that could not be used, and its location.
package struct RejectedRow: Hashable, Sendable, Codable {
  /// The file, such as `stop_times.txt`.
  package var file: String
  /// The line, counted from 1; the header is line 1.
  package var line: Int
  /// The name of the column that is wrong; `nil` if the whole row is.
  package var column: String?
  /// What is wrong, with the offending value.
  package var reason: String

  /// Creates the record of a rejected row.
  package init(file: String, line: Int, column: String?, reason: String) {
    self.file = file
    self.line = line
    self.column = column
    self.reason = reason
  }
}
