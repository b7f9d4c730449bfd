import Hashing
import Testing

@Suite struct FNV1aTests {
  /// From the authors' test vectors (fnv_vector.c), 64 bits.
  @Test(
    arguments: [
      ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
    ] as [(String, UInt64)]
  )
  func `bytes have the hash of the authors`(text: String, hash: UInt64) {
    #expect(FNV1a.hash(text.utf8) == hash)
    // Without contiguous storage, and byte by byte.
    #expect(FNV1a.hash(text.utf8.lazy.map { $0 }) == hash)
    var parts = FNV1a()
    for byte in text.utf8 { parts.add(byte) }
    #expect(parts.value == hash)
  }

  @Test func `two initial values give two hashes`() {
    var other = FNV1a(basis: 0x6C62_272E_07BB_0142)
    other.add("a".utf8)
    #expect(other.value != FNV1a.hash("a".utf8))
  }
}
