import ConditionalHTTP
import HTTPTypes
import NIOTransport
import Testing

/// Connections over TLS.
@Suite(.serialized, .timeLimit(.minutes(5))) struct TLSTests {
  private func request(_ scheme: String, _ authority: String) -> HTTPRequest {
    HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/")
  }

  private func answer(_ connection: LoopbackConnection) async throws {
    _ = try await connection.readHead()
    try await connection.write(
      "HTTP/1.1 200 OK\r\nETag: \"\u{E9}\"\r\nContent-Length: 4\r\n\r\nsafe"
    )
    await connection.untilClosed()
  }

  @Test(arguments: ["127.0.0.1", "localhost"])
  func `an authority of the caller's own is trusted`(host: String) async throws {
    let exchange = try NIOExchange(roots: .pem([TestCertificate.pem]))
    let got = try await LoopbackServer.run(
      tls: TestCertificate.context(),
      serve: answer
    ) { server in
      let port = server.authority.dropFirst("127.0.0.1".count)
      return try await exchange.send(request("https", host + port), timeout: .seconds(30))
    }
    await exchange.shutdown()
    #expect(got.body == Array("safe".utf8))
    #expect(got.head.headerFields[fields: .eTag].map(\.bytes) == [[0x22, 0xE9, 0x22]])
  }

  @Test(arguments: Transport.allCases)
  func `an untrusted certificate is named as such`(transport: Transport) async throws {
    let context = try TestCertificate.context()
    let error = try await LoopbackServer.run(tls: context, serve: answer) { server in
      await #expect(throws: HTTPExchangeError.self) {
        try await transport.lend {
          try await $0.send(request("https", server.authority), timeout: .seconds(30))
        }
      }
    }
    #expect(error?.code == .unreachable)
    #expect(error?.description.contains("TLS: ") == true)
    #expect(error?.description.contains("certificate") == true)
  }

  @Test func `a server without TLS is named as such`() async throws {
    let error = try await LoopbackServer.run { connection in
      _ = try await connection.read(count: 1)
      try await connection.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
      await connection.untilClosed()
    } client: { server in
      await #expect(throws: HTTPExchangeError.self) {
        try await Transport.nio.lend {
          try await $0.send(request("https", server.authority), timeout: .seconds(30))
        }
      }
    }
    #expect(error?.code == .unreachable)
    #expect(error?.description.hasSuffix("TLS: the server does not speak TLS on this port") == true)
  }

  @Test func `wss opens with an authority of the caller's own`() async throws {
    let exchange = try NIOWebSocketExchange(roots: .pem([TestCertificate.pem]))
    let arrivals = AsyncStream.makeStream(of: WebSocketEvent.self)
    try await LoopbackServer.run(tls: TestCertificate.context()) { connection in
      let (server, _) = try await WebSocketServer.accept(connection)
      try await server.send(0x81, "safe")
      let close = try await server.readClose()
      try await server.send(0x88, close?.payload ?? [])
    } client: { server in
      let request = request("wss", server.authority)
      try await exchange.withSocket(request, timeout: .seconds(30)) { socket in
        arrivals.continuation.yield(await socket.next())
      }
    }
    #expect(await arrivals.stream.first { _ in true } == .message(.text("safe")))
  }

  @Test func `wss is not opened to an untrusted certificate`() async throws {
    let exchange = try NIOWebSocketExchange()
    let context = try TestCertificate.context()
    let error = try await LoopbackServer.run(tls: context, serve: answer) { server in
      await #expect(throws: WebSocketError.self) {
        let request = request("wss", server.authority)
        try await exchange.withSocket(request, timeout: .seconds(30)) { _ in }
      }
    }
    #expect(error?.code == .unreachable)
    #expect(error?.description.hasSuffix("TLS: the certificate is not trusted") == true)
  }

  @Test func `a file of authorities that cannot be read is an error`() {
    #expect(throws: (any Error).self) { try NIOExchange(roots: .file(path: "/nowhere/roots.pem")) }
  }
}
