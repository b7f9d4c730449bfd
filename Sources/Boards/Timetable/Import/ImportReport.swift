package import GTFS

/// The final report of `freshet import`, also kept beside the timetable.
package struct ImportReport: Codable, Hashable, Sendable {
  /// The report of one file of the feed.
  package struct File: Codable, Hashable, Sendable {
    /// The file's name.
    package var file: String
    /// Its size once inflated, in bytes.
    package var bytes: Int
    /// Its rows, the header not counted.
    package var rows: Int
    /// The rows that were rejected, each counted.
    package var rejected: Int
    /// Well-formed rows that were left out because what they belong to was rejected.
    package var dropped: Int
    /// Rows that are right and on no board because they are served on demand.
    package var onDemand: Int
    /// The rejected rows by what is wrong with them, in the order of the first row of each.
    package var reasons: [Reason]
    /// The encoding that the file was decoded from; `nil` if its bytes were read as they are.
    package var encoding: String?
    /// What separates its fields, `;` or `tab`; `nil` for a comma.
    package var separator: String?

    /// How the file was read; `nil` if it is UTF-8 with commas, or nearly.
    package var reading: String? {
      let parts = [
        encoding.map { "decoded from \($0)" },
        separator.map { "fields separated by \($0 == "tab" ? "tabs" : $0)" },
      ]
      let text = parts.compactMap(\.self).joined(separator: ", ")
      return text.isEmpty ? nil : text
    }

    /// Creates the report of a file of which nothing has been read.
    init(file: String) {
      self.file = file
      bytes = 0
      rows = 0
      rejected = 0
      dropped = 0
      onDemand = 0
      reasons = []
    }
  }

  /// How texts were read that are not UTF-8.
  package struct Encoding: Codable, Hashable, Sendable {
    /// The name of the code page, such as `windows-1250`.
    package var name: String
    /// Why it was chosen.
    package var reason: String
    /// How many texts.
    package var texts: Int
  }

  /// The rejected rows of a file in which the same column is wrong in the same way.
  package struct Reason: Codable, Hashable, Sendable {
    /// What is wrong.
    package var kind: RejectedRow.Kind
    /// The column; `nil` if the whole row is.
    package var column: String?
    /// How many rows.
    package var rows: Int
    /// The line of the first of them, counted from 1; the header is line 1.
    package var line: Int
    /// What is wrong with the first of them, with the offending value.
    package var example: String

    /// The column, what is wrong, and how many rows are like the first one.
    package var sentence: String {
      let others = rows > 1 ? " (and \(rows - 1) like it)" : ""
      return "\(column.map { ", \($0)" } ?? ""): \(example)\(others)"
    }
  }

  /// The feed's path as it was given.
  package var source: String
  /// The prefix of the feed's ids, if it was given one.
  package var prefix: String?
  /// The files read, in reading order.
  package var files: [File] = []
  /// The first rejected rows (``FeedLimits/keptProblems`` of each file).
  package var rejectedRows: [RejectedRow] = []
  /// The first rows that were used although something in them is wrong.
  package var warnings: [RejectedRow] = []
  /// How many warnings there were.
  package var warningCount = 0
  /// How texts were read that are not UTF-8; `nil` if all are.
  package var encoding: Encoding?
  /// The stations, and stops without one, whose stop_name is empty, by their ids; `nil` if all have a name.
  package var namelessStations: ServiceSummary.Names?
  /// agency_timezone.
  package var timeZone = ""
  /// The first and last day on which something runs, `YYYY-MM-DD`.
  package var serviceFrom = ""
  package var serviceUntil = ""
  /// The contents of the timetable.
  package var stops = 0
  package var routes = 0
  /// Trips, each run of a frequency counted.
  package var trips = 0
  package var patterns = 0
  package var departures = 0
  /// Wall time in seconds.
  package var seconds = 0.0
  /// Seconds by phase: reading, indexing, writing, search.
  package var phases: [String: Double] = [:]
  /// Size of the timetable file and of the search database, in bytes.
  package var timetableBytes = 0
  package var searchBytes = 0
  /// The largest resident memory of the process, in bytes.
  package var peakMemoryBytes = 0

  /// Creates an empty report.
  package init(source: String, prefix: String?) {
    self.source = source
    self.prefix = prefix
  }

  /// Counts a rejected row of the file that is read, and keeps it if it is one of the first.
  mutating func reject(_ row: RejectedRow, _ kind: RejectedRow.Kind) {
    let file = files.count - 1
    files[file].rejected += 1
    if files[file].rejected <= FeedLimits.keptProblems { rejectedRows.append(row) }
    let known = files[file].reasons.firstIndex { $0.kind == kind && $0.column == row.column }
    if let known {
      files[file].reasons[known].rows += 1
    } else {
      files[file].reasons.append(
        Reason(kind: kind, column: row.column, rows: 1, line: row.line, example: row.reason)
      )
    }
  }

  /// Counts a warning, and keeps it if it is one of the first of its file.
  mutating func warn(_ row: RejectedRow) {
    warningCount += 1
    let kept = warnings.count { $0.file == row.file }
    if kept < FeedLimits.keptProblems { warnings.append(row) }
  }
}
