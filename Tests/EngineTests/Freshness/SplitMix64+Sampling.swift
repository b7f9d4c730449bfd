import Freshness
import Hashing

extension SplitMix64 {
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func randomSample() -> RandomSample {
    RandomSample(bits: UInt32(truncatingIfNeeded: next()))
  }
}
