import Books
import ConditionalHTTP
import Foundation
import HTTPTypes
import Testing
import URLSessionTransport

@testable import BookLibrary

@Suite struct OpenLibraryTests {
  /// A provider that asks a local server, without the pauses between questions.
  static func provider(
    _ trouble: [String],
    change: (inout OpenLibraryProvider.Settings) -> Void = { _ in }
  ) async throws -> (OpenLibraryProvider, PythonProgram, String) {
    let server = try PythonProgram("open_library.py", trouble.flatMap { ["--trouble", $0] })
    let authority = "127.0.0.1:" + (try await server.firstLine())
    var settings = OpenLibraryProvider.Settings(server: try HTTPAddress("http://" + authority))
    settings.timeout = .seconds(20)
    settings.firstPause = .milliseconds(10)
    settings.interval = .zero
    change(&settings)
    return (
      OpenLibraryProvider(exchange: URLSessionExchange(), settings: settings), server, authority
    )
  }

  static func requests(_ authority: String) async throws -> [String] {
    let answer = try await URLSessionExchange().send(
      HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/requests"),
      timeout: .seconds(20)
    )
    return try JSONDecoder().decode([String].self, from: Data(answer.body))
  }

  @Test func `a number and a title are found as the service says`() async throws {
    let (provider, server, authority) = try await Self.provider([])
    defer { withExtendedLifetime(server) {} }
    let isbn = try #require(ISBN("9780441013593"))
    let book = try #require(await provider.book(isbn: isbn))
    #expect(book.title == "Dune")
    #expect(book.authors == ["Frank Herbert"])
    #expect(book.firstYear == 1965)
    #expect(book.isbn == isbn)
    #expect(book.pages == 604)
    #expect(book.work == "OL1W")
    #expect(book.coverAddress == "https://covers.openlibrary.org/b/id/11-L.jpg")
    #expect(try await provider.book(isbn: #require(ISBN("9780374538651"))) == nil)
    let found = try await provider.candidates(title: "Les Misérables", author: nil, limit: 5)
    #expect(found.map(\.title) == ["Les Misérables"])
    let words = try await provider.candidates(words: "HERBERT DUNE", limit: 5)
    #expect(words.map(\.title) == ["Dune", "Dune Messiah"])
    let paths = try await Self.requests(authority)
    #expect(paths[0].hasPrefix("/search.json?isbn=9780441013593&fields="))
    #expect(paths[2].contains("title=Les%20Mis%C3%A9rables&"))
  }

  @Test(arguments: [["503", "500"], ["429", "503"], ["cut"], ["429-later"]])
  func `trouble that passes is asked through`(trouble: [String]) async throws {
    let (provider, server, authority) = try await Self.provider(trouble)
    defer { withExtendedLifetime(server) {} }
    let book = try await provider.book(isbn: #require(ISBN("9780441013593")))
    #expect(book?.title == "Dune")
    #expect(try await Self.requests(authority).count == trouble.count + 1)
  }

  @Test(arguments: [
    (["503", "503", "503"], ProviderError.Code.unavailable, 3), (["404"], .refused, 1),
    (["429-tomorrow"], .busy, 1), (["garbage", "garbage", "garbage"], .unreadable, 1),
  ])
  func `trouble that stays is said`(
    trouble: [String],
    code: ProviderError.Code,
    requests: Int
  ) async throws {
    let (provider, server, authority) = try await Self.provider(trouble)
    defer { withExtendedLifetime(server) {} }
    let error = await #expect(throws: ProviderError.self) {
      try await provider.book(isbn: #require(ISBN("9780441013593")))
    }
    #expect(error?.code == code)
    if code == .busy { #expect(error?.retryAfter == .seconds(86_400)) }
    #expect(try await Self.requests(authority).count == requests)
  }

  @Test func `a service that fails again and again is left alone`() async throws {
    let (provider, server, authority) = try await Self.provider(Array(repeating: "500", count: 9)) {
      $0.attempts = 1
      $0.failuresInARow = 3
    }
    defer { withExtendedLifetime(server) {} }
    let lookup = BookLookup(providers: [provider])
    for _ in 0..<6 {
      let answer = try await lookup.find(
        BookLookup.Question(title: "Dune", author: "Frank Herbert")
      )
      guard case .failed(let error) = answer else {
        Issue.record("\(answer)")
        return
      }
      #expect(error.isRetryable)
    }
    #expect(try await Self.requests(authority).count == 3)
  }

  @Test func `a service that asks for a long pause gets it, and every request fails until then`()
    async throws
  {
    let (provider, server, authority) = try await Self.provider(["429-tomorrow"])
    defer { withExtendedLifetime(server) {} }
    let lookup = BookLookup(providers: [provider])
    for number in 0..<8 {
      lookup.renew()
      let answer = try await lookup.find(BookLookup.Question(title: "Dune \(number)"))
      guard case .failed(let error) = answer else {
        Issue.record("\(answer)")
        return
      }
      #expect(error.code == .busy)
      #expect(error.description.contains("asked us to retry after"))
      #expect(error.retryAfter ?? .zero > .seconds(80_000))
    }
    #expect(try await Self.requests(authority).count == 1)
  }

  @Test func `no rest is longer than the limit`() async throws {
    let (provider, server, authority) = try await Self.provider(["429-tomorrow"]) {
      $0.longestRest = .milliseconds(50)
    }
    defer { withExtendedLifetime(server) {} }
    let isbn = try #require(ISBN("9780441013593"))
    var book: CatalogueBook?
    for _ in 0..<1_000 where book == nil {
      book = try? await provider.book(isbn: isbn)
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(book?.title == "Dune")
    #expect(try await Self.requests(authority).count == 2)
  }

  @Test(arguments: [
    String(repeating: "word ", count: 400), "a" + String(repeating: "\u{301}", count: 300_000),
    String(repeating: "語", count: 500),
  ])
  func `an address is short whatever is asked for`(text: String) async throws {
    let (provider, server, authority) = try await Self.provider([])
    defer { withExtendedLifetime(server) {} }
    _ = try await provider.candidates(title: text, author: text, limit: 5)
    let path = try await Self.requests(authority).last ?? ""
    #expect(path.utf8.count < 4_000)
    #expect(path.utf8.count > 1_000)
    #expect(OpenLibraryProvider.shortened(text).utf8.count > 590)
  }

  @Test func `a slow answer and a cancelled question end the wait`() async throws {
    let (provider, server, _) = try await Self.provider(["slow", "slow"]) {
      $0.timeout = .milliseconds(100)
      $0.attempts = 1
    }
    defer { withExtendedLifetime(server) {} }
    let isbn = try #require(ISBN("9780441013593"))
    let error = await #expect(throws: ProviderError.self) { try await provider.book(isbn: isbn) }
    #expect(error?.code == .timedOut)
    let (patient, other, _) = try await Self.provider(["slow"])
    defer { withExtendedLifetime(other) {} }
    let lookup = BookLookup(providers: [patient])
    let task = Task { try await lookup.find(BookLookup.Question(isbn: isbn)) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(arguments: [
    ("[]", true), ("{\"docs\":{}}", true), ("{\"docs\":[]}", false),
    ("{\"docs\":[{\"title\":\"\"},{\"title\":7},null,5]}", false),
  ])
  func `answers of other shapes are refused or empty`(text: String, isRefused: Bool) {
    let books = try? OpenLibraryProvider.books(in: Array(text.utf8))
    #expect((books == nil) == isRefused)
    if let books { #expect(books.isEmpty) }
  }
}
