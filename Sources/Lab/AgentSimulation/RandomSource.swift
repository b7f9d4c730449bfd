/// Numbers that follow from a seed (SplitMix64).
package struct RandomSource: RandomNumberGenerator, Hashable, Sendable {
  private var state: UInt64

  /// Dice with a seed.
  package init(seed: UInt64) { state = seed }

  /// The next number.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Whether something happens that does so in some of a hundred cases.
  package mutating func happens(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &self) < percent
  }

  /// Milliseconds between two numbers of seconds.
  package mutating func wait(_ seconds: ClosedRange<Double>) -> Int64 {
    Int64(Double.random(in: seconds, using: &self) * 1_000)
  }

  /// One of several.
  package mutating func pick<Element>(_ elements: [Element], or other: Element) -> Element {
    elements.randomElement(using: &self) ?? other
  }

  /// A UUID, as agents name sessions and records.
  package mutating func uuid() -> String {
    let digits = (0..<32).map { _ in String(Int.random(in: 0..<16, using: &self), radix: 16) }
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text += "-" }
      text += index == 12 ? "4" : digit
    }
    return text
  }

  /// An id with a beginning, as models name what they call.
  package mutating func name(_ beginning: String) -> String {
    beginning + String(next(), radix: 36)
  }
}
