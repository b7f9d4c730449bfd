/// A JSON value.
///
/// In vectors and policies all numbers are whole; a reader of other documents may keep other
/// numbers as written.
public enum JSONValue: Hashable, Sendable {
  /// `null`
  case null
  /// `true` or `false`
  case bool(Bool)
  /// A whole number up to 2^53 in magnitude.
  case whole(Int64)
  /// Any other number as written: with a fraction, with an exponent, or larger. Only readers
  /// configured to keep such numbers produce it.
  case decimal(String)
  /// A string.
  case string(String)
  /// A list.
  case list([JSONValue])
  /// An object, without repeated members.
  case object([String: JSONValue])

  /// The greatest magnitude of a number: what every implementation of JSON represents exactly.
  public static let largestNumber: Int64 = 1 << 53
}

extension JSONValue: CustomStringConvertible {
  /// The value as text on one line, members in alphabetical order.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool(let flag): flag ? "true" : "false"
    case .whole(let number): String(number)
    case .decimal(let text): text
    case .string(let text): Self.quoted(text)
    case .list(let elements): "[" + elements.map(\.description).joined(separator: ", ") + "]"
    case .object(let members):
      "{"
        + members.sorted { $0.key < $1.key }
        .map { "\(Self.quoted($0.key)): \($0.value)" }
        .joined(separator: ", ") + "}"
    }
  }

  /// The kind of the value, for messages.
  public var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .whole, .decimal: "a number"
    case .string: "a string"
    case .list: "a list"
    case .object: "an object"
    }
  }
}

extension JSONValue: Codable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Reads a value from any decoder that distinguishes JSON's kinds.
  ///
  /// - Throws: `DecodingError` for a number with a fraction.
  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: Name.self) {
      var members: [String: JSONValue] = [:]
      for name in container.allKeys {
        members[name.stringValue] = try container.decode(JSONValue.self, forKey: name)
      }
      self = .object(members)
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [JSONValue] = []
      while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
      self = .list(elements)
    } else {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let flag = try? container.decode(Bool.self) {
        self = .bool(flag)
      } else if let text = try? container.decode(String.self) {
        self = .string(text)
      } else {
        self = .whole(try container.decode(Int64.self))
      }
    }
  }

  /// Writes the value to any encoder.
  ///
  /// - Throws: `EncodingError` for a kept number beyond a finite `Double`.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let flag): try flag.encode(to: encoder)
    case .whole(let number): try number.encode(to: encoder)
    case .decimal(let text):
      guard let number = Double(text), number.isFinite else {
        throw EncodingError.invalidValue(
          text,
          EncodingError.Context(
            codingPath: encoder.codingPath,
            debugDescription: "the number \(text.prefix(40)) is not a finite Double"
          )
        )
      }
      try number.encode(to: encoder)
    case .string(let text): try text.encode(to: encoder)
    case .list(let elements): try elements.encode(to: encoder)
    case .object(let members):
      var container = encoder.container(keyedBy: Name.self)
      for (name, value) in members {
        try container.encode(value, forKey: Name(stringValue: name))
      }
    }
  }
}
