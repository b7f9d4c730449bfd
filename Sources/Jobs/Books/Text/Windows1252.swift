/// The characters of Windows-1252.
///
/// The five bytes without a character map to the controls of Latin-1, as in browsers
/// (<https://encoding.spec.whatwg.org/#legacy-single-byte-encodings>).
enum Windows1252 {
  /// The characters of 0x80 to 0x9F; the others are those of Latin-1.
  private static let high: [UInt16] = [
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
    0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
    0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178,
  ]

  /// Appends the character of a byte from 0x80 on, in UTF-8.
  static func append(_ byte: UInt8, to output: inout [UInt8]) {
    let value = byte < 0xA0 ? high[Int(byte) - 0x80] : UInt16(byte)
    if value < 0x800 {
      output.append(0xC0 | UInt8(value >> 6))
    } else {
      output.append(0xE0 | UInt8(value >> 12))
      output.append(0x80 | UInt8(value >> 6 & 0x3F))
    }
    output.append(0x80 | UInt8(value & 0x3F))
  }
}
