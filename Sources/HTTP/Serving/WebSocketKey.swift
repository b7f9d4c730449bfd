/// The key of an opening handshake (RFC 6455 section 4.2.1).
package enum WebSocketKey {
  /// Whether a key is 16 bytes in base64.
  package static func isSound(_ key: some StringProtocol) -> Bool {
    let bytes = Array(key.utf8)
    return bytes.count == 24 && bytes.suffix(2).allSatisfy { $0 == UInt8(ascii: "=") }
      && bytes.prefix(22).allSatisfy(isLetter)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      true
    default: false
    }
  }
}
