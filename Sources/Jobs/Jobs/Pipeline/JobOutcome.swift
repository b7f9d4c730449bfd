/// The outcome of one row, book or photo, as written on the wire.
public enum JobOutcome: String, CaseIterable, Hashable, Sendable {
  /// A row that is a new book of the library.
  case imported
  /// A row that changed a book of the library.
  case updated
  /// A row that adds nothing: the same book is in an earlier row, or in the library.
  case duplicate
  /// A book that was in the last export of its service and is not in this one; it has no row.
  case removed
  /// A row without anything in it.
  case blank
  /// A book that was found and completed.
  case enriched
  /// A detected book above the confidence threshold.
  case approved
  /// A detected book that needs a person's review.
  case needsReview = "needs_review"
  /// What could not be done; its problems say why.
  case failed

  /// Whether it counts as a success of the job; a row without anything in it, and a book without a row, are neither
  /// that nor a failure.
  public var isSuccess: Bool { self != .failed && self != .blank && self != .removed }
}
