/// An entity tag, the validator of a representation (RFC 9110 section 8.8.3).
public struct EntityTag: Hashable, Sendable, CustomStringConvertible {
  /// The characters between the quotes.
  public let opaque: String
  /// Whether the tag promises equal meaning only, not equal bytes.
  public let isWeak: Bool

  /// Creates a tag.
  ///
  /// - Parameter opaque: Visible ASCII without quotes.
  public init(_ opaque: String, isWeak: Bool = false) {
    self.opaque = opaque
    self.isWeak = isWeak
  }

  /// The tag as it stands in an ETag field.
  public var description: String { (isWeak ? "W/" : "") + "\"" + opaque + "\"" }

  /// Whether an If-None-Match field names the tag, by weak comparison (RFC 9110 section 13.1.2).
  ///
  /// - Parameter field: The field's value: `*`, or tags separated by commas.
  public func matches(ifNoneMatch field: String) -> Bool {
    var rest = field[...]
    while let start = rest.firstIndex(where: { $0 != " " && $0 != "," && $0 != "\t" }) {
      rest = rest[start...]
      if rest.first == "*" { return true }
      if rest.hasPrefix("W/") { rest = rest.dropFirst(2) }
      guard rest.first == "\"" else { return false }
      rest = rest.dropFirst()
      guard let end = rest.firstIndex(of: "\"") else { return false }
      if rest[..<end] == opaque { return true }
      rest = rest[rest.index(after: end)...]
    }
    return false
  }
}
