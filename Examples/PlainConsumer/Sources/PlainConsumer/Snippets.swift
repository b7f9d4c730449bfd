import Foundation
import FreshetKit
import FreshnessTesting

// The code of README.md and Documentation, word for word: what is shown compiles (Scripts/check-documentation).

struct Board: Codable, Equatable, Sendable {
  var title: String
  var publishedAt: Date
}

struct Todo: Codable, Equatable, Sendable {
  var title: String
  var isDone: Bool
}

// MARK: Start

func start(_ url: URL) async {
  let client = FreshnessClient()
  for await board in client.values(of: url, as: Board.self) {
    print(board.value.title, board.age, board.state, board.failure?.description ?? "")
  }
}

func options(_ url: URL, _ client: FreshnessClient) async {
  let board = JSONResource(url, as: Board.self, policy: .departuresNative, tags: ["boards"])
    .made { $0.publishedAt }
  for await copy in client.values(of: board) where copy.state == .live {
    print(copy.value.title)
  }
}

func functions(_ client: FreshnessClient, _ level: @escaping @Sendable () async throws -> Int) async
{
  let battery = LoadedResource("battery", policy: Policy(every: .seconds(60))) {
    try await level()
  }
  for await copy in client.values(of: battery) {
    print(copy.value, copy.age)
  }
}

struct Status: FreshResource {
  let address: HTTPRequest
  func request(since known: String?) -> HTTPRequest { address }
  func read(
    _ answer: HTTPExchangeAnswer,
    since known: String?
  ) throws(UnreadableAnswer) -> Reading<String> {
    guard let text = String(validating: answer.body, as: UTF8.self) else {
      throw UnreadableAnswer("the status is not valid UTF-8")
    }
    return Reading(text)
  }
}

func follow(_ status: Status) async {
  let exchange = URLSessionExchange()
  let client = FreshnessClient(exchange: exchange, streaming: exchange, policy: .workspaces)
  for await snapshot in client.snapshots(of: status) {
    print(snapshot.value ?? "nothing yet", snapshot.failure?.description ?? "")
  }
}

func once() async throws {
  let client = try BoardClient(
    server: "http://127.0.0.1:8080",
    exchange: URLSessionExchange()
  )
  let board = try await client.board(stop: "Parent8501120", limit: 20)
  print(board.departures.count)
}

// MARK: Presets

func presets() -> Policy {
  var policy = Policy.departuresNative
  policy.background = .seconds(300)
  policy.push = Policy.Push(heartbeat: .seconds(15))
  return policy
}

// MARK: Lifecycle

func lifecycle(_ client: FreshnessClient) -> DeviceObservation {
  // On Apple platforms; keep the result for as long as the client.
  client.observeDevice()
}

func elsewhere(_ client: FreshnessClient) {
  client.lifecycle(.background)
  client.connectivity(.offline)
}

// MARK: Persistence

func persistence(_ board: JSONResource<Board>, _ client: FreshnessClient) async {
  let store = CopyStore(inCachesNamed: "org.example.Boards")
  for await copy in client.values(of: board, keptIn: store) {
    switch copy.provenance {
    case .disk: print("from disk", copy.age)
    case .local: print("yours, unconfirmed")
    case .server: print(copy.state, copy.age)
    }
  }
}

// MARK: Mutations

func complete(
  _ todos: JSONResource<[Todo]>,
  _ client: FreshnessClient,
  _ send: @Sendable () async throws -> Void
) async throws {
  try await client.mutate(todos, invalidating: ["statistics"]) { list in
    list[0].isDone = true
  } sending: {
    try await send()
  }
}

func invalidate(_ client: FreshnessClient) {
  client.invalidate(tag: "boards")
}

// MARK: Paging

struct Page: Decodable, Equatable, Sendable {
  var items: [String]
  var next: URL?
}

@MainActor
func pages(_ first: URL, _ client: FreshnessClient) -> LivePages<JSONResource<Page>> {
  LivePages(first: JSONResource(first), client: client) { page in
    page.next.map { JSONResource($0) }
  }
}

// MARK: Testing

func ages(_ url: URL) async throws {
  let clock = ManualClock()
  let body = Array(#"{"title":"Lausanne","publishedAt":0}"#.utf8)
  let answer = HTTPExchangeAnswer(head: HTTPResponse(status: .ok), body: body)
  let exchange = ScriptedExchange([.answer(answer), .held])
  let client = FreshnessClient(
    exchange: exchange,
    policy: Policy(every: .seconds(10)),
    clock: HostClock(clock)
  )
  var values = client.values(of: url, as: Board.self).makeAsyncIterator()
  let board = await values.next()
  try await clock.waitForSleepers(atLeast: 1)
  await clock.advance(by: .seconds(4))
  assert(board?.age == .seconds(4) && board?.state == .live)
}
