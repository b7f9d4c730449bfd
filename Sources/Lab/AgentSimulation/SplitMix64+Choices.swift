package import Hashing

extension SplitMix64 {
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
