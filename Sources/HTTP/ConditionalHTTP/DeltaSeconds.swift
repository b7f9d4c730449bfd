/// A number of seconds as fields write it: digits only (RFC 9111 section 1.2.2).
enum DeltaSeconds {
  /// The greatest number of seconds; greater numbers are reduced to it.
  static let limit: Int64 = 2_147_483_648

  /// Reads a number of seconds, 0 to ``limit``; returns `nil` if the string has anything but
  /// digits.
  static func parse(_ text: some StringProtocol) -> Int64? {
    guard !text.isEmpty else { return nil }
    var seconds: Int64 = 0
    for byte in text.utf8 {
      guard FieldSyntax.isDigit(byte) else { return nil }
      seconds = min(seconds * 10 + Int64(byte - UInt8(ascii: "0")), limit)
    }
    return seconds
  }

  /// Returns the number of seconds to write: clamped to 0 to ``limit``.
  static func clamped(_ seconds: Int64) -> Int64 {
    min(max(seconds, 0), limit)
  }
}
