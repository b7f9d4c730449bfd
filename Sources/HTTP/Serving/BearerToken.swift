/// The token of an `Authorization` field.
package enum BearerToken {
  /// Reads a field: the scheme in any case, one or more spaces, the token (RFC 9110, section 11.4; RFC 6750).
  ///
  /// - Returns: The token; `nil` if the scheme is not `Bearer` or the token is missing.
  package static func token(of field: String) -> String? {
    guard let space = field.firstIndex(of: " "), field[..<space].lowercased() == "bearer" else {
      return nil
    }
    var token = field[space...].drop { $0 == " " }
    while token.last == " " || token.last == "\t" { token.removeLast() }
    return token.isEmpty ? nil : String(token)
  }
}
