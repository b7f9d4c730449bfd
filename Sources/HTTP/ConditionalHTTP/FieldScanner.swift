/// Reads the parts that field values are made of (RFC 9110 section 5.6), byte by byte.
///
/// Every method either reads its part and moves on, or gives nothing and stays where it is.
struct FieldScanner {
  private let bytes: [UInt8]
  private var position = 0
  /// A quote was found that is never closed; no further one is looked at, so that many of them
  /// cost no more than one.
  private var hasOpenQuote = false

  /// Starts at the beginning of a field's value.
  init(_ text: some StringProtocol) {
    bytes = Array(text.utf8)
  }

  /// Whether everything is read.
  var isAtEnd: Bool { position == bytes.count }

  /// The byte to be read next.
  var next: UInt8? { isAtEnd ? nil : bytes[position] }

  /// Reads one byte if it is the given one.
  mutating func skip(_ byte: Unicode.Scalar) -> Bool {
    guard let next, next == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  /// Reads blanks and tabs (RFC 9110 section 5.6.3).
  mutating func skipBlanks() {
    while let next, FieldSyntax.isBlank(next) { position += 1 }
  }

  /// Reads blanks and commas: what may stand before a list's next element.
  mutating func skipListSeparators() {
    while let next, FieldSyntax.isBlank(next) || next == UInt8(ascii: ",") { position += 1 }
  }

  /// Reads what is left of a list's element, up to a comma outside of quotes.
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

  /// Reads a quoted string and gives what it says (RFC 9110 section 5.6.4).
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

  /// Reads the bytes from here up to the first one that ends them, or to the end.
  mutating func bytes(upTo isEnd: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = position
    while let next, !isEnd(next) { position += 1 }
    return bytes[start..<position]
  }

  /// Reads a name, and the value behind `=` if there is one, as a token or a quoted string.
  ///
  /// A `=` with nothing behind it gives the empty value.
  mutating func pair() -> (name: String, value: String?)? {
    guard let name = token() else { return nil }
    let end = position
    skipBlanks()
    guard skip("=") else {
      position = end
      return (name, nil)
    }
    skipBlanks()
    return (name, quotedString() ?? token() ?? "")
  }
}
