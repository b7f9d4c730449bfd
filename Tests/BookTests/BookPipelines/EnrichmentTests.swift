import BookLibrary
import BookPipelines
import Books
import Foundation
import Jobs
import StrictJSON
import Synchronization
import Testing

/// A provider with a few books, and trouble where a test wants it.
final class ShelfOfBooks: BookProvider {
  let name = "shelf"
  let questions = Mutex<[String]>([])
  private let books: [CatalogueBook]
  private let troubles: [String: ProviderError]
  private let delay: Duration

  init(
    _ books: [(title: String, author: String, isbn: String?)],
    troubles: [String: ProviderError] = [:],
    delay: Duration = .zero
  ) {
    self.books = books.map { entry in
      var book = CatalogueBook(title: entry.title)
      book.authors = [entry.author]
      book.isbn = entry.isbn.flatMap { ISBN($0) }
      return book
    }
    self.troubles = troubles
    self.delay = delay
  }

  private func ask(_ question: String) async throws(ProviderError) {
    questions.withLock { $0.append(question) }
    if delay > .zero {
      do {
        try await Task.sleep(for: delay)
      } catch {
        throw ProviderError(.cancelled, "cancelled")
      }
    }
    if let trouble = troubles[question] { throw trouble }
  }

  func book(isbn: ISBN) async throws(ProviderError) -> CatalogueBook? {
    try await ask(isbn.description)
    return books.first { $0.isbn == isbn }
  }

  func candidates(
    title: String,
    author: String?,
    limit: Int
  ) async throws(ProviderError) -> [CatalogueBook] {
    try await ask(title)
    return books
  }

  func candidates(words: String, limit: Int) async throws(ProviderError) -> [CatalogueBook] {
    try await ask(words)
    return books
  }
}

@Suite struct EnrichmentTests {
  static let shelf: [(title: String, author: String, isbn: String?)] = [
    ("Dune", "Frank Herbert", "9780441013593"), ("Kindred", "Octavia E. Butler", "9780807083697"),
    ("Emma", "Jane Austen", nil),
  ]

  static func work(_ folder: TestFolder, _ text: String) throws -> JobWork {
    JobWork(job: "j1", inputs: [try folder.input("books.json", text)])
  }

  @Test func `each book is enriched or says why not, and the others go on`() async throws {
    let folder = try TestFolder()
    let provider = ShelfOfBooks(
      Self.shelf,
      troubles: ["Broken": ProviderError(.timedOut, "the shelf did not answer in time")]
    )
    let steps = RecordingSteps()
    let work = try Self.work(
      folder,
      """
      {"books":[{"title":"Dune","author":"Frank Herbert"},{"title":"x","isbn":"0-8070-8369-0"},
       {"title":"Nothing Like It","author":"Nobody"},{"title":"Broken"},{"title":"Emma"},
       {"title":"Emma","author":"Jane Austen","isbn":"123"},{"isbn":"9780441013593"}]}
      """
    )
    try await BatchEnrichment(lookup: BookLookup(providers: [provider])).run(work, steps: steps)
    let items = steps.items
    #expect(items.map(\.number) == Array(0..<7))
    #expect(
      items.map(\.outcome) == [
        .enriched, .enriched, .failed, .failed, .failed, .enriched, .enriched,
      ]
    )
    #expect(
      items.map { $0.problems.first?.code } == [
        nil, "title_differs", "not_found", "provider_timed_out", "match_unsure", "isbn_invalid",
        nil,
      ]
    )
    #expect(items[0]["enriched"]?["authors"] == .list([.string("Frank Herbert")]))
    #expect(items[0]["confidence"] == .whole(1))
    #expect(items[3].problems[0].isRetryable)
    #expect(!items[2].problems[0].isRetryable)
    // The best candidate is named, not taken.
    #expect(items[4]["candidate"]?["title"]?.string == "Emma")
    #expect(items[4]["enriched"] == nil)
    #expect(items[4]["confidence"] == .decimal("0.75"))
    #expect(items.map { $0["success"]?.bool ?? false } == items.map { $0.outcome == .enriched })
  }

  @Test func `the same question is asked once`() async throws {
    let folder = try TestFolder()
    let provider = ShelfOfBooks(Self.shelf)
    let steps = RecordingSteps()
    let one = "{\"title\":\"Dune\",\"isbn\":\"9780441013593\"}"
    let list = Array(repeating: one, count: 100).joined(separator: ",")
    let work = try Self.work(folder, "{\"books\":[\(list)]}")
    try await BatchEnrichment(lookup: BookLookup(providers: [provider])).run(work, steps: steps)
    #expect(steps.count(.enriched) == 100)
    #expect(provider.questions.withLock { $0.count } == 1)
  }

  @Test func `a list may be as long as the server takes one`() async throws {
    let folder = try TestFolder()
    let title = String(repeating: "x", count: 1_000)
    let list = (0..<1_200).map { "{\"title\":\"\($0)\(title)\\b\"}" }.joined(separator: ",")
    let text = "{\"books\":[\(list)]}"
    let work = try Self.work(folder, text)
    let steps = RecordingSteps()
    let lookup = BookLookup(providers: [])
    try await BatchEnrichment(lookup: lookup, booksBytes: text.utf8.count)
      .run(work, steps: steps)
    #expect(steps.count(.failed) == 1_200)
    await #expect(throws: JobFailure.self) {
      try await BatchEnrichment(lookup: lookup, booksBytes: 1_000)
        .run(work, steps: RecordingSteps())
    }
  }

  @Test func `a number that was not used says why`() async throws {
    let folder = try TestFolder()
    let steps = RecordingSteps()
    let list = ["0000000000", "9790060115615", "9780441013594"]
      .map { "{\"title\":\"Dune\",\"author\":\"Frank Herbert\",\"isbn\":\"\($0)\"}" }
    let work = try Self.work(folder, "{\"books\":[\(list.joined(separator: ","))]}")
    let lookup = BookLookup(providers: [ShelfOfBooks(Self.shelf)])
    try await BatchEnrichment(lookup: lookup).run(work, steps: steps)
    #expect(steps.count(.enriched) == 3)
    let words = ["is a placeholder", "printed music", "wrong check digit"]
    for (item, word) in zip(steps.items, words) {
      #expect(item.problems.first?.message.contains(word) == true)
    }
  }

  @Test func `a crash at any commit loses nothing`() async throws {
    let folder = try TestFolder()
    let list = (0..<12).map { "{\"title\":\"Book \($0)\",\"author\":\"A\"}" }.joined(separator: ",")
    var work = try Self.work(folder, "{\"books\":[\(list)]}")
    let lookup = BookLookup(providers: [ShelfOfBooks(Self.shelf)])
    let pipeline = BatchEnrichment(lookup: lookup)
    for crash in 1...8 {
      let first = RecordingSteps(crashesAt: crash)
      work.checkpoint = nil
      try? await pipeline.run(work, steps: first)
      let second = RecordingSteps()
      second.state.withLock { state in state.items = first.state.withLock { $0.items } }
      work.checkpoint = first.state.withLock { $0.checkpoint }
      try await pipeline.run(work, steps: second)
      #expect(second.items.map(\.number) == Array(0..<12))
      #expect(second.count(.failed) == 12)
    }
  }

  @Test func `a job that waits reports that it lives, and stops when it is told to`() async throws {
    let folder = try TestFolder()
    let provider = ShelfOfBooks(Self.shelf, delay: .seconds(600))
    let steps = RecordingSteps(stopsAt: 3)
    let work = try Self.work(folder, "{\"books\":[{\"title\":\"Dune\"}]}")
    try await BatchEnrichment(lookup: BookLookup(providers: [provider])).run(work, steps: steps)
    #expect(steps.state.withLock { $0.commits } == 3)
    #expect(steps.items.isEmpty)
  }

  @Test(arguments: [
    "", "[]", "{\"books\":{}}", "{\"books\":[7]}", "{\"books\":[{}]}", "{\"books\":[",
  ])
  func `a list that cannot be read fails the job`(text: String) async throws {
    let folder = try TestFolder()
    let work = try Self.work(folder, text)
    let failure = await #expect(throws: JobFailure.self) {
      try await BatchEnrichment(lookup: BookLookup(providers: [])).run(
        work,
        steps: RecordingSteps()
      )
    }
    #expect(failure?.code == "list_unreadable")
  }

  private typealias Entry = (title: String, author: String, isbn: String?)

  private func found(
    _ books: [Entry],
    _ title: String,
    _ author: String,
    isbn: String? = nil
  ) async throws -> (title: String?, doubt: BookMatch.Doubt?) {
    let lookup = BookLookup(providers: [ShelfOfBooks(books)])
    let question = BookLookup.Question(
      title: title,
      author: author,
      isbn: isbn.flatMap { ISBN($0) }
    )
    switch try await lookup.find(question) {
    case .found(let match): return (match.book.title, nil)
    case .unsure(let match): return (nil, match.doubt)
    case .notFound, .failed: return (nil, nil)
    }
  }

  @Test func `a book that does not have the number that was given is not taken`() async throws {
    let saga: Entry = ("Saga, Volume 5", "Brian K. Vaughan", "9781632154385")
    let right = try await found([saga], saga.title, saga.author, isbn: saga.isbn)
    #expect(right.title == saga.title)
    let other = try await found([saga], saga.title, saga.author, isbn: "9780441013593")
    #expect(other.title == nil && other.doubt == .isbn)
    let volume = try await found([saga], "Saga, Volume 1", saga.author, isbn: "9780441013593")
    #expect(volume.title == nil && volume.doubt == .number)
    // The right one of several is taken, whatever the order.
    let shelf: [Entry] = [
      saga, ("Saga, Volume 1", "Brian K. Vaughan", nil), ("Saga, Volume 2", "B. Vaughan", nil),
    ]
    for books: [Entry] in [shelf, shelf.reversed()] {
      #expect(try await found(books, "Saga, Vol. 1", "Brian K. Vaughan").title == "Saga, Volume 1")
      #expect(try await found(books, "Saga, Vol. 3", "Brian K. Vaughan").title == nil)
    }
  }

  @Test func `a title with which several books begin names none of them`() async throws {
    let author = "Jeff Kinney"
    let rules: Entry = ("Diary of a Wimpy Kid: Rodrick Rules", author, nil)
    let straw: Entry = ("Diary of a Wimpy Kid: The Last Straw", author, nil)
    let first: Entry = ("Diary of a Wimpy Kid", author, nil)
    let several = try await found([rules, straw], first.title, author)
    #expect(several.title == nil && several.doubt == .several)
    #expect(try await found([rules, straw, first], first.title, author).title == first.title)
    #expect(try await found([rules, straw], straw.title, author).title == straw.title)
  }

  @Test func `a doubt is told with the candidate`() async throws {
    let folder = try TestFolder()
    let steps = RecordingSteps()
    let work = try Self.work(
      folder,
      "{\"books\":[{\"title\":\"Naruto 67\",\"author\":\"M. Kishimoto\"}]}"
    )
    let shelf = ShelfOfBooks([("Naruto 63", "Masashi Kishimoto", nil)])
    try await BatchEnrichment(lookup: BookLookup(providers: [shelf])).run(work, steps: steps)
    #expect(steps.items.map(\.outcome) == [.failed])
    #expect(steps.items[0].problems[0].code == "match_unsure")
    #expect(
      steps.items[0].problems[0].message == "the best match, \"Naruto 63\", has another number"
    )
    #expect(steps.items[0]["candidate"]?["title"]?.string == "Naruto 63")
    #expect(steps.items[0]["enriched"] == nil)
  }

  @Test func `the next provider is asked where the first has trouble`() async throws {
    let failing = ShelfOfBooks([], troubles: ["Dune": ProviderError(.unavailable, "away")])
    let lookup = BookLookup(providers: [failing, ShelfOfBooks(Self.shelf)])
    let answer = try await lookup.find(BookLookup.Question(title: "Dune", author: "Frank Herbert"))
    guard case .found(let match) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(match.book.title == "Dune")
  }
}
