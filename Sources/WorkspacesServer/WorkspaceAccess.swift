/// Who may talk to the workspaces' part of a server.
///
/// Three rules, all of which have to be kept: `Host` names this server, so that a name that was made to lead
/// here leads nowhere; a page asks of its own origin only; and there is the token, if one is set.
package struct WorkspaceAccess: Sendable {
  /// The token; `nil` asks for none.
  private let token: [UInt8]?
  /// The host names that may be asked for, in small letters; `nil` for any.
  private let hosts: Set<String>?
  /// Further origins whose pages may ask.
  private let origins: Set<String>

  /// What is known of the request that asks.
  package struct Facts: Sendable {
    /// `Host`, or `:authority`.
    package var host: String?
    /// `Origin`.
    package var origin: String?
    /// `Sec-Fetch-Site`.
    package var site: String?
    /// `Authorization`.
    package var authorization: String?

    /// Creates facts.
    package init(
      host: String?,
      origin: String? = nil,
      site: String? = nil,
      authorization: String? = nil
    ) {
      self.host = host
      self.origin = origin
      self.site = site
      self.authorization = authorization
    }
  }

  /// Why a request is refused.
  package enum Refusal: Hashable, Sendable {
    /// `Host` names another server, or nothing.
    case host
    /// A page of another origin asks.
    case origin
    /// There is no token, or a wrong one.
    case token
  }

  /// The names of the machine itself.
  package static let loopbackHosts: Set<String> = ["localhost", "127.0.0.1", "[::1]"]

  /// Creates rules.
  ///
  /// - Parameters:
  ///   - token: The bearer token; `nil` asks for none.
  ///   - hosts: The host names that may be asked for, besides those of the machine itself; `nil` for any, which
  ///     is safe with a token or on a Unix socket only.
  ///   - origins: Further origins whose pages may ask.
  package init(token: String?, hosts: Set<String>?, origins: Set<String> = []) {
    self.token = token.map { Array($0.utf8) }
    self.hosts = hosts.map { Self.loopbackHosts.union($0.map { $0.lowercased() }) }
    self.origins = origins
  }

  /// Looks at a request.
  ///
  /// - Returns: Why it is refused; `nil` if it is not.
  package func refusal(_ facts: Facts) -> Refusal? {
    if let hosts {
      guard let name = facts.host.flatMap({ Self.name($0) }), hosts.contains(name) else {
        return .host
      }
    }
    if let origin = facts.origin {
      let own = facts.host.map { ["http://\($0)", "https://\($0)"] } ?? []
      guard own.contains(origin) || origins.contains(origin) else { return .origin }
    } else if let site = facts.site, site != "same-origin", site != "none" {
      return .origin
    }
    if let token {
      let given = facts.authorization.flatMap { Self.bearer($0) } ?? []
      guard Self.isEqual(token, given) else { return .token }
    }
    return nil
  }

  /// The name of a `Host` field without its port, in small letters; nothing if it is none.
  static func name(_ host: String) -> String? {
    let host = host.lowercased()
    if host.hasPrefix("[") {
      guard let end = host.firstIndex(of: "]") else { return nil }
      let port = host[host.index(after: end)...]
      return port.isEmpty || isPort(port) ? String(host[...end]) : nil
    }
    guard let colon = host.firstIndex(of: ":") else { return host.isEmpty ? nil : host }
    return colon != host.startIndex && isPort(host[colon...]) ? String(host[..<colon]) : nil
  }

  private static func isPort(_ text: Substring) -> Bool {
    text.first == ":" && text.dropFirst().utf8.allSatisfy { (0x30...0x39).contains($0) }
      && text.utf8.count <= 6
  }

  private static func bearer(_ field: String) -> [UInt8]? {
    let parts = field.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    var value = parts[1]
    while value.last == " " { value.removeLast() }
    return Array(value.utf8)
  }

  /// Compares in a time that depends on the lengths only.
  private static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
