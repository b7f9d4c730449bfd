public import HTTPTypes

/// The value of a Vary field: the parts of a request that determine the response (RFC 9110 section
/// 12.5.5).
public enum Vary: Hashable, Sendable, CustomStringConvertible {
  /// `*`: the response depends on more than the request.
  case any
  /// The response depends on the named fields; without names, on none.
  case fields([HTTPField.Name])

  /// Reads the value of a field; never fails.
  ///
  /// A `*` anywhere makes it ``any``; so does an element that is not a field name, because its
  /// meaning is not known.
  public init(parsing field: some StringProtocol) {
    var scanner = FieldScanner(field)
    var names: [HTTPField.Name] = []
    var seen: Set<HTTPField.Name> = []
    scanner.skipListSeparators()
    while !scanner.isAtEnd {
      guard let token = scanner.token(), token != "*", let name = HTTPField.Name(token) else {
        self = .any
        return
      }
      if seen.insert(name).inserted { names.append(name) }
      scanner.skipWhitespace()
      guard scanner.isAtEnd || scanner.next == UInt8(ascii: ",") else {
        self = .any
        return
      }
      scanner.skipListSeparators()
    }
    self = .fields(names)
  }

  /// Reads the Vary fields of a response; without one, the response depends on no fields.
  public init(fields: HTTPFields) {
    self.init(parsing: fields[.vary] ?? "")
  }

  /// Returns whether a response to one request may be used for another one (RFC 9111 section 4.1).
  ///
  /// The named fields must be missing in both requests or be equal in both. Several lines of a
  /// field are one value, and whitespace around it and around commas is ignored.
  ///
  /// - Parameters:
  ///   - presented: The fields of the new request.
  ///   - original: The fields of the request that the response was for.
  /// - Returns: Whether the response may be used.
  public func allowsUse(for presented: HTTPFields, original: HTTPFields) -> Bool {
    switch self {
    case .any: false
    case .fields(let names):
      names.allSatisfy { Self.normalized(presented, $0) == Self.normalized(original, $0) }
    }
  }

  /// The value as written in a field.
  public var description: String {
    switch self {
    case .any: "*"
    case .fields(let names): names.map(\.rawName).joined(separator: ", ")
    }
  }

  /// Returns the elements of a field: none if it is missing, an empty one if it has no value.
  private static func normalized(_ fields: HTTPFields, _ name: HTTPField.Name) -> [[UInt8]] {
    fields[values: name].flatMap { value in
      var scanner = FieldScanner(value)
      var elements: [[UInt8]] = []
      repeat {
        let element = scanner.bytes { $0 == UInt8(ascii: ",") }
        elements.append(Array(FieldSyntax.trimmed(String(decoding: element, as: UTF8.self)).utf8))
      } while scanner.skip(",")
      return elements
    }
  }
}
