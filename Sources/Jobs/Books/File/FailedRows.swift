/// Writes the rows that failed as a table that can be corrected and imported again.
///
/// Two columns precede those of the file: the number of the row and what is wrong with it; an import
/// ignores them. Each row follows as written in the file, quotes and all, with the file's own delimiter. The
/// table is UTF-8 with a byte order mark, so that spreadsheets read it right: a row of a UTF-8 file is
/// kept byte for byte, a row of another file character for character. Only a cell that a spreadsheet would run as a
/// formula gets an apostrophe before it, which an import takes off again (``CellText/plain(_:)``).
///
/// A row whose quotes do not close would swallow the rows below it. Such a row, and one that is too long, is
/// given as one quoted field behind the reason; imported again it fails for its number of fields until a
/// person has put it right.
package struct FailedRows: Sendable {
  /// The names of the columns before those of the file.
  package static let columns = ["Import row", "Import problem"]

  /// The bytes so far.
  package private(set) var bytes: [UInt8]

  private let delimiter: UInt8
  private let wasFailedBefore: Bool

  /// Starts a table.
  ///
  /// - Parameters:
  ///   - header: The header line of the file, in UTF-8.
  ///   - delimiter: The byte between fields.
  package init(header: [UInt8], delimiter: UInt8) {
    self.delimiter = delimiter
    bytes = [0xEF, 0xBB, 0xBF]
    // A table of failed rows that was imported again has the two columns already.
    // Spreadsheets write them with quotes.
    var reader = DelimitedReader(delimiter: delimiter)
    reader.feed(header)
    reader.finish()
    let record = reader.next()
    wasFailedBefore = Self.columns.indices.allSatisfy { record?.text($0) == Self.columns[$0] }
    if !wasFailedBefore {
      for name in Self.columns {
        bytes += name.utf8
        bytes.append(delimiter)
      }
    }
    bytes += guarded(header)
    bytes += [0x0D, 0x0A]
  }

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - row: Its number, from 1.
  ///   - problem: What is wrong, for display.
  ///   - raw: Its bytes, in UTF-8.
  ///   - isBroken: Whether its quotes do not close, or only its beginning was kept.
  package mutating func add(row: Int, problem: String, raw: [UInt8], isBroken: Bool) {
    bytes += String(row).utf8
    bytes.append(delimiter)
    bytes += DelimitedText.field(problem, delimiter: delimiter, guardsFormulas: true)
    bytes.append(delimiter)
    if isBroken {
      let isFormula = FormulaGuard.isFormula(String(decoding: raw, as: UTF8.self)[...])
      bytes += DelimitedText.quoted(isFormula ? [0x27] + raw : raw)
    } else {
      bytes += guarded(Array(wasFailedBefore ? withoutFirstTwoFields(raw) : raw[...]))
    }
    bytes += [0x0D, 0x0A]
  }

  /// A row whose cells no spreadsheet runs.
  private func guarded(_ raw: [UInt8]) -> [UInt8] {
    var reader = DelimitedReader(delimiter: delimiter)
    reader.feed(raw)
    reader.finish()
    guard let record = reader.next(), record.fault == nil else { return raw }
    var guarded = raw
    for column in record.fields.indices.reversed() {
      let text = record.text(column)
      guard FormulaGuard.isFormula(text[...]), !CellText.isQuotedConstant(text) else { continue }
      guarded.insert(0x27, at: record.fields[column].start)
    }
    return guarded
  }

  private func withoutFirstTwoFields(_ raw: [UInt8]) -> ArraySlice<UInt8> {
    var reader = DelimitedReader(delimiter: delimiter)
    reader.feed(raw)
    reader.finish()
    guard let record = reader.next(), record.fields.count > 2, record.fault == nil else {
      return raw[...]
    }
    // The third field begins behind the second delimiter that is outside quotes.
    var position = record.fields[1].end
    while position < raw.count, raw[position] != delimiter { position += 1 }
    return raw[min(position + 1, raw.count)...]
  }
}
