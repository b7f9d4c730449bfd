/// The reason why a request failed, for programs and people (RFC 9457).
///
/// Besides the members of the RFC it has `error`, a code that is stable across releases.
public struct ProblemDetails: Codable, Hashable, Sendable {
  /// A value of an extension member.
  public indirect enum Value: Codable, Hashable, Sendable {
    /// A string.
    case string(String)
    /// A whole number.
    case integer(Int)
    /// Any other number.
    case number(Double)
    /// A Boolean.
    case boolean(Bool)
    /// A list.
    case array([Value])
    /// Named values.
    case object([String: Value])
    /// No value.
    case null

    /// Reads any JSON value of these kinds.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Bool.self) {
        self = .boolean(value)
      } else if let value = try? container.decode(Int.self) {
        self = .integer(value)
      } else if let value = try? container.decode(Double.self) {
        self = .number(value)
      } else if let value = try? container.decode(String.self) {
        self = .string(value)
      } else if let value = try? container.decode([Value].self) {
        self = .array(value)
      } else {
        self = .object(try container.decode([String: Value].self))
      }
    }

    /// Writes the value without a wrapper.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .string(let value): try container.encode(value)
      case .integer(let value): try container.encode(value)
      case .number(let value): try container.encode(value)
      case .boolean(let value): try container.encode(value)
      case .array(let value): try container.encode(value)
      case .object(let value): try container.encode(value)
      case .null: try container.encodeNil()
      }
    }
  }

  /// A URI that identifies the kind of problem.
  public var type: String
  /// A title for the kind of problem.
  public var title: String
  /// The HTTP status code.
  public var status: Int
  /// What is wrong with this request.
  public var detail: String
  /// The stable code of the kind of problem.
  public var error: String
  /// Further members, written beside the others.
  public var extensions: [String: Value]

  /// Creates a problem.
  public init(
    status: Int,
    error: String,
    title: String,
    detail: String,
    extensions: [String: Value] = [:]
  ) {
    type = "about:blank"
    self.title = title
    self.status = status
    self.detail = detail
    self.error = error
    self.extensions = extensions
  }

  private struct Name: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private static let members = ["type", "title", "status", "detail", "error"]

  /// Reads a problem; missing members and members of another type get the defaults of RFC 9457.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    func text(_ name: String) -> String? {
      try? container.decodeIfPresent(String.self, forKey: Name(stringValue: name))
    }
    type = text("type") ?? "about:blank"
    title = text("title") ?? ""
    let code = try? container.decodeIfPresent(Int.self, forKey: Name(stringValue: "status"))
    status = code ?? 0
    detail = text("detail") ?? ""
    error = text("error") ?? ""
    extensions = [:]
    for name in container.allKeys where !Self.members.contains(name.stringValue) {
      extensions[name.stringValue] = try container.decode(Value.self, forKey: name)
    }
  }

  /// Writes the problem with its extensions as members.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    try container.encode(type, forKey: Name(stringValue: "type"))
    try container.encode(title, forKey: Name(stringValue: "title"))
    try container.encode(status, forKey: Name(stringValue: "status"))
    try container.encode(detail, forKey: Name(stringValue: "detail"))
    try container.encode(error, forKey: Name(stringValue: "error"))
    for (name, value) in extensions where !Self.members.contains(name) {
      try container.encode(value, forKey: Name(stringValue: name))
    }
  }
}
