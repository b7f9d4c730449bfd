/// Content compressed with gzip (RFC 1952), written by hand.
enum Gzip {
  /// Stores a text without making it smaller.
  static func stored(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    let size = [UInt8(bytes.count & 0xFF), UInt8(bytes.count >> 8)]
    let block = [1] + size + size.map { ~$0 } + bytes
    return header + block + word(crc(bytes)) + word(UInt32(bytes.count))
  }

  /// At least `count` zero bytes in a hundredth of the space, without an end.
  ///
  /// Fixed Huffman codes say "258 bytes as the one before", again and again, in 13 bits each; so
  /// after the first two bytes the same 13 bytes come again and again.
  static func bomb(count: Int) -> [UInt8] {
    var bits = BitWriter()
    bits.write(0b011, count: 3)
    bits.write(reversed: 0b0011_0000, count: 8)
    for _ in 0..<16 {
      bits.write(reversed: 0b1100_0101, count: 8)
      bits.write(0, count: 5)
    }
    var bomb = header + bits.bytes[..<2]
    for _ in 0...count / (8 * 258) { bomb += bits.bytes[2..<15] }
    return bomb
  }

  private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]

  private static func word(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    var crc = ~UInt32(0)
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : (crc >> 1) ^ 0xEDB8_8320 }
    }
    return ~crc
  }
}

private struct BitWriter {
  private(set) var bytes: [UInt8] = []
  private var used = 8

  mutating func write(_ value: UInt32, count: Int) {
    for place in 0..<count { write(bit: value >> place & 1 == 1) }
  }

  mutating func write(reversed value: UInt32, count: Int) {
    for place in (0..<count).reversed() { write(bit: value >> place & 1 == 1) }
  }

  private mutating func write(bit: Bool) {
    if used == 8 {
      bytes.append(0)
      used = 0
    }
    if bit { bytes[bytes.count - 1] |= 1 << used }
    used += 1
  }
}
