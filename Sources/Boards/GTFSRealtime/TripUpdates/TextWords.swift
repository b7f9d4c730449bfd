/// Bytes of texts, eight at a time.
///
/// The last word of a text reaches back over bytes that were examined already instead of ending in a loop
/// over single bytes: identifiers are short, and that loop took longer than all the rest.
enum TextWords {
  /// Eight bytes of a text that has them from a place on.
  @inline(__always)
  static func word(_ text: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
    text.loadUnaligned(fromByteOffset: place, as: UInt64.self)
  }

  /// The last eight bytes of a text; of a shorter one all of them, in a way that tells any two of one
  /// length apart.
  @inline(__always)
  static func last(_ text: UnsafeRawBufferPointer) -> UInt64 {
    let count = text.count
    if count >= 8 { return word(text, count - 8) }
    if count >= 4 {
      let first = text.loadUnaligned(as: UInt32.self)
      let last = text.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
      return UInt64(first) << 32 | UInt64(last)
    }
    if count == 0 { return 0 }
    // Of three bytes or fewer, these are all.
    return UInt64(text[0]) << 16 | UInt64(text[count / 2]) << 8 | UInt64(text[count - 1])
  }

  /// Whether two texts of one length have the same bytes.
  static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    var place = 0
    while place + 8 < left.count {
      guard word(left, place) == word(right, place) else { return false }
      place += 8
    }
    return last(left) == last(right)
  }

  /// Whether a text has nothing but ASCII, as nearly all identifiers; then it is valid UTF-8.
  static func areASCII(_ text: UnsafeRawBufferPointer) -> Bool {
    var bits: UInt64 = 0
    var place = 0
    while place + 8 < text.count {
      bits |= word(text, place)
      place += 8
    }
    return (bits | last(text)) & 0x8080_8080_8080_8080 == 0
  }
}

/// A text of 1 to 24 bytes with its number, in 32 bytes.
struct ShortText {
  private var first: UInt64 = 0
  private var second: UInt64 = 0
  private var last: UInt64 = 0
  /// The number of bytes; 0 means no text.
  private var count: UInt32 = 0
  /// The number of the text.
  var number: UInt32 = 0

  /// Means no text.
  init() {}

  /// The text with these bytes, without its number; `nil` if it is empty or too long.
  @inline(__always)
  init?(_ text: UnsafeRawBufferPointer) {
    guard (1...24).contains(text.count) else { return nil }
    if text.count > 8 { first = TextWords.word(text, 0) }
    if text.count > 16 { second = TextWords.word(text, 8) }
    last = TextWords.last(text)
    count = UInt32(text.count)
  }

  /// Whether both are the same text, whatever its number.
  @inline(__always)
  func isEqual(_ other: ShortText) -> Bool {
    first == other.first && second == other.second && last == other.last && count == other.count
  }
}
