import Freshness
import StrictJSON

/// The form of an expected value, and how it is compared.
///
/// Expected and actual values are both JSON values in the terms of the grammar, so a mismatch reads
/// like the vector.
indirect enum ExpectedShape: Sendable {
  /// An equal whole number.
  case whole
  /// An equal boolean.
  case flag
  /// One of several names.
  case name([String])
  /// A list of distinct names, compared as a set.
  case set([String])
  /// An object whose given members must match; others are not checked.
  case members([String: ExpectedShape])
  /// An object with exactly one of several members.
  case oneOf([String: ExpectedShape])
  /// `null`, or a shape.
  case optional(ExpectedShape)
  /// A number, or a range that contains it.
  case range
  /// A list of the same length whose elements match.
  case list(ExpectedShape)
  /// A context; `identity` is 0 by default.
  case context
  /// The first shape that accepts the kind of the value.
  case either(ExpectedShape, ExpectedShape)

  // MARK: The expectation itself

  /// Checks that an expected value is well formed.
  func check(_ value: JSONValue, at place: DocumentError) throws(DocumentError) {
    switch self {
    case .whole:
      guard case .whole = value else { throw expected("a whole number", value, place) }
    case .flag:
      guard case .bool = value else { throw expected("a boolean", value, place) }
    case .name(let names): try Self.check(value, isOneOf: names, at: place)
    case .set(let names):
      guard case .list(let elements) = value else { throw expected("a list", value, place) }
      for element in elements { try Self.check(element, isOneOf: names, at: place) }
      guard Set(elements).count == elements.count else { throw place.with("a name appears twice") }
    case .members(let shapes):
      for (name, inner) in try Self.members(of: value, known: shapes, at: place) {
        try shapes[name]?.check(inner.value, at: inner.place)
      }
    case .oneOf(let shapes):
      let members = try Self.members(of: value, known: shapes, at: place)
      guard members.count == 1 else {
        throw place.with("exactly one of \(shapes.keys.sorted().joined(separator: ", "))")
      }
      for (name, inner) in members { try shapes[name]?.check(inner.value, at: inner.place) }
    case .optional(let shape):
      if value != .null { try shape.check(value, at: place) }
    case .range:
      if case .whole = value { return }
      let shapes: [String: ExpectedShape] = ["from": .whole, "to": .whole]
      let members = try Self.members(of: value, known: shapes, at: place)
      for (_, inner) in members { try Self.whole.check(inner.value, at: inner.place) }
      guard case .whole(let from)? = members["from"]?.value,
        case .whole(let to)? = members["to"]?.value, from <= to
      else { throw place.with("\"from\" and \"to\" are expected, in this order") }
    case .list(let shape):
      guard case .list(let elements) = value else { throw expected("a list", value, place) }
      for element in elements { try shape.check(element, at: place) }
    case .context:
      var reader = try MemberReader(value, at: place)
      _ = try VectorReader.context(&reader)
      try reader.finish()
    case .either(let first, let second):
      if case .object = value {
        try second.check(value, at: place)
      } else {
        try first.check(value, at: place)
      }
    }
  }

  private func expected(
    _ kind: String,
    _ value: JSONValue,
    _ place: DocumentError
  ) -> DocumentError {
    place.with("\(kind) is expected, not \(value.kind)")
  }

  private static func check(
    _ value: JSONValue,
    isOneOf names: [String],
    at place: DocumentError
  ) throws(DocumentError) {
    guard case .string(let name) = value else {
      throw place.with("a string is expected, not \(value.kind)")
    }
    guard names.contains(name) else { throw place.with(CaseNames.unknown(name, known: names)) }
  }

  private static func members(
    of value: JSONValue,
    known shapes: [String: ExpectedShape],
    at place: DocumentError
  ) throws(DocumentError) -> [String: (value: JSONValue, place: DocumentError)] {
    var reader = try MemberReader(value, at: place)
    var members: [String: (value: JSONValue, place: DocumentError)] = [:]
    for name in shapes.keys.sorted() {
      if let member = reader.consume(name) { members[name] = (member, reader.place(of: name)) }
    }
    try reader.finish()
    return members
  }

  // MARK: Comparison

  /// A difference: the path of the member, the expected value and the actual value.
  typealias Difference = (path: String, expected: JSONValue, got: JSONValue)

  /// Compares an expected with an actual value.
  func differences(_ expected: JSONValue, _ got: JSONValue, path: String) -> [Difference] {
    switch (self, expected, got) {
    case (.members(let shapes), .object(let wanted), .object(let found)):
      return wanted.sorted { $0.key < $1.key }.flatMap { name, value in
        let inner = path.isEmpty ? name : "\(path).\(name)"
        return (shapes[name] ?? .flag).differences(value, found[name] ?? .null, path: inner)
      }
    case (.optional(let shape), _, _) where expected != .null && got != .null:
      return shape.differences(expected, got, path: path)
    case (.list(let shape), .list(let wanted), .list(let found)) where wanted.count == found.count:
      return zip(wanted, found).enumerated().flatMap { index, pair in
        shape.differences(pair.0, pair.1, path: "\(path)[\(index + 1)]")
      }
    default: return matches(expected, got) ? [] : [(path, expected, got)]
    }
  }

  private func matches(_ expected: JSONValue, _ got: JSONValue) -> Bool {
    switch (self, expected, got) {
    case (.set, .list(let wanted), .list(let found)): return Set(wanted) == Set(found)
    case (.optional(let shape), _, _): return shape.matches(expected, got)
    case (.range, .object(let bounds), .whole(let number)):
      guard case .whole(let from)? = bounds["from"], case .whole(let to)? = bounds["to"] else {
        return false
      }
      return from <= number && number <= to
    case (.context, .object(let wanted), .object(let found)):
      return wanted["question"] == found["question"]
        && wanted["identity"] ?? .whole(0) == found["identity"] ?? .whole(0)
    default: return expected == got
    }
  }
}
