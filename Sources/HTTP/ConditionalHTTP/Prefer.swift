public import HTTPTypes

/// The value of a Prefer or a Preference-Applied field (RFC 7240).
///
/// Of a preference that stands several times the first counts (RFC 7240 section 2). An element
/// that is not a preference is left out; the others stay.
public struct Prefer: Hashable, Sendable, CustomStringConvertible {
  /// A name with a value, and parameters of the same kind.
  public struct Preference: Hashable, Sendable, CustomStringConvertible {
    /// The name, in small letters.
    public var name: String
    /// The value; the empty one is the same as none.
    public var value: String?
    /// What belongs to the preference; parameters have none of their own.
    public var parameters: [Parameter]

    /// Creates a preference.
    ///
    /// - Parameters:
    ///   - name: A token; capitals become small.
    ///   - value: The value behind `=`, without quotes; the empty one is the same as none.
    ///   - parameters: What stands behind `;`.
    public init(_ name: String, _ value: String? = nil, parameters: [Parameter] = []) {
      self.name = FieldSyntax.lowercased(name)
      self.value = value?.isEmpty == true ? nil : value
      self.parameters = parameters
    }

    /// The preference as it stands in a field.
    public var description: String {
      ([Parameter(name, value)] + parameters).map(\.description).joined(separator: "; ")
    }
  }

  /// A name with a value.
  public struct Parameter: Hashable, Sendable, CustomStringConvertible {
    /// The name, in small letters.
    public var name: String
    /// The value; the empty one is the same as none.
    public var value: String?

    /// Creates a parameter.
    ///
    /// - Parameters:
    ///   - name: A token; capitals become small.
    ///   - value: The value behind `=`, without quotes; the empty one is the same as none.
    public init(_ name: String, _ value: String? = nil) {
      self.name = FieldSyntax.lowercased(name)
      self.value = value?.isEmpty == true ? nil : value
    }

    /// The parameter as it stands in a field.
    public var description: String { value.map { name + "=" + FieldSyntax.word($0) } ?? name }
  }

  /// What an answer to a request that changes something should hold (RFC 7240 section 4.2).
  public enum Return: String, Hashable, Sendable {
    /// As little as possible.
    case minimal
    /// The resource as it is now.
    case representation
  }

  /// The preferences, in the order they stand.
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

  /// Reads the Prefer fields of a request; without one there are no preferences.
  public init(fields: HTTPFields) {
    self.init(parsing: fields[.prefer] ?? "")
  }

  /// The value as it stands in a field; empty without preferences.
  public var description: String { preferences.map(\.description).joined(separator: ", ") }

  /// The first preference of a name.
  public func preference(_ name: String) -> Preference? {
    let name = FieldSyntax.lowercased(name)
    return preferences.first { $0.name == name }
  }

  /// Puts a preference in the place of those with its name, or at the end.
  public mutating func set(_ preference: Preference) {
    let index = preferences.firstIndex { $0.name == preference.name } ?? preferences.endIndex
    remove(preference.name)
    preferences.insert(preference, at: index)
  }

  /// Removes the preferences of a name.
  public mutating func remove(_ name: String) {
    let name = FieldSyntax.lowercased(name)
    preferences.removeAll { $0.name == name }
  }

  /// How long the client is willing to wait for an answer, seconds (RFC 7240 section 4.3).
  ///
  /// Nothing if it does not say, or says something that is not a number.
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

  /// What the answer should hold; nothing if the request does not say or says something else.
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

  /// Whether a 202 is welcome instead of a long wait (RFC 7240 section 4.1).
  public var respondsAsynchronously: Bool {
    get { preference("respond-async") != nil }
    set { if newValue { set(Preference("respond-async")) } else { remove("respond-async") } }
  }

  /// The value of Preference-Applied: those preferences a server honoured, without parameters
  /// (RFC 7240 section 3).
  ///
  /// - Parameter names: The names of the preferences the server honoured.
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
    scanner.skipBlanks()
    while scanner.skip(";") {
      scanner.skipBlanks()
      if let parameter = scanner.pair() {
        preference.parameters.append(Parameter(parameter.name, parameter.value))
        scanner.skipBlanks()
      }
    }
    return scanner.isAtEnd || scanner.next == UInt8(ascii: ",") ? preference : nil
  }
}
