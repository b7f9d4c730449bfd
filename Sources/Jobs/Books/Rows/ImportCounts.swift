/// How many rows ended how; they always add up to the rows read.
package struct ImportCounts: Hashable, Sendable {
  /// All rows below the header.
  package var rows = 0
  /// New books.
  package var imported = 0
  /// Books that have changed.
  package var updated = 0
  /// Books that were there already.
  package var duplicates = 0
  /// Rows that could not be read.
  package var failed = 0
  /// Rows with nothing in them.
  package var blank = 0
  /// Books that are no longer in the export and were removed; they have no rows.
  package var removed = 0
  /// Rows that were imported, updated or duplicates and have warnings; not part of the sum.
  package var warned = 0

  /// Nothing yet.
  package init() {}

  /// Counts a row.
  package mutating func add(_ report: RowReport) {
    guard report.outcome != .removed else {
      removed += 1
      return
    }
    rows += 1
    switch report.outcome {
    case .imported: imported += 1
    case .updated: updated += 1
    case .duplicate: duplicates += 1
    case .failed: failed += 1
    case .blank: blank += 1
    case .removed: break
    }
    if report.outcome != .failed, !report.problems.isEmpty { warned += 1 }
  }

  /// Whether the parts add up.
  package var isBalanced: Bool { rows == imported + updated + duplicates + failed + blank }
}
