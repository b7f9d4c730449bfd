/// A seeded random number generator (SplitMix64).
package struct RandomSource: RandomNumberGenerator, Hashable, Sendable {
  private var state: UInt64

  /// Creates a generator from a seed.
  package init(seed: UInt64) { state = seed }

  /// Returns the next number.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns true with a probability in percent.
  package mutating func happens(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &self) < percent
  }

  /// Returns milliseconds between two numbers of seconds.
  package mutating func wait(_ seconds: ClosedRange<Double>) -> Int64 {
    Int64(Double.random(in: seconds, using: &self) * 1_000)
  }

  /// Returns one of several elements.
  package mutating func pick<Element>(_ elements: [Element], or other: Element) -> Element {
    elements.randomElement(using: &self) ?? other
  }

  /// Returns a UUID, as agents name sessions and records.
  package mutating func uuid() -> String {
    let digits = (0..<32).map { _ in String(Int.random(in: 0..<16, using: &self), radix: 16) }
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text += "-" }
      text += index == 12 ? "4" : digit
    }
    return text
  }

  /// Returns an id with a prefix, as models name calls.
  package mutating func name(_ beginning: String) -> String {
    beginning + String(next(), radix: 36)
  }
}
