import ConditionalHTTP
import HTTPTypes
import Testing

@Suite struct HTTPAddressTests {
  @Test(arguments: [
    ("http://127.0.0.1:8080", "127.0.0.1:8080", ""), ("HTTPS://example.org/", "example.org", ""),
    ("http://[::1]:80/base/", "[::1]:80", "/base"), ("http://box/a/b", "box", "/a/b"),
    ("http://my_box-1.lan", "my_box-1.lan", ""),
  ])
  func `an address is a server and a part of it`(
    text: String,
    authority: String,
    path: String
  )
    throws
  {
    let address = try HTTPAddress(text)
    #expect(address.authority == authority)
    #expect(address.basePath == path)
    #expect(try HTTPAddress(address.description) == address)
  }

  @Test(arguments: [
    "", "box", "box:80", "ftp://box", "http://", "http:///x", "http://box:",
    "http://box:0", "http://box:65536", "http://box:8x", "http://box/?a", "http://box/#a",
    "http://b ox", "http://box/ a", "http://[::1", "http://[]", "http://[::g]", "http://a:b:80",
    "http://bücher", "ws://box", "://box",
  ])
  func `what is not an address is refused`(text: String) {
    let error = #expect(throws: HTTPAddress.Invalid.self) { try HTTPAddress(text) }
    #expect(error?.text == text)
    #expect(error?.description == "\"\(text)\" is not an address like http://127.0.0.1:8080")
  }

  @Test(arguments: [
    ("http://me@box", "http://…@box"), ("https://me:p@ss:w@box/a@b", "https://…@box/a@b"),
    ("me:secret@box", "…@box"),
  ])
  func `credentials are refused and not repeated`(text: String, shown: String) {
    let error = #expect(throws: HTTPAddress.Invalid.self) { try HTTPAddress(typed: text) }
    #expect(
      error?.description == "\"\(shown)\" has credentials; an address is like http://127.0.0.1:8080"
    )
  }

  @Test func `requests begin where the address says, and their parameters mean what they say`()
    throws
  {
    let address = try HTTPAddress("https://example.org/base")
    let request = address.request(
      "/api",
      query: [("q", "a+b & c=d/ü"), ("none", nil), ("since", "2026-01-01T00:00:00+01:00")],
      fields: [.accept: "text/plain"]
    )
    #expect(
      request.path
        == "/base/api?q=a%2Bb%20%26%20c%3Dd%2F%C3%BC&since=2026-01-01T00%3A00%3A00%2B01%3A00"
    )
    #expect(request.scheme == "https")
    #expect(request.authority == "example.org")
    #expect(request.method == .get)
    #expect(request.headerFields[.accept] == "text/plain")
    #expect(try HTTPAddress("http://box").request("").path == "/")
  }
}
