/// A seeded random number generator: equal seeds give equal numbers on every platform.
///
/// This is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). The ranges of the
/// standard library may give other numbers in another release: what must stay the same uses ``next()`` alone.
package struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
  /// What the state advances by: the golden ratio in 64 bits.
  package static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

  private var state: UInt64

  /// Creates a generator from a seed.
  package init(seed: UInt64) { state = seed }

  /// Returns the next 64 bits.
  package mutating func next() -> UInt64 {
    state &+= Self.increment
    return Self.mix(state)
  }

  /// Returns bits that each depend on all bits of a number; different numbers give different results.
  @inlinable
  package static func mix(_ number: UInt64) -> UInt64 {
    var mixed = number
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
