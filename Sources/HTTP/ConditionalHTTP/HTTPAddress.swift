public import HTTPTypes

/// The base URL of an HTTP server, or of a part of it.
public struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
  /// The string is not a valid address.
  public struct Invalid: Error, Hashable, Sendable, CustomStringConvertible {
    /// The string.
    public var text: String

    /// A readable description of the problem, without credentials.
    public var description: String {
      let shown = HTTPAddress.hidingCredentials(in: text)
      let problem = shown == text ? "is not an address" : "has credentials; an address is"
      return "\"\(shown)\" \(problem) like http://127.0.0.1:8080"
    }
  }

  /// `http` or `https`.
  public let scheme: String
  /// The host, and the port if there is one.
  public let authority: String
  /// The prefix of every path, without a trailing slash; empty for a whole server.
  public let basePath: String

  /// Reads an address.
  ///
  /// - Parameter text: The address, such as `http://127.0.0.1:8080` or `https://example.org/boards`.
  /// - Throws: ``Invalid`` if the address is not valid, or has credentials, a query or a fragment.
  public init(_ text: String) throws(Invalid) {
    guard let mark = text.firstRange(of: "://") else { throw Invalid(text: text) }
    let scheme = text[..<mark.lowerBound].lowercased()
    let rest = text[mark.upperBound...]
    let host = rest.prefix { $0 != "/" }
    var path = rest[host.endIndex...]
    while path.last == "/" { path.removeLast() }
    guard scheme == "http" || scheme == "https", Self.isAuthority(host),
      path.utf8.allSatisfy({ Self.isVisible($0) && $0 != 0x3F && $0 != 0x23 })
    else { throw Invalid(text: text) }
    self.scheme = scheme
    authority = String(host)
    basePath = String(path)
  }

  /// Reads an address as people type it: without a scheme it is http.
  ///
  /// - Parameter text: The address, such as `localhost:8080`.
  /// - Throws: ``Invalid`` with the text as it was typed.
  package init(typed text: String) throws(Invalid) {
    guard !text.contains("://") else {
      self = try HTTPAddress(text)
      return
    }
    do throws(Invalid) {
      self = try HTTPAddress("http://" + text)
    } catch {
      throw Invalid(text: text)
    }
  }

  /// The address.
  public var description: String { "\(scheme)://\(authority)\(basePath)" }

  /// Returns a request to the server.
  ///
  /// - Parameters:
  ///   - path: The path below the base path, such as `/api/stationboard`.
  ///   - method: The method.
  ///   - query: The parameters; those without a value are omitted.
  ///   - fields: The header fields.
  /// - Returns: The request.
  public func request(
    _ path: String,
    method: HTTPRequest.Method = .get,
    query: [(String, String?)] = [],
    fields: HTTPFields = [:]
  ) -> HTTPRequest {
    var target = basePath + path
    var separator = "?"
    for (name, value) in query {
      guard let value else { continue }
      target += "\(separator)\(Self.encoded(name))=\(Self.encoded(value))"
      separator = "&"
    }
    return HTTPRequest(
      method: method,
      scheme: scheme,
      authority: authority,
      path: target.isEmpty ? "/" : target,
      headerFields: fields
    )
  }

  /// Returns a part of a query with everything but unreserved characters percent-encoded (RFC 3986
  /// section 2).
  public static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
      default: bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns a text for errors that is or should be an address: what may be a user and a password is left out.
  package static func hidingCredentials(in text: String) -> String {
    let scheme = text.firstRange(of: "://")
    let start = scheme?.upperBound ?? text.startIndex
    let authority = text[start...].prefix { !(scheme == nil ? "?#" : "/?#").contains($0) }
    guard let end = authority.lastIndex(of: "@") else { return text }
    return text[..<start] + "…" + text[end...]
  }

  // MARK: The parts (RFC 3986 section 3.2)

  /// Whether the host is this machine, by its usual names.
  package var isLocal: Bool { Self.isLocal(authority) }

  /// Whether the host of an authority, such as `[::1]:8080`, is this machine, by its usual names.
  package static func isLocal(_ authority: String) -> Bool {
    let host =
      authority.first == "["
      ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
    return isLoopback(String(host))
  }

  /// Whether a host, without brackets, is a loopback address or `localhost`.
  package static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }

  private static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

  private static func isAuthority(_ text: Substring) -> Bool {
    var host = text.utf8
    if host.first == UInt8(ascii: "[") {
      guard let end = host.firstIndex(of: UInt8(ascii: "]")) else { return false }
      let address = host[..<end].dropFirst()
      let isWritten = address.allSatisfy { isHexadecimal($0) || $0 == 0x3A || $0 == 0x2E }
      return !address.isEmpty && isWritten && isPort(host[host.index(after: end)...])
    }
    let name = host.prefix { isName($0) }
    host = host[name.endIndex...]
    return !name.isEmpty && isPort(host)
  }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }

  /// Returns whether a string is empty, or a colon with a port.
  private static func isPort(_ text: Substring.UTF8View) -> Bool {
    guard let first = text.first else { return true }
    let digits = text.dropFirst()
    guard first == UInt8(ascii: ":"), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return false
    }
    return Int(Substring(digits)).map { (1...65_535).contains($0) } ?? false
  }
}
