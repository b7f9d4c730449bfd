/// Reads the records of a GTFS text file one after another (RFC 4180, as the GTFS reference bends it).
///
/// Understood: a byte order mark, quoted fields with doubled quotes and line breaks in them, CRLF, LF
/// and CR, whitespace around a field, empty lines, a last line without an end, records shorter than the
/// header, and semicolons or tabs in place of commas where the header has no comma. A record that breaks the grammar is given out with ``problem`` set; the next line is read
/// as if nothing had happened.
package final class CSVReader {
  /// The file's name, for messages.
  package let file: String
  /// The column names of the header, in order.
  package private(set) var header: [String] = []
  /// The line the current record starts on, counted from 1.
  package private(set) var line = 0
  /// What is wrong with the current record; `nil` if it is well formed.
  package private(set) var problem: String?
  /// How many bytes have been read.
  package private(set) var bytesRead = 0
  /// What separates the fields: a comma unless the header has none, and semicolons or tabs.
  // Read for each record, and set once before the first.
  @exclusivity(unchecked) package private(set) var separator: UInt8 = comma

  /// The separator of RFC 4180.
  package static let comma: UInt8 = 0x2C
  private static let semicolon: UInt8 = 0x3B
  private static let tab: UInt8 = 0x09

  private let source: any ByteSource
  private let buffer: UnsafeMutablePointer<UInt8>
  private let capacity: Int
  private var start = 0
  private var end = 0
  private var isAtEnd = false
  private var nextLine = 1
  private let fields: UnsafeMutablePointer<Field>
  private var count = 0
  private var recordStart = 0

  private struct Field {
    var start: Int32 = 0
    var end: Int32 = 0
    var isEscaped = false
  }

  /// Opens a file and reads its header.
  ///
  /// - Throws: ``FeedError`` with code `invalid` if the file has no header.
  package init(_ source: any ByteSource, file: String) throws(FeedError) {
    self.source = source
    self.file = file
    capacity = FeedLimits.recordBytes + FeedLimits.blockBytes
    buffer = .allocate(capacity: capacity)
    fields = .allocate(capacity: FeedLimits.columns)
    fields.initialize(repeating: Field(), count: FeedLimits.columns)
    while end < 3, !isAtEnd { try refill() }
    if end >= 3, buffer[0] == 0xEF, buffer[1] == 0xBB, buffer[2] == 0xBF { start = 3 }
    separator = try headerSeparator()
    let firstBytes = (start..<min(start + 4, end)).map { buffer[$0] }
    guard try next() else { throw FeedError(.emptyFile, "\(file): the file is empty") }
    if let problem { throw FeedError(.invalid, "\(file), line \(line): header: \(problem)") }
    header = (0..<count).map { String(decoding: bytes($0), as: UTF8.self) }
    guard !firstBytes.contains(where: { $0 < 0x20 && !Self.isWhitespace($0) }) else {
      let bytes = firstBytes.map { String($0, radix: 16) }.joined(separator: " ")
      throw FeedError(
        .missingColumn,
        "\(file): is not text; its first bytes are, in hexadecimal, \(bytes)"
      )
    }
  }

  /// A name of a header, for messages: what a feed says may go to a terminal.
  private static func shown(_ name: String) -> String {
    let letters = name.unicodeScalars.prefix(60).map { letter in
      letter.properties.generalCategory == .control ? "\u{FFFD}" : Character(letter)
    }
    return "\"\(String(letters))\""
  }

  private static func isWhitespace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  /// What separates the names of the header.
  ///
  /// Names of columns have neither commas, semicolons nor tabs in them, so that a header with none but semicolons, or
  /// none but tabs, is not ambiguous.
  private func headerSeparator() throws(FeedError) -> UInt8 {
    var position = start
    var isQuoted = false
    var (commas, semicolons, tabs) = (0, 0, 0)
    var hasText = false
    scan: while true {
      if position == end {
        guard !isAtEnd, end - start < FeedLimits.recordBytes else { break }
        let scanned = position - start
        try refill()
        position = start + scanned
        continue
      }
      let byte = buffer[position]
      position += 1
      if byte > 0x20 { hasText = true }
      if byte == 0x22 { isQuoted.toggle() }
      if byte > Self.semicolon || isQuoted { continue }
      switch byte {
      case Self.comma: commas += 1
      case Self.semicolon: semicolons += 1
      case Self.tab: tabs += 1
      case 0x0A, 0x0D:
        if hasText { break scan }
        tabs = 0
      default: continue
      }
    }
    guard commas == 0, semicolons == 0 || tabs == 0 else { return Self.comma }
    if semicolons > 0 { return Self.semicolon }
    return tabs > 0 ? Self.tab : Self.comma
  }

  deinit {
    buffer.deallocate()
    fields.deallocate()
  }

  /// The position of a column; `nil` if the file does not have it.
  package func column(_ name: String) -> Int? { header.firstIndex(of: name) }

  /// The position of a column the file must have.
  ///
  /// - Throws: ``FeedError`` with code `missingColumn`.
  package func required(_ name: String) throws(FeedError) -> Int {
    guard let column = column(name) else {
      let only =
        header.count == 1 ? header.first.map { "; the header is one name: \(Self.shown($0))" } : nil
      throw FeedError(
        .missingColumn,
        "\(file): the required column \(name) is missing\(only ?? "")"
      )
    }
    return column
  }

  /// The bytes of a field, without quotes and surrounding whitespace; valid until ``next()``.
  ///
  /// - Parameter column: A position, or `nil` for a column the file does not have.
  /// - Returns: The bytes; none for a column the file or the record does not have.
  package func bytes(_ column: Int?) -> UnsafeRawBufferPointer {
    guard let column, column < count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    let field = fields[column]
    return UnsafeRawBufferPointer(
      start: buffer + Int(field.start),
      count: Int(field.end - field.start)
    )
  }

  /// Where a field starts in its line, in bytes counted from 1, for messages.
  package func offset(_ column: Int) -> Int {
    column < count ? Int(fields[column].start) - recordStart + 1 : 1
  }

  /// Moves to the next record.
  ///
  /// - Returns: Whether there was one.
  package func next() throws(FeedError) -> Bool {
    while true {
      line = nextLine
      problem = nil
      switch scan() {
      case .record(_, let lines) where lines > 1 && problem != nil:
        // A quote that was left open has been closed by one of a later line.
        try skipLine("a quote is never closed")
        return true
      case .record(let after, let lines) where after - start > FeedLimits.recordBytes:
        guard lines == 1 else {
          try skipLine(Self.tooLong)
          return true
        }
        recordStart = start
        start = after
        nextLine += 1
        count = 0
        problem = Self.tooLong
        return true
      case .record(let after, let lines):
        recordStart = start
        start = after
        nextLine += lines
        if count == 1, fields[0].start == fields[0].end, problem == nil { continue }
        finish()
        return true
      case .needsMore where !isAtEnd && end - start < FeedLimits.recordBytes: try refill()
      case .needsMore where start == end: return false
      case .needsMore:
        let isTooLong = end - start >= FeedLimits.recordBytes
        try skipLine(isTooLong ? Self.tooLong : "a quote is never closed")
        return true
      }
    }
  }

  private enum Scan {
    case record(after: Int, lines: Int)
    case needsMore
  }

  private func refill() throws(FeedError) {
    if start > 0 {
      buffer.update(from: buffer + start, count: end - start)
      end -= start
      start = 0
    }
    let read = try source.read(
      into: UnsafeMutableRawBufferPointer(start: buffer + end, count: capacity - end)
    )
    bytesRead += read
    end += read
    if read == 0 { isAtEnd = true }
  }

  /// Finds the fields of the record at `start`.
  ///
  /// Nothing is changed but `fields`, `count`, `problem`.
  private func scan() -> Scan {
    // Constants, for which the compiler makes a loop each.
    switch separator {
    case Self.semicolon: scan(Self.semicolon, blank: Self.tab)
    case Self.tab: scan(Self.tab, blank: 0x20)
    default: scan(Self.comma, blank: Self.tab)
    }
  }

  /// Finds the fields of the record at `start`.
  ///
  /// - Parameters:
  ///   - separator: What ends a field beside the end of a line.
  ///   - blank: What may be around a field besides spaces.
  /// - Returns: Where the record ends, or that it does not end in the buffer.
  @inline(__always)
  private func scan(_ separator: UInt8, blank: UInt8) -> Scan {
    let highest = max(separator, 0x0D)
    var position = start
    let end = end
    let buffer = buffer
    var lines = 0
    count = 0
    problem = nil
    while true {
      // One field from `position`.
      while position < end, buffer[position] == 0x20 || buffer[position] == blank { position += 1 }
      let first = position
      var last = position
      var isEscaped = false
      if position < end, buffer[position] == 0x22 {
        position += 1
        var isClosed = false
        while position < end {
          let byte = buffer[position]
          if byte == 0x22 {
            if position + 1 == end, !isAtEnd { return .needsMore }
            if position + 1 < end, buffer[position + 1] == 0x22 {
              isEscaped = true
              position += 2
              continue
            }
            isClosed = true
            break
          }
          if byte == 0x0A || (byte == 0x0D && (position + 1 >= end || buffer[position + 1] != 0x0A))
          {
            lines += 1
          }
          position += 1
        }
        guard isClosed else { return .needsMore }
        last = position
        position += 1
        while position < end, buffer[position] == 0x20 || buffer[position] == blank {
          position += 1
        }
        if position < end, !Self.endsField(buffer[position], separator) {
          problem = "column \(count + 1): text after the closing quote"
          while position < end, !Self.endsField(buffer[position], separator) { position += 1 }
        }
        store(first + 1, last, isEscaped)
      } else {
        while position < end {
          let byte = buffer[position]
          if byte > highest || !Self.endsField(byte, separator) {
            position += 1
            continue
          }
          break
        }
        last = position
        while last > first, buffer[last - 1] == 0x20 || buffer[last - 1] == blank { last -= 1 }
        store(first, last, false)
      }
      guard position < end else {
        // The end of the file ends the record; the end of the buffer does not.
        guard isAtEnd, first > start || last > first || count > 1 else { return .needsMore }
        return .record(after: end, lines: lines + 1)
      }
      switch buffer[position] {
      case separator: position += 1
      case 0x0A: return .record(after: position + 1, lines: lines + 1)
      default:
        if position + 1 == end, !isAtEnd { return .needsMore }
        let isPair = position + 1 < end && buffer[position + 1] == 0x0A
        return .record(after: position + (isPair ? 2 : 1), lines: lines + 1)
      }
    }
  }

  @inline(__always)
  private static func endsField(_ byte: UInt8, _ separator: UInt8) -> Bool {
    byte == separator || byte == 0x0A || byte == 0x0D
  }

  private func store(_ start: Int, _ end: Int, _ isEscaped: Bool) {
    if count < FeedLimits.columns {
      fields[count] = Field(start: Int32(start), end: Int32(end), isEscaped: isEscaped)
      count += 1
    } else if start < end {
      problem = "more than \(FeedLimits.columns) fields"
    }
  }

  /// Undoes doubled quotes and judges the number of fields of a complete record.
  private func finish() {
    for index in 0..<count where fields[index].isEscaped {
      var write = Int(fields[index].start)
      var read = write
      let end = Int(fields[index].end)
      while read < end {
        buffer[write] = buffer[read]
        read += buffer[read] == 0x22 ? 2 : 1
        write += 1
      }
      fields[index].end = Int32(write)
    }
    guard problem == nil, !header.isEmpty, count > header.count else { return }
    let extra = (header.count..<count).contains { fields[$0].start < fields[$0].end }
    if extra { problem = "\(count) fields; the header has \(header.count)" }
  }

  private static let tooLong =
    "the record is longer than \(FeedLimits.recordBytes) bytes or a quote is never closed"

  /// Gives out the line at `start`, however long, as one malformed record.
  private func skipLine(_ reason: String) throws(FeedError) {
    problem = reason
    recordStart = start
    count = 0
    while true {
      while start < end, buffer[start] != 0x0A, buffer[start] != 0x0D { start += 1 }
      // Behind a CR at the end of the buffer its LF may follow.
      if isAtEnd || start + 1 < end || (start < end && buffer[start] == 0x0A) { break }
      try refill()
    }
    if start < end {
      let isPair = buffer[start] == 0x0D && start + 1 < end && buffer[start + 1] == 0x0A
      start += isPair ? 2 : 1
    }
    nextLine += 1
  }
}
