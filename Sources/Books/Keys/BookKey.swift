/// How titles and authors are compared: without case, marks, punctuation and what services add.
package enum BookKey {
  private static let articles: Set<String> = ["the", "a", "an"]

  /// The key of a title.
  ///
  /// Letters are folded (``LetterFolding``), `&` becomes `and`, apostrophes go, every other character that is no
  /// letter or digit separates words, an English article at the start goes if other words follow. A title
  /// without any letter or digit is its own key.
  package static func title(_ title: String) -> String {
    if let words = foldedASCII(title), !words.isEmpty {
      for article in ["the ", "a ", "an "] where words.starts(with: article.utf8) {
        return String(decoding: words[article.utf8.count...], as: UTF8.self)
      }
      return String(decoding: words, as: UTF8.self)
    }
    var words = self.words(title)
    if words.count > 1, let first = words.first, articles.contains(first) { words.removeFirst() }
    return words.isEmpty ? CellText.onOneLine(title).lowercased() : words.joined(separator: " ")
  }

  /// The key of an author: given names before the family name, initials as one word.
  ///
  /// `Tolkien, J. R. R.`, `J.R.R. Tolkien` and `J R R Tolkien` have the same key.
  package static func author(_ author: String) -> String {
    let author = inOrder(author)
    if var words = foldedASCII(author) {
      joinInitials(&words)
      return String(decoding: words, as: UTF8.self)
    }
    var initials = ""
    var joined: [String] = []
    for word in words(author) {
      if word.unicodeScalars.count == 1 {
        initials += word
        continue
      }
      if !initials.isEmpty {
        joined.append(initials)
        initials = ""
      }
      joined.append(word)
    }
    if !initials.isEmpty { joined.append(initials) }
    return joined.joined(separator: " ")
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

  /// The folded words of a text that is ASCII, with a blank between them, as ``words(_:)`` gives them; nothing
  /// for any other text.
  private static func foldedASCII(_ text: String) -> [UInt8]? {
    var folded: [UInt8] = []
    folded.reserveCapacity(text.utf8.count + 8)
    var isInWord = false
    func begin() {
      if !isInWord, !folded.isEmpty { folded.append(0x20) }
      isInWord = true
    }
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x61...0x7A:
        begin()
        folded.append(byte)
      case 0x41...0x5A:
        begin()
        folded.append(byte | 0x20)
      case 0x27, 0x60: break
      case 0x26:
        isInWord = false
        begin()
        folded.append(contentsOf: "and".utf8)
        isInWord = false
      case 0x80...: return nil
      default: isInWord = false
      }
    }
    return folded
  }

  /// Takes the blank from between words of one letter.
  private static func joinInitials(_ words: inout [UInt8]) {
    guard words.count > 2 else { return }
    let text = words
    words.removeAll(keepingCapacity: true)
    func isInitial(_ start: Int) -> Bool {
      start < text.count && (start + 1 == text.count || text[start + 1] == 0x20)
        && (start == 0 || text[start - 1] == 0x20)
    }
    for index in text.indices {
      if text[index] == 0x20, isInitial(index - 1), isInitial(index + 1) { continue }
      words.append(text[index])
    }
  }

  /// The folded words of a text.
  package static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    func end() {
      if !word.isEmpty { words.append(String(word)) }
      word.removeAll(keepingCapacity: true)
    }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "'", "\u{2019}", "\u{2018}", "\u{02BC}", "`", "\u{B4}": break
      case "&":
        end()
        words.append("and")
      case _ where isOfWord(scalar): LetterFolding.append(scalar, to: &word)
      default: end()
      }
    }
    end()
    return words
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
