/// The 64-bit hash XXH64 with seed 0 (Collet, xxHash specification 0.1.1): distinguishes bytes at memory speed.
///
/// It does not protect against a deliberate collision.
package enum XXH64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// Returns the hash of bytes.
  package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var index = 0
    let count = bytes.count
    var hash: UInt64
    if count >= 32 {
      var lane1 = prime1 &+ prime2
      var lane2 = prime2
      var lane3: UInt64 = 0
      var lane4 = 0 &- prime1
      while index + 32 <= count {
        lane1 = round(lane1, word(bytes, index))
        lane2 = round(lane2, word(bytes, index + 8))
        lane3 = round(lane3, word(bytes, index + 16))
        lane4 = round(lane4, word(bytes, index + 24))
        index += 32
      }
      hash = rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
      for lane in [lane1, lane2, lane3, lane4] {
        hash = (hash ^ round(0, lane)) &* prime1 &+ prime4
      }
    } else {
      hash = prime5
    }
    hash = hash &+ UInt64(count)
    while index + 8 <= count {
      hash = rotate(hash ^ round(0, word(bytes, index)), 27) &* prime1 &+ prime4
      index += 8
    }
    if index + 4 <= count {
      let half = UInt64(
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self))
      )
      hash = rotate(hash ^ (half &* prime1), 23) &* prime2 &+ prime3
      index += 4
    }
    while index < count {
      hash = rotate(hash ^ (UInt64(bytes[index]) &* prime5), 11) &* prime1
      index += 1
    }
    hash = (hash ^ (hash >> 33)) &* prime2
    hash = (hash ^ (hash >> 29)) &* prime3
    return hash ^ (hash >> 32)
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotate(lane &+ word &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func rotate(_ value: UInt64, _ bits: UInt64) -> UInt64 {
    value << bits | value >> (64 - bits)
  }
}
