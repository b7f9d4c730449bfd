import Hashing

extension SplitMix64 {
  /// A number from 0 up to, but not including, 1.
  mutating func share() -> Double { Double(next() >> 11) * 0x1p-53 }
}
