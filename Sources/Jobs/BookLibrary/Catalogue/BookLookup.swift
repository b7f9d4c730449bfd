package import Books

/// Looks books up with several providers, in order.
///
/// An ISBN decides. Without one, title and author are compared: only an unambiguous match that is similar enough is
/// taken. Otherwise the best candidate is reported for a person to review, and so is a book with the same title but
/// without the given ISBN.
package struct BookLookup: Sendable {
  /// A question.
  package struct Question: Hashable, Sendable {
    /// The title; empty if only a number is known.
    package var title: String
    /// The author.
    package var author: String?
    /// The number.
    package var isbn: ISBN?

    /// Asks for a book.
    package init(title: String = "", author: String? = nil, isbn: ISBN? = nil) {
      self.title = title
      self.author = author
      self.isbn = isbn
    }
  }

  /// A book that was found.
  package struct Match: Hashable, Sendable {
    /// The book.
    package var book: CatalogueBook
    /// How sure it is, 0 to 1.
    package var confidence: Double
    /// The service that found it.
    package var provider: String
    /// Whether the number was right and the title is another one.
    package var titleDiffers = false
    /// Why it may be another book for all that; one with a doubt is never taken.
    package var doubt: BookMatch.Doubt?
    /// How its title relates to the requested one; `nil` for a book found by its number or a spine.
    var comparison: TitleComparison?
    /// Whether one of its authors is the one that was asked for.
    var hasAuthor = false
  }

  /// An answer.
  package enum Answer: Hashable, Sendable {
    /// The book.
    case found(Match)
    /// The best of what is not sure enough.
    case unsure(Match)
    /// No provider knows it.
    case notFound
    /// No provider that answered knows it, and at least one failed.
    case failed(ProviderError)
  }

  /// How many candidates of each provider are compared.
  package static let mostCandidates = 20
  /// Below this the title of a book found by its number is another one.
  package static let sameTitle = 0.4

  private let providers: [any BookProvider]
  private let threshold: Double

  /// Creates a lookup.
  ///
  /// - Parameters:
  ///   - providers: The providers, in the order in which they are asked.
  ///   - threshold: How sure a match by title and author must be, 0 to 1.
  package init(
    providers: [any BookProvider],
    threshold: Double = BookMatch.usualThreshold
  ) {
    self.providers = providers
    self.threshold = threshold
  }

  /// Lets every provider take over what has come since, before a job begins.
  package func renew() {
    for provider in providers { provider.renew() }
  }

  /// Asks for a book.
  ///
  /// - Throws: `CancellationError` if the task is cancelled; ``ProviderError/outage`` of a provider; no other error.
  package func find(_ question: Question) async throws -> Answer {
    try await search { provider throws(ProviderError) in
      if let isbn = question.isbn, let book = try await provider.book(isbn: isbn) {
        var match = Match(book: book, confidence: 1, provider: provider.name)
        match.titleDiffers = Self.isOther(question.title, Self.wholeTitle(book))
        return [match]
      }
      guard !question.title.isEmpty else { return [] }
      let books = try await provider.candidates(
        title: question.title,
        author: question.author,
        limit: Self.mostCandidates
      )
      return Self.singled(
        books.map { Self.match($0, for: question, of: provider.name) },
        title: question.title
      )
    }
  }

  /// Compares a book with what was asked for by title and author.
  private static func match(
    _ book: CatalogueBook,
    for question: Question,
    of provider: String
  ) -> Match {
    let comparison = TitleComparison(question.title, wholeTitle(book))
    var match = Match(
      book: book,
      confidence: confidence(of: book, for: question),
      provider: provider
    )
    match.comparison = comparison
    match.hasAuthor =
      question.author.map { BookMatch.authors($0, book.authors) >= BookMatch.sameAuthor } ?? false
    // The provider does not know the number, so it is not the book's.
    match.doubt = BookMatch.doubt(comparison) ?? (question.isbn == nil ? nil : .isbn)
    if match.doubt != nil { match.confidence = min(match.confidence, BookMatch.doubtful) }
    return match
  }

  /// The matches; the start of a title that several books of an author have names none of them.
  private static func singled(_ matches: [Match], title: String) -> [Match] {
    var volumes: Set<String> = []
    for match in matches where match.hasAuthor {
      switch match.comparison {
      case .sameStart, .otherNumber, .otherSubtitle:
        volumes.insert(BookKey.title(wholeTitle(match.book)))
      default: break
      }
    }
    guard volumes.count > 1 else { return matches }
    return matches.map { match in
      guard match.comparison == .sameStart, match.doubt == nil else { return match }
      var match = match
      match.doubt = .several
      match.confidence = min(match.confidence, BookMatch.doubtful)
      return match
    }
  }

  /// Whether a title is that of another book than the one whose number was given.
  private static func isOther(_ title: String, _ other: String) -> Bool {
    guard !title.isEmpty else { return false }
    return BookMatch.titleSimilarity(title, other) < sameTitle
      || TitleComparison(title, other) == .otherNumber
  }

  /// Asks for the book whose spine has some words.
  ///
  /// - Throws: As ``find(_:)``.
  package func find(spine words: String) async throws -> Answer {
    try await search { provider throws(ProviderError) in
      try await provider.candidates(words: words, limit: Self.mostCandidates).map { book in
        let confidence = BookMatch.spine(words, title: book.title, authors: book.authors)
        return Match(book: book, confidence: confidence, provider: provider.name)
      }
    }
  }

  /// The best of what the providers have, asked one after the other until one is sure.
  private func search(
    _ matches: (any BookProvider) async throws(ProviderError) -> [Match]
  ) async throws -> Answer {
    var best: Match?
    var failure: ProviderError?
    for provider in providers {
      do throws(ProviderError) {
        for match in try await matches(provider)
        where match.confidence >= BookMatch.floor && Self.isBetter(match, best) { best = match }
        if let best, best.confidence >= threshold, best.doubt == nil { return .found(best) }
      } catch {
        if error.code == .cancelled { throw CancellationError() }
        // No answer is better than one that says for good what was not known for some seconds.
        if let outage = error.outage { throw outage }
        failure = error
      }
    }
    if let failure { return .failed(failure) }
    return best.map(Answer.unsure) ?? .notFound
  }

  private static func isBetter(_ match: Match, _ best: Match?) -> Bool {
    guard let best else { return true }
    let (hasDoubt, hadDoubt) = (match.doubt != nil, best.doubt != nil)
    return hasDoubt == hadDoubt ? match.confidence > best.confidence : hadDoubt
  }

  /// How sure it is that a book is the one that is asked for by title and author.
  package static func confidence(of book: CatalogueBook, for question: Question) -> Double {
    let plain = BookMatch.confidence(
      title: question.title,
      author: question.author,
      ofTitle: book.title,
      authors: book.authors
    )
    guard book.subtitle != nil else { return plain }
    // A subtitle counts: one title may have several.
    guard BookMatch.doubt(TitleComparison(question.title, wholeTitle(book))) == nil else {
      return min(plain, BookMatch.doubtful)
    }
    let whole = BookMatch.confidence(
      title: question.title,
      author: question.author,
      ofTitle: wholeTitle(book),
      authors: book.authors
    )
    return max(plain, whole)
  }

  private static func wholeTitle(_ book: CatalogueBook) -> String {
    book.subtitle.map { "\(book.title): \($0)" } ?? book.title
  }
}
