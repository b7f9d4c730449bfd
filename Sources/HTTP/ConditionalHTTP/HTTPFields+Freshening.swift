public import HTTPTypes

extension HTTPFields {
  /// Updates the fields of a stored response from a 304 (RFC 9111 sections 3.2 and 4.3.4).
  ///
  /// Every field of the 304 replaces all stored fields of its name, or is added. These are not
  /// changed:
  /// - Content-Length, as the RFC requires;
  /// - Content-Encoding, Content-MD5, Content-Range and Content-Type, because the stored content is
  ///   already decoded (RFC 9111 section 3.2 allows it);
  /// - fields of the connection or of a proxy: Connection and the fields it names, Keep-Alive,
  ///   Proxy-Connection, TE, Transfer-Encoding, Upgrade, Proxy-Authenticate,
  ///   Proxy-Authentication-Info, Proxy-Authorization (RFC 9111 section 3.1).
  ///
  /// A 304 without Age or Date keeps the stored ones; for the age of the confirmed response use the
  /// 304's own fields (``ResponseAge``).
  ///
  /// - Parameter notModified: The fields of the 304.
  public mutating func freshen(from notModified: HTTPFields) {
    let kept = Self.keptFields.union(Self.connectionFields(notModified))
    var seen: Set<HTTPField.Name> = []
    for field in notModified where !kept.contains(field.name) {
      guard seen.insert(field.name).inserted else { continue }
      self[fields: field.name] = notModified[fields: field.name]
    }
  }

  private static let keptFields: Set<HTTPField.Name> = [
    .contentLength, .contentEncoding, .contentMD5, .contentRange, .contentType, .connection,
    .keepAlive, .proxyConnection, .te, .transferEncoding, .upgrade, .proxyAuthenticate,
    .proxyAuthenticationInfo, .proxyAuthorization,
  ]

  private static func connectionFields(_ fields: HTTPFields) -> [HTTPField.Name] {
    var scanner = FieldScanner(fields[.connection] ?? "")
    var names: [HTTPField.Name] = []
    scanner.skipListSeparators()
    while !scanner.isAtEnd {
      if let name = scanner.token().flatMap({ HTTPField.Name($0) }) { names.append(name) }
      scanner.skipElement()
      scanner.skipListSeparators()
    }
    return names
  }
}
