import ConditionalHTTP
import HTTPTypes
import NIOTransport
import Testing
import URLSessionTransport

/// Answers that do not come, or not whole.
@Suite(.serialized, .timeLimit(.minutes(5))) struct FailureTests {
  @Test(arguments: Transport.allCases)
  func `a refused port is unreachable, and the error says so at once`(
    transport: Transport
  ) async throws {
    let authority = try await LoopbackServer.refusedAuthority()
    let error = await #expect(throws: HTTPExchangeError.self) {
      try await transport.lend { try await $0.send(.get(authority), timeout: .seconds(30)) }
    }
    #expect(error == HTTPExchangeError(.unreachable, "\(authority) refuses connections"))
  }

  @Test(arguments: Transport.allCases)
  func `a name that leads nowhere is unreachable`(transport: Transport) async throws {
    let error = await #expect(throws: HTTPExchangeError.self) {
      try await transport.lend {
        try await $0.send(.get("nowhere.invalid:8080"), timeout: .seconds(50))
      }
    }
    #expect(
      error == HTTPExchangeError(.unreachable, "the name nowhere.invalid cannot be resolved")
    )
  }

  @Test(arguments: Transport.allCases, ["", "a b", "me@127.0.0.1", "127.0.0.1:99999"])
  func `an invalid address is unreachable`(
    transport: Transport,
    authority: String
  ) async throws {
    let error = await #expect(throws: HTTPExchangeError.self) {
      try await transport.lend { try await $0.send(.get(authority), timeout: .seconds(30)) }
    }
    #expect(error?.code == .unreachable)
  }

  @Test(arguments: Transport.allCases)
  func `half-open: a server that never answers is timed out`(transport: Transport) async throws {
    let closed = AsyncStream.makeStream(of: Void.self)
    let error = try await transport.failure(timeout: .milliseconds(300)) { connection in
      _ = try await connection.readHead()
      await connection.untilClosed()
      closed.continuation.yield()
    }
    #expect(error?.code == .timedOut)
    #expect(error?.description.hasSuffix("did not answer in time") == true)
  }

  @Test(arguments: Transport.allCases)
  func `slow loris: a head that dribbles is timed out`(transport: Transport) async throws {
    let error = try await transport.failure(timeout: .milliseconds(300)) { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 200 OK\r\n")
      while true {
        try await connection.write("X-More: and more\r\n")
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    #expect(error?.code == .timedOut)
  }

  @Test(arguments: Transport.allCases)
  func `slow loris: content that dribbles is timed out`(transport: Transport) async throws {
    let error = try await transport.failure(timeout: .milliseconds(300)) { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
      while true {
        try await connection.write(".")
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    #expect(error?.code == .timedOut)
  }

  @Test(arguments: Transport.allCases)
  func `a timeout closes the connection`(transport: Transport) async throws {
    let closed = AsyncStream.makeStream(of: Int.self)
    try await LoopbackServer.run { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
      await connection.untilClosed()
      closed.continuation.yield(connection.number)
    } client: { server in
      try await transport.lend { exchange in
        let error = await #expect(throws: HTTPExchangeError.self) {
          try await exchange.send(.get(server.authority), timeout: .milliseconds(300))
        }
        #expect(error?.code == .timedOut)
        #expect(await closed.stream.first { _ in true } == 1)
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func `cancellation ends the wait and closes the connection`(transport: Transport) async throws {
    let events = AsyncStream.makeStream(of: String.self)
    try await LoopbackServer.run { connection in
      _ = try await connection.readHead()
      events.continuation.yield("asked")
      await connection.untilClosed()
      events.continuation.yield("closed")
    } client: { server in
      try await transport.lend { exchange in
        let task = Task {
          await #expect(throws: HTTPExchangeError.self) {
            try await exchange.send(.get(server.authority), timeout: .seconds(50))
          }
        }
        var iterator = events.stream.makeAsyncIterator()
        #expect(await iterator.next() == "asked")
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        #expect(await iterator.next() == "closed")
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func `an early end is unreachable`(transport: Transport) async throws {
    let error = try await transport.failure { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
    }
    #expect(error?.code == .unreachable)
  }

  @Test(arguments: Transport.allCases)
  func `chunks without an end are unreachable`(transport: Transport) async throws {
    let error = try await transport.failure { connection in
      _ = try await connection.readHead()
      try await connection.write(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
      )
    }
    #expect(error?.code == .unreachable)
  }

  @Test(arguments: Transport.allCases)
  func `a reset in the middle of the content is unreachable`(transport: Transport) async throws {
    let error = try await transport.failure { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
      try await connection.reset()
    }
    #expect(error?.code == .unreachable)
  }

  @Test func `NIO: a server that only closes is asked twice, then unreachable`() async throws {
    let asked = AsyncStream.makeStream(of: Int.self)
    let error = try await Transport.nio.failure { connection in
      _ = try await connection.readHead()
      asked.continuation.yield(connection.number)
    }
    asked.continuation.finish()
    #expect(error?.code == .unreachable)
    #expect(error?.description.contains("closed the connection") == true)
    #expect(await asked.stream.reduce(0) { count, _ in count + 1 } == 2)
  }

  @Test func `NIO: what may change something is asked once`() async throws {
    let asked = AsyncStream.makeStream(of: Int.self)
    var request = HTTPRequest.get("")
    request.method = .post
    let error = try await Transport.nio.failure(request) { connection in
      _ = try await connection.readHead()
      asked.continuation.yield(connection.number)
    }
    asked.continuation.finish()
    #expect(error?.code == .unreachable)
    #expect(await asked.stream.reduce(0) { count, _ in count + 1 } == 1)
  }

  @Test(
    arguments: Transport.allCases,
    ["", "SSH-2.0-OpenSSH_9\r\n", "HTTP/1.1 two hundred\r\n\r\n"]
  )
  func `what is not HTTP is unreachable`(transport: Transport, greeting: String) async throws {
    let error = try await transport.failure { connection in
      _ = try await connection.readHead()
      try await connection.write(greeting)
    }
    // libcurl takes a response without a head for HTTP/0.9 content, and reports that in its own
    // way.
    #expect(error?.code == .unreachable)
  }

  @Test(arguments: Transport.allCases)
  func `content that is announced too large is not read`(transport: Transport) async throws {
    let size = HTTPTransferLimits.answerBytes + 1
    let error = try await transport.failure { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
      let block = [UInt8](repeating: 0x2E, count: 1 << 20)
      while true { try await connection.write(block) }
    }
    #expect(error?.code == .tooLarge)
    #expect(error?.description.contains("\(HTTPTransferLimits.answerBytes) bytes") == true)
  }

  @Test(arguments: Transport.allCases)
  func `content that grows too large is broken off`(transport: Transport) async throws {
    let error = try await transport.failure { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 200 OK\r\n\r\n")
      let block = [UInt8](repeating: 0x2E, count: 1 << 20)
      while true { try await connection.write(block) }
    }
    #expect(error?.code == .tooLarge)
  }

  @Test(arguments: Transport.allCases, [0, 1])
  func `the limit is the last size that is taken`(transport: Transport, more: Int) async throws {
    let size = HTTPTransferLimits.answerBytes + more
    let serve = { @Sendable (connection: LoopbackConnection) in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      try await connection.write("\(String(size, radix: 16))\r\n")
      let block = [UInt8](repeating: 0x2E, count: 1 << 20)
      for _ in 0..<size / block.count { try await connection.write(block) }
      try await connection.write([UInt8](repeating: 0x2E, count: size % block.count))
      try await connection.write("\r\n0\r\n\r\n")
      await connection.untilClosed()
    }
    if more == 0 {
      #expect(try await transport.ask(serve: serve).body.count == size)
    } else {
      #expect(try await transport.failure(serve: serve)?.code == .tooLarge)
    }
  }

  @Test(arguments: Transport.allCases)
  func `a gzip bomb is broken off`(transport: Transport) async throws {
    let bomb = Gzip.bomb(count: HTTPTransferLimits.answerBytes + 1)
    #expect(bomb.count < 1 << 20)
    let error = try await transport.failure { connection in
      _ = try await connection.readHead()
      try await connection.write(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bomb.count)\r\n\r\n"
      )
      try await connection.write(bomb)
      await connection.untilClosed()
    }
    #expect(error?.code == .tooLarge)
  }

  @Test func `NIO: compressed content that is cut off is unreachable`() async throws {
    let body = Gzip.stored("compressed, in a way").dropLast(12)
    let error = try await Transport.nio.failure { connection in
      _ = try await connection.readHead()
      try await connection.write(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
      )
      try await connection.write(Array(body))
      await connection.untilClosed()
    }
    #expect(error?.code == .unreachable)
    #expect(error?.description.contains("compressed content that cannot be read") == true)
  }

  @Test(arguments: [
    // All of it, and too many fields in few bytes.
    4_000, 1,
    // One field.
    100_000,
  ])
  func `NIO: a head without end is broken off, and the error says what is too large`(
    fieldBytes: Int
  ) async throws {
    let error = try await Transport.nio.failure { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 200 OK\r\n")
      let value = String(repeating: "x", count: fieldBytes)
      while true { try await connection.write("X: \(value)\r\n") }
    }
    let limits = "262144 bytes, 256 fields or 81920 bytes in a field"
    #expect(
      error == HTTPExchangeError(.tooLarge, "the head of the answer is larger than \(limits)")
    )
  }

  @Test func `NIO: after shutdown requests fail, and a second shutdown does nothing`() async throws
  {
    let exchange = try NIOExchange()
    await exchange.shutdown()
    await exchange.shutdown()
    let error = await #expect(throws: HTTPExchangeError.self) {
      try await exchange.send(.get("127.0.0.1:9"), timeout: .seconds(30))
    }
    #expect(error == HTTPExchangeError(.unreachable, "this transport has been shut down"))
  }

  @Test func `NIO: shutdown ends what is under way`() async throws {
    let exchange = try NIOExchange()
    let asked = AsyncStream.makeStream(of: Void.self)
    try await LoopbackServer.run { connection in
      _ = try await connection.readHead()
      asked.continuation.yield()
      await connection.untilClosed()
    } client: { server in
      async let failure = #expect(throws: HTTPExchangeError.self) {
        try await exchange.send(.get(server.authority), timeout: .seconds(50))
      }
      _ = await asked.stream.first { _ in true }
      await exchange.shutdown()
      #expect(await failure?.code == .cancelled)
    }
  }
}
