/// Reads the rows of a book list that is fed in pieces of any size.
///
/// The bytes have been surveyed before (``EncodingSurvey``), so that reading the same file again, after a crash, gives
/// the same rows.
package struct BookFile: Sendable {
  /// A row of the file.
  package struct Row: Sendable {
    /// Its number below the header, from 1.
    package var number: Int
    /// The line it starts on, from 1.
    package var line: Int
    /// Its content.
    package var content: RowReader.Row
    /// Its bytes in the file, in UTF-8, without the line end.
    package var raw: [UInt8]
  }

  /// The columns of the header; `nil` until it has been read.
  package private(set) var map: ColumnMap?
  /// The byte between fields; `nil` until the header has been read.
  package private(set) var delimiter: UInt8?
  /// The header line in the file, in UTF-8.
  package private(set) var headerLine: [UInt8] = []
  /// How many rows have been given out.
  package private(set) var rows = 0

  /// How to read the columns, judging by the rows so far.
  package private(set) var survey = ColumnSurvey()

  private let limits: ImportLimits
  /// The result of a survey; `nil` during the survey.
  private let knownSurvey: ColumnSurvey?
  private let mapping: [String: BookColumn]
  private var transcoder: Transcoder
  private var start: [UInt8] = []
  private var linesBefore = 0
  private var namedDelimiter: UInt8?
  private var reader: DelimitedReader?
  private var rowReader: RowReader?
  private var isFinished = false
  private var bytesFed = 0

  /// Starts a file.
  ///
  /// - Parameters:
  ///   - encoding: The encoding found by the survey.
  ///   - markBytes: The number of bytes of a byte order mark.
  ///   - mapping: The meaning of columns that the header names differently, by their names.
  ///   - limits: The limits of the input.
  ///   - survey: The result of an earlier survey of the whole file (``survey``).
  package init(
    encoding: TextEncoding,
    markBytes: Int,
    mapping: [String: BookColumn] = [:],
    limits: ImportLimits = ImportLimits(),
    survey: ColumnSurvey? = nil
  ) {
    self.limits = limits
    knownSurvey = survey
    self.mapping = mapping
    transcoder = Transcoder(encoding, markBytes: markBytes)
  }

  /// Takes the next bytes of the file.
  ///
  /// - Throws: ``ImportFileError`` if the file is too large or its header cannot be used.
  package mutating func feed(_ bytes: some Collection<UInt8>) throws(ImportFileError) {
    bytesFed += bytes.count
    guard bytesFed <= limits.fileBytes else {
      throw ImportFileError(.tooLarge, "the file is larger than \(limits.fileBytes) bytes")
    }
    var text: [UInt8] = []
    transcoder.feed(bytes, into: &text)
    try append(text)
  }

  /// Marks the end of the file.
  ///
  /// - Throws: ``ImportFileError`` if the file has no header.
  package mutating func finish() throws(ImportFileError) {
    var text: [UInt8] = []
    transcoder.finish(into: &text)
    isFinished = true
    try append(text)
    reader?.finish()
    guard reader != nil else { throw ImportFileError(.empty, "there is nothing in the file") }
  }

  /// Skips the next row without reading its cells.
  ///
  /// - Returns: Whether a row was skipped; false if more bytes are needed, or the file has ended.
  /// - Throws: ``ImportFileError`` if the file has no rows, or too many.
  package mutating func skip() throws(ImportFileError) -> Bool { try record() != nil }

  /// The next row.
  ///
  /// - Returns: The row; `nil` if more bytes are needed, or the file has ended.
  /// - Throws: ``ImportFileError`` if the file has no rows, or too many.
  package mutating func next() throws(ImportFileError) -> Row? {
    guard let record = try record(), let rowReader else { return nil }
    if knownSurvey == nil { rowReader.survey(record, &survey) }
    return Row(
      number: rows,
      line: record.line + linesBefore,
      content: rowReader.read(record),
      raw: record.bytes
    )
  }

  private mutating func record() throws(ImportFileError) -> DelimitedRecord? {
    guard let record = reader?.next() else {
      if isFinished, rows == 0, reader != nil {
        throw ImportFileError(.noRows, "there is a header and no row below it")
      }
      return nil
    }
    rows += 1
    guard rows <= limits.rows else {
      throw ImportFileError(.tooManyRows, "there are more than \(limits.rows) rows")
    }
    return record
  }

  /// Passes text on to the reader, after the header has been found in it.
  private mutating func append(_ text: [UInt8]) throws(ImportFileError) {
    guard reader == nil else {
      reader?.feed(text)
      return
    }
    start += text
    while let (line, after) = firstLine() {
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
        // Blank lines before the header.
      } else if linesBefore == 0, let delimiter = TableStart.named(by: line) {
        namedDelimiter = delimiter
      } else {
        try open(line)
        linesBefore += TableStart.lines(of: line)
        reader?.feed(start[after...])
        start = []
        return
      }
      linesBefore += 1
      start.removeSubrange(..<after)
    }
    guard start.count <= TableStart.longestHeader else {
      throw ImportFileError(
        .unknownHeader,
        "line 1 is longer than \(TableStart.longestHeader) bytes and is not a header"
      )
    }
  }

  private mutating func open(_ line: [UInt8]) throws(ImportFileError) {
    var table = TableStart(line: line)
    if let delimiter = namedDelimiter, delimiter != table.delimiter {
      var reader = DelimitedReader(delimiter: delimiter)
      reader.feed(line)
      reader.finish()
      if let record = reader.next(), record.fault == nil {
        table.delimiter = delimiter
        table.header = TableStart.names(record)
      }
    }
    guard table.header.count <= limits.columns else {
      throw ImportFileError(
        .unknownHeader,
        "line \(linesBefore + 1) has \(table.header.count) columns; \(limits.columns) are the most"
      )
    }
    let map = try ColumnMap(header: table.header, mapping: mapping)
    self.map = map
    self.delimiter = table.delimiter
    headerLine = line
    rowReader = RowReader(map: map, limits: limits, survey: knownSurvey ?? ColumnSurvey())
    var reader = DelimitedReader(delimiter: table.delimiter, limits: limits)
    reader.columns = table.header.count
    self.reader = reader
  }

  /// The first line of what has come, if it is whole, and where the next one begins.
  private func firstLine() -> (line: [UInt8], after: Int)? {
    let isEnough = isFinished || start.count > TableStart.longestHeader
    var found = TableStart.lineEnd(in: start)
    // A quote that does not close costs its own line only.
    if found == nil, isEnough { found = start.firstIndex { $0 == 0x0A || $0 == 0x0D } }
    guard let end = found else {
      return isFinished && !start.isEmpty ? (start, start.count) : nil
    }
    var after = end + 1
    if start[end] == 0x0D {
      if after == start.count, !isFinished { return nil }
      if after < start.count, start[after] == 0x0A { after += 1 }
    }
    return (Array(start[..<end]), after)
  }
}
