import Hashing

/// Names worktrees by their paths, so that a name survives restarts.
package enum WorkspaceIdentity {
  /// A UUID of version 8 (RFC 9562 section 5.8) made of two FNV-1a hashes of the path.
  package static func id(of path: String) -> String {
    let high = FNV1a.hash(path.utf8) & ~0xF000 | 0x8000
    let low = second(path.utf8) & ~(3 << 62) | (2 << 62)
    let digits = hex(high) + hex(low)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text += "-" }
      text.append(digit)
    }
    return text
  }

  /// A string that distinguishes bytes from others: two FNV-1a hashes.
  package static func digest(_ bytes: [UInt8]) -> String {
    hex(FNV1a.hash(bytes)) + hex(second(bytes))
  }

  /// A second hash: with the first, 128 bits.
  private static func second(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash = FNV1a(basis: 0x6C62_272E_07BB_0142)
    hash.add(bytes)
    return hash.value
  }

  static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
