import Hashing

extension SplitMix64 {
  mutating func happens(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &self) < percent
  }
}
