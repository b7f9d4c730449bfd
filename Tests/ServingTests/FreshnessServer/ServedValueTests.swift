import ConditionalHTTP
import EventFeed
import FreshResponses
import FreshnessServer
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOTransport
import ServiceLifecycle
import Synchronization
import Testing

struct Climate: Codable, Equatable, Sendable {
  var celsius: Int
  var note = ""
}

/// A server of its own in a test, and requests to it.
struct Stage: Sendable {
  let authority: String
  let exchange: NIOExchange
  let group: ServiceGroup

  /// A router with what `add` adds.
  static func router(
    _ add: (Router<BasicRequestContext>) -> Void
  ) -> Router<BasicRequestContext> {
    let router = Router(context: BasicRequestContext.self)
    add(router)
    return router
  }

  /// Runs a server while `work` runs.
  static func run(
    _ router: Router<BasicRequestContext>,
    _ work: @escaping @Sendable (Stage) async throws -> Void
  ) async throws {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let (ports, opened) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in opened.yield(channel.localAddress?.port ?? 0) },
      logger: logger
    )
    let services = ServiceGroup(
      configuration: .init(services: [.init(service: application)], logger: logger)
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await services.run() }
      for await port in ports {
        let exchange = try NIOExchange()
        do {
          try await work(
            Stage(authority: "127.0.0.1:\(port)", exchange: exchange, group: services)
          )
        } catch {
          Issue.record(error)
        }
        await exchange.shutdown()
        break
      }
      await services.triggerGracefulShutdown()
      try await group.waitForAll()
    }
  }

  func send(_ path: String, _ fields: HTTPFields = [:]) async throws -> HTTPExchangeAnswer {
    try await send(.get, path, fields)
  }

  func send(
    _ method: HTTPRequest.Method,
    _ path: String,
    _ fields: HTTPFields = [:],
    content: String? = nil
  ) async throws -> HTTPExchangeAnswer {
    let request = HTTPRequest(
      method: method,
      scheme: "http",
      authority: authority,
      path: path,
      headerFields: fields
    )
    guard let content else { return try await exchange.send(request, timeout: .seconds(60)) }
    return try await exchange.send(request, content: Array(content.utf8), timeout: .seconds(60))
  }

  /// Follows an event stream until `receive` has enough.
  func follow(
    _ path: String,
    _ fields: HTTPFields = [:],
    _ receive: @escaping @Sendable (EventStreamItem) async -> Bool
  ) async throws -> HTTPFields {
    let parser = Mutex(EventStreamParser())
    let head = Mutex(HTTPFields())
    let request = HTTPRequest(
      method: .get,
      scheme: "http",
      authority: authority,
      path: path,
      headerFields: fields
    )
    try await exchange.stream(request, timeout: .seconds(60)) { part in
      switch part {
      case .head(let found): head.withLock { $0 = found.headerFields }
      case .content(let bytes):
        let items = (try? parser.withLock { try $0.feed(bytes) }) ?? []
        for item in items where await receive(item) { return .enough }
      }
      return .more
    }
    return head.withLock { $0 }
  }
}

private func text(_ answer: HTTPExchangeAnswer) -> String {
  String(decoding: answer.body, as: UTF8.self)
}

@Suite(.serialized, .timeLimit(.minutes(2))) struct `A served value` {
  @Test func `is read, confirmed, and named by the query and by HEAD`() async throws {
    let climate = try ServedValue(Climate(celsius: 21), epoch: "e")
    try await Stage.run(Stage.router { $0.serve(climate, at: "climate") }) { stage in
      let first = try await stage.send("/climate")
      #expect(first.head.status == .ok && text(first) == #"{"celsius":21,"note":""}"#)
      #expect(first.head.headerFields[.eTag] == "\"e-1\"")
      #expect(first.head.headerFields[.vary] == "Accept-Encoding")
      let same = try await stage.send("/climate", [.ifNoneMatch: "\"x\", \"e-1\""])
      #expect(same.head.status == .notModified && same.body.isEmpty)
      let none = try await stage.send("/climate?since=e-1")
      #expect(none.head.status == .noContent && none.body.isEmpty)
      let head = try await stage.send(.head, "/climate")
      #expect(head.head.status == .ok && head.body.isEmpty)
      #expect(head.head.headerFields[.eTag] == "\"e-1\"")
      #expect(head.head.headerFields[.contentLength] == "\(first.body.count)")
      try climate.publish(Climate(celsius: 21))
      #expect(try await stage.send("/climate?since=e-1").head.status == .noContent)
      try climate.publish(Climate(celsius: 22))
      let other = try await stage.send("/climate", [.ifNoneMatch: "\"e-1\""])
      #expect(other.head.status == .ok && other.head.headerFields[.eTag] == "\"e-2\"")
    }
  }

  @Test func `says when the next one is expected, and over how long clients spread after it`()
    async throws
  {
    let climate = try ServedValue<Climate>()
    let spread = try #require(HTTPField.Name("x-md-rt-spread-ms"))
    let next = try #require(HTTPField.Name("x-md-rt-next-ms"))
    try await Stage.run(Stage.router { $0.serve(climate, at: "climate") }) { stage in
      func fields(_ sent: HTTPFields = [:]) async throws -> HTTPFields {
        try await stage.send("/climate", sent).head.headerFields
      }
      try climate.publish(Climate(celsius: 21), expecting: .seconds(60), spread: .seconds(2.5))
      let first = try await fields()
      #expect(first[spread] == "2500")
      #expect((1...60_000).contains(Int(first[next] ?? "") ?? 0))
      // A 304 says it too.
      let same = try await fields([.ifNoneMatch: "*"])
      #expect(same[spread] == "2500" && same[next] != nil)
      try climate.publish(Climate(celsius: 22), expecting: .seconds(60), spread: .seconds(-1))
      #expect(try await fields()[spread] == "0")
      try climate.publish(Climate(celsius: 23), expecting: .seconds(60))
      let exact = try await fields()
      #expect(exact[spread] == nil && exact[next] != nil)
      // Without an expected instant there is nothing to spread after.
      try climate.publish(Climate(celsius: 24), spread: .seconds(2))
      let unknown = try await fields()
      #expect(unknown[spread] == nil && unknown[next] == nil)
    }
  }

  @Test func `compressed, has a tag of its own that comes back, for reads and for writes`()
    async throws
  {
    let long = String(repeating: "dry ", count: 400)
    let climate = try ServedValue(Climate(celsius: 21, note: long), epoch: "e")
    let router = Stage.router {
      $0.serve(climate, at: "climate").acceptWrites(to: climate, at: "climate")
    }
    try await Stage.run(router) { stage in
      let gzip: HTTPFields = [.acceptEncoding: "gzip"]
      let tag = try await stage.send(.head, "/climate", gzip).head.headerFields[.eTag]
      #expect(tag == "\"e-1-gzip\"")
      var fields = gzip
      fields[.ifNoneMatch] = tag
      let same = try await stage.send("/climate", fields)
      #expect(same.head.status == .notModified && same.head.headerFields[.eTag] == tag)
      let written = try await stage.send(
        .put,
        "/climate",
        [.ifMatch: try #require(tag)],
        content: #"{"celsius":5,"note":"cold"}"#
      )
      #expect(written.head.status == .noContent)
      #expect(climate.value == Climate(celsius: 5, note: "cold"))
    }
  }

  @Test func `without a value is not ready, and says when to come back`() async throws {
    let climate = try ServedValue<Climate>()
    try await Stage.run(Stage.router { $0.serve(climate, at: "climate") }) { stage in
      let answer = try await stage.send("/climate")
      #expect(answer.head.status == .serviceUnavailable)
      #expect(answer.head.headerFields[.retryAfter] == "5")
      #expect(text(answer).contains(#""error":"not_ready""#))
    }
  }

  @Test func `is written only by those who know its state`() async throws {
    let climate = try ServedValue(Climate(celsius: 21), epoch: "e")
    var options = ServingOptions()
    options.requiresConditions = true
    try await Stage.run(
      Stage.router {
        $0.serve(climate, at: "climate").acceptWrites(to: climate, at: "climate", options: options)
      }
    ) { stage in
      let body = #"{"celsius":19,"note":"open window"}"#
      let blind = try await stage.send(.put, "/climate", content: body)
      #expect(blind.head.status.code == 428)
      let late = try await stage.send(.put, "/climate", [.ifMatch: "\"e-0\""], content: body)
      #expect(late.head.status.code == 412 && late.head.headerFields[.eTag] == "\"e-1\"")
      let wrong = try await stage.send(.put, "/climate", [.ifMatch: "\"e-1\""], content: "19")
      #expect(wrong.head.status.code == 422)
      #expect(climate.value?.celsius == 21)
      let written = try await stage.send(.put, "/climate", [.ifMatch: "\"e-1\""], content: body)
      #expect(written.head.status == .noContent)
      #expect(written.head.headerFields[.eTag] == "\"e-2\"")
      #expect(text(try await stage.send("/climate")) == body)
    }
  }

  @Test func `lets a read wait for the next value`() async throws {
    let climate = try ServedValue(Climate(celsius: 21), epoch: "e")
    let serving = ResourceServing()
    try await Stage.run(Stage.router { $0.serve(climate, at: "climate", with: serving) }) { stage in
      async let waiting = stage.send(
        "/climate",
        [.ifNoneMatch: "\"e-1\"", .prefer: "wait=50"]
      )
      while serving.waiters == 0 { await Task.yield() }
      // The same content is not what the client waits for.
      try climate.publish(Climate(celsius: 21))
      try climate.publish(Climate(celsius: 22))
      let answer = try await waiting
      #expect(answer.head.status == .ok && text(answer) == #"{"celsius":22,"note":""}"#)
      #expect(answer.head.headerFields[.preferenceApplied] == "wait=50")
      let metrics = serving.metricsText
      #expect(metrics.contains("freshet_served_waiting 0"))
      #expect(
        metrics.contains(
          #"freshet_served_total{resource="/climate",kind="wait",status="200"} 1"#
        )
      )
      #expect(
        metrics.contains(
          #"freshet_served_wait_seconds_bucket{resource="/climate",kind="wait",le="+Inf"} 1"#
        )
      )
    }
    #expect(serving.waiters == 0)
  }

  @Test func `gives no more places than there are, and answers at once without one`() async throws {
    let climate = try ServedValue(Climate(celsius: 21), epoch: "e")
    var limits = ServingLimits()
    limits.waiters = 0
    let serving = ResourceServing(limits: limits)
    try await Stage.run(Stage.router { $0.serve(climate, at: "climate", with: serving) }) { stage in
      let answer = try await stage.send(
        "/climate",
        [.ifNoneMatch: "\"e-1\"", .prefer: "wait=50"]
      )
      #expect(answer.head.status == .notModified)
      #expect(answer.head.headerFields[.preferenceApplied] == nil)
      let stream = try await stage.send("/climate/events")
      #expect(stream.head.status == .serviceUnavailable)
      #expect(stream.head.headerFields[.retryAfter] == "5")
    }
  }

  @Test func `ends waits and streams when the application shuts down`() async throws {
    let climate = try ServedValue(Climate(celsius: 21), epoch: "e")
    let serving = ResourceServing()
    try await Stage.run(Stage.router { $0.serve(climate, at: "climate", with: serving) }) { stage in
      async let waiting = stage.send(
        "/climate",
        [.ifNoneMatch: "\"e-1\"", .prefer: "wait=50"]
      )
      async let stream = stage.follow("/climate/events") { _ in false }
      while serving.waiters < 2 { await Task.yield() }
      await stage.group.triggerGracefulShutdown()
      #expect(try await waiting.head.status == .notModified)
      _ = try await stream
    }
    #expect(serving.waiters == 0)
  }

  @Test func `gives up the place of a client that is gone`() async throws {
    let climate = try ServedValue(Climate(celsius: 21), epoch: "e")
    let serving = ResourceServing()
    try await Stage.run(Stage.router { $0.serve(climate, at: "climate", with: serving) }) { stage in
      for path in ["/climate", "/climate/events"] {
        let request = Task {
          try await stage.follow(path, [.ifNoneMatch: "\"e-1\"", .prefer: "wait=50"]) { _ in false }
        }
        while serving.waiters == 0 { await Task.yield() }
        request.cancel()
        while serving.waiters > 0 { await Task.yield() }
        _ = try? await request.value
      }
    }
  }

  @Test func `streams the newest value, and nothing to a client that has it`() async throws {
    let climate = try ServedValue(Climate(celsius: 21), epoch: "e")
    var limits = ServingLimits()
    limits.heartbeatSeconds = 1
    let serving = ResourceServing(limits: limits)
    try await Stage.run(Stage.router { $0.serve(climate, at: "climate", with: serving) }) { stage in
      let events = Mutex<[String]>([])
      let head = try await stage.follow("/climate/events") { item in
        guard case .event(let event) = item else { return false }
        events.withLock { $0.append("\(event.type) \(event.id ?? "") \(event.data)") }
        if event.id == "e-1" { try? climate.publish(Climate(celsius: 22)) }
        return event.id == "e-2"
      }
      #expect(
        events.withLock { $0 } == [
          #"snapshot e-1 {"celsius":21,"note":""}"#, #"snapshot e-2 {"celsius":22,"note":""}"#,
        ]
      )
      #expect(head[try #require(HTTPField.Name("x-accel-buffering"))] == "no")
      #expect(head[.cacheControl] == "no-store" && head[.contentEncoding] == nil)
      #expect(serving.metrics.text.contains("freshet_served_stream_lag_seconds_count"))
      // A client that has the newest value hears a heartbeat, and no event.
      let heard = Mutex<[EventStreamItem]>([])
      _ = try await stage.follow("/climate/events", [.lastEventID: "e-2"]) { item in
        heard.withLock { $0.append(item) }
        if case .comment = item { return true }
        return false
      }
      #expect(heard.withLock { $0 } == [.retry(milliseconds: 1_000), .comment(" beat")])
    }
  }

  @Test func `sends a slow reader the newest value, not those in between`() async throws {
    let long = String(repeating: "x", count: 512 << 10)
    let climate = try ServedValue(Climate(celsius: 1, note: long), epoch: "e")
    try await Stage.run(Stage.router { $0.serve(climate, at: "climate") }) { stage in
      let ids = Mutex<[String]>([])
      _ = try await stage.follow("/climate/events") { item in
        guard case .event(let event) = item, let id = event.id else { return false }
        ids.withLock { $0.append(id) }
        // Nothing more is read until all values are published: 25 MiB, more than sockets hold.
        if id == "e-1" {
          for celsius in 2...50 { try? climate.publish(Climate(celsius: celsius, note: long)) }
        }
        return id == "e-50"
      }
      let seen = ids.withLock { $0 }
      #expect(seen.first == "e-1" && seen.last == "e-50")
      #expect(seen.count < 30, "\(seen.count) events")
    }
  }

  @Test func `at a path with a parameter is one of many`() async throws {
    let rooms = ["hall": try ServedValue(Climate(celsius: 18), epoch: "e")]
    let router = Stage.router {
      $0.serve(at: "rooms/:room") { _, context in
        guard let room = rooms[try context.parameters.require("room")] else {
          throw HTTPError(.notFound)
        }
        return room
      }
    }
    try await Stage.run(router) { stage in
      let hall = try await stage.send("/rooms/hall")
      #expect(text(hall) == #"{"celsius":18,"note":""}"#)
      #expect(try await stage.send("/rooms/attic").head.status == .notFound)
      #expect(try await stage.send("/rooms/attic/events").head.status == .notFound)
    }
  }

  @Test func `ignores numbers of replicas that are not newer`() throws {
    let climate = try ServedValue<Climate>(epoch: "shared")
    try climate.publish(Climate(celsius: 5), number: 5)
    try climate.publish(Climate(celsius: 4), number: 4)
    #expect(climate.value?.celsius == 5)
    try climate.publish(Climate(celsius: 6), number: 6)
    #expect(climate.value?.celsius == 6)
  }
}

/// Numbers that are added, told as differences.
private final class Total: ServedResource {
  private let log = Mutex((log: ChangeLog<Int>(epoch: "t", most: 4), total: 0))
  private let broadcaster = UpdateBroadcaster()

  var hasChanges: Bool { true }

  func add(_ number: Int) {
    log.withLock {
      $0.log.append(number)
      $0.total += number
    }
    broadcaster.send()
  }

  func state() async throws -> RepresentationState? {
    log.withLock { RepresentationState(version: $0.log.newest) }
  }

  func representation() async throws -> Representation? {
    log.withLock {
      Representation(
        state: RepresentationState(version: $0.log.newest),
        body: Array("\($0.total)".utf8)
      )
    }
  }

  func updates() -> AsyncStream<Void> { broadcaster.updates() }

  func changes(since number: EventNumber, atMost most: Int) async throws -> [ResourceChange]? {
    log.withLock { state in
      guard let found = state.log.changes(since: number), found.count <= most else { return nil }
      return found.enumerated().map { offset, value in
        ResourceChange(
          version: EventNumber(number.number + Int64(offset) + 1, epoch: number.epoch),
          data: "\(value)"
        )
      }
    }
  }
}

@Suite(.serialized, .timeLimit(.minutes(2))) struct `A served log` {
  private func events(
    _ total: Total,
    after id: String?,
    until last: String
  ) async throws -> [String] {
    let found = Mutex<[String]>([])
    try await Stage.run(Stage.router { $0.serve(total, at: "total") }) { stage in
      let fields: HTTPFields = if let id { [.lastEventID: id] } else { [:] }
      _ = try await stage.follow("/total/events", fields) { item in
        guard case .event(let event) = item else { return false }
        found.withLock { $0.append("\(event.type) \(event.id ?? "-") \(event.data)") }
        return event.id == last
      }
    }
    return found.withLock { $0 }
  }

  @Test func `replays what a client missed`() async throws {
    let total = Total()
    for number in 1...4 { total.add(number) }
    #expect(
      try await events(total, after: "t-2", until: "t-4") == ["change t-3 3", "change t-4 4"]
    )
    #expect(try await events(total, after: nil, until: "t-4") == ["snapshot t-4 10"])
  }

  @Test func `resets a client whose place is no longer known`() async throws {
    let total = Total()
    for number in 1...9 { total.add(number) }
    for id in ["t-1", "other-9"] {
      #expect(
        try await events(total, after: id, until: "t-9") == ["reset - {}", "snapshot t-9 45"]
      )
    }
  }
}
