package import Books

/// Looks books up with several providers, in order.
///
/// A number decides. Without one, or if nobody knows it, title and author are compared: only a book that is
/// similar enough is taken; the best of the others is named for a person to look at, never taken.
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
    /// Who knew it.
    package var provider: String
    /// Whether the number was right and the title is another one.
    package var titleDiffers = false
  }

  /// An answer.
  package enum Answer: Hashable, Sendable {
    /// The book.
    case found(Match)
    /// The best of what is not sure enough.
    case unsure(Match)
    /// Nobody knows it.
    case notFound
    /// Nobody knows it who answered, and somebody did not answer.
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
  ///   - providers: Who is asked, the first one first.
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
  /// - Throws: `CancellationError` if the task is cancelled; no other error.
  package func find(_ question: Question) async throws -> Answer {
    try await search { provider throws(ProviderError) in
      if let isbn = question.isbn, let book = try await provider.book(isbn: isbn) {
        var match = Match(book: book, confidence: 1, provider: provider.name)
        match.titleDiffers =
          !question.title.isEmpty
          && BookMatch.titleSimilarity(question.title, Self.wholeTitle(book)) < Self.sameTitle
        return [match]
      }
      guard !question.title.isEmpty else { return [] }
      let books = try await provider.candidates(
        title: question.title,
        author: question.author,
        limit: Self.mostCandidates
      )
      return books.map { book in
        let confidence = Self.confidence(of: book, for: question)
        return Match(book: book, confidence: confidence, provider: provider.name)
      }
    }
  }

  /// Asks for the book whose spine has some words.
  ///
  /// - Throws: `CancellationError` if the task is cancelled; no other error.
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
        where match.confidence >= BookMatch.floor && match.confidence > best?.confidence ?? 0 {
          best = match
        }
        if let best, best.confidence >= threshold { return .found(best) }
      } catch {
        if error.code == .cancelled { throw CancellationError() }
        failure = error
      }
    }
    if let failure { return .failed(failure) }
    return best.map(Answer.unsure) ?? .notFound
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
