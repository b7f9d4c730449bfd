/// Reads the elements of field values (RFC 9110 section 5.6), byte by byte.
///
/// Every method either reads its element and advances, or returns `nil` or false and does not move.
struct FieldScanner {
  private let bytes: [UInt8]
  private var position = 0
  /// Whether an unclosed quote was found.
  ///
  /// No further quote is examined then, so many of them cost no more than one.
  private var hasOpenQuote = false

  /// Starts at the beginning of a field value.
  init(_ text: some StringProtocol) {
    bytes = Array(text.utf8)
  }

  /// Whether the whole value was read.
  var isAtEnd: Bool { position == bytes.count }

  /// The next byte.
  var next: UInt8? { isAtEnd ? nil : bytes[position] }

  /// Reads one byte if it is the given one.
  mutating func skip(_ byte: Unicode.Scalar) -> Bool {
    guard let next, next == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  /// Reads spaces and tabs (RFC 9110 section 5.6.3).
  mutating func skipWhitespace() {
    while let next, FieldSyntax.isWhitespace(next) { position += 1 }
  }

  /// Reads whitespace and commas, which may precede the next element of a list.
  mutating func skipListSeparators() {
    while let next, FieldSyntax.isWhitespace(next) || next == UInt8(ascii: ",") { position += 1 }
  }

  /// Reads the rest of a list element, up to a comma outside quotes.
  mutating func skipElement() {
    while let byte = next, byte != UInt8(ascii: ",") {
      if byte == UInt8(ascii: "\""), quotedString() != nil { continue }
      position += 1
    }
  }

  /// Reads a token (RFC 9110 section 5.6.2).
  mutating func token() -> String? {
    let start = position
    while let next, FieldSyntax.isTokenByte(next) { position += 1 }
    return start == position ? nil : String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// Reads a quoted string and returns its contents (RFC 9110 section 5.6.4).
  mutating func quotedString() -> String? {
    guard next == UInt8(ascii: "\""), !hasOpenQuote else { return nil }
    var content: [UInt8] = []
    var index = position + 1
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        position = index + 1
        return String(decoding: content, as: UTF8.self)
      case UInt8(ascii: "\\") where index + 1 < bytes.count:
        content.append(bytes[index + 1])
        index += 2
      case let byte:
        content.append(byte)
        index += 1
      }
    }
    hasOpenQuote = true
    return nil
  }

  /// Reads bytes up to the first terminator, or to the end.
  mutating func bytes(upTo isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = position
    while let next, !isEnd(next) { position += 1 }
    return bytes[start..<position]
  }

  /// Reads a name, and the value after `=` if there is one, as a token or a quoted string.
  ///
  /// A `=` without a value returns the empty value.
  mutating func pair() -> (name: String, value: String?)? {
    guard let name = token() else { return nil }
    let end = position
    skipWhitespace()
    guard skip("=") else {
      position = end
      return (name, nil)
    }
    skipWhitespace()
    return (name, quotedString() ?? token() ?? "")
  }
}
