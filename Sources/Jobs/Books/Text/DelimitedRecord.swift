/// One record of a delimited file, as written and as fields.
package struct DelimitedRecord: Sendable {
  /// An error in the format of a record.
  package enum Fault: Hashable, Sendable {
    /// A quote opens a field and nothing closes it; the record is the line with the quote.
    case unclosedQuote
    /// The record is longer than the limit; only its beginning is kept.
    case tooLong
    /// There are more fields than the limit.
    case tooManyFields
  }

  struct Field: Sendable {
    var start: Int
    var end: Int
    var isEscaped = false
  }

  /// The line it starts on, counted from 1.
  package let line: Int
  /// The bytes of the record without the line end, in UTF-8.
  package let bytes: [UInt8]
  /// The error; if there is one, the fields have no meaning.
  package let fault: Fault?
  /// Whether quotes that break the grammar have been read as what they probably meant.
  package let isRepaired: Bool
  let fields: [Field]

  /// How many fields there are.
  package var count: Int { fields.count }

  /// Whether all fields have only whitespace.
  package var isBlank: Bool {
    fault == nil
      && fields.allSatisfy { field in
        bytes[field.start..<field.end].allSatisfy { $0 == 0x20 || $0 == 0x09 }
      }
  }

  /// A field without its quotes; empty for a missing field.
  package func text(_ column: Int) -> String {
    guard fields.indices.contains(column) else { return "" }
    let field = fields[column]
    let slice = bytes[field.start..<field.end]
    guard field.isEscaped else { return String(decoding: slice, as: UTF8.self) }
    var plain: [UInt8] = []
    plain.reserveCapacity(slice.count)
    var wasQuote = false
    for byte in slice {
      if byte == 0x22, wasQuote {
        wasQuote = false
      } else {
        plain.append(byte)
        wasQuote = byte == 0x22
      }
    }
    return String(decoding: plain, as: UTF8.self)
  }

  /// Whether a field holds anything but whitespace.
  package func isFilled(_ column: Int) -> Bool {
    guard fields.indices.contains(column) else { return false }
    let field = fields[column]
    return bytes[field.start..<field.end].contains { $0 != 0x20 && $0 != 0x09 }
  }
}
