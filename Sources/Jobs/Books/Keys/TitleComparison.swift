/// How two titles relate: of the same book, perhaps, or of different ones.
package enum TitleComparison: Hashable, Sendable {
  /// Words, subtitles and numbers agree.
  case same
  /// They agree as far as both go; one has a subtitle more.
  case sameStart
  /// The numbers are not the same: another volume, another year.
  case otherNumber
  /// The titles agree, the subtitles do not.
  case otherSubtitle
  /// The titles themselves do not agree.
  case otherTitle

  /// Compares two titles.
  ///
  /// A word may be misspelled, one of a short title and two of a longer one; articles and the like may be missing.
  /// Numbers may be written in any way, with digits, Roman numerals or words, and must be the same. So must `+` and `#`
  /// behind words.
  package init(_ left: String, _ right: String) {
    guard TitleSigns.of(left) == TitleSigns.of(right) else {
      self = .otherTitle
      return
    }
    self.init(TitleParts(left), TitleParts(right))
  }

  init(_ left: TitleParts, _ right: TitleParts) {
    if let first = left.series, let second = right.series, first == second,
      left.seriesNumber != right.seriesNumber
    {
      self = .otherNumber
      return
    }
    let words = Self.words(left, right)
    guard words == .same || words == .sameStart else {
      self = words
      return
    }
    self = Self.haveSameNumbers(left, right, words) ? words : .otherNumber
  }

  private static func words(_ left: TitleParts, _ right: TitleParts) -> TitleComparison {
    // Also what one writes with a colon and the other without.
    if agree(left.words, right.words) { return .same }
    guard agree(left.main, right.main) else { return .otherTitle }
    if left.subtitles.isEmpty || right.subtitles.isEmpty { return .sameStart }
    let (fewer, more) =
      left.subtitles.count <= right.subtitles.count
      ? (left.subtitles, right.subtitles) : (right.subtitles, left.subtitles)
    let isPart = fewer.allSatisfy { one in
      more.contains { other in agree(one, other) || begins(one, other) }
    }
    return isPart ? .sameStart : .otherSubtitle
  }

  /// A subtitle of fewer words is not known to be the beginning of another one.
  private static let fewestWordsOfBeginning = 4

  /// Whether one of two subtitles is the beginning of the other.
  private static func begins(_ left: [String], _ right: [String]) -> Bool {
    let (shorter, longer) = left.count <= right.count ? (left, right) : (right, left)
    return shorter.count >= fewestWordsOfBeginning
      && agree(shorter, Array(longer.prefix(shorter.count)))
  }

  private static func haveSameNumbers(
    _ left: TitleParts,
    _ right: TitleParts,
    _ words: TitleComparison
  ) -> Bool {
    if left.allNumbers == right.allNumbers { return true }
    // "Saga (Saga, #5)" is volume 5 of it.
    if left.allNumbers.isEmpty, let number = left.seriesNumber {
      return right.allNumbers == [number]
    }
    if right.allNumbers.isEmpty, let number = right.seriesNumber {
      return left.allNumbers == [number]
    }
    let hasBothSubtitles = !left.subtitles.isEmpty && !right.subtitles.isEmpty
    if left.furtherNumbers == right.furtherNumbers, hasBothSubtitles, words == .same {
      // The volume has a name of its own, and one of the two leaves its number out.
      return left.numbers.isEmpty || right.numbers.isEmpty
    }
    guard words == .sameStart, left.numbers == right.numbers else { return false }
    // Years of a subtitle that one of the two does not have: "1914 to 1918".
    let further = left.subtitles.count > right.subtitles.count ? left : right
    let other = left.subtitles.count > right.subtitles.count ? right : left
    return other.furtherNumbers.isEmpty && further.furtherNumbers.allSatisfy { $0 >= firstYear }
  }

  /// Numbers from here on are years, not volumes.
  private static let firstYear = 1_000

  // MARK: Words

  /// Whether two lists of words are the same except for misspellings and small words.
  static func agree(_ left: [String], _ right: [String]) -> Bool {
    if left == right { return true }
    guard !left.isEmpty, !right.isEmpty else { return false }
    let limit = min(left.count, right.count) < 4 ? 1 : 2
    if cost(left, right, most: limit) <= limit { return true }
    // Words that one writes as one and the other as two.
    return left.joined() == right.joined()
  }

  /// How many words are misspelled, if all the others are the same in order; more than the most otherwise.
  private static func cost(_ left: [String], _ right: [String], most: Int) -> Int {
    let never = most + 1
    func skip(_ word: String) -> Int { smallWords.contains(word) ? 0 : never }
    var above = [0]
    for word in right { above.append(min(never, above[above.count - 1] + skip(word))) }
    var hasCommon = false
    for word in left {
      var row = [min(never, above[0] + skip(word))]
      for (index, other) in right.enumerated() {
        let change = word == other ? 0 : isMisspelled(word, other) ? 1 : never
        if change < never, !smallWords.contains(word) { hasCommon = true }
        row.append(
          min(never, above[index] + change, above[index + 1] + skip(word), row[index] + skip(other))
        )
      }
      above = row
    }
    return hasCommon ? above[right.count] : never
  }

  private static let smallWords: Set<String> = [
    "the", "a", "an", "of", "and", "or", "in", "on", "to", "for", "at", "de", "la", "le", "les",
    "el", "los",
    "las", "der", "die", "das", "und", "et", "y", "e", "il", "lo", "i", "un", "una", "une", "ein",
    "eine",
    "von", "van", "du", "des", "del", "di", "da",
  ]

  /// The shortest word in which a wrong letter is a slip, and from where on two are.
  private static let (oneSlip, twoSlips) = (5, 9)

  /// Whether two different words are the same one with a slip of the pen.
  ///
  /// A plural is another word: `daughter` and `daughters` are titles of their own.
  static func isMisspelled(_ left: String, _ right: String) -> Bool {
    let (shorter, longer) = left.utf8.count <= right.utf8.count ? (left, right) : (right, left)
    guard shorter.unicodeScalars.first == longer.unicodeScalars.first else { return false }
    if longer == shorter + "s", !longer.hasSuffix("ss") { return false }
    let length = shorter.unicodeScalars.count
    guard length >= oneSlip else { return false }
    return distance(shorter, longer, most: length >= twoSlips ? 2 : 1) != nil
  }

  /// How many letters are wrong, missing, too many or exchanged with their neighbor; `nil` for more than the most.
  private static func distance(_ left: String, _ right: String, most: Int) -> Int? {
    let left = Array(left.unicodeScalars)
    let right = Array(right.unicodeScalars)
    guard abs(left.count - right.count) <= most else { return nil }
    var before: [Int] = []
    var above = Array(0...right.count)
    for (row, letter) in left.enumerated() {
      var line = [row + 1]
      for (column, other) in right.enumerated() {
        var cost = min(
          above[column] + (letter == other ? 0 : 1),
          above[column + 1] + 1,
          line[column] + 1
        )
        if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
          cost = min(cost, before[column - 1] + 1)
        }
        line.append(cost)
      }
      before = above
      above = line
    }
    return above[right.count] <= most ? above[right.count] : nil
  }
}
