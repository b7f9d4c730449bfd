import ConditionalHTTP
import HTTPTypes
import NIOTransport
import Synchronization
import Testing

/// The life of a WebSocket, against a server that speaks byte by byte.
@Suite(.serialized, .timeLimit(.minutes(5))) struct WebSocketTests {
  typealias Work = @Sendable (any WebSocket) async -> Void

  /// Runs a socket against a server.
  private func run(
    messageLimit: Int = NIOWebSocketExchange.messageBytes,
    fields: HTTPFields = [:],
    timeout: Duration = .seconds(30),
    serve: @escaping @Sendable (LoopbackConnection) async throws -> Void,
    work: @escaping Work
  ) async throws {
    let exchange = try NIOWebSocketExchange(messageLimit: messageLimit)
    try await LoopbackServer.run(serve: serve) { server in
      let request = HTTPRequest.socket(server.authority, fields: fields)
      try await exchange.withSocket(request, timeout: timeout, work: work)
    }
  }

  /// The error of a socket that does not open.
  private func failure(
    fields: HTTPFields = [:],
    timeout: Duration = .seconds(30),
    serve: @escaping @Sendable (LoopbackConnection) async throws -> Void
  ) async throws -> WebSocketError? {
    await #expect(throws: WebSocketError.self) {
      try await run(fields: fields, timeout: timeout, serve: serve) { _ in
        Issue.record("the socket opened")
      }
    }
  }

  @Test func `the opening handshake says what the caller says, and the choice comes back`()
    async throws
  {
    let fields: HTTPFields = [
      .secWebSocketProtocol: "freshet.v2, freshet.v1", .authorization: "Bearer t",
      .connection: "close",
    ]
    let heads = AsyncStream.makeStream(of: String.self)
    try await run(fields: fields) { connection in
      let chosen = "Sec-WebSocket-Protocol: freshet.v1\r\nX-Server: \u{E9}\r\n"
      let (server, head) = try await WebSocketServer.accept(connection, fields: chosen)
      heads.continuation.yield(head)
      _ = try await server.readClose()
    } work: { socket in
      #expect(socket.head.status.code == 101)
      #expect(socket.head.headerFields[.secWebSocketProtocol] == "freshet.v1")
      #expect(socket.head.headerFields.first { $0.name.rawName == "X-Server" }?.bytes == [0xE9])
    }
    let head = try #require(await heads.stream.first { _ in true })
    let lines = head.split(separator: "\r\n").map { $0.lowercased() }
    #expect(head.hasPrefix("GET /live?x=1 HTTP/1.1\r\n"))
    #expect(lines.contains("sec-websocket-version: 13"))
    #expect(lines.contains("sec-websocket-protocol: freshet.v2, freshet.v1"))
    #expect(lines.contains("authorization: bearer t"))
    #expect(lines.contains("upgrade: websocket"))
    #expect(lines.filter { $0.hasPrefix("connection:") } == ["connection: upgrade"])
    #expect(lines.filter { $0.hasPrefix("host: 127.0.0.1:") }.count == 1)
    #expect(!head.lowercased().contains("sec-websocket-extensions"))
  }

  @Test func `messages go both ways, masked by the client`() async throws {
    let frames = AsyncStream.makeStream(of: WebSocketServer.Frame?.self)
    try await run { connection in
      let (server, _) = try await WebSocketServer.accept(connection)
      for _ in 0..<3 {
        let frame = try await server.read()
        frames.continuation.yield(frame)
        try await server.send(frame?.first ?? 0, frame?.payload ?? [])
      }
      let close = try await server.readClose()
      try await server.send(0x88, close?.payload ?? [])
    } work: { socket in
      let long = [UInt8](repeating: 7, count: 70_000)
      for message in [WebSocketMessage.text("grüezi"), .binary([0, 255]), .binary(long)] {
        await #expect(throws: Never.self) { try await socket.send(message) }
        #expect(await socket.next() == .message(message))
      }
    }
    var seen: [WebSocketServer.Frame] = []
    for await frame in frames.stream {
      if let frame { seen.append(frame) }
      if seen.count == 3 { break }
    }
    #expect(seen.map(\.first) == [0x81, 0x82, 0x82])
    #expect(seen.allSatisfy { $0.isMasked })
    #expect(seen.first?.payload == Array("grüezi".utf8))
  }

  @Test func `messages that come with the answer to the handshake are not lost`() async throws {
    let early = WebSocketServer.frame(0x81, Array("early".utf8))
    try await run { connection in
      let (server, _) = try await WebSocketServer.accept(connection, followedBy: early + early)
      let close = try await server.readClose()
      try await server.send(0x88, close?.payload ?? [])
    } work: { socket in
      #expect(await socket.next() == .message(.text("early")))
      #expect(await socket.next() == .message(.text("early")))
    }
  }

  @Test func `a ping is answered without being asked for, an own ping brings its pong`()
    async throws
  {
    let pongs = AsyncStream.makeStream(of: WebSocketServer.Frame?.self)
    try await run { connection in
      let (server, _) = try await WebSocketServer.accept(connection)
      try await server.send(0x89, "are you there")
      pongs.continuation.yield(try await server.read())
      let ping = try await server.read()
      #expect(ping?.first == 0x89)
      try await server.send(0x8A, ping?.payload ?? [])
      _ = try await server.readClose()
    } work: { socket in
      #expect(await pongs.stream.first { _ in true }??.payload == Array("are you there".utf8))
      await #expect(throws: Never.self) { try await socket.ping([1, 2]) }
      #expect(await socket.next() == .pong([1, 2]))
      let error = await #expect(throws: WebSocketError.self) {
        try await socket.ping([UInt8](repeating: 0, count: 126))
      }
      #expect(error?.code == .notSent)
    }
  }

  @Test func `a normal return closes with 1000 and waits for the peer`() async throws {
    let codes = AsyncStream.makeStream(of: Int?.self)
    try await run { connection in
      let (server, _) = try await WebSocketServer.accept(connection)
      // More than one unread message must not hide the peer's Close.
      for _ in 0..<50 { try await server.send(0x81, "unread") }
      let close = try await server.readClose()
      codes.continuation.yield(close?.code)
      try await server.send(0x88, close?.payload ?? [])
    } work: { _ in
    }
    #expect(await codes.stream.first { _ in true } == 1000)
  }

  @Test func `cancellation closes with 1001 and ends the wait for messages`() async throws {
    let codes = AsyncStream.makeStream(of: Int?.self)
    let (opened, open) = AsyncStream.makeStream(of: Void.self)
    let exchange = try NIOWebSocketExchange()
    try await LoopbackServer.run { connection in
      let (server, _) = try await WebSocketServer.accept(connection)
      let close = try await server.readClose()
      codes.continuation.yield(close?.code)
      // No response: a cancelled caller does not wait.
      await connection.untilClosed()
    } client: { server in
      let task = Task {
        try await exchange.withSocket(.socket(server.authority), timeout: .seconds(30)) { socket in
          open.yield()
          guard case .closed(let close) = await socket.next() else {
            Issue.record("not closed")
            return
          }
          #expect(close.code == 1001)
          await #expect(throws: WebSocketError.self) { try await socket.send(.text("late")) }
        }
      }
      _ = await opened.first { _ in true }
      let cancelled = ContinuousClock.now
      task.cancel()
      await #expect(throws: Never.self) { try await task.value }
      #expect(ContinuousClock.now - cancelled < .seconds(NIOWebSocketExchange.closeSeconds))
      #expect(await codes.stream.first { _ in true } == 1001)
    }
  }

  @Test func `a caller closes with code and reason, cut to fit`() async throws {
    let closes = AsyncStream.makeStream(of: WebSocketServer.Frame?.self)
    let reason = String(repeating: "é", count: 80)
    try await run { connection in
      let (server, _) = try await WebSocketServer.accept(connection)
      let close = try await server.readClose()
      closes.continuation.yield(close)
      try await server.send(0x88, [0x0F, 0xA1] + Array("bye".utf8))
    } work: { socket in
      await socket.close(WebSocketClose(code: 4000, reason: reason))
      await socket.close(WebSocketClose(code: 4001))
      #expect(await socket.next() == .closed(WebSocketClose(code: 4001, reason: "bye")))
      #expect(await socket.next() == .closed(WebSocketClose(code: 4001, reason: "bye")))
      let error = await #expect(throws: WebSocketError.self) { try await socket.send(.text("x")) }
      #expect(error?.code == .notSent)
    }
    let close = await closes.stream.first { _ in true }
    #expect(close??.code == 4000)
    #expect(close??.payload.dropFirst(2).count == 122)
  }

  @Test(arguments: [1005, 1006, 1015, 0, 999] as [UInt16])
  func `a code that is never sent closes without one`(code: UInt16) async throws {
    let closes = AsyncStream.makeStream(of: WebSocketServer.Frame?.self)
    try await run { connection in
      let (server, _) = try await WebSocketServer.accept(connection)
      let close = try await server.readClose()
      closes.continuation.yield(close)
      try await server.send(0x88)
    } work: { socket in
      await socket.close(WebSocketClose(code: code, reason: "unsaid"))
      #expect(await socket.next() == .closed(WebSocketClose(code: 1005)))
    }
    #expect(await closes.stream.first { _ in true }??.payload.isEmpty == true)
  }

  @Test func `the peer's Close is answered in kind, and ends the socket`() async throws {
    let closes = AsyncStream.makeStream(of: WebSocketServer.Frame?.self)
    try await run { connection in
      let (server, _) = try await WebSocketServer.accept(connection)
      try await server.send(0x81, "last")
      try await server.send(0x88, [0x03, 0xE9] + Array("going".utf8))
      closes.continuation.yield(try await server.read())
    } work: { socket in
      #expect(await socket.next() == .message(.text("last")))
      #expect(await socket.next() == .closed(WebSocketClose(code: 1001, reason: "going")))
    }
    #expect(await closes.stream.first { _ in true }??.code == 1001)
  }

  @Test func `a peer that goes on sending behind a bad frame still gets the Close`() async throws {
    let codes = AsyncStream.makeStream(of: Int?.self)
    try await run { connection in
      defer { codes.continuation.finish() }
      let (server, _) = try await WebSocketServer.accept(connection)
      // A length over the limit, and 16 MiB behind it before the server reads anything.
      try await connection.write([0x82, 127, 0, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF])
      let block = [UInt8](repeating: 0, count: 64 << 10)
      for _ in 0..<256 { try await connection.write(block) }
      codes.continuation.yield(try await server.readClose()?.code)
    } work: { socket in
      guard case .closed(let close) = await socket.next() else {
        Issue.record("not closed")
        return
      }
      #expect(close.code == 1009)
    }
    #expect(await codes.stream.first { _ in true } == 1009)
  }

  @Test func `a connection that breaks gives 1006`() async throws {
    try await run { connection in
      let (server, _) = try await WebSocketServer.accept(connection)
      try await server.send(0x81, "last")
      _ = try await server.read()
      try await connection.reset()
    } work: { socket in
      #expect(await socket.next() == .message(.text("last")))
      await #expect(throws: Never.self) { try await socket.ping([]) }
      guard case .closed(let close) = await socket.next() else {
        Issue.record("not closed")
        return
      }
      #expect(close.code == 1006)
    }
  }

  @Test func `a peer that does not answer a Close is left after the close timeout`() async throws {
    let started = ContinuousClock.now
    try await run { connection in
      let (server, _) = try await WebSocketServer.accept(connection)
      _ = try await server.readClose()
      await connection.untilClosed()
    } work: { _ in
    }
    let waited = ContinuousClock.now - started
    #expect(waited >= .seconds(NIOWebSocketExchange.closeSeconds))
    #expect(waited < .seconds(NIOWebSocketExchange.closeSeconds * 3))
  }

  @Test func `messages are pulled one by one: a slow caller makes the server wait`() async throws {
    // 200 MB: more than the buffers of both ends hold, which the kernel lets grow.
    let total = 2_000
    let sent = Mutex(0)
    let received = Mutex(0)
    let (stuck, firstSent) = AsyncStream.makeStream(of: Void.self)
    let block = [UInt8](repeating: 1, count: 100_000)
    try await run { connection in
      let (server, _) = try await WebSocketServer.accept(connection)
      for _ in 0..<total {
        try await server.send(0x82, block)
        if sent.withLock({
          $0 += 1
          return $0
        }) == 1 {
          firstSent.yield()
        }
      }
      let close = try await server.readClose()
      try await server.send(0x88, close?.payload ?? [])
    } work: { socket in
      _ = await stuck.first { _ in true }
      // Nothing is asked for until the server has been stuck for a while.
      var before = -1
      while before != sent.withLock({ $0 }) {
        before = sent.withLock { $0 }
        try? await Task.sleep(for: .milliseconds(300))
      }
      #expect(before < total / 2)
      while received.withLock({ $0 }) < total, case .message = await socket.next() {
        received.withLock { $0 += 1 }
      }
    }
    #expect(received.withLock { $0 } == total)
  }

  @Test func `a message over the limit is not sent`() async throws {
    try await run(messageLimit: 10) { connection in
      let (server, _) = try await WebSocketServer.accept(connection)
      let close = try await server.readClose()
      try await server.send(0x88, close?.payload ?? [])
    } work: { socket in
      let error = await #expect(throws: WebSocketError.self) {
        try await socket.send(.text("elf Zeichen"))
      }
      #expect(error?.code == .notSent)
      #expect(error?.description == "11 bytes are over the limit of 10")
    }
  }

  @Test func `a refusal gives status and content`() async throws {
    let error = try await failure { connection in
      _ = try await connection.readHead()
      try await connection.write(
        "HTTP/1.1 401 Unauthorized\r\nContent-Length: 8\r\n\r\nno token"
      )
      await connection.untilClosed()
    }
    #expect(error?.code == .refused(status: 401, body: Array("no token".utf8)))
    #expect(error?.description.hasSuffix("answers 401 instead of opening a WebSocket") == true)
  }

  @Test func `a refusal gives 64 kB of its content at most`() async throws {
    let error = try await failure { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n")
      let block = String(repeating: ".", count: 0x1000)
      while true { try await connection.write("1000\r\n\(block)\r\n") }
    }
    guard case .refused(503, let body) = error?.code else {
      Issue.record("not refused: \(String(describing: error))")
      return
    }
    #expect(body.count == 65_536)
  }

  @Test(
    arguments: [
      ("Connection: Upgrade\r\nSec-WebSocket-Accept: wrong\r\n", "Sec-WebSocket-Accept"),
      ("Connection: Upgrade\r\n", "Sec-WebSocket-Accept"),
      ("Sec-WebSocket-Accept: wrong\r\n", "Connection"),
    ]
  )
  func `an answer of 101 that proves nothing is refused`(fields: String, part: String) async throws
  {
    let error = try await failure { connection in
      _ = try await connection.readHead()
      try await connection.write(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\(fields)\r\n"
      )
      await connection.untilClosed()
    }
    #expect(error?.code == .refused(status: 101, body: []))
    #expect(error?.description.contains(part) == true)
  }

  @Test(
    arguments: [
      ("Sec-WebSocket-Protocol: other\r\n", "the subprotocol other, which was not offered"),
      ("Sec-WebSocket-Extensions: permessage-deflate\r\n", "an extension that was not offered"),
    ]
  )
  func `an answer of 101 with what was not offered is refused`(
    fields: String,
    part: String
  )
    async throws
  {
    let error = try await failure(fields: [.secWebSocketProtocol: "freshet.v1"]) { connection in
      try await WebSocketServer.accept(connection, fields: fields)
      await connection.untilClosed()
    }
    #expect(error?.code == .refused(status: 101, body: []))
    #expect(error?.description.contains(part) == true)
  }

  @Test func `a handshake that is not answered is timed out, and the connection closed`()
    async throws
  {
    let closed = AsyncStream.makeStream(of: Void.self)
    let exchange = try NIOWebSocketExchange()
    try await LoopbackServer.run { connection in
      _ = try await connection.readHead()
      await connection.untilClosed()
      closed.continuation.yield()
    } client: { server in
      let error = await #expect(throws: WebSocketError.self) {
        let request = HTTPRequest.socket(server.authority)
        try await exchange.withSocket(request, timeout: .milliseconds(300)) { _ in }
      }
      #expect(error?.code == .timedOut)
      #expect(await closed.stream.first { _ in true } != nil)
    }
  }

  @Test func `cancellation ends a handshake under way`() async throws {
    let events = AsyncStream.makeStream(of: String.self)
    let exchange = try NIOWebSocketExchange()
    try await LoopbackServer.run { connection in
      _ = try await connection.readHead()
      events.continuation.yield("asked")
      await connection.untilClosed()
      events.continuation.yield("closed")
    } client: { server in
      let task = Task {
        await #expect(throws: WebSocketError.self) {
          let request = HTTPRequest.socket(server.authority)
          try await exchange.withSocket(request, timeout: .seconds(50)) { _ in }
        }
      }
      var iterator = events.stream.makeAsyncIterator()
      #expect(await iterator.next() == "asked")
      task.cancel()
      #expect(await task.value?.code == .cancelled)
      #expect(await iterator.next() == "closed")
    }
  }

  @Test func `a server that closes instead of answering is unreachable`() async throws {
    let error = try await failure { connection in _ = try await connection.readHead() }
    #expect(error?.code == .unreachable)
  }

  @Test func `a refused port and a name that leads nowhere are unreachable`() async throws {
    let exchange = try NIOWebSocketExchange()
    let authority = try await LoopbackServer.refusedAuthority()
    let refused = await #expect(throws: WebSocketError.self) {
      try await exchange.withSocket(.socket(authority), timeout: .seconds(30)) { _ in }
    }
    #expect(refused == WebSocketError(.unreachable, "\(authority) refuses connections"))
    let unknown = await #expect(throws: WebSocketError.self) {
      try await exchange.withSocket(.socket("nowhere.invalid"), timeout: .seconds(50)) { _ in }
    }
    #expect(
      unknown == WebSocketError(.unreachable, "the name nowhere.invalid cannot be resolved")
    )
  }

  @Test(arguments: ["", "me@127.0.0.1", "127.0.0.1:0", "127.0.0.1:99999", "[::1", "a:b"])
  func `an invalid address is unreachable`(authority: String) async throws {
    let exchange = try NIOWebSocketExchange()
    let error = await #expect(throws: WebSocketError.self) {
      try await exchange.withSocket(.socket(authority), timeout: .seconds(30)) { _ in }
    }
    #expect(error?.code == .unreachable)
    #expect(error?.description == "\(authority) is not an address for a WebSocket")
  }
}
