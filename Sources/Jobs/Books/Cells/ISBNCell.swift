/// The content of a cell where an ISBN is expected.
package enum ISBNCell: Hashable, Sendable {
  /// Nothing, or a word for nothing.
  case empty
  /// A sound number.
  case number(ISBN)
  /// A sound number after a repair.
  case repaired(ISBN, Repair)
  /// Digits in place of a number, such as `0000000000`.
  case placeholder(String)
  /// Something that is not an ISBN and was not meant as one.
  case other(String)
  /// A number that is broken.
  case broken(Break)

  /// The repair of a number.
  package enum Repair: String, Hashable, Sendable {
    /// Zeros that a spreadsheet cut off are back.
    case leadingZeros = "isbn_zeros_restored"
    /// A number in scientific notation, or with a decimal point, has all its digits.
    case notation = "isbn_notation_repaired"
  }

  /// Why a number is not a valid ISBN.
  package enum Break: String, Hashable, Sendable {
    /// The check digit is wrong.
    case checksum = "isbn_checksum"
    /// There are more or fewer digits than ten or thirteen.
    case length = "isbn_length"
    /// Thirteen digits that do not identify a book.
    case prefix = "isbn_prefix"
    /// Thirteen digits of printed music (ISMN).
    case music = "isbn_music"
    /// A spreadsheet has rounded the number: its last digits are lost.
    case excelDamage = "isbn_excel_damaged"
  }

  private static let nothing: Set<String> = [
    "", "-", "--", "n/a", "na", "none", "null", "nil", "0",
  ]
  /// The fewest digits of a number that may have lost zeros.
  private static let fewestDigits = 7

  /// Reads a cell with one number.
  package init(_ cell: String) {
    var text = CellText.withoutBrackets(cell)
    if text.utf8.count > 5 {
      let start = text.prefix(5).lowercased()
      if start.hasPrefix("isbn:") || start.hasPrefix("isbn ") { text = String(text.dropFirst(5)) }
    }
    guard !Self.nothing.contains(text.lowercased()) else {
      self = .empty
      return
    }
    var digits: [UInt8] = []
    for byte in text.utf8 where byte != 0x2D && byte != 0x20 {
      // The last of ten digits may be X, also if zeros before it are lost.
      let mayBeTen = Self.fewestDigits - 1..<10 ~= digits.count && (byte == 0x58 || byte == 0x78)
      let isAfterTen = digits.last.map { !(0x30...0x39 ~= $0) } ?? false
      guard !isAfterTen, 0x30...0x39 ~= byte || mayBeTen else {
        self = Self.unusual(text)
        return
      }
      digits.append(byte)
    }
    self = Self.judge(digits)
  }

  private static func judge(_ digits: [UInt8]) -> ISBNCell {
    if let isbn = ISBN(digits: digits) { return .number(isbn) }
    if ISBN.isPlaceholder(digits) {
      return .placeholder(String(decoding: digits, as: UTF8.self))
    }
    switch digits.count {
    case 13:
      guard ISBN.hasCheckedThirteen(digits) else { return .broken(.checksum) }
      return .broken(ISBN.isMusic(digits) ? .music : .prefix)
    case 10: return .broken(.checksum)
    case fewestDigits..<10:
      let padded = [UInt8](repeating: 0x30, count: 10 - digits.count) + digits
      if let isbn = ISBN(digits: padded) { return .repaired(isbn, .leadingZeros) }
      return .broken(.length)
    default: return .broken(.length)
    }
  }

  /// Text that is more than digits.
  private static func unusual(_ text: String) -> ISBNCell {
    // A number as a spreadsheet shows it: 9.78037E+12, 9,78037E+12, 9780374538651.0
    let bytes = Array(text.uppercased().utf8)
    var mantissa: [UInt8] = []
    var fraction = 0
    var hasPoint = false
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if 0x30...0x39 ~= byte {
        mantissa.append(byte)
        if hasPoint { fraction += 1 }
      } else if byte == 0x2E || byte == 0x2C, !hasPoint {
        hasPoint = true
      } else {
        break
      }
      index += 1
    }
    guard !mantissa.isEmpty else { return .other(text) }
    if index == bytes.count {
      // Only a point and zeros behind it.
      guard hasPoint, mantissa.suffix(fraction).allSatisfy({ $0 == 0x30 }) else {
        return .broken(.length)
      }
      return repaired(Array(mantissa.dropLast(fraction)))
    }
    guard bytes[index] == 0x45 else { return .other(text) }
    let exponent = String(decoding: bytes[(index + 1)...], as: UTF8.self)
    guard let power = Int(exponent), 6...12 ~= power, mantissa.count - fraction == 1 else {
      return .other(text)
    }
    return mantissa.count == power + 1 ? repaired(mantissa) : .broken(.excelDamage)
  }

  private static func repaired(_ digits: [UInt8]) -> ISBNCell {
    switch judge(digits) {
    case .number(let isbn): .repaired(isbn, .notation)
    case let other: other
    }
  }
}
