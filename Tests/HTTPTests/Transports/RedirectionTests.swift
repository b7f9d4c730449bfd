import ConditionalHTTP
import HTTPTypes
import Synchronization
import Testing

/// Where redirections lead.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RedirectionTests {
  /// What follows a GET of `https://Host:8443/a/b?q` with a Location.
  private func target(
    _ location: String?,
    status: Int = 302,
    method: HTTPRequest.Method = .get,
    scheme: String = "https"
  ) -> String? {
    let request = HTTPRequest(
      method: method,
      scheme: scheme,
      authority: "Host:8443",
      path: "/a/b?q",
      headerFields: [
        .authorization: "t", .ifNoneMatch: "\"r1\"", .cookie: "c", .contentType: "x",
        .accept: "a/b",
      ]
    )
    var answer = HTTPResponse(status: .init(code: status))
    if let location { answer.headerFields[.location] = location }
    guard let next = request.following(answer) else { return nil }
    #expect(next.method == method)
    #expect(next.headerFields[.ifNoneMatch] == "\"r1\"")
    #expect(next.headerFields[.accept] == "a/b")
    // Whatever an application gave for one origin, a key in a field of its own among it, stays there.
    for field in [HTTPField.Name.cookie, .contentType] {
      #expect((next.headerFields[.authorization] == nil) == (next.headerFields[field] == nil))
    }
    let secret = next.headerFields[.authorization] == nil ? "" : " with Authorization"
    return "\(next.scheme ?? "")://\(next.authority ?? "")\(next.path ?? "")\(secret)"
  }

  @Test(
    arguments: [
      ("https://other/x?y#z", "https://other/x?y"),
      ("https://host:8443/x", "https://host:8443/x with Authorization"),
      ("HTTPS://HOST:8443", "https://HOST:8443/ with Authorization"),
      ("https://host:8443?x", "https://host:8443/?x with Authorization"),
      ("https://host/x", "https://host/x"),
      ("//other/x", "https://other/x"),
      ("/x/./y/../z", "https://Host:8443/x/z with Authorization"),
      ("/../../x", "https://Host:8443/x with Authorization"),
      ("c", "https://Host:8443/a/c with Authorization"),
      ("c:d", nil),
      ("./c:d", "https://Host:8443/a/c:d with Authorization"),
      ("../c?..", "https://Host:8443/c?.. with Authorization"),
      (".", "https://Host:8443/a/ with Authorization"),
      ("..", "https://Host:8443/ with Authorization"),
      ("?r", "https://Host:8443/a/b?r with Authorization"),
      ("#f", "https://Host:8443/a/b?q with Authorization"),
      ("/grün ü", "https://Host:8443/gr%C3%BCn%20%C3%BC with Authorization"),
      ("https://[::1]:80/x", "https://[::1]:80/x"),
      ("http://Host:8443/x", nil),
      ("https://me@other/x", nil),
      ("https:///x", nil),
      ("https:x", nil),
      ("ftp://other/x", nil),
      ("javascript:alert(1)", nil),
    ] as [(String, String?)]
  )
  func `a Location is resolved, and secrets stay with their origin`(
    location: String,
    expected: String?
  ) {
    #expect(target(location) == expected)
  }

  @Test func `the default port is the same origin`() {
    var request = HTTPRequest(method: .get, scheme: "http", authority: "host:80", path: "/")
    request.headerFields[.authorization] = "t"
    var answer = HTTPResponse(status: .movedPermanently)
    answer.headerFields[.location] = "http://HOST/x"
    #expect(request.following(answer)?.headerFields[.authorization] == "t")
    answer.headerFields[.location] = "https://host/x"
    let next = request.following(answer)
    #expect(next?.scheme == "https")
    #expect(next?.headerFields[.authorization] == nil)
  }

  @Test(arguments: [300, 301, 302, 303, 304, 305, 306, 307, 308, 200, 201, 404])
  func `five statuses redirect`(status: Int) {
    let follows = target("/x", status: status) != nil
    #expect(follows == [301, 302, 303, 307, 308].contains(status))
  }

  @Test func `only GET and HEAD follow, and only one Location`() {
    #expect(target("/x", method: .head) != nil)
    #expect(target("/x", method: .post) == nil)
    #expect(target("/x", method: .delete) == nil)
    #expect(target(nil) == nil)
    var answer = HTTPResponse(status: .found)
    answer.headerFields.append(HTTPField(name: .location, value: "/x"))
    answer.headerFields.append(HTTPField(name: .location, value: "/y"))
    let request = HTTPRequest(method: .get, scheme: "http", authority: "host", path: "/")
    #expect(request.following(answer) == nil)
  }

  @Test(arguments: Transport.allCases)
  func `a transport follows with the same conditions, without the secret of another origin`(
    transport: Transport
  ) async throws {
    let heads = Mutex<[String]>([])
    let answer = try await LoopbackServer.run { connection in
      heads.withLock { $0.append("") }
      let head = try await connection.readHead() ?? ""
      heads.withLock { $0[$0.count - 1] = head }
      try await connection.write("HTTP/1.1 304 Not Modified\r\nETag: \"r1\"\r\n\r\n")
      await connection.untilClosed()
    } client: { last in
      try await LoopbackServer.run { connection in
        _ = try await connection.readHead()
        try await connection.write(
          "HTTP/1.1 307 Away\r\nLocation: http://\(last.authority)/new\r\nContent-Length: 4\r\n\r\naway"
        )
        await connection.untilClosed()
      } client: { first in
        try await transport.lend { exchange in
          var fields: HTTPFields = [.authorization: "Bearer t", .ifNoneMatch: "\"r1\""]
          if let key = HTTPField.Name("X-Api-Key") { fields[key] = "secret" }
          let request = HTTPRequest.get(first.authority, fields: fields)
          return try await exchange.send(request, timeout: .seconds(30))
        }
      }
    }
    #expect(answer.head.status.code == 304)
    let head = try #require(heads.withLock { $0.first })
    #expect(head.hasPrefix("GET /new HTTP/1.1\r\n"))
    #expect(head.contains("If-None-Match: \"r1\"\r\n"))
    #expect(!head.lowercased().contains("authorization"))
    #expect(!head.lowercased().contains("x-api-key"))
  }

  @Test(arguments: Transport.allCases)
  func `a circle ends with the sixth answer`(transport: Transport) async throws {
    let asked = Mutex(0)
    let answer = try await transport.ask { connection in
      while try await connection.readHead() != nil {
        asked.withLock { $0 += 1 }
        try await connection.write(
          "HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 5\r\n\r\nround"
        )
      }
    }
    #expect(answer.head.status.code == 302)
    #expect(answer.head.headerFields[.location] == "/again")
    #expect(asked.withLock { $0 } == HTTPTransferLimits.redirections + 1)
  }

  @Test(arguments: Transport.allCases, ["http://127.0.0.1:99999/", "http://a b/", "http://[::1/"])
  func `a redirection to what is not an address is an error`(
    transport: Transport,
    location: String
  ) async throws {
    let error = try await transport.failure { connection in
      _ = try await connection.readHead()
      try await connection.write(
        "HTTP/1.1 302 Found\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n"
      )
      await connection.untilClosed()
    }
    #expect(error?.code == .unreachable)
  }

  @Test(arguments: Transport.allCases)
  func `a stream follows too`(transport: Transport) async throws {
    let parts = Mutex<[String]>([])
    try await LoopbackServer.run { connection in
      while let head = try await connection.readHead() {
        if head.hasPrefix("GET /live ") {
          try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nevent")
        } else {
          try await connection.write(
            "HTTP/1.1 303 There\r\nLocation: live\r\nContent-Length: 0\r\n\r\n"
          )
        }
      }
    } client: { server in
      try await transport.lend { exchange in
        try await exchange.stream(.get(server.authority), timeout: .seconds(30)) { part in
          parts.withLock { parts in
            switch part {
            case .head(let head): parts.append("\(head.status.code)")
            case .content(let bytes): parts.append(String(decoding: bytes, as: UTF8.self))
            }
          }
          return .more
        }
      }
    }
    #expect(parts.withLock { $0 } == ["200", "event"])
  }
}
