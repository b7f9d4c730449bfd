/// Recognises characters of UTF-8 byte by byte (RFC 3629), wherever the text is split.
struct UTF8Sequence {
  /// The result of one byte.
  enum Step: Equatable {
    /// The byte is a character of ASCII.
    case ascii
    /// The byte belongs to a character that has not ended.
    case continues
    /// The byte ended a character of several bytes.
    case ended
    /// The bytes kept so far, and this one unless `again` is set, are not valid UTF-8.
    case stray(again: Bool)
  }

  /// The bytes of the character under way.
  private(set) var pending: [UInt8] = []
  private var missing = 0
  private var least: UInt8 = 0x80
  private var most: UInt8 = 0xBF

  /// Takes a byte.
  ///
  /// After ``Step/ended`` and ``Step/stray(again:)`` the caller takes ``pending`` and calls ``clear()``.
  mutating func consume(_ byte: UInt8) -> Step {
    guard missing > 0 else {
      if byte < 0x80 { return .ascii }
      switch byte {
      case 0xC2...0xDF: missing = 1
      case 0xE0...0xEF: missing = 2
      case 0xF0...0xF4: missing = 3
      default:
        pending.append(byte)
        return .stray(again: false)
      }
      least = byte == 0xE0 ? 0xA0 : byte == 0xF0 ? 0x90 : 0x80
      most = byte == 0xED ? 0x9F : byte == 0xF4 ? 0x8F : 0xBF
      pending.append(byte)
      return .continues
    }
    guard least...most ~= byte else { return .stray(again: true) }
    pending.append(byte)
    missing -= 1
    least = 0x80
    most = 0xBF
    return missing == 0 ? .ended : .continues
  }

  /// Forgets the bytes of the character under way.
  mutating func clear() {
    pending.removeAll(keepingCapacity: true)
    missing = 0
  }
}
