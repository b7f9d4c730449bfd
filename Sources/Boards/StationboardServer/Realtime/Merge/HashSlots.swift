/// The slots of an open hash table over integers: at least twice as many as keys, a power of two.
///
/// A slot is named by the highest bits of a product (Fibonacci hashing). They depend on all bits of the key, most of
/// all on its low ones: put there what differs most between keys. Lower bits of the product would ignore the key's
/// high half, and keys that differ only there would share a few slots.
struct HashSlots: Sendable, Equatable {
  /// How many there are.
  let count: Int
  private let shift: UInt64

  /// Slots for a number of keys.
  init(capacity: Int) {
    var count = 16
    while count < capacity * 2 { count *= 2 }
    self.count = count
    shift = UInt64(count.leadingZeroBitCount + 1)
  }

  /// The slot at which the search for a key begins.
  @inline(__always)
  func first(for key: UInt64) -> Int {
    Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> shift)
  }

  /// The slot to look at after another one.
  @inline(__always)
  func next(after slot: Int) -> Int { (slot + 1) & (count - 1) }
}
