package import Books
package import PostgresClient

/// Finds books: a catalogue on disk, a service on the network.
package protocol BookProvider: Sendable {
  /// A short name for reports: `dump`, `openlibrary`.
  var name: String { get }

  /// The book with a number.
  ///
  /// - Returns: The book; `nil` if the provider does not have it.
  func book(isbn: ISBN) async throws(ProviderError) -> CatalogueBook?

  /// Books that may be meant by a title and an author, in no order that counts.
  ///
  /// - Parameters:
  ///   - title: The title, or some of its words.
  ///   - author: The author, if known.
  ///   - limit: The most books.
  /// - Returns: The books.
  /// - Throws: ``ProviderError``.
  func candidates(
    title: String,
    author: String?,
    limit: Int
  ) async throws(ProviderError) -> [CatalogueBook]

  /// Searches for books by words of titles and authors, as read from a spine.
  ///
  /// - Parameters:
  ///   - words: The words, some of them misread.
  ///   - limit: The most books.
  /// - Returns: The books.
  /// - Throws: ``ProviderError``.
  func candidates(words: String, limit: Int) async throws(ProviderError) -> [CatalogueBook]

  /// Takes over what has come since, before a job begins.
  func renew()
}

extension BookProvider {
  /// Nothing comes.
  package func renew() {}
}

/// Why a provider has no answer.
package struct ProviderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of failure.
  package enum Code: String, Hashable, Sendable {
    /// It cannot be reached, or answers with an error of its own.
    case unavailable = "provider_unavailable"
    /// It did not answer in time.
    case timedOut = "provider_timed_out"
    /// It wants to be asked less often.
    case busy = "provider_busy"
    /// Its answer cannot be read.
    case unreadable = "provider_unreadable"
    /// It refuses the question.
    case refused = "provider_refused"
    /// The task was cancelled.
    case cancelled
  }

  /// The kind of failure.
  package var code: Code
  /// What happened, for display.
  package var description: String
  /// How long it wants to be left alone.
  package var retryAfter: Duration?
  /// The error of a database that cannot be used for now, which the jobs that ask it share: they wait for it.
  package var outage: PostgresError?

  /// Creates an error.
  package init(_ code: Code, _ description: String, retryAfter: Duration? = nil) {
    self.code = code
    self.description = description
    self.retryAfter = retryAfter
  }

  /// Whether the provider may be back within minutes: it is down or busy, and does not want to be left alone for longer.
  package var passesSoon: Bool {
    [.unavailable, .timedOut, .busy].contains(code) && retryAfter ?? .zero <= Self.soon
  }

  /// The longest `Retry-After` that is waited for.
  package static let soon = Duration.seconds(60)

  /// Whether the same question may be answered later.
  package var isRetryable: Bool { code != .refused && code != .cancelled }
}
