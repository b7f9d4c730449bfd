/// The signs that make another name of a word: `C`, `C++` and `C#` are three languages.
///
/// The keys of titles have no punctuation, so such titles have the same key; these distinguish them.
enum TitleSigns {
  /// The signs behind the words of a title without its subtitle, in their order.
  static func of(_ title: String) -> [String] {
    var found: [String] = []
    var run = ""
    var isBehindWord = false
    for character in BookMatch.mainTitle(title) + " " {
      guard character == "+" || character == "#" else {
        // "Saga#2" is the second volume of Saga.
        let isWord = character.isLetter || character.isNumber
        if !run.isEmpty, !isWord { found.append(run) }
        run = ""
        isBehindWord = isWord
        continue
      }
      if isBehindWord || !run.isEmpty { run.append(character) }
      isBehindWord = false
    }
    return found
  }
}

extension BookRecord {
  /// Whether this is another book than one whose title has the same key: of another series or volume, or with other
  /// signs behind its words.
  package func isNamesake(of other: BookRecord) -> Bool {
    hasOtherSeries(than: other) || TitleSigns.of(title) != TitleSigns.of(other.title)
  }
}
