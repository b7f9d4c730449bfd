import ConditionalHTTP
import HTTPTypes
import NIOTransport
import Synchronization
import Testing
import URLSessionTransport

/// A number that several tasks count with.
private final class Counter: Sendable {
  private let number = Mutex(0)
  var count: Int { number.withLock { $0 } }
  func add(_ more: Int) { number.withLock { $0 += more } }
}

/// Answers that come bit by bit.
@Suite(.serialized, .timeLimit(.minutes(5))) struct StreamingTests {
  @Test(arguments: Transport.allCases)
  func `parts arrive as they are sent`(transport: Transport) async throws {
    let received = AsyncStream.makeStream(of: String.self)
    let (turns, turn) = AsyncStream.makeStream(of: Void.self)
    try await LoopbackServer.run { connection in
      let head = try await connection.readHead() ?? ""
      #expect(head.lowercased().contains("accept-encoding: identity\r\n"))
      try await connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
      var number = 0
      // The next event is sent only after the one before was received.
      for await _ in turns {
        number += 1
        if number == 4 { return }
        try await connection.write("data: \(number)\n\n")
      }
    } client: { server in
      try await transport.lend { exchange in
        try await exchange.stream(.get(server.authority), timeout: .seconds(30)) { part in
          switch part {
          case .head(let head): received.continuation.yield("\(head.status.code)")
          case .content(let bytes):
            received.continuation.yield(String(decoding: bytes, as: UTF8.self))
          }
          turn.yield()
          return .more
        }
        received.continuation.finish()
      }
    }
    let parts = await received.stream.reduce(into: []) { $0.append($1) }
    #expect(parts == ["200", "data: 1\n\n", "data: 2\n\n", "data: 3\n\n"])
  }

  @Test(arguments: Transport.allCases)
  func `a request does not wait for streams, however many there are`(
    transport: Transport
  )
    async throws
  {
    let streams = 9
    let (opened, open) = AsyncStream.makeStream(of: Void.self)
    try await LoopbackServer.run { connection in
      let head = try await connection.readHead() ?? ""
      guard head.contains("/stream ") else {
        return try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine")
      }
      try await connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n:\n\n")
      await connection.untilClosed()
    } client: { server in
      try await transport.lend { exchange in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<streams {
            group.addTask {
              var request = HTTPRequest.get(server.authority)
              request.path = "/stream"
              // A stream that fails ends the wait for all of them.
              defer { open.finish() }
              try await exchange.stream(request, timeout: .seconds(60)) { part in
                if case .content = part { open.yield() }
                return .more
              }
            }
          }
          var turns = opened.makeAsyncIterator()
          for _ in 0..<streams { try #require(await turns.next() != nil) }
          let answer = try await exchange.send(.get(server.authority), timeout: .seconds(60))
          #expect(answer.body == Array("fine".utf8))
          group.cancelAll()
          while await group.nextResult() != nil {}
        }
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func `the timeout covers the head`(transport: Transport) async throws {
    let error = try await streamFailure(transport, timeout: .milliseconds(300)) { connection in
      _ = try await connection.readHead()
      await connection.untilClosed()
    }
    #expect(error?.code == .timedOut)
  }

  @Test(arguments: Transport.allCases)
  func `the timeout does not cover the content`(transport: Transport) async throws {
    let content = Mutex<[UInt8]>([])
    try await LoopbackServer.run { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 200 OK\r\n\r\n")
      try await Task.sleep(for: .milliseconds(2_500))
      try await connection.write("late")
    } client: { server in
      try await transport.lend { exchange in
        try await exchange.stream(.get(server.authority), timeout: .seconds(2)) { part in
          if case .content(let bytes) = part { content.withLock { $0 += bytes } }
          return .more
        }
      }
    }
    #expect(content.withLock { $0 } == Array("late".utf8))
  }

  @Test(arguments: Transport.allCases)
  func `a reset breaks the stream off`(transport: Transport) async throws {
    let error = try await streamFailure(transport) { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n")
      try await connection.reset()
    }
    #expect(error?.code == .unreachable)
  }

  @Test(arguments: Transport.allCases)
  func `a receiver that has enough closes the connection`(transport: Transport) async throws {
    let closed = AsyncStream.makeStream(of: Void.self)
    let parts = Mutex(0)
    try await LoopbackServer.run { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 200 OK\r\n\r\nfirst")
      await connection.untilClosed()
      closed.continuation.yield()
    } client: { server in
      try await transport.lend { exchange in
        try await exchange.stream(.get(server.authority), timeout: .seconds(30)) { part in
          parts.withLock { $0 += 1 }
          guard case .head = part else { return .enough }
          return .more
        }
        #expect(await closed.stream.first { _ in true } != nil)
      }
    }
    #expect(parts.withLock { $0 } == 2)
  }

  @Test(arguments: Transport.allCases)
  func `cancellation ends the stream and closes the connection`(
    transport: Transport
  ) async throws {
    let events = AsyncStream.makeStream(of: String.self)
    try await LoopbackServer.run { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 200 OK\r\n\r\nfirst")
      await connection.untilClosed()
      events.continuation.yield("closed")
    } client: { server in
      try await transport.lend { exchange in
        let task = Task {
          await #expect(throws: HTTPExchangeError.self) {
            try await exchange.stream(.get(server.authority), timeout: .seconds(30)) { part in
              if case .content = part { events.continuation.yield("content") }
              return .more
            }
          }
        }
        var iterator = events.stream.makeAsyncIterator()
        #expect(await iterator.next() == "content")
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        #expect(await iterator.next() == "closed")
      }
    }
  }

  @Test func `NIO: a slow receiver makes the server wait`() async throws {
    let written = Counter()
    let (release, hasFailed) = AsyncStream.makeStream(of: Void.self)
    // More than the kernel's buffers hold, which may be 32 MiB.
    let total = 128 << 20
    let received = Mutex(0)
    try await LoopbackServer.run { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
      let block = [UInt8](repeating: 0x2E, count: 64 << 10)
      for _ in 0..<total / block.count {
        try await connection.write(block)
        written.add(block.count)
      }
      await connection.untilClosed()
    } client: { server in
      try await Transport.nio.lend { exchange in
        let watcher = Task { @Sendable in
          // The server is stuck once it has written nothing for a while.
          var before = -1
          while before != written.count || before <= 0 {
            before = written.count
            try await Task.sleep(for: .milliseconds(300))
          }
          hasFailed.yield()
          return before
        }
        try await exchange.stream(.get(server.authority), timeout: .seconds(30)) { part in
          guard case .content(let bytes) = part else { return .more }
          let isFirst = received.withLock { count in
            defer { count += bytes.count }
            return count == 0
          }
          if isFirst { _ = await release.first { _ in true } }
          return .more
        }
        #expect(try await watcher.value < total / 2)
      }
    }
    #expect(received.withLock { $0 } == total)
  }

  #if canImport(FoundationNetworking)
  @Test func `URLSession: a receiver that leaves too much lying fails`() async throws {
    let (release, hasFailed) = AsyncStream.makeStream(of: Void.self)
    let error = try await LoopbackServer.run { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 200 OK\r\n\r\n")
      let block = [UInt8](repeating: 0x2E, count: 64 << 10)
      do { while true { try await connection.write(block) } } catch { hasFailed.yield() }
    } client: { server in
      await #expect(throws: HTTPExchangeError.self) {
        try await Transport.urlSession.lend { exchange in
          try await exchange.stream(.get(server.authority), timeout: .seconds(30)) { part in
            // Nothing is taken until the server has seen the end of the connection.
            if case .content = part { _ = await release.first { _ in true } }
            return .more
          }
        }
      }
    }
    #expect(error?.code == .tooLarge)
  }
  #endif

  private func streamFailure(
    _ transport: Transport,
    timeout: Duration = .seconds(30),
    serve: @escaping @Sendable (LoopbackConnection) async throws -> Void
  ) async throws -> HTTPExchangeError? {
    try await LoopbackServer.run(serve: serve) { server in
      await #expect(throws: HTTPExchangeError.self) {
        try await transport.lend { exchange in
          try await exchange.stream(.get(server.authority), timeout: timeout) { _ in .more }
        }
      }
    }
  }
}
