import ConditionalHTTP
import Foundation
import Freshness
import FreshnessRuntime
import FreshnessTesting
import HTTPTypes
import Synchronization
import Testing

@Suite("FreshnessClient: values")
struct ValueTests {
  struct Count: Codable, Equatable, Sendable {
    var count: Int
  }

  static let url = notesURL("/count?unit=1#top")

  @Test
  func `R27: each value comes with an age that grows until a newer copy confirms it`() async throws
  {
    let stand = Stand(
      exchange: ScriptedExchange([
        .json(#"{"count":1}"#, tag: "\"v1\""), .status(.notModified), .json(#"{"count":2}"#),
      ])
    )
    var values = stand.client.values(of: Self.url, as: Count.self).makeAsyncIterator()
    let first = try #require(await values.next())
    #expect(first.value == Count(count: 1))
    #expect(first.provenance == .server && first.state == .live && first.failure == nil)
    #expect(first.age == .zero)
    try await stand.pass(.seconds(4))
    #expect(first.age == .seconds(4))
    try await stand.pass(.seconds(6))
    try await stand.exchange.waitForRequests(atLeast: 2)
    // The 304 confirms the copy: the value that was delivered is younger for it.
    #expect(await eventually { first.age == .zero })
    try await stand.pass(.seconds(10))
    let second = try #require(await values.next())
    #expect(second.value == Count(count: 2) && second.age == .zero)
    // What was replaced ages on by itself, and is not live any more.
    #expect(first.state == .old)
    try await stand.pass(.seconds(5))
    #expect(second.age == .seconds(5))
    #expect(first.age >= .seconds(15))
  }

  @Test(arguments: [("0", 1_000), ("1", 1_999), ("x", 0)])
  func `R37: an Age of 0 stands for any time within its second`(
    field: String,
    milliseconds: Int64
  ) async throws {
    let answer = HTTPExchangeAnswer(
      head: HTTPResponse(
        status: .ok,
        headerFields: [.contentType: "application/json", .age: field]
      ),
      body: Array(#"{"count":1}"#.utf8)
    )
    let stand = Stand(exchange: ScriptedExchange([.answer(answer)]))
    var values = stand.client.values(of: Self.url, as: Count.self).makeAsyncIterator()
    let first = try #require(await values.next())
    #expect(first.age == .milliseconds(milliseconds))
  }

  @Test
  func `the request is a GET of the URL without its fragment`() async throws {
    let stand = Stand(exchange: ScriptedExchange([.json(#"{"count":1}"#)]))
    var values = stand.client.values(of: Self.url, as: Count.self).makeAsyncIterator()
    _ = await values.next()
    let request = try #require(stand.exchange.sent.first?.request)
    #expect(request.method == .get && request.scheme == "http")
    #expect(request.authority == "notes.example" && request.path == "/count?unit=1")
    #expect(request.headerFields[.accept] == "application/json")
  }

  @Test
  func `R1: any number of iterations of one URL share one refresh, whatever their options`()
    async throws
  {
    let stand = Stand(exchange: ScriptedExchange([.held]))
    let one = JSONResource(Self.url, as: Count.self)
    let two = JSONResource(Self.url, policy: .workspaces, tags: ["b"]) { data in
      try JSONDecoder().decode(Count.self, from: data)
    }
    var first = stand.client.values(of: one).makeAsyncIterator()
    var second = stand.client.values(of: two).makeAsyncIterator()
    async let a = first.next()
    async let b = second.next()
    try await stand.exchange.waitForRequests(atLeast: 1)
    #expect(await eventually { stand.client.counters.observers == 2 })
    #expect(stand.client.counters.observed == 1)
    stand.exchange.finish(1, with: .json(#"{"count":7}"#))
    #expect(await a?.value.count == 7)
    #expect(await b?.value.count == 7)
    #expect(stand.exchange.sent.count == 1)
  }

  @Test(
    arguments: [
      (#"{"count":"x"}"#, "count is not of type Int"),
      (#"{}"#, #"the document has no member "count""#),
      (#"{"count":null}"#, "count is null, not Int"),
    ]
  )
  func `R21: a failure names the member that cannot be decoded`(
    body: String,
    said: String
  )
    async throws
  {
    let stand = Stand(
      policy: .steady.with { $0.retryDelay = nil },
      exchange: ScriptedExchange([.json(#"{"count":1}"#), .json(body)])
    )
    var values = stand.client.values(of: Self.url, as: Count.self).makeAsyncIterator()
    _ = await values.next()
    try await stand.pass(.seconds(10))
    let failed = try #require(await values.next())
    #expect(failed.value.count == 1)
    #expect(failed.failure?.description == "\(said) (200)")
    #expect(failed.state == .failing)
  }

  @Test
  func `R26: the meta member and the fields of a Freshet server say how old the data is`()
    async throws
  {
    let body = """
      {"count":1,"meta":{"serverTime":"2027-01-15T08:00:10Z","rtFetchedAt":"2027-01-15T08:00:00Z",\
      "rtCacheAgeMs":10000,"responseMode":"full","rtStatus":"applied"}}
      """
    let name = try #require(HTTPField.Name("x-md-rt-status"))
    let stand = Stand(
      exchange: ScriptedExchange([
        .json(body, tag: "\"v1\""), .status(.notModified, [name: "stale_cache"]),
      ])
    )
    var values = stand.client.values(of: Self.url, as: Count.self).makeAsyncIterator()
    let first = try #require(await values.next())
    #expect(first.age == .seconds(10) && first.state == .live)
    try await stand.pass(.seconds(10))
    let second = try #require(await values.next())
    #expect(second.label.marker == .reduced(.status(.staleCache)))
    #expect(second.state == .old)
  }

  @Test
  func `made(at:) counts the age from the time in the value`() async throws {
    let resource = JSONResource(Self.url, as: Count.self).made { count in
      Date(timeIntervalSince1970: Double(count.count))
    }
    let date = HTTPField(name: .date, value: "Fri, 15 Jan 2027 08:00:00 GMT")
    let stand = Stand(
      exchange: ScriptedExchange([.json(#"{"count":1799999970}"#, HTTPFields([date]))])
    )
    var values = stand.client.values(of: resource).makeAsyncIterator()
    // R37: the response may be of the end of the second that its `Date` names.
    #expect(await values.next()?.age == .milliseconds(30_999))
  }

  @Test
  func `the fields of Freshet's servers are read one by one, and the body completes them`()
    async throws
  {
    func fields(_ members: [(String, String)]) throws -> HTTPFields {
      var fields: HTTPFields = [.date: "Fri, 15 Jan 2027 08:00:00 GMT"]
      for (name, value) in members { fields[try #require(HTTPField.Name(name))] = value }
      return fields
    }
    // Without a status, the times of the fields count.
    let age = JSONResource(notesURL("/age"), as: Count.self)
    let aged = Stand(
      exchange: ScriptedExchange([
        .json(#"{"count":1}"#, try fields([("x-md-rt-age-ms", "7000")]))
      ])
    )
    var values = aged.client.values(of: age).makeAsyncIterator()
    #expect(await values.next()?.age == .seconds(7))
    // A member of another type does not take the others with it, and serverTime is not needed.
    let body = #"{"count":1,"meta":{"serverTime":5,"rtCacheAgeMs":9000,"rtStatus":"partial"}}"#
    let partial = Stand(exchange: ScriptedExchange([.json(body)]))
    values = partial.client.values(of: age).makeAsyncIterator()
    let value = try #require(await values.next())
    #expect(value.age == .seconds(9) && value.label.marker == .reduced(.status(.partial)))
  }

  @Test
  func `R31: the spread of the fields counts with the time of the body`() async throws {
    let body = """
      {"count":1,"meta":{"serverTime":"2027-01-15T08:00:00.000Z",\
      "rtFetchedAt":"2027-01-15T08:00:00.000Z","nextExpectedAt":"2027-01-15T08:00:13.400Z"}}
      """
    var waits: Set<Instant.Duration> = []
    for spread in ["0", "2000"] {
      var fields: HTTPFields = [.date: "Fri, 15 Jan 2027 08:00:00 GMT"]
      fields[try #require(HTTPField.Name("x-md-rt-spread-ms"))] = spread
      let stand = Stand(
        policy: .departuresWeb,
        exchange: ScriptedExchange([.json(body, fields)])
      )
      let resource = JSONResource(Self.url, as: Count.self)
      var values = stand.client.values(of: resource).makeAsyncIterator()
      _ = await values.next()
      waits.insert(try #require(stand.client.freshness(of: resource)?.nextActionIn))
    }
    // The source draws the middle of the window.
    let ends = try #require(waits.max()) - #require(waits.min())
    #expect(ends == .seconds(1))
  }

  /// The fields of Freshet's servers at 08:00:00, under the `Date` of so many seconds later.
  private static func fields(date seconds: Int) throws -> HTTPFields {
    var fields: HTTPFields = [.date: "Fri, 15 Jan 2027 08:00:\(seconds) GMT", .eTag: "\"v1\""]
    for (name, value) in [
      ("x-md-rt-status", "applied"), ("x-md-rt-fetched-at", "2027-01-15T07:59:59.800Z"),
      ("x-md-rt-age-ms", "200"),
    ] {
      fields[try #require(HTTPField.Name(name))] = value
    }
    return fields
  }

  @Test
  func `R37: the fields of a response and the Date of a cache tell how long it was kept`()
    async throws
  {
    let stand = Stand(
      exchange: ScriptedExchange([
        .json(#"{"count":1}"#, try Self.fields(date: 30)),
        .status(.notModified, try Self.fields(date: 40)),
      ])
    )
    let resource = JSONResource(Self.url, as: Count.self)
    var values = stand.client.values(of: resource).makeAsyncIterator()
    #expect(await values.next()?.age == .milliseconds(200 + 30_000 + 999))
    try await stand.pass(.seconds(10))
    try await stand.exchange.waitForRequests(atLeast: 2)
    #expect(await eventually { stand.client.counters.requests == 0 })
    let age = try #require(stand.client.freshness(of: resource)?.label.age)
    #expect(
      (Instant.Duration.milliseconds(40_200)...Instant.Duration.milliseconds(41_199)).contains(age)
    )
  }

  @Test
  func `R37: the time in the value counts, also after a 304, not the server's figure beside it`()
    async throws
  {
    let stand = Stand(
      exchange: ScriptedExchange([
        .json(#"{"count":1799999970}"#, try Self.fields(date: 10)),
        .status(.notModified, try Self.fields(date: 20)),
      ])
    )
    let resource = JSONResource(Self.url, as: Count.self).made { count in
      Date(timeIntervalSince1970: Double(count.count))
    }
    var values = stand.client.values(of: resource).makeAsyncIterator()
    #expect(await values.next()?.age == .milliseconds(40_999))
    try await stand.pass(.seconds(10))
    try await stand.exchange.waitForRequests(atLeast: 2)
    #expect(await eventually { stand.client.counters.requests == 0 })
    #expect(stand.client.freshness(of: resource)?.label.age == .milliseconds(50_999))
  }

  @Test
  func `R5, R22, R23: a function of the app is scheduled like a request`() async throws {
    struct Broken: Error, CustomStringConvertible { var description: String { "no signal" } }
    let stand = Stand()
    let calls = Mutex(0)
    let battery = LoadedResource("battery", policy: .steady) {
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      if call == 2 { throw Broken() }
      return call
    }
    var values = stand.client.values(of: battery).makeAsyncIterator()
    #expect(await values.next()?.value == 1)
    try await stand.pass(.seconds(10))
    let failed = try #require(await values.next())
    #expect(failed.value == 1 && failed.failure?.description == "no signal")
    #expect(failed.failure?.kind == .unreachable)
    let recovered = Task { [values] in
      var values = values
      while let value = await values.next() { if value.failure == nil { return value.value } }
      return 0
    }
    try await stand.pass(.seconds(10))
    #expect(await recovered.value == 3)
    #expect(stand.exchange.sent.isEmpty)
  }

  @Test
  func `R6: a function that is canceled by the timeout counts as such, and the value stays`()
    async throws
  {
    let stand = Stand()
    let calls = Mutex(0)
    let slow = LoadedResource("slow", policy: .steady) {
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      if call > 1 { try await stand.clock.sleep(for: .seconds(3_600)) }
      return call
    }
    var values = stand.client.values(of: slow).makeAsyncIterator()
    #expect(await values.next()?.value == 1)
    try await stand.pass(.seconds(10))
    #expect(await eventually { calls.withLock { $0 } == 2 && stand.clock.sleepers == 2 })
    try await stand.pass(Policy.steady.timeout)
    let failed = try #require(await values.next())
    #expect(failed.value == 1 && failed.failure?.kind == .timedOut)
    #expect(await eventually { stand.clock.sleepers == 1 })
  }

  @Test
  func `a watcher that leaves ends its request, and the client can be released`() async throws {
    weak var released: FreshnessClient?
    let exchange = ScriptedExchange([.held])
    do {
      let stand = Stand(exchange: exchange)
      released = stand.client
      let task = Task { [client = stand.client] in
        for await _ in client.values(of: Self.url, as: Count.self) {}
      }
      try await exchange.waitForRequests(atLeast: 1)
      task.cancel()
      await task.value
      #expect(await eventually { exchange.held.isEmpty })
      #expect(stand.client.counters.observers == 0 && stand.client.counters.requests == 0)
    }
    #expect(await eventually { released == nil })
  }

  @Test
  func `two clients that leave at once leave nothing behind, two hundred times`() async throws {
    let stand = Stand(exchange: ScriptedExchange(replying: { _ in .json(#"{"count":1}"#) }))
    for _ in 0..<200 {
      let tasks = (0..<2).map { _ in
        Task { [client = stand.client] in
          for await value in client.values(of: Self.url, as: Count.self) {
            #expect(value.value.count == 1)
          }
        }
      }
      await Task.yield()
      for task in tasks { task.cancel() }
      for task in tasks { await task.value }
    }
    #expect(await eventually { stand.client.counters.requests == 0 })
    #expect(stand.client.counters.observers == 0 && stand.client.counters.observed == 0)
  }
}

@Suite("LiveState")
struct LiveStateTests {
  @Test
  func `R38: a copy that the server did not send is never live`() {
    for provenance in [Provenance.local, .disk] {
      for age in [nil, Instant.Duration.zero, .seconds(3_600)] {
        let label = FreshnessLabel(
          metadata: FreshnessMetadata(status: .applied),
          age: age,
          isKept: false,
          provenance: provenance,
          policy: .departuresNative
        )
        let state = LiveState(label, hasValue: true, isFailing: false, isOffline: false)
        #expect(state == (provenance == .local ? .unconfirmed : .stored))
      }
    }
  }

  @Test
  func `no network comes before a failure, and a failure before the age`() {
    let label = FreshnessLabel(
      metadata: FreshnessMetadata(status: .applied),
      age: .zero,
      isKept: false,
      policy: .departuresNative
    )
    #expect(LiveState(label, hasValue: true, isFailing: true, isOffline: true) == .offline)
    #expect(LiveState(label, hasValue: true, isFailing: true, isOffline: false) == .failing)
    #expect(LiveState(label, hasValue: true, isFailing: false, isOffline: false) == .live)
    #expect(LiveState(label, hasValue: false, isFailing: false, isOffline: false) == .loading)
    #expect(LiveState(nil, hasValue: false, isFailing: false, isOffline: false) == .loading)
  }
}
