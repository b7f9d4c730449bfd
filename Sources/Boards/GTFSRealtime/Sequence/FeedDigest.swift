import Hashing

/// A short name for the bytes of a feed: equal bytes have equal digests.
///
/// XXH64 (seed 0) and the count. It distinguishes a changed feed from an unchanged one; it does not
/// protect against a deliberate collision.
package struct FeedDigest: Hashable, Sendable, CustomStringConvertible {
  /// The XXH64 of the bytes.
  package let hash: UInt64
  /// How many bytes there are.
  package let count: Int

  /// Digests bytes.
  package init(_ bytes: UnsafeRawBufferPointer) {
    hash = XXH64.hash(bytes)
    count = bytes.count
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
}
