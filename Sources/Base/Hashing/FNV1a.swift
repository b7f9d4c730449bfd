/// The 64-bit hash FNV-1a (Fowler, Noll and Vo): the same in every run and on every platform.
///
/// It distinguishes contents; it does not protect against a deliberate collision.
package struct FNV1a: Hashable, Sendable {
  /// The hash of the bytes added so far.
  @inlinable package var value: UInt64 { state }
  @usableFromInline var state: UInt64

  /// Creates the hash of no bytes.
  ///
  /// - Parameter basis: The initial value; by default the one that the authors chose. Two hashes with different initial
  ///   values make one of 128 bits.
  package init(basis: UInt64 = 0xCBF2_9CE4_8422_2325) { state = basis }

  /// Adds a byte.
  @inlinable
  package mutating func add(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }

  /// Adds bytes.
  package mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    var place = 0
    while place < bytes.count {
      add(bytes[place])
      place += 1
    }
  }

  /// Adds bytes.
  @inlinable
  package mutating func add(_ bytes: some Sequence<UInt8>) {
    let isAdded: Void? = bytes.withContiguousStorageIfAvailable { add($0) }
    if isAdded == nil { for byte in bytes { add(byte) } }
  }

  /// Returns the hash of bytes.
  @inlinable
  package static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    var hash = FNV1a()
    hash.add(bytes)
    return hash.value
  }
}
