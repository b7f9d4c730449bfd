import HTTPTypes

/// `Host` as RFC 9112, section 3.2, wants it: one field with a valid value, and in HTTP/1.0 perhaps none.
enum HostField {
  /// What takes the place of a field that is missing; no valid value.
  static let missing = "?"

  private static let name = HTTPField.Name("host")

  /// Whether a request has what it has to have.
  static func isSound(_ request: HTTPRequest) -> Bool {
    !isRepeated(request) && request.authority.map { isValid($0) } ?? true
  }

  /// Whether a request has a `Host` beside the one that is its authority.
  static func isRepeated(_ request: HTTPRequest) -> Bool {
    name.map { request.headerFields.contains($0) } ?? false
  }

  /// Whether a text is a host, perhaps an empty one, with a port or without (RFC 3986, sections 3.2.2 and 3.2.3).
  static func isValid(_ text: String) -> Bool {
    var rest = text.utf8[...]
    if rest.first == UInt8(ascii: "[") {
      guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
      let address = rest[rest.index(after: rest.startIndex)..<end]
      guard !address.isEmpty,
        address.allSatisfy({ isPlain($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "%") })
      else { return false }
      rest = rest[rest.index(after: end)...]
    } else {
      let end = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
      guard isName(rest[..<end]) else { return false }
      rest = rest[end...]
    }
    guard let colon = rest.popFirst() else { return true }
    return colon == UInt8(ascii: ":") && rest.allSatisfy { (0x30...0x39).contains($0) }
  }

  private static func isName(_ name: Substring.UTF8View) -> Bool {
    var rest = name
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard let first = rest.popFirst(), let second = rest.popFirst(), isHex(first), isHex(second)
        else { return false }
      } else if !isPlain(byte) {
        return false
      }
    }
    return true
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }

  /// Unreserved, or a delimiter that a name may have (RFC 3986, sections 2.2 and 2.3).
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "-._~!$&'()*+,;=".utf8.contains(byte)
    }
  }
}
