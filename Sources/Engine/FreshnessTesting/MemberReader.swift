import StrictJSON

/// Reads the members of one object and reports unknown ones.
struct MemberReader {
  private let members: [String: JSONValue]
  private var unread: Set<String>
  /// The position of the object; `member` is its path, empty at the top level.
  let place: DocumentError

  /// Creates a reader for an object.
  init(_ value: JSONValue, at place: DocumentError) throws(DocumentError) {
    guard case .object(let members) = value else {
      throw place.with("an object is expected, not \(value.kind)")
    }
    self.members = members
    self.place = place
    unread = Set(members.keys)
  }

  /// Returns the position of a member.
  func place(of name: String) -> DocumentError {
    var inner = place
    inner.member = place.member.map { "\($0).\(name)" } ?? name
    return inner
  }

  /// Returns an error about a member.
  func error(_ name: String, _ problem: String) -> DocumentError { place(of: name).with(problem) }

  /// Returns whether a member is present, read or not.
  func has(_ name: String) -> Bool { members[name] != nil }

  /// Removes and returns a member, if present.
  mutating func consume(_ name: String) -> JSONValue? {
    unread.remove(name)
    return members[name]
  }

  /// Removes and returns a required member.
  mutating func need(_ name: String) throws(DocumentError) -> JSONValue {
    guard let value = consume(name) else { throw error(name, "is missing") }
    return value
  }

  /// Reads a whole number within bounds, if present.
  mutating func whole(
    _ name: String,
    in bounds: ClosedRange<Int64> = -JSONValue.largestNumber...JSONValue.largestNumber
  ) throws(DocumentError) -> Int64? {
    guard let value = consume(name) else { return nil }
    return try Self.whole(value, in: bounds, at: place(of: name))
  }

  /// Reads a Boolean, if present.
  mutating func flag(_ name: String) throws(DocumentError) -> Bool? {
    guard let value = consume(name) else { return nil }
    guard case .bool(let flag) = value else {
      throw error(name, "a boolean is expected, not \(value.kind)")
    }
    return flag
  }

  /// Reads a string, if present.
  mutating func string(_ name: String) throws(DocumentError) -> String? {
    guard let value = consume(name) else { return nil }
    guard case .string(let text) = value else {
      throw error(name, "a string is expected, not \(value.kind)")
    }
    return text
  }

  /// Reads the name of an enumeration case, if present.
  mutating func choice<E: RawRepresentable<UInt8>>(
    _ name: String,
    of type: E.Type = E.self
  ) throws(DocumentError) -> E? {
    guard let text = try string(name) else { return nil }
    let all = CaseNames.all(type)
    if let found = all.first(where: { CaseNames.name($0) == text }) { return found }
    throw error(name, CaseNames.unknown(text, known: all.map { CaseNames.name($0) }))
  }

  /// Reads a complete object, if present.
  mutating func object<Value>(
    _ name: String,
    _ read: (inout MemberReader) throws(DocumentError) -> Value
  ) throws(DocumentError) -> Value? {
    guard let value = consume(name) else { return nil }
    var inner = try MemberReader(value, at: place(of: name))
    let result = try read(&inner)
    try inner.finish()
    return result
  }

  /// Reads a list, if present.
  mutating func list(_ name: String) throws(DocumentError) -> [JSONValue]? {
    guard let value = consume(name) else { return nil }
    guard case .list(let elements) = value else {
      throw error(name, "a list is expected, not \(value.kind)")
    }
    return elements
  }

  /// Throws if a member was not read.
  func finish() throws(DocumentError) {
    guard let name = unread.min() else { return }
    throw error(name, "is unknown here")
  }

  /// Reads a whole number within bounds.
  static func whole(
    _ value: JSONValue,
    in bounds: ClosedRange<Int64>,
    at place: DocumentError
  ) throws(DocumentError) -> Int64 {
    guard case .whole(let number) = value else {
      throw place.with("a whole number is expected, not \(value.kind)")
    }
    guard bounds.contains(number) else {
      throw place.with("\(number) is not within \(bounds.lowerBound) to \(bounds.upperBound)")
    }
    return number
  }
}

extension DocumentError {
  /// Returns the same position with a problem.
  func with(_ problem: String) -> DocumentError {
    var error = self
    error.problem = problem
    return error
  }
}

/// The names of enumeration cases in the documents: those of the Swift cases.
enum CaseNames {
  /// Returns all cases of an enumeration with consecutive raw values.
  static func all<E: RawRepresentable<UInt8>>(_ type: E.Type) -> [E] {
    (UInt8.min...UInt8.max).compactMap { E(rawValue: $0) }
  }

  /// Returns the name of a case.
  static func name<E: RawRepresentable<UInt8>>(_ value: E) -> String { String(describing: value) }

  /// Returns the names of all cases.
  static func of<E: RawRepresentable<UInt8>>(_ type: E.Type) -> [String] {
    all(type).map { name($0) }
  }

  /// Returns the message for an unknown value.
  static func unknown(_ text: String, known: [String]) -> String {
    "\"\(text)\" is unknown; known are \(known.joined(separator: ", "))"
  }
}
