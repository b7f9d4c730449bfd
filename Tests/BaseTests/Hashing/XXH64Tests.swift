import Hashing
import Testing

@Suite struct XXH64Tests {
  struct Vector: Sendable {
    var bytes: [UInt8]
    var hash: UInt64
  }

  /// From the reference implementation (xxhash 3 for Python).
  static let vectors: [Vector] = [
    Vector(bytes: [], hash: 0xEF46_DB37_51D8_E999),
    Vector(bytes: Array("a".utf8), hash: 0xD24E_C4F1_A98C_6E5B),
    Vector(bytes: Array("abc".utf8), hash: 0x44BC_2CF5_AD77_0999),
    Vector(bytes: Array("1234567".utf8), hash: 0xD3A4_6E91_0828_9359),
    Vector(bytes: Array("12345678".utf8), hash: 0xD2D0_2F08_CF7C_FD4A),
    Vector(bytes: Array(0..<32), hash: 0xCBF5_9C51_16FF_32B4),
    Vector(
      bytes: Array("Nobody inspects the spammish repetition".utf8),
      hash: 0xFBCE_A83C_8A37_8BF1
    ),
    Vector(bytes: Array(0..<40), hash: 0xF5DA_40F1_B117_41E9),
    Vector(bytes: Array(0..<100), hash: 0x6AC1_E580_3216_6597),
    Vector(
      bytes: (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 7) },
      hash: 0x2527_5608_A9CF_C168
    ),
  ]

  @Test(arguments: vectors)
  func `bytes have the hash of the reference`(vector: Vector) {
    #expect(vector.bytes.withUnsafeBytes { XXH64.hash($0) } == vector.hash)
  }
}
