import Foundation
import FreshetKit
import Observation

// An app's own models, with the settings that Xcode gives a new app: everything is of the main actor unless it says
// otherwise.

nonisolated struct Quote: Codable, Equatable, Sendable {
  var text: String
}

func live(_ url: URL, _ client: FreshnessClient) -> LiveValue<Quote> {
  let store = CopyStore(inCachesNamed: "org.example.Quotes")
  return LiveValue(JSONResource(url, as: Quote.self), client: client, keptIn: store)
}

@Observable
final class QuoteModel {
  let quote: LiveValue<Quote>

  init(_ url: URL, client: FreshnessClient) {
    quote = LiveValue(JSONResource(url, as: Quote.self), client: client)
  }

  var line: String {
    guard let age = quote.age else { return "loading" }
    return "\(quote.value?.text ?? "") · \(quote.state.rawValue) · \(age.components.seconds) s"
  }

  func appear() async { await quote.observe() }
}

func models() throws -> (BoardModel, WorktreesModel, JobModel) {
  let store = CopyStore(inCachesNamed: "org.example.Boards")
  let boards = try BoardModel(server: "https://example.org", language: .de, store: store)
  boards.open(FavouriteStop(id: "8501120", name: "Lausanne"))
  let worktrees = try WorktreesModel(server: "http://127.0.0.1:8080", token: "secret")
  let books = try JobModel(server: "http://127.0.0.1:8080")
  return (boards, worktrees, books)
}

func use(_ worktrees: WorktreesModel, _ books: JobModel, table: [UInt8]) async {
  if await !worktrees.make(.seen("freshet/main")) {
    print(worktrees.problem?.description ?? "")
  }
  await books.start(.csvImport, content: table, type: "text/csv")
  await books.loadResults()
}

/// A resource of the app's own: it and its closures leave the main actor.
nonisolated struct Motd: FreshResource {
  var address: HTTPRequest
  func request(since known: String?) -> HTTPRequest { address }
  func read(
    _ answer: HTTPExchangeAnswer,
    since known: String?
  ) throws(UnreadableAnswer) -> Reading<String> {
    Reading(String(decoding: answer.body, as: UTF8.self))
  }
}

func watch(_ url: URL, _ client: FreshnessClient) async {
  for await quote in client.values(of: url, as: Quote.self) {
    print(quote.value.text, quote.age)
  }
}

func rename(_ quote: JSONResource<Quote>, _ client: FreshnessClient, to text: String) async throws {
  try await client.mutate(quote) {
    $0.text = text
  } sending: {
    try await Task.sleep(for: .milliseconds(1))
  }
}

func load(_ client: FreshnessClient) -> LiveValue<Int> {
  LiveValue(LoadedResource("answer") { 42 }, client: client)
}
