import Books

/// How catalogues are searched, whichever database keeps them.
enum CatalogueSearch {
  /// The words of a title, and the family name of an author.
  struct Title {
    /// Words of titles that are searched for together, with the family name if it is given.
    struct Step {
      let words: [String]
      let family: String?
    }

    private let words: [String]
    private let main: [String]
    private let family: String?

    /// Reads a title; `nil` if it has no word.
    init?(_ title: String, author: String?) {
      words = Array(BookKey.words(title).prefix(CatalogueLimits.mostWords))
      guard !words.isEmpty else { return nil }
      main = Array(
        BookKey.words(BookMatch.mainTitle(title)).prefix(CatalogueLimits.mostWords)
      )
      family = author.flatMap { BookKey.words(BookKey.inOrder($0)).last }
    }

    /// What is searched for, the strictest first: a later step is for where those before find too little.
    var steps: [Step] {
      let steps = [Step(words: words, family: family), Step(words: main, family: family)]
      return family == nil ? steps : steps + [Step(words: words, family: nil)]
    }

    /// The words of which one suffices in the end.
    var anyOf: [String] {
      let long = words.filter { $0.count > 3 }
      return long.isEmpty ? words : long
    }
  }

  /// The words of a spine of which one suffices.
  static func spine(_ words: String) -> [String] {
    let words = Array(BookKey.words(words).prefix(CatalogueLimits.mostWords * 2))
    let long = words.filter { $0.count > 2 }
    return long.isEmpty ? words : long
  }

  /// The rarest of some words, as many as can be ranked in good time.
  ///
  /// - Parameters:
  ///   - words: The words.
  ///   - works: How many works have each of the common ones.
  ///   - most: How many works can be ranked.
  /// - Returns: The words, the rarest first.
  static func telling(_ words: [String], _ works: [String: Int], most: Int) -> [String] {
    var counts: [(word: String, works: Int)] = []
    for word in words where !counts.contains(where: { $0.word == word }) {
      counts.append((word, works[word] ?? CatalogueLimits.fewWorks))
    }
    counts.sort { $0.works < $1.works }
    var sum = 0
    return counts.prefix { count in
      sum += count.works
      return sum <= most
    }.map(\.word)
  }

  /// The best of some books, the best one first.
  static func best(
    _ books: [CatalogueBook],
    _ limit: Int,
    by confidence: (CatalogueBook) -> Double
  ) -> [CatalogueBook] {
    books.map { ($0, confidence($0)) }.sorted { $0.1 > $1.1 }.prefix(limit).map(\.0)
  }
}
