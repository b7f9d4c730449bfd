/// The character classes of field values (RFC 9110 section 5.6).
enum FieldSyntax {
  /// Returns whether a byte is a space or a tab.
  static func isWhitespace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// Returns whether a byte is a digit.
  static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }

  /// Returns whether a byte may be part of a token (RFC 9110 section 5.6.2).
  static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case _ where isDigit(byte): true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// Returns whether a string is a token.
  static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
  }

  /// Returns a value as written after `=`: plain if it is a token, quoted if not.
  ///
  /// Control characters cannot be written and become spaces.
  static func word(_ value: String) -> String {
    if isToken(value) { return value }
    var quoted: [UInt8] = [UInt8(ascii: "\"")]
    for byte in value.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): quoted += [UInt8(ascii: "\\"), byte]
      case 0..<0x20 where byte != UInt8(ascii: "\t"), 0x7F: quoted.append(UInt8(ascii: " "))
      default: quoted.append(byte)
      }
    }
    quoted.append(UInt8(ascii: "\""))
    return String(decoding: quoted, as: UTF8.self)
  }

  /// Returns a string without surrounding whitespace.
  static func trimmed(_ text: some StringProtocol) -> String {
    String(decoding: trimmed(Array(text.utf8)), as: UTF8.self)
  }

  /// Returns bytes without surrounding whitespace.
  static func trimmed(_ bytes: some Collection<UInt8>) -> ArraySlice<UInt8> {
    var bytes = Array(bytes)[...]
    while let first = bytes.first, isWhitespace(first) { bytes.removeFirst() }
    while let last = bytes.last, isWhitespace(last) { bytes.removeLast() }
    return bytes
  }

  /// Returns a string with ASCII letters in lowercase.
  static func lowercased(_ text: String) -> String {
    String(decoding: text.utf8.map(lowercased), as: UTF8.self)
  }

  /// Returns a byte, in lowercase if it is an ASCII letter.
  static func lowercased(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte + 0x20 : byte
  }
}
