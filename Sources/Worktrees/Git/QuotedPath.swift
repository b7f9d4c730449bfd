/// A path as git quotes it in texts (`core.quotePath`, git-config(1)).
enum QuotedPath {
  /// The path; the text itself if it is not quoted.
  static func read(_ text: ArraySlice<UInt8>) -> String {
    guard text.count >= 2, text.first == 0x22, text.last == 0x22 else { return text.text }
    let quoted = Array(text.dropFirst().dropLast())
    var bytes: [UInt8] = []
    var index = 0
    while index < quoted.count {
      guard quoted[index] == 0x5C, index + 1 < quoted.count else {
        bytes.append(quoted[index])
        index += 1
        continue
      }
      let letter = quoted[index + 1]
      let octal = quoted[(index + 1)...].prefix(3)
      if octal.count == 3, octal.allSatisfy({ (0x30...0x37).contains($0) }) {
        bytes.append(octal.reduce(0) { $0 &* 8 &+ ($1 - 0x30) })
        index += 4
        continue
      }
      bytes.append(escapes[letter] ?? letter)
      index += 2
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let escapes: [UInt8: UInt8] = [
    UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "t"): 9, UInt8(ascii: "n"): 10,
    UInt8(ascii: "v"): 11, UInt8(ascii: "f"): 12, UInt8(ascii: "r"): 13,
  ]
}
