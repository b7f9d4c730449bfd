/// A fast hash for table look-ups; not for anything an adversary may choose freely and profit from.
enum ByteHash {
  /// Hashes bytes, eight at a time, by multiply and fold.
  @inline(__always)
  static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(bytes.count)
    var index = 0
    while index + 8 <= bytes.count {
      state = mix(state ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      index += 8
    }
    if index < bytes.count {
      var tail: UInt64 = 0
      while index < bytes.count {
        tail = tail << 8 | UInt64(bytes[index])
        index += 1
      }
      state = mix(state ^ tail)
    }
    return mix(state)
  }

  @inline(__always)
  private static func mix(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return product.high ^ product.low ^ 0xA076_1D64_78BD_642F
  }
}
