import Hashing

/// Random numbers that use ``Hashing/SplitMix64/next()`` alone, and not the standard library's ranges, whose results may change
/// between releases: the same options must give the same bytes.
extension SplitMix64 {
  /// Creates a generator of its own for one purpose, so that purposes do not disturb each other.
  init(seed: UInt64, purpose: UInt64) {
    var other = SplitMix64(seed: seed &+ purpose &* 0xD1B5_4A32_D192_ED03)
    self.init(seed: other.next())
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
