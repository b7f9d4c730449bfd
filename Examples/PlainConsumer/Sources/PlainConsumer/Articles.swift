import Foundation
import FreshetKit
import FreshnessTesting

// The code of the articles of the products (Sources/*/*/*.docc), word for word: what is shown compiles
// (Scripts/check-documentation).

// MARK: Freshness

struct Host {
  var machine = RefreshMachine(policy: .workspaces)
  var random = SystemRandomNumberGenerator()

  mutating func handle(_ event: Event, at now: Instant) -> Effects {
    machine.handle(event, at: now, random: RandomSample(bits: random.next()))
  }
}

func drive(_ host: inout Host, at now: Instant, _ send: (Request) -> Void) {
  let effects = host.handle(.started, at: now)
  if let request = effects.request { send(request) }
}

func arrived(_ host: inout Host, _ ticket: Ticket, _ bytes: Int64, at now: Instant) -> Effects {
  let content = Content(Revision(1), validator: Validator(1))
  let answer = Answer(.content(content), status: 200, bytes: bytes)
  return host.handle(.answered(ticket, answer), at: now)
}

func schedule(_ machines: [RefreshMachine], at now: Instant, random: RandomSample) -> Instant? {
  var schedule = MachineSchedule()
  for machine in machines { _ = schedule.insert(machine) }
  while let key = schedule.due(at: now) {
    _ = schedule.handle(.woke, for: key, at: now, random: random)
  }
  return schedule.alarm
}

// MARK: FreshnessRuntime

func recorded(_ exchange: some HTTPExchange) -> FreshnessClient {
  FreshnessClient(exchange: exchange, policy: .workspaces) { sample in
    print(sample.line)
  }
}

// MARK: FreshnessTesting

func conformance() throws -> [ConformanceMismatch] {
  try ConformanceRun.check(ConformanceSuite.vectors()) { policy, context in
    RefreshMachine(policy: policy, context: context)
  }
}

func scripted(_ status: Status) async throws {
  let exchange = ScriptedExchange([.held])
  let client = FreshnessClient(
    exchange: exchange,
    policy: .workspaces,
    clock: HostClock(ManualClock())
  )
  let task = Task { for await _ in client.snapshots(of: status) {} }
  try await exchange.waitForRequests(atLeast: 1)
  exchange.finish(1, with: .failure(HTTPExchangeError(.unreachable, "the network is gone")))
  task.cancel()
}

// MARK: JobsClient

func upload(_ table: [UInt8]) async throws {
  let client = JobClient(
    server: try HTTPAddress("http://127.0.0.1:8080"),
    transport: URLSessionExchange()
  )
  let credential = try await client.start(.csvImport, content: table, type: "text/csv")
  for await update in client.follow(credential) {
    if case .message(let message) = update { print(message) }
  }
  let page = try await client.results(credential)
  print(page.items.elements.count)
}

@MainActor
func observed(_ client: JobClient, _ table: [UInt8]) async {
  let model = JobModel(client)
  await model.start(.csvImport, content: table, type: "text/csv")
  print(model.status.fraction, model.problem?.description ?? "")
}

// MARK: StationboardClient

func follow(_ stop: String, over exchange: some HTTPExchange) async throws {
  let client = FreshnessClient(exchange: exchange, policy: .departuresLive)
  let board = BoardResource(server: try HTTPAddress("http://127.0.0.1:8080"), stop: stop)
  for await snapshot in client.snapshots(of: board) {
    let rows = snapshot.value?.board.departures ?? []
    print(rows.count, "departures", snapshot.failure?.description ?? "")
  }
}

@MainActor
func makeModel(_ exchange: some HTTPExchange) throws -> BoardModel {
  let model = try BoardModel(
    server: "http://127.0.0.1:8080",
    exchange: exchange,
    language: BoardLanguage(tag: "de-CH"),
    defaults: .standard
  )
  model.open(FavouriteStop(id: "8501120", name: "Lausanne"))
  return model
}

@MainActor
func advice(_ model: BoardModel) -> String {
  guard let message = model.message else { return "" }
  switch message.action {
  case .retry: return message.text + " (pull down to try again)"
  case .chooseStop, .checkSettings, .wait: return message.text
  }
}

// MARK: TolerantDecoding

struct Volume: Equatable {
  var title: String
  var pages: Int?
}

func volume(_ bytes: [UInt8]) throws -> Volume {
  let decoded = try TolerantDecoder().decode(bytes) { root in
    Volume(
      title: root["title"].string() ?? "",
      pages: root["pages"].int(in: 0...100_000)
    )
  }
  for issue in decoded.issues { print(issue.path, issue.kind, issue.message) }
  return decoded.model
}

func strict(_ bytes: [UInt8]) throws -> Volume {
  let decoder = TolerantDecoder(mode: .strict(from: .warning))
  return try decoder.decode(bytes) { Volume(title: $0["title"].string() ?? "") }.model
}

// MARK: URLSessionTransport

func health(_ server: HTTPAddress) async throws -> Int {
  let exchange = URLSessionExchange()
  let answer = try await exchange.send(server.request("/health"), timeout: .seconds(10))
  return answer.head.status.code
}

// MARK: WorkspacesClient

func worktrees() async throws {
  let client = WorkspaceClient(
    server: try HTTPAddress("http://127.0.0.1:8080"),
    transport: URLSessionExchange()
  )
  for await snapshot in client.lists() {
    for worktree in snapshot.value?.byAttention ?? [] {
      print(worktree.name, worktree.activity.state.rawValue)
    }
  }
}

func merge(_ id: String, _ client: WorkspaceClient) async {
  do {
    print(try await client.makeShowing(.merge(id, squashes: false, cleansUp: false)))
  } catch {
    print(error.description, error.files)
  }
}
