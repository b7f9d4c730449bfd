import StrictJSON

extension JSONReader.Rules {
  /// How records of other programs' logs are read: what can be understood is.
  static func lenient(longest: Int, deepest: Int) -> JSONReader.Rules {
    var rules = JSONReader.Rules.lenient
    rules.longest = longest
    rules.deepest = deepest
    return rules
  }
}

extension JSONValue {
  /// The elements of a list; none for everything else.
  var elements: [JSONValue] { list ?? [] }

  /// The members of an object; none for everything else.
  var members: [String: JSONValue] { object ?? [:] }

  /// A name that some write as text and others as a number.
  var name: String? { string ?? int64.map { String($0) } }
}

extension [String: JSONValue] {
  /// The record's time: RFC 3339, or milliseconds since 1970; `nil` if no clock can have shown it.
  func time(_ name: String) -> WallTime? {
    guard let value = self[name] else { return nil }
    if let text = value.string { return WallTime(text) }
    return value.int64.flatMap { WallTime(told: $0) }
  }
}
