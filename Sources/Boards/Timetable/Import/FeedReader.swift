import GTFS

/// Reads the files of a feed one by one and keeps the account of what was wrong with them.
///
/// One extension per file of the feed holds what its columns mean.
final class FeedReader {
  /// The tables read so far.
  var tables = FeedTables()
  /// The account.
  var report: ImportReport
  /// What was read so far of services on demand, and whether more were left out.
  var onDemand = OnDemandTables()
  var onDemandIsFull = false
  /// The names in stop_timezone that were looked up, and whether they are time zones.
  var zones: [String: Bool] = [:]
  /// How bytes are read that are not UTF-8; decided when the first of them are found.
  var legacy: LegacyText?
  let source: FeedSource
  /// The encoding of the files, if it was named.
  let encoding: TextEncoding?
  /// How much may be kept.
  let budget: FeedBudget
  /// The bytes kept beside the tables while the current file is read.
  var scratchBytes = 0
  let progress: (ImportProgress) -> Void

  /// Why a row cannot be used.
  struct Rejection {
    var kind: RejectedRow.Kind
    var column: Int?
    var reason: String

    init(_ kind: RejectedRow.Kind, column: Int?, reason: String) {
      self.kind = kind
      self.column = column
      self.reason = reason
    }
  }

  init(
    source: FeedSource,
    report: ImportReport,
    encoding: TextEncoding?,
    progress: @escaping (ImportProgress) -> Void
  ) {
    self.source = source
    budget = FeedBudget(stored: source.storedBytes)
    self.report = report
    self.encoding = encoding
    self.progress = progress
  }

  /// Gives the tables away, so that they are not kept in memory twice.
  func releaseTables() -> FeedTables {
    let tables = tables
    self.tables = FeedTables()
    return tables
  }

  /// What was rejected so far, as the end of a message that says that nothing is left to serve.
  var rejections: String { RejectedRowLimit.usual.rejections(in: report) }

  /// Reads all files in the order their references need.
  func readAll() throws(FeedError) {
    for file in FeedFile.allCases where file.isRequired && source.size(of: file) == nil {
      throw FeedError(.missingFile, "\(report.source): \(file.rawValue) is missing")
    }
    guard source.size(of: .calendar) != nil || source.size(of: .calendarDates) != nil else {
      throw FeedError(
        .missingFile,
        "\(report.source): calendar.txt and calendar_dates.txt are both missing"
      )
    }
    try readAgencies()
    try readFeedInfo()
    try readStops()
    try readRoutes()
    try readCalendar()
    try readCalendarDates()
    try checkCalendar()
    try readTrips()
    try readFrequencies()
    try readBookingRules()
    try readLocationGroups()
    try readStopTimes()
    try readZones()
    tables.nameZones()
    try readTransfers()
    try readTranslations()
  }

  /// Reads one file, row by row.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - prepare: Called with the open file before the first row; finds the columns.
  ///   - row: Called for each row that is well-formed CSV; returns why it is rejected, or `nil`.
  /// - Returns: Whether the feed has the file.
  /// - Throws: ``FeedError`` of the archive or the closures, or `limitExceeded`.
  @discardableResult
  func read<Columns>(
    _ file: FeedFile,
    columns prepare: (CSVReader) throws(FeedError) -> Columns,
    row: (CSVReader, Columns) throws(FeedError) -> Rejection?
  ) throws(FeedError) -> Bool {
    guard let opened = try source.open(file) else { return false }
    let bytes = EncodedSource(opened, encoding: encoding)
    let total = source.size(of: file) ?? 0
    let reader: CSVReader
    let columns: Columns
    do throws(FeedError) {
      reader = try CSVReader(ReadAhead(bytes), file: file.rawValue)
      columns = try prepare(reader)
    } catch {
      // An optional file that is empty, or one that no board needs, is as good as none.
      guard
        (error.code == .emptyFile && !file.isRequired)
          || (error.code == .missingColumn && file.isInformative)
      else { throw error }
      warn(file: file, line: 1, column: nil, reason: "left out: \(error.message)")
      return false
    }
    let place = report.files.count
    report.files.append(ImportReport.File(file: file.rawValue))
    report.files[place].encoding = bytes.encoding?.name
    report.files[place].separator = Self.name(ofSeparator: reader.separator)
    var rows = 0
    scratchBytes = 0
    while try reader.next() {
      rows += 1
      let rejection =
        if let problem = reader.problem {
          Rejection(.record, column: nil, reason: problem)
        } else {
          try row(reader, columns)
        }
      if let rejection { reject(rejection, reader) }
      if rows & 0x7F == 0 {
        try checkBudget(file.rawValue, reader.line)
        guard tables.texts.arena.count <= FeedLimits.allTextBytes else {
          throw FeedError(
            .limitExceeded,
            "\(file.rawValue): all texts take more than \(FeedLimits.allTextBytes) bytes"
          )
        }
      }
      if rows & 0xFFFF == 0 {
        progress(ImportProgress(step: file.rawValue, done: reader.bytesRead, total: total))
      }
    }
    try checkBudget(file.rawValue, reader.line)
    report.files[place].rows = rows
    report.files[place].bytes = reader.bytesRead
    progress(ImportProgress(step: file.rawValue, done: reader.bytesRead, total: reader.bytesRead))
    return true
  }

  /// What separates fields, for the report; `nil` for a comma.
  private static func name(ofSeparator separator: UInt8) -> String? {
    switch separator {
    case CSVReader.comma: nil
    case 0x09: "tab"
    default: String(Unicode.Scalar(separator))
    }
  }

  private func checkBudget(_ file: String, _ line: Int) throws(FeedError) {
    try budget.check(tables.keptBytes + scratchBytes, file: file, line: line)
  }

  /// Counts a row of the file being read that was left out because its trip was.
  func drop() { report.files[report.files.count - 1].dropped += 1 }

  /// Counts a row of the file being read that is served on demand: right, but on no board.
  func setAside() { report.files[report.files.count - 1].onDemand += 1 }

  /// Records that a row, or a trip, is used although something in it is wrong.
  func warn(_ reader: CSVReader, _ column: Int?, _ reason: String) {
    warn(file: reader.file, line: reader.line, column: name(column, reader), reason: reason)
  }

  /// Records that a trip is used although something in its stop times is wrong.
  func warn(file: FeedFile, line: Int, column: String?, reason: String) {
    warn(file: file.rawValue, line: line, column: column, reason: reason)
  }

  private func warn(file: String, line: Int, column: String?, reason: String) {
    report.warn(RejectedRow(file: file, line: line, column: column, reason: reason))
  }

  /// Records a rejection that is found only after its row was read (a trip without a first time).
  func reject(
    _ kind: RejectedRow.Kind,
    file: FeedFile,
    line: Int,
    column: String? = nil,
    reason: String
  ) {
    report.reject(
      RejectedRow(file: file.rawValue, line: line, column: column, reason: reason),
      kind
    )
  }

  private func reject(_ rejection: Rejection, _ reader: CSVReader) {
    report.reject(
      RejectedRow(
        file: reader.file,
        line: reader.line,
        column: name(rejection.column, reader),
        reason: rejection.reason
      ),
      rejection.kind
    )
  }

  /// The name of a column, for messages.
  private func name(_ column: Int?, _ reader: CSVReader) -> String? {
    column.map { $0 < reader.header.count ? reader.header[$0] : "\($0 + 1)" }
  }

  /// A field as a string, for messages.
  func shown(_ reader: CSVReader, _ column: Int?) -> String {
    Self.shown(reader.bytes(column))
  }

  /// Bytes of a feed as a string, for messages.
  static func shown(_ bytes: UnsafeRawBufferPointer) -> String {
    // What a feed says may go to a terminal: no control characters.
    let shown = String(decoding: bytes.prefix(60), as: UTF8.self).unicodeScalars.map { scalar in
      scalar.properties.generalCategory == .control ? "\u{FFFD}" : Character(scalar)
    }
    return "\"" + String(shown) + "\""
  }

  /// A field as a whole number; `nil` if it is empty or not one.
  func integer(_ reader: CSVReader, _ column: Int?) -> Int? {
    let bytes = reader.bytes(column)
    guard bytes.count > 0, bytes.count < 12 else { return nil }
    var value = 0
    var isNegative = false
    for (index, byte) in bytes.enumerated() {
      if index == 0, byte == 0x2D, bytes.count > 1 {
        isNegative = true
        continue
      }
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    return isNegative ? -value : value
  }
}

/// How far an import is.
package struct ImportProgress: Sendable {
  /// The file being read, or the phase.
  package var step: String
  /// Bytes or items done and in all; `total` is 0 when it is not known.
  package var done: Int
  package var total: Int

  /// Creates a progress report.
  package init(step: String, done: Int, total: Int) {
    self.step = step
    self.done = done
    self.total = total
  }
}
