package import HTTPTypes
package import Hummingbird

/// Decides which requests of browsers are answered by a server that performs actions.
///
/// Two rules, and both must hold: `Host` names this server, which defeats DNS rebinding; and a page sends requests to
/// its own origin only. A request with more than one `Host` is invalid (RFC 9112, section 3.2).
package struct OriginGuard: Sendable {
  /// Why a request is refused.
  package enum Refusal: Hashable, Sendable {
    /// `Host` names another server, or is missing.
    case host
    /// A page of another origin sent the request.
    case origin
    /// `Host` occurs more than once, or is invalid.
    case hosts

    /// The answer: 421, 403 or 400.
    package var problem: Problem {
      switch self {
      case .host:
        Problem(
          .misdirectedRequest,
          "host_forbidden",
          detail: "Host does not name this server; allow it with --allow-host"
        )
      case .origin:
        Problem(.forbidden, "origin_forbidden", detail: "pages of other origins may not ask")
      case .hosts:
        Problem(.badRequest, "invalid_host", detail: "a request has one Host, and a valid one")
      }
    }
  }

  /// The names of the machine itself.
  package static let loopbackHosts: Set<String> = ["localhost", "127.0.0.1", "[::1]"]

  private static let siteField = HTTPField.Name("sec-fetch-site")

  /// The host names that may be asked for, in small letters; `nil` for any.
  private let hosts: Set<String>?
  /// Further origins whose pages may ask.
  private let origins: Set<String>

  /// Creates rules.
  ///
  /// - Parameters:
  ///   - hosts: The host names that may be asked for, besides those of the machine itself; `nil` for any, which
  ///     is safe with a token or on a Unix socket only.
  ///   - origins: Further origins whose pages may ask.
  package init(hosts: Set<String>?, origins: Set<String> = []) {
    self.hosts = hosts.map { Self.loopbackHosts.union($0.map { $0.lowercased() }) }
    self.origins = origins
  }

  /// Examines a request.
  ///
  /// - Parameters:
  ///   - host: `Host`, or `:authority`.
  ///   - origin: `Origin`.
  ///   - site: `Sec-Fetch-Site`.
  /// - Returns: Why it is refused; `nil` if it is not.
  package func refusal(host: String?, origin: String?, site: String?) -> Refusal? {
    if let hosts {
      guard let name = host.flatMap({ Self.name($0) }), hosts.contains(name) else {
        return .host
      }
    }
    if let origin {
      let own = host.map { ["http://\($0)", "https://\($0)"] } ?? []
      guard own.contains(origin) || origins.contains(origin) else { return .origin }
    } else if let site, site != "same-origin", site != "none" {
      return .origin
    }
    return nil
  }

  /// Examines a request.
  ///
  /// - Returns: Why it is refused; `nil` if it is not.
  package func refusal(_ request: HTTPRequest) -> Refusal? {
    guard HostField.isSound(request) else { return .hosts }
    return refusal(
      host: request.authority,
      origin: request.headerFields[.origin],
      site: Self.siteField.flatMap { request.headerFields[$0] }
    )
  }

  /// Whether a request has a `Host` beside the one that is its authority.
  package static func hasMoreHosts(_ request: HTTPRequest) -> Bool {
    HostField.isRepeated(request)
  }

  /// The host name in a `Host` field without its port, in lowercase; `nil` if the field is invalid.
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
}

/// Lets only those requests in that an ``OriginGuard`` does not refuse.
///
/// It is attached to the routes themselves, so that no spelling of a path bypasses it.
package struct OriginGuardMiddleware<Context: RequestContext>: RouterMiddleware {
  private let rules: OriginGuard

  /// Creates the middleware.
  package init(_ rules: OriginGuard) { self.rules = rules }

  @concurrent
  package func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    if let refusal = rules.refusal(request.head) { throw refusal.problem }
    return try await next(request, context)
  }
}
