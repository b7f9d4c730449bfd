/// Finds the header of a table and what separates its fields.
struct TableStart {
  /// The bytes that may separate fields: comma, semicolon, tab, bar.
  static let delimiters: [UInt8] = [0x2C, 0x3B, 0x09, 0x7C]
  /// The longest header, in bytes.
  static let longestHeader = 64 << 10

  /// The byte between fields.
  var delimiter: UInt8
  /// The names of the columns.
  var header: [String]

  /// Reads a header line with each delimiter; the one that gives most known names counts, then the one that
  /// gives most fields, then the first.
  ///
  /// - Parameter line: The line without its end.
  init(line: [UInt8]) {
    var best: (known: Int, fields: Int)?
    // The reader of the table limits the number of columns.
    var limits = ImportLimits()
    limits.columns = Self.longestHeader
    delimiter = Self.delimiters[0]
    header = []
    for candidate in Self.delimiters {
      var reader = DelimitedReader(delimiter: candidate, limits: limits)
      reader.feed(line)
      reader.finish()
      guard let record = reader.next(), record.fault == nil else { continue }
      let names = Self.names(record)
      let known = names.count { BookColumn.names[BookColumn.name(of: $0)] != nil }
      let score = (known, names.count)
      if let best, score <= best { continue }
      best = score
      delimiter = candidate
      header = names
    }
  }

  /// Returns the position of the first line break outside a quoted field.
  ///
  /// - Parameter text: The beginning of a table.
  /// - Returns: Its position; `nil` if the text has none, or a quoted field is open.
  static func lineEnd(in text: [UInt8]) -> Int? {
    var isQuoted = false
    var isFieldBegin = true
    var position = 0
    while position < text.count {
      let byte = text[position]
      if isQuoted {
        if byte == 0x22 {
          // A quote that neither ends the field nor is doubled: the field was not meant to
          // continue.
          let next = position + 1 < text.count ? text[position + 1] : 0x0A
          guard [0x22, 0x20, 0x0A, 0x0D].contains(next) || delimiters.contains(next) else {
            return text.firstIndex { $0 == 0x0A || $0 == 0x0D }
          }
          // A doubled quote opens again at once.
          isQuoted = false
          isFieldBegin = true
        }
      } else if byte == 0x0A || byte == 0x0D {
        return position
      } else if byte == 0x22, isFieldBegin {
        isQuoted = true
      } else {
        isFieldBegin = delimiters.contains(byte) || (isFieldBegin && byte == 0x20)
      }
      position += 1
    }
    return nil
  }

  /// The number of lines of a header.
  static func lines(of header: [UInt8]) -> Int {
    var lines = 1
    var previous: UInt8 = 0
    for byte in header {
      if byte == 0x0D || (byte == 0x0A && previous != 0x0D) { lines += 1 }
      previous = byte
    }
    return lines
  }

  /// The names of the columns in a header record.
  static func names(_ record: DelimitedRecord) -> [String] {
    (0..<record.count).map { CellText.onOneLine(CellText.plain(record.text($0))) }
  }

  /// The delimiter that Excel's first line `sep=;` names; `nil` for any other line.
  static func named(by line: [UInt8]) -> UInt8? {
    guard line.count == 5, String(decoding: line.prefix(4), as: UTF8.self).lowercased() == "sep="
    else { return nil }
    return line[4]
  }
}
