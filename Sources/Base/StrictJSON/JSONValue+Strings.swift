extension JSONValue {
  /// Returns a string as JSON that is one line to every reader: the separators U+2028 and U+2029, at which some end a
  /// line, are escaped too.
  package static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      if let escape = UInt8(exactly: scalar.value).flatMap(escape) {
        quoted += escape
      } else if scalar == "\u{2028}" || scalar == "\u{2029}" {
        quoted += "\\u" + String(scalar.value, radix: 16)
      } else {
        quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// Appends a string as JSON.
  static func write(_ text: String, into bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if let escape = escape(byte) {
        bytes.append(contentsOf: escape.utf8)
      } else {
        bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Returns the escape of a byte that a string must not contain as it is (RFC 8259 section 7); `nil` for others.
  private static func escape(_ byte: UInt8) -> String? {
    switch byte {
    case UInt8(ascii: "\""): "\\\""
    case UInt8(ascii: "\\"): "\\\\"
    case UInt8(ascii: "\n"): "\\n"
    case UInt8(ascii: "\r"): "\\r"
    case UInt8(ascii: "\t"): "\\t"
    case 0..<0x20: "\\u00" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16)
    default: nil
    }
  }
}
