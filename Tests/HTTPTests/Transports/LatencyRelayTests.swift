import ConditionalHTTP
import HTTPTypes
import NIOTransport
import Testing

/// Connections through a relay that delays them.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LatencyRelayTests {
  private let latency = Duration.milliseconds(60)

  private func request(_ scheme: String, _ authority: String) -> HTTPRequest {
    HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/a?b")
  }

  @Test(arguments: [false, true])
  func `requests keep their host, and answers come a round trip later`(isSecure: Bool) async throws
  {
    let latency = latency
    let tls = isSecure ? try TestCertificate.context() : nil
    let heads = try await LoopbackServer.run(tls: tls) { connection in
      while let head = try await connection.readHead() {
        let body = "\(connection.number) \(head)"
        try await connection.write(
          "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
      }
    } client: { server in
      let scheme = isSecure ? "https" : "http"
      let roots = TrustedRoots.pem([TestCertificate.pem])
      let relay = try await LatencyRelay.open(
        to: try HTTPAddress("\(scheme)://\(server.authority)"),
        latency: latency,
        roots: roots
      )
      let exchange = try NIOExchange(roots: roots, relay: relay)
      var heads: [String] = []
      for _ in 0..<3 {
        let began = ContinuousClock.now
        let answer = try await exchange.send(
          request(scheme, server.authority),
          timeout: .seconds(30)
        )
        // Bytes wait in the relay: no machine is so fast that they come earlier.
        #expect(began.duration(to: .now) >= latency * 2)
        heads.append(String(decoding: answer.body, as: UTF8.self))
      }
      await exchange.shutdown()
      await relay.shutdown()
      #expect(heads.allSatisfy { $0.contains("\(server.authority)\r\n") })
      return heads
    }
    #expect(heads.count == 3)
    #expect(heads.allSatisfy { $0.hasPrefix("1 GET /a?b HTTP/1.1") })
  }

  @Test(arguments: [3 << 20, 30 << 10])
  func `bytes keep their order, and the end comes behind the last of them`(
    count: Int
  ) async throws {
    let latency = latency
    // What is more than a socket takes at once, the test's server would lose by closing.
    let isLong = count > 64 << 10
    let body = try await LoopbackServer.run { connection in
      _ = try await connection.readHead()
      let length = isLong ? "Content-Length: \(count)" : "Connection: close"
      try await connection.write("HTTP/1.1 200 OK\r\n\(length)\r\n\r\n")
      for block in 0..<(count >> 10) {
        let byte = UInt8(truncatingIfNeeded: block)
        try await connection.write([UInt8](repeating: byte, count: 1 << 10))
      }
      if isLong { await connection.untilClosed() }
    } client: { server in
      let relay = try await LatencyRelay.open(
        to: try HTTPAddress("http://\(server.authority)"),
        latency: latency
      )
      let exchange = try NIOExchange(relay: relay)
      let answer = try await exchange.send(
        request("http", server.authority),
        timeout: .seconds(50)
      )
      await exchange.shutdown()
      await relay.shutdown()
      return answer.body
    }
    #expect(body.count == count)
    #expect(
      body.enumerated().allSatisfy { UInt8(truncatingIfNeeded: $0.offset >> 10) == $0.element }
    )
  }

  @Test func `an unreachable server is unreachable through the relay too`() async throws {
    let authority = try await LoopbackServer.refusedAuthority()
    let relay = try await LatencyRelay.open(
      to: try HTTPAddress("http://\(authority)"),
      latency: .milliseconds(1)
    )
    let exchange = try NIOExchange(relay: relay)
    let error = await #expect(throws: HTTPExchangeError.self) {
      try await exchange.send(request("http", authority), timeout: .seconds(30))
    }
    #expect(error?.code == .unreachable)
    await exchange.shutdown()
    await relay.shutdown()
  }

  @Test func `a WebSocket goes through, and its close as well`() async throws {
    let latency = latency
    let arrivals = try await LoopbackServer.run { connection in
      let (socket, head) = try await WebSocketServer.accept(connection)
      try await socket.send(0x81, Array((head.contains("127.0.0.1") ? "host" : head).utf8))
      try await socket.send(0x88, [0x03, 0xE8])
      _ = try await socket.readClose()
    } client: { server in
      let relay = try await LatencyRelay.open(
        to: try HTTPAddress("http://\(server.authority)"),
        latency: latency
      )
      let sockets = try NIOWebSocketExchange(relay: relay)
      let seen = Seen()
      try await sockets.withSocket(request("ws", server.authority), timeout: .seconds(30)) {
        socket in
        await seen.add(await socket.next())
        await seen.add(await socket.next())
      }
      await relay.shutdown()
      return await seen.arrivals
    }
    #expect(
      arrivals == [.message(.text("host")), .closed(WebSocketClose(code: 1_000))]
    )
  }

  private actor Seen {
    var arrivals: [WebSocketEvent] = []
    func add(_ arrival: WebSocketEvent) { arrivals.append(arrival) }
  }
}
