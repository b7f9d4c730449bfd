import ConditionalHTTP
package import StrictJSON

extension JSONShape {
  /// The most faults of one value that are named.
  package static let mostFaults = 20

  /// Compares a value with the shape.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - reader: Whose rules count.
  /// - Returns: What such a client could not read, in the order of the shape's members; at most ``mostFaults``. Empty if
  ///   it reads all of it.
  package func faults(in value: JSONValue, as reader: Reader = .codable) -> [ShapeFault] {
    var comparison = ShapeComparison(reader: reader)
    comparison.compare(self, value, at: "")
    return comparison.faults
  }

  /// What the shape expects, in a few words.
  var expectation: String {
    switch self {
    case .anything: "anything"
    case .bool: "a boolean"
    case .whole(let range) where range == .min ... .max: "a whole number"
    case .whole(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .number: "a number"
    case .string: "a string"
    case .oneOf(let values): "one of " + values.map { "\"\($0)\"" }.joined(separator: ", ")
    case .date(let form): form.rawValue
    case .list: "a list"
    case .map, .object, .tagged: "an object"
    case .first(let shapes): shapes.map(\.expectation).joined(separator: " or ")
    case .all(let shapes): shapes.first?.expectation ?? "anything"
    case .optional(let shape), .nullable(let shape): "\(shape.expectation) or null"
    case .absentOr(let shape): shape.expectation
    }
  }
}

/// Walks a value and its shape together.
private struct ShapeComparison {
  let reader: JSONShape.Reader
  var faults: [ShapeFault] = []

  /// Compares a present value.
  mutating func compare(_ shape: JSONShape, _ value: JSONValue, at path: String) {
    guard faults.count < JSONShape.mostFaults else { return }
    switch (shape, value) {
    case (.anything, _), (.optional, .null), (.nullable, .null): return
    case (.optional(let inner), _), (.nullable(let inner), _), (.absentOr(let inner), _):
      compare(inner, value, at: path)
    case (_, .null) where reader == .gson: return
    case (.list(let inner), .list(let elements)):
      for (index, element) in elements.enumerated() {
        compare(inner, element, at: "\(path)[\(index)]")
      }
    case (.map(let inner), .object(let members)):
      for (name, member) in members.sorted(by: { $0.key < $1.key }) {
        compare(inner, member, at: Self.join(path, name))
      }
    case (.object(let shapes), .object(let members)):
      for (name, inner) in shapes.sorted(by: { $0.key < $1.key }) {
        compare(inner, member: members[name], at: Self.join(path, name))
      }
    case (.tagged(let tag, let shapes), .object(let members)):
      compareTagged(tag, shapes, members, value, at: path)
    case (.first(let shapes), _): compareFirst(shapes, value, at: path)
    case (.all(let shapes), _): for shape in shapes { compare(shape, value, at: path) }
    default:
      if !fits(shape, value) { report(shape.expectation, value, at: path) }
    }
  }

  /// Compares a member that may be absent.
  private mutating func compare(_ shape: JSONShape, member: JSONValue?, at path: String) {
    guard let member else {
      switch shape {
      case .anything, .optional, .absentOr: return
      default: if reader != .gson { report(shape.expectation, found: "nothing", at: path) }
      }
      return
    }
    // A script that reads a member which may be undefined reads null as well.
    if case .absentOr = shape, reader == .javaScript, member == .null { return }
    compare(shape, member, at: path)
  }

  private mutating func compareTagged(
    _ tag: String,
    _ shapes: [String: JSONShape],
    _ members: [String: JSONValue],
    _ value: JSONValue,
    at path: String
  ) {
    let place = Self.join(path, tag)
    guard case .string(let word)? = members[tag] else {
      return report("a string", found: Self.found(members[tag]), at: place)
    }
    guard let shape = shapes[word] else {
      let known = JSONShape.oneOf(shapes.keys.sorted())
      if reader == .codable { report(known.expectation, .string(word), at: place) }
      return
    }
    compare(shape, value, at: path)
  }

  private mutating func compareFirst(_ shapes: [JSONShape], _ value: JSONValue, at path: String) {
    var best: [ShapeFault]?
    for shape in shapes {
      var attempt = ShapeComparison(reader: reader)
      attempt.compare(shape, value, at: path)
      if attempt.faults.isEmpty { return }
      if attempt.faults.count < best?.count ?? .max { best = attempt.faults }
    }
    // Those of the type that fits best say most.
    faults += (best ?? []).prefix(JSONShape.mostFaults - faults.count)
  }

  /// Whether a scalar is what a shape wants, or of its kind.
  private func fits(_ shape: JSONShape, _ value: JSONValue) -> Bool {
    switch (shape, value) {
    case (.bool, .bool): return true
    case (.bool, .string(let text)):
      return reader == .gson && ["true", "false"].contains(text.lowercased())
    case (.whole(let range), .whole), (.whole(let range), .decimal):
      if reader == .javaScript { return true }
      return value.int64.map { range.contains($0) } ?? false
    case (.whole(let range), .string(let text)):
      return reader == .gson && Int64(text).map { range.contains($0) } ?? false
    case (.number, .whole), (.number, .decimal): return true
    case (.number, .string(let text)): return reader == .gson && Double(text) != nil
    case (.string, .string): return true
    case (.string, .whole), (.string, .decimal), (.string, .bool): return reader == .gson
    case (.oneOf(let values), .string(let word)): return reader != .codable || values.contains(word)
    case (.date(let form), _): return form.admits(value)
    default: return false
    }
  }

  private mutating func report(_ expected: String, _ value: JSONValue, at path: String) {
    report(expected, found: Self.found(value), at: path)
  }

  private mutating func report(_ expected: String, found: String, at path: String) {
    guard faults.count < JSONShape.mostFaults else { return }
    faults.append(ShapeFault(path: path, expected: expected, found: found))
  }

  /// A value in a few words: scalars as they are written, lists and objects by their kind.
  private static func found(_ value: JSONValue?) -> String {
    switch value {
    case nil: "nothing"
    case .list(let elements)?: "a list of \(elements.count)"
    case .object?: "an object"
    case .some(let scalar): String(scalar.description.prefix(80))
    }
  }

  private static func join(_ path: String, _ name: String) -> String {
    path.isEmpty ? name : "\(path).\(name)"
  }
}

extension JSONShape.DateForm {
  /// Whether a value is an instant of this form.
  func admits(_ value: JSONValue) -> Bool {
    switch self {
    case .secondsSince1970, .millisecondsSince1970:
      return value.double != nil
    case .day:
      guard let text = value.string, text.utf8.count == 10 else { return false }
      return InstantText.read(text + "T00:00:00Z") != nil
    case .wholeSeconds, .fractions, .anySeconds:
      guard let text = value.string, InstantText.read(text) != nil else { return false }
      let hasFractions = text.contains(".")
      return self == .anySeconds || hasFractions == (self == .fractions)
    }
  }
}
