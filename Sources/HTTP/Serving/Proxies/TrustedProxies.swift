import HTTPTypes
import NIOCore

/// The proxies whose statements about a client count, and the fields that carry them.
///
/// A field that others wrote counts for nothing: any client can send one. Only one of the two fields is read, because a proxy
/// that sets one passes on what its client wrote into the other.
package struct TrustedProxies: Hashable, Sendable {
  /// The field in which proxies name their client.
  package enum Field: String, CaseIterable, Sendable {
    /// `X-Forwarded-For` and `X-Forwarded-Proto`.
    case xForwardedFor = "x-forwarded-for"
    /// `Forwarded` (RFC 7239).
    case forwarded
  }

  /// What is known of the client of a request.
  struct Client: Hashable, Sendable {
    /// Its address; `nil` on a Unix socket.
    var address: IPAddress?
    /// Whether it used HTTPS.
    var isSecure: Bool
  }

  /// The most proxies between a client and the server that are followed.
  package static let mostHops = 16

  private let ranges: [AddressRange]
  private let trustsSocket: Bool
  private let field: Field

  /// Names the proxies.
  ///
  /// - Parameters:
  ///   - ranges: Their addresses.
  ///   - trustsSocket: Whether all that connect to a Unix socket are proxies.
  ///   - field: Where they name their client.
  package init(_ ranges: [AddressRange], trustsSocket: Bool = false, field: Field = .xForwardedFor)
  {
    self.ranges = ranges
    self.trustsSocket = trustsSocket
    self.field = field
  }

  /// Whether no proxy is named.
  package var isEmpty: Bool { ranges.isEmpty && !trustsSocket }

  /// Whether an address is that of a proxy.
  func contains(_ address: IPAddress?) -> Bool {
    guard let address else { return trustsSocket }
    return ranges.contains { $0.contains(address) }
  }

  /// Returns the client of a request: the last address before the proxies, going back from the server.
  ///
  /// What cannot be read ends the walk: the client is then the last one that is known, which may be a proxy.
  ///
  /// - Parameters:
  ///   - peer: Who connected; `nil` on a Unix socket.
  ///   - fields: The fields of the request.
  ///   - isSecure: Whether the connection is TLS.
  /// - Returns: What is known of the client.
  func client(of peer: IPAddress?, _ fields: HTTPFields, isSecure: Bool) -> Client {
    var client = Client(address: peer, isSecure: isSecure)
    guard !isEmpty, contains(peer) else { return client }
    let hops = field == .forwarded ? Self.forwarded(fields) : Self.xForwarded(fields)
    for hop in hops.reversed().prefix(Self.mostHops) {
      if let isSecure = hop.isSecure { client.isSecure = isSecure }
      guard let address = hop.address else { break }
      client.address = address
      guard contains(address) else { break }
    }
    return client
  }

  // MARK: Fields

  /// What a proxy says of the one that connected to it.
  private struct Hop {
    var address: IPAddress?
    var isSecure: Bool?
  }

  private static let forField = HTTPField.Name("x-forwarded-for")
  private static let protoField = HTTPField.Name("x-forwarded-proto")
  private static let forwardedField = HTTPField.Name("forwarded")

  private static func xForwarded(_ fields: HTTPFields) -> [Hop] {
    let addresses = elements(of: fields, forField)
    // One for each hop, or one of the first proxy for all of them.
    let schemes = elements(of: fields, protoField).map { scheme($0) }
    return addresses.enumerated().map { index, text in
      let scheme = schemes.count == addresses.count ? schemes[index] : schemes.first ?? nil
      return Hop(address: node(text), isSecure: scheme)
    }
  }

  private static func elements(of fields: HTTPFields, _ name: HTTPField.Name?) -> [Substring] {
    guard let name else { return [] }
    return fields[values: name].flatMap { value in
      value.split(separator: ",", omittingEmptySubsequences: false).map { trimmed($0) }
    }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }

  private static func scheme(_ text: Substring) -> Bool? {
    switch text.lowercased() {
    case "https", "wss": true
    case "http", "ws": false
    default: nil
    }
  }

  private static func forwarded(_ fields: HTTPFields) -> [Hop] {
    guard let name = forwardedField else { return [] }
    var hops: [Hop] = []
    for value in fields[values: name] {
      guard let read = ForwardedElements(value) else {
        // Nothing before what cannot be read is known.
        hops = [Hop()]
        continue
      }
      hops += read.elements.map { pairs in
        Hop(
          address: pairs["for"].flatMap { node(Substring($0)) },
          isSecure: pairs["proto"].flatMap { scheme(Substring($0)) }
        )
      }
    }
    return hops
  }

  /// Reads an address, perhaps with a port: `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`.
  private static func node(_ text: Substring) -> IPAddress? {
    if text.first == "[" {
      guard let end = text.firstIndex(of: "]") else { return nil }
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || isPort(rest) else { return nil }
      return IPAddress(text[text.index(after: text.startIndex)..<end])
    }
    if text.count(where: { $0 == ":" }) == 1, let colon = text.firstIndex(of: ":") {
      return isPort(text[colon...]) ? IPAddress(text[..<colon]) : nil
    }
    return IPAddress(text)
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.first == ":" && (2...6).contains(text.utf8.count)
      && text.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}

/// The elements of a `Forwarded` field (RFC 7239, section 4): pairs by their names in small letters.
private struct ForwardedElements {
  var elements: [[String: String]] = []

  /// Reads a value; `nil` if it is malformed.
  init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    var pairs: [String: String] = [:]
    func skip() { while let byte = rest.first, byte == 0x20 || byte == 0x09 { rest.removeFirst() } }
    func token() -> String {
      let end = rest.firstIndex { !Self.isToken($0) } ?? rest.endIndex
      defer { rest = rest[end...] }
      return String(decoding: rest[..<end], as: UTF8.self)
    }
    while true {
      skip()
      let name = token().lowercased()
      if !name.isEmpty {
        guard rest.popFirst() == UInt8(ascii: "=") else { return nil }
        let value: String
        if rest.first == UInt8(ascii: "\"") {
          guard let quoted = Self.quoted(&rest) else { return nil }
          value = quoted
        } else {
          value = token()
          guard !value.isEmpty else { return nil }
        }
        guard pairs.updateValue(value, forKey: name) == nil else { return nil }
      }
      skip()
      switch rest.popFirst() {
      case UInt8(ascii: ";"): continue
      case UInt8(ascii: ","):
        elements.append(pairs)
        pairs = [:]
      case nil:
        elements.append(pairs)
        return
      default: return nil
      }
    }
  }

  private static func quoted(_ rest: inout ArraySlice<UInt8>) -> String? {
    rest.removeFirst()
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let next = rest.popFirst() else { return nil }
        bytes.append(next)
      default: bytes.append(byte)
      }
    }
    return nil
  }

  /// Whether a token may contain a byte; a colon and brackets must be quoted, but some proxies do not.
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~:[]".utf8.contains(byte)
    }
  }
}
