/// Validates UTF-8 incrementally (RFC 3629), and detects the first invalid byte.
struct UTF8Validator {
  /// The number of missing bytes of the current character.
  private var missing = 0
  /// The valid range of the next byte.
  private var next: ClosedRange<UInt8> = 0x80...0xBF

  /// Whether the bytes so far end with a complete character.
  var isComplete: Bool { missing == 0 }

  /// Validates more bytes, and returns whether all bytes so far are valid.
  mutating func consume(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      for byte in bytes where !(missing == 0 && byte < 0x80) {
        guard missing == 0 ? start(byte) : follow(byte) else { return false }
      }
      return true
    }
  }

  private mutating func start(_ byte: UInt8) -> Bool {
    next = 0x80...0xBF
    switch byte {
    case 0xC2...0xDF: missing = 1
    case 0xE0...0xEF:
      missing = 2
      // No overlong forms, no surrogates.
      if byte == 0xE0 { next = 0xA0...0xBF }
      if byte == 0xED { next = 0x80...0x9F }
    case 0xF0...0xF4:
      missing = 3
      // No overlong forms, nothing beyond U+10FFFF.
      if byte == 0xF0 { next = 0x90...0xBF }
      if byte == 0xF4 { next = 0x80...0x8F }
    default: return false
    }
    return true
  }

  private mutating func follow(_ byte: UInt8) -> Bool {
    guard next.contains(byte) else { return false }
    next = 0x80...0xBF
    missing -= 1
    return true
  }
}
