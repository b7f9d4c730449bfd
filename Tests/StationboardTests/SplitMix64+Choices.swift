import Hashing

extension SplitMix64 {
  mutating func one<Value>(of values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &self)]
  }
}
