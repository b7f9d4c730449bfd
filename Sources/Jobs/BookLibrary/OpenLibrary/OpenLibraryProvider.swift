package import Books
package import ConditionalHTTP
import Foundation
import HTTPTypes
import StrictJSON
import Synchronization

/// Finds books with Open Library's search (<https://openlibrary.org/dev/docs/api/search>).
///
/// Requests are sent one at a time, with a pause between them. Errors that may be temporary are retried after a growing
/// pause, or after the server's `Retry-After`. After several failures in a row, or a `Retry-After` longer than a
/// request waits, the service is left alone, and until then the requests of every job fail at once.
package final class OpenLibraryProvider: BookProvider {
  /// How a service is asked.
  package struct Settings: Hashable, Sendable {
    /// The service.
    package var server: HTTPAddress
    /// The user agent; Open Library asks for a contact address in it, which the operator adds.
    package var userAgent = "Freshet"
    /// The longest wait for an answer.
    package var timeout = Duration.seconds(10)
    /// How often a request is tried at most.
    package var attempts = 3
    /// The pause before the second attempt; it doubles from then on.
    package var firstPause = Duration.milliseconds(500)
    /// The longest pause before a retry, including one requested by the server.
    package var longestPause = Duration.seconds(30)
    /// The least time between two requests.
    package var interval = Duration.seconds(1)
    /// The number of failures in a row after which the service is left alone.
    package var failuresInARow = 5
    /// How long the service is left alone after failures.
    package var restAfterFailures = Duration.seconds(60)
    /// The longest time the service is left alone at its own request.
    package var longestRest = Duration.seconds(86_400)

    /// Names a service, with the usual settings.
    package init(server: HTTPAddress) { self.server = server }
  }

  /// What reports call it.
  package let name = "openlibrary"
  /// The largest answer that is read, in bytes.
  package static let longestAnswer = 4 << 20
  /// The most books that one question asks for.
  package static let mostBooks = 20
  /// The longest text of a question, in bytes of UTF-8; of a longer one the first words are asked for.
  package static let longestText = 600

  private static let fields = [
    "key", "title", "subtitle", "author_name", "first_publish_year", "isbn", "publisher",
    "language",
    "number_of_pages_median", "cover_i", "subject",
  ]

  private struct State {
    var nextRequest: ContinuousClock.Instant?
    var failures = 0
    var restsUntil: ContinuousClock.Instant?
    /// Whether the service asked for the wait.
    var isRequested = false
  }

  private let exchange: any HTTPExchange
  private let settings: Settings
  private let state = Mutex(State())

  /// Creates a provider.
  ///
  /// - Parameters:
  ///   - exchange: What carries requests.
  ///   - settings: How the service is asked.
  package init(exchange: any HTTPExchange, settings: Settings) {
    self.exchange = exchange
    self.settings = settings
  }

  /// The book with a number.
  package func book(isbn: ISBN) async throws(ProviderError) -> CatalogueBook? {
    let books = try await search([("isbn", isbn.description)], limit: 1)
    guard var book = books.first else { return nil }
    book.isbn = isbn
    return book
  }

  /// Books that a search for title and author finds.
  package func candidates(
    title: String,
    author: String?,
    limit: Int
  ) async throws(ProviderError) -> [CatalogueBook] {
    var question = [("title", title)]
    if let author, !author.isEmpty { question.append(("author", author)) }
    return try await search(question, limit: min(limit, Self.mostBooks))
  }

  /// Books that a search for words anywhere finds.
  package func candidates(
    words: String,
    limit: Int
  ) async throws(ProviderError) -> [CatalogueBook] {
    try await search([("q", words)], limit: min(limit, Self.mostBooks))
  }

  private func search(
    _ question: [(String, String)],
    limit: Int
  ) async throws(ProviderError) -> [CatalogueBook] {
    let query: [(String, String?)] =
      question.map { ($0, Self.shortened($1)) }
      + [("fields", Self.fields.joined(separator: ",")), ("limit", "\(limit)")]
    if let rest { throw rest }
    do {
      let body = try await ask(
        settings.server.request(
          "/search.json",
          query: query,
          fields: [.userAgent: settings.userAgent, .accept: "application/json"]
        )
      )
      let books = try Self.books(in: body)
      state.withLock { state in
        state.failures = 0
        // A service that asked to be left alone may still answer earlier requests.
        if !state.isRequested { state.restsUntil = nil }
      }
      return books
    } catch {
      if error.isRetryable { failed(error) }
      throw error
    }
  }

  /// Why no request is sent now; `nil` while requests are allowed.
  private var rest: ProviderError? {
    let now = ContinuousClock.now
    let (until, isRequested) = state.withLock { ($0.restsUntil, $0.isRequested) }
    guard let until, until > now else { return nil }
    guard isRequested else {
      return ProviderError(
        .unavailable,
        "\(settings.server.authority) has failed \(settings.failuresInARow) times in a row and is left alone",
        retryAfter: until - now
      )
    }
    let seconds = (until - now).components.seconds + 1
    return ProviderError(
      .busy,
      "\(settings.server.authority) asked us to retry after another \(seconds) s",
      retryAfter: until - now
    )
  }

  /// Counts a failure, and leaves the service alone if it asked for that or failed too often.
  private func failed(_ error: ProviderError) {
    let now = ContinuousClock.now
    state.withLock { state in
      let until = state.restsUntil.flatMap { $0 > now ? $0 : nil }
      if let retryDelay = error.retryAfter, retryDelay > settings.longestPause {
        let end = now + min(retryDelay, settings.longestRest)
        state.restsUntil = max(until ?? end, end)
        state.isRequested = true
        state.failures = 0
        return
      }
      // What was asked before the rest began says nothing new.
      guard until == nil else { return }
      state.failures += 1
      guard state.failures >= settings.failuresInARow else { return }
      state.restsUntil = now + settings.restAfterFailures
      state.isRequested = false
    }
  }

  /// The first words of a long text, so that an address stays as short as servers take it.
  static func shortened(_ text: String) -> String {
    guard text.utf8.count > longestText else { return text }
    var bytes = 0
    let scalars = text.unicodeScalars.prefix { scalar in
      bytes += UTF8.width(scalar)
      return bytes <= longestText
    }
    let short = Substring(scalars)
    return String(short.lastIndex(of: " ").map { short[..<$0] } ?? short)
  }

  /// Sends a question until there is an answer, or it has been asked often enough.
  private func ask(_ request: HTTPRequest) async throws(ProviderError) -> [UInt8] {
    var pause = settings.firstPause
    for attempt in 1... {
      let failure: ProviderError
      do {
        return try await askOnce(request)
      } catch {
        failure = error
      }
      guard failure.isRetryable, attempt < settings.attempts else { throw failure }
      let retryDelay = failure.retryAfter ?? pause
      // A service that wants a longer rest is not waited for.
      guard retryDelay <= settings.longestPause else { throw failure }
      try await Self.sleep(retryDelay)
      pause = min(pause * 2, settings.longestPause)
    }
    throw ProviderError(.unavailable, "never asked")
  }

  private func askOnce(_ request: HTTPRequest) async throws(ProviderError) -> [UInt8] {
    try await waitForTurn()
    // Another request may have started a pause while this one waited.
    if let rest { throw rest }
    let answer: HTTPExchangeAnswer
    do {
      answer = try await exchange.send(request, timeout: settings.timeout)
    } catch {
      switch error.code {
      case .cancelled: throw ProviderError(.cancelled, "cancelled")
      case .timedOut:
        throw ProviderError(.timedOut, "\(settings.server.authority) did not answer in time")
      case .tooLarge:
        throw ProviderError(.unreadable, "the answer of \(settings.server.authority) is too large")
      case .unreachable:
        throw ProviderError(.unavailable, "\(settings.server.authority) cannot be reached")
      }
    }
    let status = answer.head.status
    let now = Int64(Date().timeIntervalSince1970 * 1_000)
    let retryDelay = RetryAfter.delay(
      in: answer.head.headerFields,
      now: now,
      limit: .max / 2_000_000
    )
    .map { Duration.milliseconds($0) }
    switch status.code {
    case 200..<300: break
    case 429:
      throw ProviderError(
        .busy,
        "\(settings.server.authority) wants fewer questions\(Self.waitText(retryDelay))",
        retryAfter: retryDelay
      )
    case 500...:
      throw ProviderError(
        .unavailable,
        "\(settings.server.authority) answers with \(status.code)\(Self.waitText(retryDelay))",
        retryAfter: retryDelay
      )
    default:
      throw ProviderError(.refused, "\(settings.server.authority) answers with \(status.code)")
    }
    guard answer.body.count <= Self.longestAnswer else {
      throw ProviderError(.unreadable, "the answer of \(settings.server.authority) is too large")
    }
    return answer.body
  }

  private static func waitText(_ retryDelay: Duration?) -> String {
    retryDelay.map { " and asked us to retry after \($0.components.seconds) s" } ?? ""
  }

  /// Waits until the next request may go out.
  private func waitForTurn() async throws(ProviderError) {
    let now = ContinuousClock.now
    let turn = state.withLock { state in
      let turn = max(state.nextRequest ?? now, now)
      state.nextRequest = turn + settings.interval
      return turn
    }
    if turn > now { try await Self.sleep(turn - now) }
  }

  private static func sleep(_ duration: Duration) async throws(ProviderError) {
    do {
      try await Task.sleep(for: duration)
    } catch {
      throw ProviderError(.cancelled, "cancelled")
    }
  }

  // MARK: Text

  /// The books of an answer; one that has no title is passed.
  static func books(in body: [UInt8]) throws(ProviderError) -> [CatalogueBook] {
    let value: JSONValue
    do {
      value = try JSONReader.value(of: body, rules: .lenient)
    } catch {
      throw ProviderError(
        .unreadable,
        "the answer is not valid JSON: line \(error.line), \(error.problem)"
      )
    }
    guard let documents = value["docs"]?.list else {
      throw ProviderError(.unreadable, "the answer has no list \"docs\"")
    }
    return documents.compactMap { document in
      guard let title = document["title"]?.string, !title.isEmpty else { return nil }
      func texts(_ name: String) -> [String] {
        if let one = document[name]?.string { return [one] }
        return document[name]?.list?.compactMap(\.string) ?? []
      }
      var book = CatalogueBook(title: title)
      book.subtitle = document["subtitle"]?.string
      book.authors = texts("author_name")
      book.firstYear = document["first_publish_year"]?.int64.flatMap { Int(exactly: $0) }
      book.isbn = texts("isbn").lazy.compactMap { ISBN($0) }.first
      book.publisher = texts("publisher").first
      book.language = texts("language").first
      book.pages = document["number_of_pages_median"]?.int64.flatMap { Int(exactly: $0) }
      book.cover = document["cover_i"]?.int64.flatMap { $0 > 0 ? $0 : nil }
      book.subjects = Array(texts("subject").prefix(8))
      book.work = document["key"]?.string?.split(separator: "/").last.map(String.init)
      return book
    }
  }
}
