public import HTTPTypes

/// The value of a Prefer or a Preference-Applied field (RFC 7240).
///
/// Of a repeated preference the first counts (RFC 7240 section 2). An element that is not a
/// preference is dropped.
public struct Prefer: Hashable, Sendable, CustomStringConvertible {
  /// A name with a value, and parameters of the same kind.
  public struct Preference: Hashable, Sendable, CustomStringConvertible {
    /// The name, in lowercase.
    public var name: String
    /// The value; an empty one is the same as none.
    public var value: String?
    /// The parameters of the preference, which have no parameters themselves.
    public var parameters: [Parameter]

    /// Creates a preference.
    ///
    /// - Parameters:
    ///   - name: A token; converted to lowercase.
    ///   - value: The value after `=`, without quotes; an empty one is the same as none.
    ///   - parameters: What follows `;`.
    public init(_ name: String, _ value: String? = nil, parameters: [Parameter] = []) {
      self.name = FieldSyntax.lowercased(name)
      self.value = value?.isEmpty == true ? nil : value
      self.parameters = parameters
    }

    /// The preference as written in a field.
    public var description: String {
      ([Parameter(name, value)] + parameters).map(\.description).joined(separator: "; ")
    }
  }

  /// A name with a value.
  public struct Parameter: Hashable, Sendable, CustomStringConvertible {
    /// The name, in lowercase.
    public var name: String
    /// The value; an empty one is the same as none.
    public var value: String?

    /// Creates a parameter.
    ///
    /// - Parameters:
    ///   - name: A token; converted to lowercase.
    ///   - value: The value after `=`, without quotes; an empty one is the same as none.
    public init(_ name: String, _ value: String? = nil) {
      self.name = FieldSyntax.lowercased(name)
      self.value = value?.isEmpty == true ? nil : value
    }

    /// The parameter as written in a field.
    public var description: String { value.map { name + "=" + FieldSyntax.word($0) } ?? name }
  }

  /// The content of a response to a request that changes something (RFC 7240 section 4.2).
  public enum Return: String, Hashable, Sendable {
    /// As little as possible.
    case minimal
    /// The current resource.
    case representation
  }

  /// The preferences in order.
  public var preferences: [Preference]

  /// Creates a value.
  public init(_ preferences: [Preference] = []) {
    self.preferences = preferences
  }

  /// Reads the value of a field; never fails.
  public init(parsing field: some StringProtocol) {
    var scanner = FieldScanner(field)
    preferences = []
    scanner.skipListSeparators()
    while !scanner.isAtEnd {
      if let preference = Self.preference(&scanner) { preferences.append(preference) }
      scanner.skipElement()
      scanner.skipListSeparators()
    }
  }

  /// Reads the Prefer fields of a request; without one, the list of preferences is empty.
  public init(fields: HTTPFields) {
    self.init(parsing: fields[.prefer] ?? "")
  }

  /// The value as written in a field; empty without preferences.
  public var description: String { preferences.map(\.description).joined(separator: ", ") }

  /// Returns the first preference with a name.
  public func preference(_ name: String) -> Preference? {
    let name = FieldSyntax.lowercased(name)
    return preferences.first { $0.name == name }
  }

  /// Replaces the preferences of the same name, or appends the preference.
  public mutating func set(_ preference: Preference) {
    let index = preferences.firstIndex { $0.name == preference.name } ?? preferences.endIndex
    remove(preference.name)
    preferences.insert(preference, at: index)
  }

  /// Removes the preferences with a name.
  public mutating func remove(_ name: String) {
    let name = FieldSyntax.lowercased(name)
    preferences.removeAll { $0.name == name }
  }

  /// How long the client is willing to wait for a response, in seconds (RFC 7240 section 4.3).
  ///
  /// `nil` if it is missing or not a number.
  public var wait: Int64? {
    get { preference("wait")?.value.flatMap { DeltaSeconds.parse($0) } }
    set {
      if let newValue {
        set(Preference("wait", String(DeltaSeconds.clamped(newValue))))
      } else {
        remove("wait")
      }
    }
  }

  /// The requested content of the response; `nil` if it is missing or not known.
  public var returning: Return? {
    get { preference("return")?.value.flatMap(Return.init) }
    set {
      if let newValue {
        set(Preference("return", newValue.rawValue))
      } else {
        remove("return")
      }
    }
  }

  /// Whether a 202 is preferred over a long wait (RFC 7240 section 4.1).
  public var respondsAsynchronously: Bool {
    get { preference("respond-async") != nil }
    set { if newValue { set(Preference("respond-async")) } else { remove("respond-async") } }
  }

  /// Returns the value of Preference-Applied: the preferences that a server honored, without
  /// parameters (RFC 7240 section 3).
  ///
  /// - Parameter names: The names of the honored preferences.
  /// - Returns: The value of the field.
  public func applied(_ names: Set<String>) -> Prefer {
    var seen: Set<String> = []
    return Prefer(
      preferences.compactMap {
        names.contains($0.name) && seen.insert($0.name).inserted
          ? Preference($0.name, $0.value) : nil
      }
    )
  }

  private static func preference(_ scanner: inout FieldScanner) -> Preference? {
    guard let pair = scanner.pair() else { return nil }
    var preference = Preference(pair.name, pair.value)
    scanner.skipWhitespace()
    while scanner.skip(";") {
      scanner.skipWhitespace()
      if let parameter = scanner.pair() {
        preference.parameters.append(Parameter(parameter.name, parameter.value))
        scanner.skipWhitespace()
      }
    }
    return scanner.isAtEnd || scanner.next == UInt8(ascii: ",") ? preference : nil
  }
}
