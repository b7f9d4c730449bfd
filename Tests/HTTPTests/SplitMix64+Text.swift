import Hashing

extension SplitMix64 {
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
