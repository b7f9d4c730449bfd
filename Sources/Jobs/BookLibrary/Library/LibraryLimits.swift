/// The limits of a library.
package enum LibraryLimits {
  /// The most rows of one batch.
  package static let batchRows = 500
  /// The most books or reports that are read at once.
  package static let page = 1_000
  /// The most books that were removed and are kept; the oldest go first.
  package static let removedBooks = 20_000
  /// The most books of one title and author that are compared with a row.
  package static let alikeBooks = 100
  /// The longest name of an owner, in bytes.
  package static let ownerBytes = 200
}
