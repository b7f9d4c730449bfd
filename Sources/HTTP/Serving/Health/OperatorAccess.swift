package import HTTPTypes

/// Decides which requests are those of operators, who may see what a server depends on.
///
/// With a token, those that carry it. Without one, those that come from this machine under a name of it, and not through a
/// proxy: a proxy on the same machine passes on requests of strangers, and a page can only ask under the name that it was
/// loaded by.
package struct OperatorAccess: Sendable {
  /// The fewest and the most bytes of a token.
  package static let tokenBytes = 16...4_096

  private let token: [UInt8]?

  private static let proxyFields = ["forwarded", "x-forwarded-for", "x-real-ip", "via"]
    .compactMap { HTTPField.Name($0) }

  /// Creates the rules.
  ///
  /// - Parameter token: The token; `nil` for none.
  package init(token: String?) { self.token = token.map { Array($0.utf8) } }

  /// Whether a request is one of an operator.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - isLocal: Whether the peer of the connection is on this machine.
  /// - Returns: Whether it may see everything.
  package func allows(_ request: HTTPRequest, isLocal: Bool) -> Bool {
    if let token {
      let given = request.headerFields[.authorization].flatMap { BearerToken.token(of: $0) } ?? ""
      return Self.isEqual(token, Array(given.utf8))
    }
    guard isLocal, !Self.proxyFields.contains(where: { request.headerFields.contains($0) }) else {
      return false
    }
    return OriginGuard(hosts: []).refusal(request) == nil
  }

  /// Compares in a time that depends on the lengths only.
  private static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
