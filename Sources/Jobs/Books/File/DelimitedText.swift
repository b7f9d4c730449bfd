/// Writes fields so that every reader of RFC 4180 gets them back.
package enum DelimitedText {
  /// A field, in quotes if it needs them.
  ///
  /// A text that a spreadsheet would take for a formula gets an apostrophe before it if `guardsFormulas` is set, and
  /// so does one that would be without its own (``CellText/plain(_:)`` takes it off again).
  package static func field(
    _ text: String,
    delimiter: UInt8 = 0x2C,
    guardsFormulas: Bool = false
  ) -> [UInt8] {
    var bytes = Array(text.utf8)
    if guardsFormulas, let place = FormulaGuard.place(in: text) { bytes.insert(0x27, at: place) }
    let isPlain = bytes.allSatisfy { $0 != delimiter && $0 != 0x22 && $0 != 0x0A && $0 != 0x0D }
    if isPlain, bytes.first != 0x20, bytes.last != 0x20 { return bytes }
    return quoted(bytes)
  }

  /// A field in quotes.
  package static func quoted(_ bytes: [UInt8]) -> [UInt8] {
    var quoted: [UInt8] = [0x22]
    quoted.reserveCapacity(bytes.count + 2)
    for byte in bytes {
      if byte == 0x22 { quoted.append(0x22) }
      quoted.append(byte)
    }
    quoted.append(0x22)
    return quoted
  }

  /// A record with its line end.
  package static func record(_ fields: [String], guardsFormulas: Bool = false) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, text) in fields.enumerated() {
      if index > 0 { bytes.append(0x2C) }
      bytes += field(text, guardsFormulas: guardsFormulas)
    }
    return bytes + [0x0D, 0x0A]
  }
}
