import ConditionalHTTP
import HTTPTypes
import NIOTransport
import Testing
import URLSessionTransport

/// Answers as they come.
@Suite(.serialized, .timeLimit(.minutes(5))) struct AnswerTests {
  @Test(arguments: Transport.allCases)
  func `status, fields and content of an answer arrive`(transport: Transport) async throws {
    let answer = try await transport.ask { connection in
      _ = try await connection.readHead()
      try await connection.write(
        "HTTP/1.1 200 Fine\r\nContent-Length: 5\r\nETag: W/\"a,b\"\r\nX-One: 1\r\n\r\nhello"
      )
      await connection.untilClosed()
    }
    #expect(answer.head.status.code == 200)
    #expect(answer.head.headerFields[.eTag] == "W/\"a,b\"")
    #expect(answer.body == Array("hello".utf8))
  }

  @Test(arguments: Transport.allCases, [204, 304])
  func `204 and 304 end with their head`(transport: Transport, status: Int) async throws {
    let answer = try await transport.ask { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 \(status) Nothing\r\nETag: \"x\"\r\n\r\n")
      await connection.untilClosed()
    }
    #expect(answer.head.status.code == status)
    #expect(answer.head.headerFields[.eTag] == "\"x\"")
    #expect(answer.body.isEmpty)
  }

  @Test(arguments: Transport.allCases)
  func `a 304 may name the length and the coding of what it confirms`(
    transport: Transport
  ) async throws {
    let answer = try await transport.ask { connection in
      _ = try await connection.readHead()
      try await connection.write(
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 5000\r\nContent-Encoding: gzip\r\n\r\n"
      )
      await connection.untilClosed()
    }
    #expect(answer.head.status.code == 304)
    #expect(answer.body.isEmpty)
  }

  @Test(arguments: Transport.allCases)
  func `an answer to HEAD ends with its head`(transport: Transport) async throws {
    var request = HTTPRequest.get("")
    request.method = .head
    let answer = try await transport.ask(request) { connection in
      let head = try await connection.readHead()
      #expect(head?.hasPrefix("HEAD / HTTP/1.1\r\n") == true)
      try await connection.write(
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\nContent-Encoding: gzip\r\n\r\n"
      )
      await connection.untilClosed()
    }
    #expect(answer.head.status.code == 200)
    #expect(answer.body.isEmpty)
  }

  @Test(arguments: Transport.allCases)
  func `fields of the caller are sent, and no Cache-Control of ours`(
    transport: Transport
  ) async throws {
    let seen = AsyncStream.makeStream(of: String.self)
    let fields: HTTPFields = [.ifNoneMatch: "\"r41\"", .prefer: "wait=25"]
    _ = try await transport.ask(.get("", "/a%20b?q=1&r=%2F", fields: fields)) { connection in
      seen.continuation.yield(try await connection.readHead() ?? "")
      try await connection.write("HTTP/1.1 204 No Content\r\n\r\n")
      await connection.untilClosed()
    }
    let head = try #require(await seen.stream.first { _ in true })
    #expect(head.hasPrefix("GET /a%20b?q=1&r=%2F HTTP/1.1\r\n"))
    #expect(head.contains("If-None-Match: \"r41\"\r\n"))
    #expect(head.contains("Prefer: wait=25\r\n"))
    #expect(!head.lowercased().contains("cache-control"))
    #expect(!head.lowercased().contains("cookie"))
  }

  @Test func `NIO: field values keep bytes that are not UTF-8, both ways`() async throws {
    let tag: [UInt8] = [0x22, 0xE9, 0xFF, 0x80, 0xC3, 0xA9, 0x22]
    let seen = AsyncStream.makeStream(of: String.self)
    var request = HTTPRequest.get("")
    request.headerFields.append(HTTPField(name: .ifNoneMatch, lenientValue: tag))
    let answer = try await Transport.nio.ask(request) { connection in
      seen.continuation.yield(try await connection.readHead() ?? "")
      // Informational heads precede the final one.
      try await connection.write("HTTP/1.1 103 Early Hints\r\nLink: </\u{E9}>\r\n\r\n")
      try await connection.write("HTTP/1.1 200 OK\r\nETag: ")
      try await connection.write(tag)
      try await connection.write("\r\nContent-Length: 2\r\n\r\n\u{E9}\u{FF}")
      await connection.untilClosed()
    }
    #expect(answer.head.headerFields[fields: .eTag].map(\.bytes) == [tag])
    #expect(answer.body == [0xE9, 0xFF])
    let sent = String(String.UnicodeScalarView(tag.map { Unicode.Scalar($0) }))
    #expect(await seen.stream.first { _ in true }?.contains("If-None-Match: \(sent)\r\n") == true)
  }

  #if canImport(FoundationNetworking)
  @Test func `URLSession: an answer it cannot read is named as such`() async throws {
    let error = try await Transport.urlSession.failure { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 200 OK\r\nETag: \"\u{E9}\"\r\nContent-Length: 0\r\n\r\n")
      await connection.untilClosed()
    }
    #expect(error?.code == .unreachable)
    #expect(error?.description.contains("field value that URLSession cannot read") == true)
  }
  #endif

  @Test(arguments: Transport.allCases)
  func `chunks are put together`(transport: Transport) async throws {
    let answer = try await transport.ask { connection in
      _ = try await connection.readHead()
      try await connection.write(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
          + "5;x=y\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\n\r\n"
      )
      await connection.untilClosed()
    }
    #expect(answer.body == Array("hello world".utf8))
  }

  // FoundationNetworking ends the process over trailers, so only the other transport is asked.
  @Test func `NIO: trailers are left out`() async throws {
    let answer = try await Transport.nio.ask { connection in
      _ = try await connection.readHead()
      try await connection.write(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n"
      )
      await connection.untilClosed()
    }
    #expect(answer.body == Array("hello".utf8))
    #expect(!answer.head.headerFields.contains { $0.name.canonicalName == "x-sum" })
  }

  @Test(arguments: Transport.allCases)
  func `informational answers are passed over`(transport: Transport) async throws {
    let answer = try await transport.ask { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
      try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
      await connection.untilClosed()
    }
    #expect(answer.head.status.code == 200)
    #expect(answer.body == Array("hello".utf8))
  }

  @Test(arguments: Transport.allCases)
  func `without a length the end of the connection ends the content`(
    transport: Transport
  ) async throws {
    let answer = try await transport.ask { connection in
      _ = try await connection.readHead()
      try await connection.write("HTTP/1.1 200 OK\r\n\r\nto the end")
    }
    #expect(answer.body == Array("to the end".utf8))
  }

  @Test(arguments: Transport.allCases)
  func `gzip is undone`(transport: Transport) async throws {
    let answer = try await transport.ask { connection in
      let head = try await connection.readHead() ?? ""
      #expect(head.lowercased().contains("accept-encoding: "))
      #expect(head.contains("gzip"))
      let body = Gzip.stored("compressed, in a way")
      try await connection.write(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
      )
      try await connection.write(body)
      await connection.untilClosed()
    }
    #expect(answer.body == Array("compressed, in a way".utf8))
  }

  @Test(arguments: Transport.allCases)
  func `requests of one transport share a connection`(transport: Transport) async throws {
    let numbers = try await LoopbackServer.run { connection in
      while try await connection.readHead() != nil {
        try await connection.write(
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(connection.number)"
        )
      }
    } client: { server in
      try await transport.lend { exchange in
        var bodies: [[UInt8]] = []
        for _ in 0..<3 {
          bodies.append(try await exchange.send(.get(server.authority), timeout: .seconds(30)).body)
        }
        return bodies
      }
    }
    #expect(numbers == [[0x31], [0x31], [0x31]])
  }

  @Test(arguments: Transport.allCases)
  func `a connection that the server closed between requests is replaced`(
    transport: Transport
  ) async throws {
    let bodies = try await LoopbackServer.run { connection in
      guard try await connection.readHead() != nil else { return }
      try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(connection.number)")
    } client: { server in
      try await transport.lend { exchange in
        var bodies: [[UInt8]] = []
        for _ in 0..<20 {
          bodies.append(try await exchange.send(.get(server.authority), timeout: .seconds(30)).body)
        }
        return bodies
      }
    }
    #expect(bodies.count == 20)
    #expect(bodies.allSatisfy { $0.count == 1 || $0.count == 2 })
  }

  @Test func `NIO: IPv6 addresses in brackets are reached`() async throws {
    let seen = AsyncStream.makeStream(of: String.self)
    let answer = try await Transport.nio.ask(host: "::1") { connection in
      seen.continuation.yield(try await connection.readHead() ?? "")
      try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n6")
      await connection.untilClosed()
    }
    #expect(answer.body == [0x36])
    #expect(await seen.stream.first { _ in true }?.lowercased().contains("host: [::1]:") == true)
  }

  #if canImport(FoundationNetworking)
  @Test func `URLSession: an IPv6 address is refused with what to do instead`() async throws {
    let error = await #expect(throws: HTTPExchangeError.self) {
      try await URLSessionExchange().send(.get("[::1]:9"), timeout: .seconds(30))
    }
    #expect(error?.code == .unreachable)
    #expect(error?.description.contains("[::1]:9; use a host name") == true)
  }
  #endif
}
