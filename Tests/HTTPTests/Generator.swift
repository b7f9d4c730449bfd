/// A small generator (SplitMix64) whose numbers depend only on the seed.
struct Generator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A text of pieces that are awkward for an event stream.
  mutating func text(upTo count: Int, without excluded: Set<String> = []) -> String {
    let pieces = [
      "a", "data", ":", " ", "\n", "\r", "\r\n", "é", "e\u{301}", "🚆", "\u{FEFF}", "\0", "retry:1",
      "\t", "\u{2028}", "\u{85}", "id", "\u{1}",
    ].filter { !excluded.contains($0) }
    return (0..<Int.random(in: 0...count, using: &self)).reduce(into: "") { text, _ in
      text += pieces[Int.random(in: 0..<pieces.count, using: &self)]
    }
  }
}
