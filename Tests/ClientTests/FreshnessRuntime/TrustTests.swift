import ConditionalHTTP
import Freshness
import FreshnessRuntime
import FreshnessTesting
import HTTPTypes
import Testing

/// R36 to R40 for several resources of one server.
@Suite("FreshnessClient: trust")
struct TrustTests {
  /// Observes resources and waits until each of them was requested once.
  private func watch(
    _ notes: [Note],
    on stand: Stand
  ) -> [Task<Void, Never>] {
    notes.map { note in
      Task {
        var snapshots = stand.client.snapshots(of: note).makeAsyncIterator()
        while await snapshots.next() != nil {}
      }
    }
  }

  @Test
  func `R39: a Retry-After binds every resource of its origin, opened before or after`()
    async throws
  {
    let exchange = ScriptedExchange(replying: { request in
      request.request.path == "/busy"
        ? .status(.tooManyRequests, [.retryAfter: "200"]) : .note("fine")
    })
    let stand = Stand(exchange: exchange)
    let first = watch([Note("/a")], on: stand)
    try await exchange.waitForRequests(atLeast: 1)
    #expect(await eventually { stand.client.value(of: Note("/a")) == "fine" })
    let busy = watch([Note("/busy")], on: stand)
    try await exchange.waitForRequests(atLeast: 2)
    #expect(
      await eventually { stand.client.freshness(of: Note("/a"))?.nextActionIn == .seconds(200) }
    )
    // Another stop, 0.1 s later: kept, and requested when the time has come.
    let late = watch([Note("/late")], on: stand)
    #expect(
      await eventually { stand.client.freshness(of: Note("/late"))?.nextActionIn == .seconds(200) }
    )
    try await stand.pass(.seconds(199))
    #expect(exchange.sent.count == 2)
    try await stand.pass(.seconds(1))
    try await exchange.waitForRequests(atLeast: 5)
    for task in first + busy + late { task.cancel() }
  }

  @Test
  func `R39: twenty resources have five requests out at once, and all are answered`() async throws {
    let exchange = ScriptedExchange(replying: { _ in .held })
    let stand = Stand(exchange: exchange)
    let tasks = watch((1...20).map { Note("/\($0)") }, on: stand)
    // The sixth place is kept for the user.
    try await exchange.waitForRequests(atLeast: 5)
    #expect(await eventually { stand.client.counters.requests == 20 })
    #expect(exchange.held.count == 5)
    for number in 1...20 {
      try await exchange.waitForRequests(atLeast: number)
      #expect(exchange.held.count <= 5)
      #expect(exchange.finish(number, with: .note("fine")))
    }
    #expect(await eventually { stand.client.counters.requests == 0 })
    for number in 1...20 { #expect(stand.client.value(of: Note("/\(number)")) == "fine") }
    for task in tasks { task.cancel() }
    #expect(await eventually { stand.client.counters.observers == 0 })
  }

  @Test
  func `R39: however many requests of the schedule are slow, the user's are sent at once`()
    async throws
  {
    let exchange = ScriptedExchange(replying: { $0.number > 8 ? .held : .note("fine") })
    let stand = Stand(exchange: exchange)
    let notes = (1...8).map { Note("/\($0)") }
    let tasks = watch(notes, on: stand)
    #expect(await eventually { notes.allSatisfy { stand.client.value(of: $0) == "fine" } })
    try await stand.pass(.seconds(10))
    try await exchange.waitForRequests(atLeast: 13)
    #expect(await eventually { stand.client.counters.requests == 8 })
    #expect(exchange.held.count == 5)
    let paths = Set(exchange.held.compactMap { exchange.sent[$0 - 1].request.path })
    let waiting = try #require(notes.last { !paths.contains($0.path) })
    stand.client.refresh(waiting)
    try await exchange.waitForRequests(atLeast: 14)
    #expect(exchange.sent[13].request.path == waiting.path)
    for task in tasks { task.cancel() }
    #expect(await eventually { stand.client.counters.observers == 0 })
  }

  @Test
  func `R39: long polls that the server holds leave places to the others, and to people`()
    async throws
  {
    let exchange = ScriptedExchange(replying: { sent in
      let fields = sent.request.headerFields
      if fields[.prefer] != nil { return .held }
      return fields[.ifNoneMatch] == nil
        ? .note("fine", tag: "\"1\"") : .status(.notModified, [.eTag: "\"1\""])
    })
    let policy = Policy.steady.with {
      $0.longPoll = .seconds(25)
      $0.unchangedLimit = nil
      $0.unchangedFor = nil
    }
    let stand = Stand(policy: policy, exchange: exchange)
    let notes = (1...6).map { Note("/\($0)") }
    let tasks = watch(notes, on: stand)
    #expect(await eventually { notes.allSatisfy { stand.client.value(of: $0) == "fine" } })
    // The second request of each: three are held, the others are answered at once.
    try await stand.pass(.seconds(11))
    try await exchange.waitForRequests(atLeast: 12)
    #expect(await eventually { stand.client.counters.requests == 3 })
    #expect(exchange.held.count == 3)
    // A seventh resource waits for none of them.
    let seventh = watch([Note("/7")], on: stand)
    #expect(await eventually { stand.client.value(of: Note("/7")) == "fine" })
    #expect(exchange.held.count == 3 && exchange.sent.count == 13)
    // Neither does the user: the refresh replaces the long poll of its resource.
    let paths = Set(exchange.held.compactMap { exchange.sent[$0 - 1].request.path })
    let held = try #require(notes.first { paths.contains($0.path) })
    stand.client.refresh(held)
    try await exchange.waitForRequests(atLeast: 14)
    #expect(exchange.sent[13].request.headerFields[.prefer] == nil)
    #expect(await eventually { exchange.held.count == 2 })
    // What was not held is polled at the cadence, and may be held when a place is free.
    try await stand.pass(.seconds(11))
    #expect(await eventually { exchange.held.count == 3 })
    #expect(exchange.sent.allSatisfy { $0.request.headerFields[.cacheControl] != nil })
    for task in tasks + seventh { task.cancel() }
    #expect(await eventually { stand.client.counters.observers == 0 })
  }

  @Test
  func `R39: a server that fails is asked by one resource at a time`() async throws {
    let exchange = ScriptedExchange(replying: { _ in .status(.internalServerError) })
    let stand = Stand(exchange: exchange)
    let notes = (1...12).map { Note("/\($0)") }
    let tasks = watch(notes, on: stand)
    // The first two failures let one more request go each; the third one holds back what still waits.
    try await exchange.waitForRequests(atLeast: 7)
    #expect(await eventually { stand.client.counters.requests == 0 })
    #expect(exchange.sent.count == 7)
    // Seven failures: all resources wait for the last backoff step, not for two seconds.
    for note in notes {
      let wait = stand.client.freshness(of: note)?.nextActionIn ?? .zero
      #expect(wait == .seconds(20))
    }
    try await stand.pass(.seconds(20))
    try await exchange.waitForRequests(atLeast: 8)
    #expect(await eventually { stand.client.counters.requests == 0 })
    #expect(exchange.sent.count == 8)
    for task in tasks { task.cancel() }
  }

  @Test
  func
    `R37: a slow answer and a hidden cache make the data older, and the same data never younger`()
    async throws
  {
    let exchange = ScriptedExchange(replying: { _ in .held })
    let stand = Stand(exchange: exchange)
    let note = Stamped()
    let task = Task {
      var snapshots = stand.client.snapshots(of: note).makeAsyncIterator()
      while await snapshots.next() != nil {}
    }
    try await exchange.waitForRequests(atLeast: 1)
    try await stand.pass(.seconds(4))
    // Rendered at the request, 1 s old by then; it arrived 4 s later.
    #expect(exchange.finish(1, with: .note("0 1000", [.date: Stamped.date(1)])))
    #expect(await eventually { stand.client.value(of: note) != nil })
    #expect(stand.client.freshness(of: note)?.label.age == .seconds(5))
    try await stand.pass(.seconds(6))
    try await exchange.waitForRequests(atLeast: 2)
    // The same response from a cache that hides its age: as old as known.
    #expect(exchange.finish(2, with: .note("0 1000", [.date: Stamped.date(1)])))
    #expect(await eventually { stand.client.counters.requests == 0 })
    #expect(stand.client.freshness(of: note)?.label.age == .milliseconds(11_000 + 3))
    try await stand.pass(.seconds(10))
    try await exchange.waitForRequests(atLeast: 3)
    // Newer data from a cache that adds its own Date, 9 s after it was served.
    #expect(exchange.finish(3, with: .note("10000 12000", [.date: Stamped.date(21)])))
    #expect(await eventually { stand.client.counters.requests == 0 })
    #expect(stand.client.freshness(of: note)?.label.age == .milliseconds(2_000 + 9_000 + 999))
    task.cancel()
  }

  @Test
  func
    `R38: a copy from disk is shown with its age until an answer comes, and replaces no other copy`()
    async throws
  {
    let exchange = ScriptedExchange(replying: { _ in .held })
    let stand = Stand(exchange: exchange)
    let note = Note("/a")
    stand.client.restore("old", age: .seconds(10_800), to: note)
    #expect(stand.client.value(of: note) == "old")
    #expect(stand.client.snapshot(of: note)?.label.provenance == .disk)
    #expect(stand.client.freshness(of: note)?.label.wording == .hours(3))
    let tasks = watch([note], on: stand)
    try await exchange.waitForRequests(atLeast: 1)
    #expect(exchange.finish(1, with: .note("new")))
    #expect(await eventually { stand.client.value(of: note) == "new" })
    #expect(stand.client.snapshot(of: note)?.label.provenance == .server)
    stand.client.restore("old", age: .zero, to: note)
    #expect(stand.client.value(of: note) == "new")
    stand.client.write("mine", to: note)
    #expect(stand.client.snapshot(of: note)?.label.provenance == .local)
    for task in tasks { task.cancel() }
  }

  @Test func `R39: a reset beyond all time counts as absent`() async throws {
    var fields: HTTPFields = [.date: "Sun, 01 Jan 1950 00:00:00 GMT"]
    for (name, value) in [
      ("X-RateLimit-Remaining", "5"), ("X-RateLimit-Reset", "\(Int64.max)"),
    ] {
      fields[try #require(HTTPField.Name(name))] = value
    }
    let stand = Stand(exchange: ScriptedExchange(replying: { [fields] _ in .note("fine", fields) }))
    let tasks = watch([Note("/a")], on: stand)
    #expect(await eventually { stand.client.value(of: Note("/a")) == "fine" })
    #expect(stand.client.freshness(of: Note("/a"))?.nextActionIn == .seconds(10))
    for task in tasks { task.cancel() }
  }

  @Test(arguments: [
    (#""default";r=50;t=30"#, 50, 30), (#""day";r=500;t=3600, "minute";r=5;t=20"#, 5, 20),
    ("limit=100, remaining=7, reset=9", 7, 9), ("X", 50, 30),
  ])
  func `R39: the forms of RateLimit shape the cadence`(
    field: String,
    remaining: Int,
    reset: Int
  ) async throws {
    let name = try #require(HTTPField.Name("RateLimit"))
    var fields: HTTPFields = [name: field]
    if field == "X" {
      // As GitHub says it: the reset in Unix time.
      fields = [.date: Stamped.date(10)]
      for (name, value) in [("X-RateLimit-Remaining", "50"), ("X-RateLimit-Reset", "1800000040")] {
        fields[try #require(HTTPField.Name(name))] = value
      }
    }
    let exchange = ScriptedExchange(replying: { [fields] _ in .note("fine", fields) })
    let stand = Stand(exchange: exchange)
    let tasks = watch((1...30).map { Note("/\($0)") }, on: stand)
    try await exchange.waitForRequests(atLeast: 30)
    #expect(await eventually { stand.client.counters.requests == 0 })
    // The fields count whole seconds, and one more is granted.
    let window = Int64(reset + 1) * 1_000
    let share = 30 * window / Int64(remaining)
    for number in 1...30 {
      let wait = stand.client.freshness(of: Note("/\(number)"))?.nextActionIn?.milliseconds ?? 0
      // Half of it, by the random sample of the test, once the limit has reset.
      #expect(abs(wait - max(min(share, window + share / 2), 10_000)) <= 1)
    }
    for task in tasks { task.cancel() }
  }
}

/// A resource that reports when its data was made and when it was served, in milliseconds of the
/// run.
private struct Stamped: FreshResource {
  static let origin: Int64 = 1_800_000_000_000

  /// The field of a second of the run.
  static func date(_ second: Int) -> String {
    "Fri, 15 Jan 2027 08:00:\(second < 10 ? "0" : "")\(second) GMT"
  }

  func request(since known: String?) -> HTTPRequest {
    HTTPRequest(method: .get, scheme: "http", authority: "notes.example", path: "/stamped")
  }

  func read(
    _ answer: HTTPExchangeAnswer,
    since known: String?
  ) throws(UnreadableAnswer) -> Reading<String> {
    let text = String(decoding: answer.body, as: UTF8.self)
    let times = text.split(separator: " ").compactMap { Int64($0) }
    guard times.count == 2 else { throw UnreadableAnswer("two times are expected") }
    let metadata = FreshnessMetadata(
      serverTime: WallTime(milliseconds: Self.origin + times[1]),
      fetchedAt: WallTime(milliseconds: Self.origin + times[0])
    )
    return Reading(text, metadata: metadata)
  }
}
