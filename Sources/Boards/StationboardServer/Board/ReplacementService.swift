/// Recognizes a substitute service for trains by a line's name (research §3.5).
enum ReplacementService {
  /// Words in the names of substitute services, in the languages of the boards.
  private static let words = ["ersatz", "replacement", "remplacement", "sostitutiv", "substitut"]

  /// Whether a line is a substitute service: `EV`, `EV1`, `Bahnersatz`.
  static func isSubstitute(_ line: String) -> Bool {
    var utf8 = line.utf8[...]
    guard let first = utf8.popFirst() else { return false }
    if first | 0x20 == UInt8(ascii: "e"), let second = utf8.popFirst(),
      second | 0x20 == UInt8(ascii: "v")
    {
      return utf8.drop { $0 == 0x20 }.allSatisfy { (0x30...0x39).contains($0) }
    }
    // No word is shorter.
    guard utf8.count >= 5 else { return false }
    let lowered = line.lowercased()
    return words.contains { lowered.contains($0) }
  }
}
