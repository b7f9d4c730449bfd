import Hashing

/// A hash of content that is the same in every run of the program (FNV-1a, 64 bits).
struct ContentHash {
  private var state = FNV1a()

  /// The hash.
  var value: UInt64 { SplitMix64.mix(state.value) }

  /// Adds bytes, with their number.
  mutating func add(_ bytes: some Collection<UInt8>) {
    add(UInt64(bytes.count))
    state.add(bytes)
  }

  /// Adds a text, or its absence.
  mutating func add(_ text: String?) {
    guard let text else { return add(UInt64.max) }
    add(text.utf8)
  }

  /// Adds a number.
  mutating func add(_ number: UInt64) {
    var rest = number
    for _ in 0..<8 {
      state.add(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }
}
