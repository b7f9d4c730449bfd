public import HTTPTypes

extension HTTPField.Name {
  /// Prefer: the client's preferences (RFC 7240 section 2).
  public static let prefer = known("Prefer")
  /// Preference-Applied: the preferences that the server honored (RFC 7240 section 3).
  public static let preferenceApplied = known("Preference-Applied")
  /// Last-Event-ID: the last event of a stream that the client has (WHATWG HTML).
  public static let lastEventID = known("Last-Event-ID")
  /// Idempotency-Key: identifies repetitions of one request.
  public static let idempotencyKey = known("Idempotency-Key")

  static let contentMD5 = known("Content-MD5")
  static let keepAlive = known("Keep-Alive")
  static let proxyConnection = known("Proxy-Connection")

  /// Returns the name of a field that is known to be valid, not one from untrusted input.
  package static func known(_ name: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else { preconditionFailure("not a token: \(name)") }
    return name
  }
}
