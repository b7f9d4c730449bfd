package import HTTPTypes

/// The mark of a request with a sound opening handshake (RFC 6455 section 4.2.1) that was refused.
///
/// ``UpgradeFilter`` removes `Upgrade` from each request that it does not upgrade. The endpoint that answers such a request
/// tells by the mark whether a ``WebSocketAuthorizer`` was asked: that is so for the first request of a connection only.
/// Clients have no use for the field: one that sends it may get the wrong reason.
package enum RefusedHandshake {
  static let field = "x-freshet-handshake-refused"
  private static let name = HTTPField.Name(field)

  /// Whether a request is one.
  package static func isMarked(_ request: HTTPRequest) -> Bool {
    name.map { request.headerFields.contains($0) } ?? false
  }
}
