import Foundation
import FreshetKit
import Synchronization
import Testing

/// Values of a URL over real sockets, with the product that apps import.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ValueServerTests {
  struct Count: Codable, Equatable, Sendable {
    var count: Int
  }

  /// What a server was asked, and what it says next.
  private final class Script: Sendable {
    private let state = Mutex<(heads: [String], count: Int)>(([], 1))

    var heads: [String] { state.withLock { $0.heads } }
    var count: Int {
      get { state.withLock { $0.count } }
      set { state.withLock { $0.count = newValue } }
    }

    func add(_ head: String) { state.withLock { $0.heads.append(head) } }

    /// Answers requests for the count until the client closes: with a 304 if its tag is current.
    func serve(_ connection: LoopbackConnection) async throws {
      while let head = try await connection.readHead() {
        add(head.lowercased())
        let (tag, body) = ("\"v\(count)\"", "{\"count\":\(count)}")
        if head.contains(tag) {
          try await connection.write("HTTP/1.1 304 Not Modified\r\nETag: \(tag)\r\n\r\n")
        } else {
          try await connection.write(
            "HTTP/1.1 200 OK\r\nETag: \(tag)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
          )
        }
      }
    }
  }

  private static let often: Policy = {
    var policy = Policy(every: .milliseconds(100))
    policy.leastInterval = .milliseconds(50)
    policy.retryDelay = nil
    policy.ladder = [.milliseconds(50)]
    return policy
  }()

  private static func url(_ server: LoopbackServer, _ path: String = "/count") throws -> URL {
    try #require(URL(string: "http://\(server.authority)\(path)"))
  }

  private static func eventually(_ holds: () -> Bool) async throws {
    // As long as it takes: the time limit of the suite ends a hang.
    while !holds() { try await Task.sleep(for: .milliseconds(5)) }
  }

  @Test(arguments: Transport.allCases)
  func `a loop over a URL gets each change, and 304s keep it young`(
    transport: Transport
  )
    async throws
  {
    let script = Script()
    try await LoopbackServer.run(serve: script.serve) { server in
      let url = try Self.url(server)
      try await transport.lend { exchange in
        let client = FreshnessClient(exchange: exchange, policy: Self.often)
        var first: Fresh<Count>?
        for await value in client.values(of: url, as: Count.self) {
          guard let before = first else {
            #expect(value.value.count == 1 && value.provenance == .server)
            first = value
            try await Self.eventually { script.heads.count { $0.contains("if-none-match") } >= 3 }
            script.count = 2
            continue
          }
          #expect(value.value.count == 2 && value.state == .live && value.failure == nil)
          #expect(before.state == .old)
          break
        }
        #expect(script.heads.dropFirst().first?.contains("if-none-match: \"v1\"") == true)
        try await Self.eventually {
          client.counters.observers == 0 && client.counters.requests == 0
        }
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func `R1: ten loops over one URL cost one request`(transport: Transport) async throws {
    let script = Script()
    let (starts, start) = AsyncStream.makeStream(of: Void.self)
    try await LoopbackServer.run { connection in
      while let head = try await connection.readHead() {
        script.add(head)
        // The answer comes once all loops wait for it.
        for await _ in starts { break }
        try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{\"count\":1}")
      }
    } client: { server in
      let url = try Self.url(server)
      try await transport.lend { exchange in
        let client = FreshnessClient(exchange: exchange, policy: Policy(every: .seconds(600)))
        try await withThrowingTaskGroup(of: Int.self) { group in
          for _ in 0..<10 {
            group.addTask {
              for await value in client.values(of: url, as: Count.self) {
                return value.value.count
              }
              return 0
            }
          }
          try await Self.eventually { client.counters.observers == 10 }
          start.yield()
          for try await count in group { #expect(count == 1) }
        }
        try await Self.eventually {
          client.counters.observers == 0 && client.counters.requests == 0
        }
        #expect(client.counters.observed == 0)
      }
    }
    #expect(script.heads.count == 1)
  }

  @Test(arguments: Transport.allCases)
  func `a watcher that leaves ends its request on the wire`(transport: Transport) async throws {
    let (events, event) = AsyncStream.makeStream(of: String.self)
    try await LoopbackServer.run { connection in
      _ = try await connection.readHead()
      event.yield("asked")
      await connection.untilClosed()
      event.yield("closed")
    } client: { server in
      let url = try Self.url(server)
      try await transport.lend { exchange in
        let client = FreshnessClient(exchange: exchange, policy: Self.often)
        let watcher = Task { for await _ in client.values(of: url, as: Count.self) {} }
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == "asked")
        watcher.cancel()
        await watcher.value
        #expect(await iterator.next() == "closed")
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func `R22: an answer that breaks off leaves the value, and the next one clears the failure`(
    transport: Transport
  ) async throws {
    let number = Mutex(0)
    let (failures, failure) = AsyncStream.makeStream(of: Void.self)
    try await LoopbackServer.run { connection in
      _ = try await connection.readHead()
      let now = number.withLock { number in
        number += 1
        return number
      }
      // The next answer comes once the failure was seen.
      if now == 3 { for await _ in failures { break } }
      let body = now == 2 ? "{\"cou" : "{\"count\":\(now)}"
      try await connection.write(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 11\r\n\r\n\(body)"
      )
    } client: { server in
      let url = try Self.url(server)
      try await transport.lend { exchange in
        let client = FreshnessClient(exchange: exchange, policy: Self.often)
        var seen: [String] = []
        for await value in client.values(of: url, as: Count.self) {
          seen.append("\(value.value.count) \(value.failure == nil ? "well" : "failing")")
          if value.failure != nil { failure.yield() }
          if value.value.count >= 3 { break }
        }
        #expect(seen.first?.hasPrefix("1 ") == true)
        #expect(seen.contains("1 failing"))
        #expect(seen.last?.hasSuffix("well") == true)
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func `R33: an event of the stream brings the change without waiting for the next poll`(
    transport: Transport
  ) async throws {
    let script = Script()
    let (changes, change) = AsyncStream.makeStream(of: Void.self)
    try await LoopbackServer.run { connection in
      guard let head = try await connection.readHead() else { return }
      guard head.contains("/news") else {
        let body = "{\"count\":\(script.count)}"
        try await connection.write(
          "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 11\r\n\r\n\(body)"
        )
        return
      }
      try await connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n:\n\n")
      for await _ in changes { try await connection.write("data: changed\n\n") }
    } client: { server in
      let (url, events) = (try Self.url(server), try Self.url(server, "/news"))
      try await transport.lend { exchange in
        var policy = Policy(every: .seconds(600))
        policy.push = Policy.Push(heartbeat: .seconds(600))
        let client = FreshnessClient(exchange: exchange, streaming: exchange, policy: policy)
        let resource = JSONResource(url, as: Count.self).eventStream(at: events)
        for await value in client.values(of: resource) {
          if value.value.count == 2 { break }
          try await Self.eventually { client.freshness(of: resource)?.isStreaming == true }
          script.count = 2
          change.yield()
        }
        change.finish()
      }
    }
  }
}
