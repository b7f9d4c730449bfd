import Hashing

extension SplitMix64 {
  /// True once in `count` throws.
  mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }
}
