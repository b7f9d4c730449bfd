/// A short name for the bytes of a feed: equal bytes have equal digests.
///
/// XXH64 (seed 0) and the count. It distinguishes a changed feed from an unchanged one; it does not
/// protect against a deliberate collision.
package struct FeedDigest: Hashable, Sendable, CustomStringConvertible {
  /// The XXH64 of the bytes.
  package let hash: UInt64
  /// How many bytes there are.
  package let count: Int

  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// Digests bytes.
  package init(_ bytes: UnsafeRawBufferPointer) {
    count = bytes.count
    var offset = 0
    var hash: UInt64
    if bytes.count >= 32 {
      var lane1 = Self.prime1 &+ Self.prime2
      var lane2 = Self.prime2
      var lane3: UInt64 = 0
      var lane4 = 0 &- Self.prime1
      while offset + 32 <= bytes.count {
        lane1 = Self.round(lane1, Self.word(bytes, offset))
        lane2 = Self.round(lane2, Self.word(bytes, offset + 8))
        lane3 = Self.round(lane3, Self.word(bytes, offset + 16))
        lane4 = Self.round(lane4, Self.word(bytes, offset + 24))
        offset += 32
      }
      hash =
        Self.rotate(lane1, 1) &+ Self.rotate(lane2, 7) &+ Self.rotate(lane3, 12)
        &+ Self.rotate(lane4, 18)
      for lane in [lane1, lane2, lane3, lane4] {
        hash = (hash ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4
      }
    } else {
      hash = Self.prime5
    }
    hash &+= UInt64(bytes.count)
    while offset + 8 <= bytes.count {
      hash ^= Self.round(0, Self.word(bytes, offset))
      hash = Self.rotate(hash, 27) &* Self.prime1 &+ Self.prime4
      offset += 8
    }
    if offset + 4 <= bytes.count {
      let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      hash ^= UInt64(half) &* Self.prime1
      hash = Self.rotate(hash, 23) &* Self.prime2 &+ Self.prime3
      offset += 4
    }
    while offset < bytes.count {
      hash ^= UInt64(bytes[offset]) &* Self.prime5
      hash = Self.rotate(hash, 11) &* Self.prime1
      offset += 1
    }
    hash = (hash ^ (hash >> 33)) &* Self.prime2
    hash = (hash ^ (hash >> 29)) &* Self.prime3
    self.hash = hash ^ (hash >> 32)
  }

  /// Digests bytes.
  package init(_ bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { FeedDigest($0) }
  }

  /// The hash in 16 hexadecimal digits, then the count, such as `ef46db3751d8e999-0`.
  package var description: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits + "-\(count)"
  }

  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
    value &<< count | value &>> (64 - count)
  }

  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotate(lane &+ word &* prime2, 31) &* prime1
  }
}
