package import HTTPTypes
import Serving

/// Which clients may talk to the workspaces' part of a server.
///
/// Three rules, all of which have to be kept: `Host` names this server, so that a name that was made to lead
/// here leads nowhere; a page asks of its own origin only; and there is the token, if one is set.
package struct WorkspaceAccess: Sendable {
  /// The token; `nil` asks for none.
  private let token: [UInt8]?
  /// The names of this server, and the pages that may ask.
  private let pages: OriginGuard

  /// The facts about a request.
  package struct Facts: Sendable {
    /// `Host`, or `:authority`.
    package var host: String?
    /// `Origin`.
    package var origin: String?
    /// `Sec-Fetch-Site`.
    package var site: String?
    /// `Authorization`.
    package var authorization: String?
    /// `X-Codespace-Name`, in which clients of the seed system may send the token.
    package var codespace: String?
    /// Whether there is more than one `Host`.
    package var hasMoreHosts = false

    /// Creates facts.
    package init(
      host: String?,
      origin: String? = nil,
      site: String? = nil,
      authorization: String? = nil,
      codespace: String? = nil
    ) {
      self.host = host
      self.origin = origin
      self.site = site
      self.authorization = authorization
      self.codespace = codespace
    }

    /// Reads the facts of a request.
    package init(_ request: HTTPRequest) {
      func field(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { request.headerFields[$0] }
      }
      self.init(
        host: request.authority,
        origin: request.headerFields[.origin],
        site: field("sec-fetch-site"),
        authorization: request.headerFields[.authorization],
        codespace: field("x-codespace-name")
      )
      hasMoreHosts = OriginGuard.hasMoreHosts(request)
    }
  }

  /// Why a request is refused.
  package enum Refusal: Hashable, Sendable {
    /// `Host` names another server, or is missing.
    case host
    /// A page of another origin sent the request.
    case origin
    /// The token is missing or wrong.
    case token
    /// `Host` occurs more than once.
    case hosts
  }

  /// Creates rules.
  ///
  /// - Parameters:
  ///   - token: The bearer token; `nil` asks for none.
  ///   - hosts: The host names that may be asked for, besides those of the machine itself; `nil` for any, which
  ///     is safe with a token or on a Unix socket only.
  ///   - origins: Further origins whose pages may ask.
  package init(token: String?, hosts: Set<String>?, origins: Set<String> = []) {
    self.token = token.map { Array($0.utf8) }
    pages = OriginGuard(hosts: hosts, origins: origins)
  }

  /// The same rules for `Host` and `Origin`, without the token: for what has tokens of its own.
  var withoutToken: WorkspaceAccess { WorkspaceAccess(pages: pages) }

  private init(pages: OriginGuard) {
    token = nil
    self.pages = pages
  }

  /// Examines a request.
  ///
  /// - Returns: Why it is refused; `nil` if it is not.
  package func refusal(_ facts: Facts) -> Refusal? {
    guard !facts.hasMoreHosts else { return .hosts }
    switch pages.refusal(host: facts.host, origin: facts.origin, site: facts.site) {
    case .host: return .host
    case .origin: return .origin
    case .hosts: return .hosts
    case nil: break
    }
    if let token {
      let bearer = facts.authorization.flatMap { BearerToken.token(of: $0) }
      // The name of a codespace counts only without a bearer token.
      guard Self.isEqual(token, bearer ?? facts.codespace ?? "") else { return .token }
    }
    return nil
  }

  /// Compares in a time that depends on the lengths only.
  private static func isEqual(_ left: [UInt8], _ given: String) -> Bool {
    let right = Array(given.utf8)
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
