import GTFS

/// Which rejected rows refuse an import: the rule, in one place.
///
/// A row that cannot be used is left out and counted. A file refuses the import only if most of it cannot be used:
/// if more rows than ``rows`` are rejected, and more than ``share`` of all. Files that no board needs refuse nothing
/// (``FeedFile/isInformative``), and rows that are served on demand do not count. A feed of which nothing is left to
/// serve is refused whatever the limit is.
package struct RejectedRowLimit: Hashable, Sendable {
  /// The share of the rows of a file that may be rejected, 0 to 1.
  package var share: Double
  /// The rejected rows of a file that never refuse an import, whatever their share.
  package var rows: Int

  /// The share, unless told otherwise.
  package static let usualShare = 0.5
  /// The rows that never refuse an import, unless told otherwise.
  package static let usualRows = 10
  /// The limit, unless told otherwise.
  package static let usual = RejectedRowLimit(share: usualShare, rows: usualRows)

  /// Creates a limit.
  ///
  /// - Parameters:
  ///   - share: The share of the rows of a file that may be rejected, 0 to 1.
  ///   - rows: The rejected rows of a file that never refuse an import; 0 if only the share counts.
  package init(share: Double, rows: Int = 0) {
    self.share = share
    self.rows = rows
  }

  /// Whether a file refuses its import.
  package func isExceeded(by file: ImportReport.File) -> Bool {
    guard FeedFile(rawValue: file.file)?.isInformative != true, file.rejected > rows else {
      return false
    }
    return Double(file.rejected) > Double(Self.judged(file)) * share
  }

  /// Refuses an import that may not serve.
  ///
  /// - Parameters:
  ///   - report: What was read.
  ///   - trips: The trips that would serve, each run of a frequency counted.
  ///   - departures: Their departures.
  /// - Throws: ``FeedError`` with code `tooManyRejectedRows`, which says what would serve and how to let it.
  func check(_ report: ImportReport, trips: Int, departures: Int) throws(FeedError) {
    let files = report.files.filter(isExceeded)
    guard let file = files.first else { return }
    // The least whole percentage that lets every file pass; 100 if one has rows of which more than one is rejected.
    let percent = files.map { file in
      (100 * file.rejected + Self.judged(file) - 1) / max(1, Self.judged(file))
    }
    throw FeedError(
      .tooManyRejectedRows,
      "\(Self.sentence(file)), more than \(Self.text(percent: share * 100)) %\(Self.example(file))."
        + " With --max-rejected \(min(100, percent.max() ?? 100)) the rest would serve: trips \(trips),"
        + " departures \(departures)"
    )
  }

  /// What was rejected, as the end of a message that says that nothing is left to serve; empty if nothing was.
  func rejections(in report: ImportReport) -> String {
    report.files
      .filter { $0.rejected > 0 && FeedFile(rawValue: $0.file)?.isInformative != true }
      .map { "; \(Self.sentence($0))\(Self.example($0))" }.joined()
  }

  /// The rows that count.
  private static func judged(_ file: ImportReport.File) -> Int { file.rows - file.onDemand }

  private static func sentence(_ file: ImportReport.File) -> String {
    "\(file.file): \(file.rejected) of \(judged(file)) rows are malformed"
  }

  private static func example(_ file: ImportReport.File) -> String {
    guard let first = file.reasons.min(by: { $0.line < $1.line }) else { return "" }
    let column = first.column.map { ", column \($0)" } ?? ""
    return "; the first: line \(first.line)\(column): \(first.example)"
  }

  private static func text(percent exact: Double) -> String {
    let percent = (exact * 100).rounded() / 100
    return percent == percent.rounded() ? "\(Int(percent))" : "\(percent)"
  }
}
