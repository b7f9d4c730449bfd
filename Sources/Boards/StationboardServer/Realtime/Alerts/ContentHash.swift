/// A hash of content that is the same in every run of the program (FNV-1a, 64 bits).
struct ContentHash {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  /// The hash.
  var value: UInt64 {
    var value = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  /// Adds bytes, with their number.
  mutating func add(_ bytes: some Collection<UInt8>) {
    add(UInt64(bytes.count))
    for byte in bytes { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
  }

  /// Adds a text, or its absence.
  mutating func add(_ text: String?) {
    guard let text else { return add(UInt64.max) }
    add(text.utf8)
  }

  /// Adds a number.
  mutating func add(_ number: UInt64) {
    var rest = number
    for _ in 0..<8 {
      state = (state ^ (rest & 0xFF)) &* 0x0000_0100_0000_01B3
      rest >>= 8
    }
  }
}
