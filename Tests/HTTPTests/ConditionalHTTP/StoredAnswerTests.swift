import ConditionalHTTP
import HTTPTypes
import Testing

@Suite struct StoredAnswerTests {
  @Test func `a 304 replaces, adds and leaves`() {
    var stored: HTTPFields = [
      .date: "Sun, 06 Nov 1994 08:49:37 GMT", .cacheControl: "max-age=1", .eTag: "\"a\"",
      .contentType: "application/json", .contentLength: "42", .contentEncoding: "gzip",
      .contentRange: "bytes 0-1/2", .server: "x", .vary: "Accept",
    ]
    stored.freshen(from: [
      .date: "Sun, 06 Nov 1994 08:50:37 GMT", .cacheControl: "max-age=5", .eTag: "W/\"a\"",
      .contentType: "text/plain", .contentLength: "0", .contentEncoding: "br",
      .contentRange: "bytes 5-6/7", .age: "3", .expires: "0",
    ])
    #expect(
      stored == [
        .date: "Sun, 06 Nov 1994 08:50:37 GMT", .cacheControl: "max-age=5", .eTag: "W/\"a\"",
        .contentType: "application/json", .contentLength: "42", .contentEncoding: "gzip",
        .contentRange: "bytes 0-1/2", .server: "x", .vary: "Accept", .age: "3", .expires: "0",
      ]
    )
  }

  @Test func `all lines of a field are replaced together`() {
    var stored = HTTPFields()
    stored.append(HTTPField(name: .vary, value: "A"))
    stored.append(HTTPField(name: .vary, value: "B"))
    stored.append(HTTPField(name: .setCookie, value: "a=1"))
    var fresh = HTTPFields()
    fresh.append(HTTPField(name: .vary, value: "C"))
    fresh.append(HTTPField(name: .setCookie, value: "a=2"))
    fresh.append(HTTPField(name: .setCookie, value: "b=3"))
    stored.freshen(from: fresh)
    #expect(stored[values: .vary] == ["C"])
    #expect(stored[values: .setCookie] == ["a=2", "b=3"])
  }

  @Test func `what belongs to the connection is not stored`() throws {
    let own = try #require(HTTPField.Name("X-Hop"))
    let keepAlive = try #require(HTTPField.Name("Keep-Alive"))
    var stored: HTTPFields = [.eTag: "\"a\""]
    stored.freshen(from: [
      .connection: "close, x-hop", own: "1", keepAlive: "timeout=5", .te: "trailers",
      .transferEncoding: "chunked", .upgrade: "h2c", .proxyAuthenticate: "Basic",
      .proxyAuthorization: "Basic x", .proxyAuthenticationInfo: "x",
    ])
    #expect(stored == [.eTag: "\"a\""])
  }

  @Test(
    arguments: [
      ("", .fields([])),
      ("*", .any),
      ("Accept, *", .any),
      ("accept-encoding , ,Accept,ACCEPT", .fields([.acceptEncoding, .accept])),
      ("a b", .any),
      ("é", .any),
    ] as [(String, Vary)]
  )
  func `what decides is read`(field: String, vary: Vary) {
    #expect(Vary(parsing: field) == vary)
  }

  @Test(arguments: [
    ("", "de", "fr", true),
    ("*", "de", "de", false),
    ("Accept-Language", "de", "de", true),
    ("Accept-Language", "de", "fr", false),
    ("Accept-Language", "de", "DE", false),
    ("Accept-Language", "de , fr", " de,fr ", true),
    ("Accept-Language", "de, fr", "fr, de", false),
    ("Accept-Language, Accept", "de", "de", true),
    ("Accept", "de", "fr", true),
  ])
  func `an answer may be used for another request`(
    vary: String,
    presented: String,
    original: String,
    isAllowed: Bool
  ) {
    let vary = Vary(parsing: vary)
    let presented: HTTPFields = [.acceptLanguage: presented]
    #expect(vary.allowsUse(for: presented, original: [.acceptLanguage: original]) == isAllowed)
  }

  @Test func `a missing field is not an empty one, and lines are joined`() {
    let vary = Vary(fields: [.vary: "Accept-Language"])
    #expect(vary.allowsUse(for: [:], original: [:]))
    #expect(!vary.allowsUse(for: [.acceptLanguage: ""], original: [:]))
    #expect(!vary.allowsUse(for: [:], original: [.acceptLanguage: "de"]))
    var lines = HTTPFields()
    lines.append(HTTPField(name: .acceptLanguage, value: "de"))
    lines.append(HTTPField(name: .acceptLanguage, value: "fr"))
    #expect(vary.allowsUse(for: lines, original: [.acceptLanguage: "de,fr"]))
    #expect(Vary(fields: [:]) == .fields([]))
    #expect(vary.description == "Accept-Language")
    #expect(Vary.any.description == "*")
  }
}
