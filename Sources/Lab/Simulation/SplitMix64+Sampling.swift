import Freshness
import Hashing

extension SplitMix64 {
  /// Returns a random sample for the machine.
  mutating func randomSample() -> RandomSample {
    RandomSample(bits: UInt32(truncatingIfNeeded: next() >> 32))
  }

  /// Returns a number from zero up to, but not including, a limit; zero if the limit is not
  /// positive.
  mutating func below(_ limit: Int64) -> Int64 {
    guard limit > 0 else { return 0 }
    return Int64(next().multipliedFullWidth(by: UInt64(limit)).high)
  }

  /// Returns a number between two others, both included.
  mutating func between(_ least: Int64, _ most: Int64) -> Int64 {
    least + below(most - least + 1)
  }

  /// Returns true once in a number of times on average.
  mutating func oneIn(_ count: Int64) -> Bool { below(count) == 0 }

  /// Returns a number whose order of magnitude is evenly distributed between two powers of two.
  mutating func scale(_ leastPower: Int64, _ mostPower: Int64) -> Int64 {
    let power = between(leastPower, mostPower)
    let base = Int64(1) << power
    return base + below(base)
  }

  /// Returns a wait of a memoryless process, at most eight times its mean.
  mutating func exponential(mean: Int64) -> Int64 {
    // Von Neumann's comparison method: integers only, so that all platforms agree.
    var whole: Int64 = 0
    while whole < 8 {
      let first = next() >> 1
      var previous = first
      var count = 1
      while true {
        let other = next() >> 1
        guard other < previous else { break }
        previous = other
        count += 1
      }
      if count % 2 == 1 {
        let fraction = first.multipliedFullWidth(by: UInt64(max(mean, 0))).high << 1
        return min(whole * mean + Int64(fraction), 8 * mean)
      }
      whole += 1
    }
    return 8 * mean
  }
}
