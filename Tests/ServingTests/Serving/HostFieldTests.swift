import HTTPTypes
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import Serving

@Suite struct `The host of a request` {
  @Test(arguments: [
    "", "localhost", "localhost:", "localhost:8080", "Box.Example", "a_b-c.d~e", "127.0.0.1:1",
    "[::1]",
    "[::1]:80", "[fe80::1%25eth0]", "%41.example", "xn--bcher-kva.example", "a,b;c=d",
  ])
  func `is a name or an address, with a port or without`(_ text: String) {
    #expect(HostField.isValid(text))
  }

  @Test(arguments: [
    "a b", "a/", "http://a", "me@a", "a:x", "a:80:80", "::1", "[::1", "[::1]x", "[]", "[a/b]", "%4",
    "%zz",
    "a\u{e9}", "a\"b", "a#b", "a?b", "a\\b", HostField.missing,
  ])
  func `is nothing else`(_ text: String) {
    #expect(!HostField.isValid(text))
  }

  @Test func `appears once, and may be missing`() {
    var request = HTTPRequest(method: .get, scheme: "http", authority: nil, path: "/")
    #expect(HostField.isSound(request))
    request.authority = "a"
    #expect(HostField.isSound(request))
    request.headerFields[HTTPField.Name("host") ?? .accept] = "a"
    #expect(!HostField.isSound(request))
  }

  private func reviewed(_ version: HTTPVersion, _ fields: HTTPHeaders) throws -> HTTPHeaders? {
    let channel = EmbeddedChannel(handler: HeadReview())
    let head = HTTPRequestHead(version: version, method: .GET, uri: "/", headers: fields)
    try channel.writeInbound(HTTPServerRequestPart.head(head))
    guard case .head(let seen)? = try channel.readInbound(as: HTTPServerRequestPart.self) else {
      return nil
    }
    return seen.headers
  }

  @Test func `may be missing in HTTP 1.0 only`() throws {
    #expect(try reviewed(.http1_0, [:]) == ["Connection": "close"])
    #expect(try reviewed(.http1_1, [:]) == ["Host": HostField.missing])
    #expect(try reviewed(.http1_1, ["host": "a"]) == ["host": "a"])
  }

  @Test func `HTTP 1.0 does not wait for 100-continue`() throws {
    let fields: HTTPHeaders = ["Host": "a", "Expect": "100-continue"]
    #expect(try reviewed(.http1_0, fields) == ["Host": "a", "Connection": "close"])
    #expect(try reviewed(.http1_1, fields) == fields)
  }
}
