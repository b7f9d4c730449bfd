/// A row of a feed that could not be used, and its location.
package struct RejectedRow: Hashable, Sendable, Codable {
  /// What can be wrong with a row.
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// It breaks the grammar of CSV, or has more fields than the header.
    case record = "malformed_record"
    /// Its id is empty or too long.
    case identifier = "unusable_id"
    /// A required field is empty.
    case blank = "blank"
    /// Another row before it has the same id, or the same place in a trip.
    case duplicate = "duplicate"
    /// Another row before it says the same (stop_times.txt only); nothing is lost without it.
    case copy = "exact_copy"
    /// It refers to a row that does not exist or was rejected.
    case reference = "unknown_reference"
    /// A field is not a date, a time, a number or one of the values that the reference allows.
    case value = "invalid_value"
    /// It ends before it begins.
    case order = "ends_before_start"
    /// There are more of its kind than are read (``FeedLimits``).
    case limit = "over_limit"
    /// The first or the last stop of the trip has no time.
    case time = "no_time"
  }

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
