/// How titles and authors are compared: without case, marks, punctuation and what services add.
package enum BookKey {
  private static let articles = ["the ", "a ", "an "].map { Array($0.utf8) }

  /// The key of a title.
  ///
  /// Letters are folded (``LetterFolding``), `&` becomes `and`, apostrophes are removed, every other character that is
  /// not a letter or digit separates words, and an English article at the start is removed if other words follow. A
  /// title without any letter or digit is its own key.
  package static func title(_ title: String) -> String {
    let words = folded(title)
    guard !words.isEmpty else { return CellText.onOneLine(title).lowercased() }
    for article in articles where words.starts(with: article) {
      return String(decoding: words[article.count...], as: UTF8.self)
    }
    return String(decoding: words, as: UTF8.self)
  }

  /// The key of an author: given names before the family name, initials as one word.
  ///
  /// `Tolkien, J. R. R.`, `J.R.R. Tolkien` and `J R R Tolkien` have the same key.
  package static func author(_ author: String) -> String {
    let words = folded(inOrder(author))
    var joined: [UInt8] = []
    joined.reserveCapacity(words.count)
    var wasInitial = false
    for word in words.split(separator: 0x20) {
      let isInitial = word.dropFirst().allSatisfy { $0 & 0xC0 == 0x80 }
      if !joined.isEmpty, !isInitial || !wasInitial { joined.append(0x20) }
      joined.append(contentsOf: word)
      wasInitial = isInitial
    }
    return String(decoding: joined, as: UTF8.self)
  }

  /// A name with its given names first: `Last, First` is turned round; a `Jr.` behind a comma is not.
  package static func inOrder(_ name: String) -> String {
    guard name.utf8.contains(0x2C) else { return CellText.onOneLine(name) }
    let parts = name.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return CellText.onOneLine(name) }
    let last = CellText.trimmed(parts[0])
    let first = CellText.trimmed(parts[1])
    guard !first.isEmpty, !last.isEmpty else {
      return CellText.onOneLine(String(last) + String(first))
    }
    if suffixes.contains(first.lowercased()) { return CellText.onOneLine(last + " " + first) }
    return CellText.onOneLine(first + " " + last)
  }

  private static let suffixes: Set<String> = [
    "jr", "jr.", "sr", "sr.", "ii", "iii", "iv", "phd", "ph.d.", "md", "m.d.",
  ]

  /// The folded words of a text.
  package static func words(_ text: String) -> [String] {
    folded(text).split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The folded words of a text in UTF-8, with one space between them.
  private static func folded(_ text: String) -> [UInt8] {
    var folded: [UInt8] = []
    folded.reserveCapacity(text.utf8.count + 8)
    var isBetween = true
    var folding = LetterFolding()
    func append(_ add: (inout [UInt8]) -> Void) {
      let before = folded.count
      if isBetween, before > 0 { folded.append(0x20) }
      let start = folded.count
      add(&folded)
      if folded.count > start { isBetween = false } else { folded.removeSubrange(before...) }
    }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "'", "\u{2019}", "\u{2018}", "\u{02BC}", "`", "\u{B4}", "\u{1FEF}", "\u{1FFD}": break
      case "&":
        isBetween = true
        append { $0.append(contentsOf: "and".utf8) }
        isBetween = true
        folding.endWord()
      case _ where isOfWord(scalar): append { folding.append(scalar, to: &$0) }
      default:
        isBetween = true
        folding.endWord()
      }
    }
    return folded
  }

  private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      switch scalar.value {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: return true
      default: return false
      }
    }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .nonspacingMark, .spacingMark:
      return true
    default: return false
    }
  }
}
