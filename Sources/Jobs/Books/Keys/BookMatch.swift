/// How sure it is that two descriptions are of the same book, 0 to 1.
package enum BookMatch {
  /// From here on a match counts as the book; below it a person should review it.
  package static let usualThreshold = 0.8
  /// Below this a match is not worth showing.
  package static let floor = 0.5
  /// The most that a match counts about which there is a ``Doubt``.
  package static let doubtful = 0.75

  /// Why a book that is much like the one that is meant may be another one.
  package enum Doubt: String, Hashable, Sendable, CaseIterable {
    /// Another volume, another year.
    case number
    /// Another subtitle.
    case subtitle
    /// Another title.
    case title
    /// The number that was given is not one of the book's.
    case isbn
    /// Several books begin with this title.
    case several

    /// The reason, behind the title of the book.
    package var explanation: String {
      switch self {
      case .number: "has another number"
      case .subtitle: "has another subtitle"
      case .title: "has another title"
      case .isbn: "does not have this ISBN"
      case .several: "is one of several books that begin with this title"
      }
    }
  }

  /// The doubt that a comparison of titles leaves; none if they may be those of one book.
  package static func doubt(_ comparison: TitleComparison) -> Doubt? {
    switch comparison {
    case .same, .sameStart: nil
    case .otherNumber: .number
    case .otherSubtitle: .subtitle
    case .otherTitle: .title
    }
  }

  /// Compares a title and an author that were asked for with those of a book.
  ///
  /// Titles count by ``similarity(_:_:)`` of their keys; a title without its subtitle counts 0.95 of it. With
  /// authors on both sides the title counts 65 of 100 and the author 35; without an author the title alone
  /// reaches at most 0.75, since many books have the same title. Titles that are not those of one book
  /// (``TitleComparison``) reach no more than that, however much they are alike.
  package static func confidence(
    title: String,
    author: String?,
    ofTitle otherTitle: String,
    authors: [String]
  ) -> Double {
    let confidence = likeness(title, author, otherTitle, authors)
    guard confidence > doubtful, doubt(TitleComparison(title, otherTitle)) != nil else {
      return confidence
    }
    return doubtful
  }

  private static func likeness(
    _ title: String,
    _ author: String?,
    _ otherTitle: String,
    _ authors: [String]
  ) -> Double {
    let titles = titleSimilarity(title, otherTitle)
    guard let author, !author.isEmpty, !authors.isEmpty else { return titles * 0.75 }
    let names = Self.authors(author, authors)
    // A right author does not make a wrong title right.
    guard titles > 0.3 else { return titles * 0.5 }
    return titles * 0.65 + names * 0.35
  }

  /// From here on two names are those of one author.
  package static let sameAuthor = 0.8

  /// How much the most alike of some authors is like one.
  package static func authors(_ author: String, _ others: [String]) -> Double {
    let key = BookKey.author(author)
    return others.map { authorSimilarity(key, BookKey.author($0)) }.max() ?? 0
  }

  /// Compares titles, with and without subtitles.
  package static func titleSimilarity(_ left: String, _ right: String) -> Double {
    let whole = similarity(BookKey.title(left), BookKey.title(right))
    let short = similarity(BookKey.title(mainTitle(left)), BookKey.title(mainTitle(right)))
    return max(whole, short * 0.95)
  }

  /// A title up to its subtitle.
  package static func mainTitle(_ title: String) -> String {
    let end = title.firstIndex { ":;(".contains($0) } ?? title.endIndex
    let main = CellText.trimmed(title[..<end])
    return main.isEmpty ? title : String(main)
  }

  /// Compares keys of authors: the same family name counts 0.9 if initials agree, and little if they do not.
  static func authorSimilarity(_ left: String, _ right: String) -> Double {
    if left == right { return left.isEmpty ? 0 : 1 }
    let leftWords = left.split(separator: " ")
    let rightWords = right.split(separator: " ")
    guard let leftLast = leftWords.last, let rightLast = rightWords.last else { return 0 }
    let names = similarity(left, right)
    guard leftLast == rightLast else { return names * 0.9 }
    // The family name alone, which may be of several words.
    let count = min(leftWords.count, rightWords.count)
    if leftWords.suffix(count) == rightWords.suffix(count) { return max(names, 0.8) }
    return leftWords[0].first == rightWords[0].first ? max(names, 0.9) : min(names, 0.4)
  }

  /// The Dice coefficient of the pairs of letters in two keys, 0 to 1.
  package static func similarity(_ left: String, _ right: String) -> Double {
    if left == right { return left.isEmpty ? 0 : 1 }
    var counts: [UInt64: Int] = [:]
    var total = 0
    func pairs(_ text: String, _ body: (UInt64) -> Void) {
      var previous: UInt64 = 0x20
      for scalar in text.unicodeScalars {
        body(previous << 32 | UInt64(scalar.value))
        previous = UInt64(scalar.value)
      }
      body(previous << 32 | 0x20)
    }
    pairs(left) { pair in
      counts[pair, default: 0] += 1
      total += 1
    }
    var common = 0
    pairs(right) { pair in
      total += 1
      if let left = counts[pair], left > 0 {
        counts[pair] = left - 1
        common += 2
      }
    }
    // The same pairs in another order are not the same text.
    return min(0.99, Double(common) / Double(total))
  }

  /// Two words from here on are the same word, misread.
  static let sameWord = 0.6

  /// Compares the words of a spine with a title and its authors, 0 to 1.
  ///
  /// The words of the title that are on the spine count 70 of 100, by their letters; the family name of an author
  /// counts 30. Words on the spine that are neither lower the whole score: they may be the rest of another title.
  package static func spine(_ words: String, title: String, authors: [String]) -> Double {
    let seen = BookKey.words(words)
    let titleWords = BookKey.title(mainTitle(title)).split(separator: " ").map(String.init)
    guard !seen.isEmpty, !titleWords.isEmpty else { return 0 }
    var explained = [Double](repeating: 0, count: seen.count)
    func likeness(_ word: String) -> Double {
      var best = 0.0
      for (index, other) in seen.enumerated() {
        let likeness = similarity(word, other)
        guard likeness >= sameWord else { continue }
        explained[index] = max(explained[index], likeness)
        best = max(best, likeness)
      }
      return best
    }
    let letters = titleWords.reduce(0) { $0 + $1.count }
    let ofTitle =
      titleWords.reduce(0) { $0 + likeness($1) * Double($1.count) } / Double(max(1, letters))
    var ofAuthor = 0.0
    for author in authors {
      let names = BookKey.words(BookKey.inOrder(author))
      for name in names.dropLast() { _ = likeness(name) }
      if let family = names.last { ofAuthor = max(ofAuthor, likeness(family)) }
    }
    for word in BookKey.words(title) { _ = likeness(word) }
    let all = seen.reduce(0) { $0 + $1.count }
    let known = zip(seen, explained).reduce(0) { $0 + Double($1.0.count) * $1.1 }
    let share = known / Double(max(1, all))
    let confidence = (ofTitle * 0.7 + ofAuthor * 0.3) * (0.4 + 0.6 * share * share)
    // The volume is printed on a spine; another volume is another book.
    let numbers = TitleParts(words).allNumbers
    let isVolume = TitleParts(title).numbers.allSatisfy(numbers.contains)
    return isVolume ? confidence : min(confidence, doubtful)
  }
}
