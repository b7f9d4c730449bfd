/// A small random number generator that gives the same sequence for the same seed on every
/// platform.
///
/// This is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators").
/// The draws here do not use the standard library's ranges, whose results may change between
/// releases: the same options must give the same bytes.
struct SplitMix64: Sendable {
  private var state: UInt64

  init(seed: UInt64) { self.state = seed }

  /// Creates a generator of its own for one purpose, so that purposes do not disturb each other.
  init(seed: UInt64, purpose: UInt64) {
    self.state = seed &+ purpose &* 0xD1B5_4A32_D192_ED03
    self.state = self.next()
  }

  mutating func next() -> UInt64 {
    self.state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = self.state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a whole number from 0 up to but not including a limit, which must be above 0.
  mutating func below(_ limit: Int) -> Int { Int(self.next() % UInt64(limit)) }

  /// Returns a whole number between two bounds, both included.
  mutating func within(_ bounds: ClosedRange<Int>) -> Int {
    bounds.lowerBound + self.below(bounds.count)
  }

  /// Returns true with a probability in percent.
  mutating func chance(percent: Int) -> Bool { self.below(100) < percent }

  /// Shuffles elements.
  mutating func shuffle<Element>(_ elements: inout [Element]) {
    guard elements.count > 1 else { return }
    for index in stride(from: elements.count - 1, to: 0, by: -1) {
      elements.swapAt(index, self.below(index + 1))
    }
  }
}
