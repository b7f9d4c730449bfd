/// The digits of all times of day, ready to be copied.
struct ClockDigits: Sendable {
  private static let minutes = 72 * 60

  /// For each minute its eight bytes, such as `07:25:00`, the first in the lowest byte.
  private let words: [UInt64]

  init() {
    self.words = (0..<ClockDigits.minutes).map { minute in
      let hour = minute / 60
      let rest = minute % 60
      let digits = [hour / 10, hour % 10, 0, rest / 10, rest % 10, 0, 0, 0]
      var word: UInt64 = 0
      for (index, digit) in digits.enumerated() {
        let byte = index == 2 || index == 5 ? UInt8(ascii: ":") : UInt8(0x30 + digit)
        word |= UInt64(byte) << UInt64(8 * index)
      }
      return word
    }
  }

  /// The eight bytes of a time within 72 hours of midnight, the first in the lowest byte.
  @inline(__always)
  func word(second: Int) -> UInt64 {
    let minute = second / 60
    let rest = second - minute * 60
    let word = self.words[minute]
    return rest == 0 ? word : word + UInt64(rest / 10) << 48 + UInt64(rest % 10) << 56
  }

  /// The time as text, such as `07:25:00`.
  func text(second: Int) -> String {
    let word = self.word(second: second)
    return String(
      decoding: (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) },
      as: UTF8.self
    )
  }
}
