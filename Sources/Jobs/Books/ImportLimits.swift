/// The limits of an import.
package struct ImportLimits: Hashable, Sendable {
  /// The longest file, in bytes.
  package var fileBytes = 10 << 20
  /// The most rows below the header, empty ones included.
  package var rows = 10_000
  /// The longest row, in bytes of UTF-8; the end of an open quote is searched for no further.
  package var recordBytes = 256 << 10
  /// The most columns.
  package var columns = 256
  /// The longest title, in bytes of UTF-8; a longer one is a sign of a lost quote.
  package var titleBytes = 2_000
  /// The most authors, shelves or ISBNs of one book; more are left out with a warning.
  package var listElements = 64

  /// The most rows that can be asked for.
  package static let mostRows = 1_000_000
  /// How many bytes a list may have for each row, if it may have more rows than usual.
  package static let bytesOfRow = 1 << 10

  /// The usual limits.
  package init() {}

  /// The usual limits with another number of rows, and as many bytes as they need.
  package init(rows: Int) {
    self.rows = rows
    fileBytes = max(fileBytes, rows * Self.bytesOfRow)
  }
}
