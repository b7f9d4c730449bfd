import HTTPTypes
import Testing

@testable import Serving

@Suite struct TrustedProxiesTests {
  private func address(_ text: String) -> IPAddress? { IPAddress(text) }

  private func proxies(
    _ ranges: String...,
    field: TrustedProxies.Field = .xForwardedFor
  ) -> TrustedProxies {
    TrustedProxies(ranges.compactMap { AddressRange($0) }, field: field)
  }

  private func fields(_ pairs: [(String, String)]) throws -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in pairs {
      fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
    }
    return fields
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
    ("192.0.2.1", "192.0.2.1", true), ("192.0.2.1", "192.0.2.2", false),
    ("192.0.2.128/25", "192.0.2.129", true), ("192.0.2.128/25", "192.0.2.127", false),
    ("192.0.2.0/31", "192.0.2.1", true), ("2001:db8::/32", "2001:db8:1::1", true),
    ("2001:db8::/32", "2001:db9::1", false), ("::1", "::1", true), ("::1", "127.0.0.1", false),
    ("127.0.0.0/8", "::ffff:127.0.0.1", true), ("fe80::/10", "fe80::1", true),
    ("fe80::/10", "fec0::1", false),
  ])
  func `A range contains its addresses`(_ text: String, _ other: String, _ isIn: Bool) throws {
    let range = try #require(AddressRange(text))
    #expect(range.contains(try #require(address(other))) == isIn)
  }

  @Test(arguments: [
    "", "/8", "10.0.0.0/", "10.0.0.0/0", "10.0.0.0/33", "10.0.0.1/8", "::/129", "::/0", "a.example",
    "10.0.0.0/8/8", "10.0.0.0/+8", "10.0.0.0/08888", "10.0.0", "::1%lo", " 10.0.0.1", "[::1]",
  ])
  func `What is not a range is refused`(_ text: String) { #expect(AddressRange(text) == nil) }

  @Test(arguments: [
    // The proxy names its client.
    ("10.0.0.1", ["203.0.113.7"], "203.0.113.7"),
    // What a client wrote before counts for nothing.
    ("10.0.0.1", ["1.1.1.1, 203.0.113.7"], "203.0.113.7"),
    ("10.0.0.1", ["1.1.1.1", "203.0.113.7"], "203.0.113.7"),
    // Two proxies.
    ("10.0.0.1", ["1.1.1.1, 203.0.113.7, 10.0.0.2"], "203.0.113.7"),
    // All of them are proxies: the first one asked.
    ("10.0.0.1", ["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
    // From elsewhere: nothing counts.
    ("203.0.113.9", ["1.1.1.1"], "203.0.113.9"),
    ("10.0.0.1", [], "10.0.0.1"),
    // What cannot be read ends the walk.
    ("10.0.0.1", ["203.0.113.7, unknown"], "10.0.0.1"),
    ("10.0.0.1", ["203.0.113.7, nonsense, 10.0.0.2"], "10.0.0.2"),
    ("10.0.0.1", [""], "10.0.0.1"), ("10.0.0.1", ["203.0.113.7,"], "10.0.0.1"),
    ("10.0.0.1", ["203.0.113.7:4711"], "203.0.113.7"),
    ("10.0.0.1", ["[2001:db8::1]:4711"], "2001:db8::1"),
    ("10.0.0.1", ["2001:db8::1"], "2001:db8::1"),
    ("10.0.0.1", ["[2001:db8::1"], "10.0.0.1"), ("10.0.0.1", ["203.0.113.7:x"], "10.0.0.1"),
    ("10.0.0.1", ["::ffff:203.0.113.7"], "203.0.113.7"),
  ])
  func `X-Forwarded-For is followed back`(
    _ peer: String,
    _ values: [String],
    _ wanted: String
  ) throws {
    let fields = try fields(values.map { ("X-Forwarded-For", $0) } + [("Forwarded", "for=9.9.9.9")])
    let client = proxies("10.0.0.0/8").client(of: address(peer), fields, isSecure: false)
    #expect(client.address == address(wanted))
  }

  @Test(arguments: [
    ("for=203.0.113.7", "203.0.113.7"), ("For=\"203.0.113.7:80\";proto=https", "203.0.113.7"),
    ("for=\"[2001:db8::1]:80\"", "2001:db8::1"),
    ("for=1.1.1.1, for=203.0.113.7;by=10.0.0.1", "203.0.113.7"),
    ("for=1.1.1.1,for=10.0.0.2", "1.1.1.1"), ("for=_hidden", "10.0.0.1"),
    ("for=unknown", "10.0.0.1"),
    ("for=\"203.0.113.7", "10.0.0.1"), ("for=1.1.1.1;for=2.2.2.2", "10.0.0.1"), ("", "10.0.0.1"),
    ("for", "10.0.0.1"), ("for=\"203.0.113\\.7\"", "203.0.113.7"),
    (";;for=203.0.113.7;;", "203.0.113.7"),
  ])
  func `Forwarded is followed back`(_ value: String, _ wanted: String) throws {
    let fields = try fields([("Forwarded", value), ("X-Forwarded-For", "9.9.9.9")])
    let proxies = proxies("10.0.0.0/8", field: .forwarded)
    #expect(
      proxies.client(of: address("10.0.0.1"), fields, isSecure: false).address == address(wanted)
    )
  }

  @Test func `The protocol is that of the client`() throws {
    let proxies = proxies("10.0.0.0/8")
    let peer = address("10.0.0.1")
    let plain = try fields([("X-Forwarded-For", "203.0.113.7"), ("X-Forwarded-Proto", "http")])
    #expect(!proxies.client(of: peer, plain, isSecure: true).isSecure)
    let secure = try fields([("X-Forwarded-For", "203.0.113.7"), ("X-Forwarded-Proto", "https")])
    #expect(proxies.client(of: peer, secure, isSecure: false).isSecure)
    #expect(!proxies.client(of: address("203.0.113.9"), secure, isSecure: false).isSecure)
    let several = try fields([
      ("X-Forwarded-For", "203.0.113.7, 10.0.0.2"), ("X-Forwarded-Proto", "https, http"),
    ])
    #expect(proxies.client(of: peer, several, isSecure: false).isSecure)
  }

  @Test func `A socket is a proxy only if it is named`() throws {
    let fields = try fields([("X-Forwarded-For", "203.0.113.7")])
    #expect(proxies("10.0.0.0/8").client(of: nil, fields, isSecure: false).address == nil)
    let named = TrustedProxies([], trustsSocket: true)
    #expect(named.client(of: nil, fields, isSecure: false).address == address("203.0.113.7"))
  }

  @Test func `No more hops than the limit are followed`() throws {
    let hops = (0..<100).map { "10.0.1.\($0)" }
    let fields = try fields([("X-Forwarded-For", (["203.0.113.7"] + hops).joined(separator: ", "))])
    let client = proxies("10.0.0.0/8").client(of: address("10.0.0.1"), fields, isSecure: false)
    #expect(client.address == address("10.0.1.\(100 - TrustedProxies.mostHops)"))
  }
}
