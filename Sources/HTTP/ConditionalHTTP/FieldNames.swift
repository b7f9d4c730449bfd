public import HTTPTypes

extension HTTPField.Name {
  /// Prefer: how a client would like to be answered (RFC 7240 section 2).
  public static let prefer = known("Prefer")
  /// Preference-Applied: which preferences a server honoured (RFC 7240 section 3).
  public static let preferenceApplied = known("Preference-Applied")
  /// Last-Event-ID: up to which event a client has a stream (WHATWG HTML).
  public static let lastEventID = known("Last-Event-ID")
  /// Idempotency-Key: which request this one repeats.
  public static let idempotencyKey = known("Idempotency-Key")

  static let contentMD5 = known("Content-MD5")
  static let keepAlive = known("Keep-Alive")
  static let proxyConnection = known("Proxy-Connection")

  /// A name that is written here, not one that came from outside.
  package static func known(_ name: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else { preconditionFailure("not a token: \(name)") }
    return name
  }
}
