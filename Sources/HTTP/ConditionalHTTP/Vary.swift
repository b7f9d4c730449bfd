public import HTTPTypes

/// The value of a Vary field: what of a request decides which answer it gets (RFC 9110
/// section 12.5.5).
public enum Vary: Hashable, Sendable, CustomStringConvertible {
  /// `*`: something beyond the request decides.
  case any
  /// The named fields decide; without a name nothing does.
  case fields([HTTPField.Name])

  /// Reads the value of a field; never fails.
  ///
  /// A `*` anywhere makes it ``any``; so does an element that is not a name, because nobody knows
  /// what it stands for.
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
      scanner.skipBlanks()
      guard scanner.isAtEnd || scanner.next == UInt8(ascii: ",") else {
        self = .any
        return
      }
      scanner.skipListSeparators()
    }
    self = .fields(names)
  }

  /// Reads the Vary fields of an answer; without one nothing decides.
  public init(fields: HTTPFields) {
    self.init(parsing: fields[.vary] ?? "")
  }

  /// Whether an answer to one request is an answer to another one too (RFC 9111 section 4.1).
  ///
  /// The named fields have to be missing in both requests or say the same in both; several lines
  /// of a field are one value, and blanks around it and around commas do not matter.
  ///
  /// - Parameters:
  ///   - presented: The fields of the new request.
  ///   - original: The fields of the request the answer was for.
  /// - Returns: Whether the answer may be used.
  public func allowsUse(for presented: HTTPFields, original: HTTPFields) -> Bool {
    switch self {
    case .any: false
    case .fields(let names):
      names.allSatisfy { Self.normalized(presented, $0) == Self.normalized(original, $0) }
    }
  }

  /// The value as it stands in a field.
  public var description: String {
    switch self {
    case .any: "*"
    case .fields(let names): names.map(\.rawName).joined(separator: ", ")
    }
  }

  /// The elements of a field; none if it is missing, one that is empty if it says nothing.
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
