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
    delimiter = Self.delimiters[0]
    header = []
    for candidate in Self.delimiters {
      var reader = DelimitedReader(delimiter: candidate)
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
