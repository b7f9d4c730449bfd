// Values of an object, by kind. Lenient conversions are in TolerantDecoding.
extension JSONValue {
  /// The member of an object; `nil` for any other value.
  ///
  /// - Parameter name: The member's name.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members[name]
  }

  /// The contents of a string; `nil` for any other value.
  public var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// A Boolean; `nil` for any other value.
  public var bool: Bool? {
    guard case .bool(let flag) = self else { return nil }
    return flag
  }

  /// The elements of a list; `nil` for any other value.
  public var list: [JSONValue]? {
    guard case .list(let elements) = self else { return nil }
    return elements
  }

  /// The members of an object; `nil` for any other value.
  public var object: [String: JSONValue]? {
    guard case .object(let members) = self else { return nil }
    return members
  }

  /// A number that is exactly whole and fits; 5.0 and 1e3 are whole.
  ///
  /// `nil` for any other value.
  public var int64: Int64? {
    switch self {
    case .whole(let number): return number
    case .decimal(let text):
      if let number = Int64(text) { return number }
      return Double(text).flatMap { Int64(exactly: $0) }
    case .null, .bool, .string, .list, .object: return nil
    }
  }

  /// A number as a finite `Double`, rounded if necessary; `nil` for any other value.
  public var double: Double? {
    switch self {
    case .whole(let number): return Double(number)
    case .decimal(let text):
      guard let number = Double(text), number.isFinite else { return nil }
      return number
    case .null, .bool, .string, .list, .object: return nil
    }
  }
}
