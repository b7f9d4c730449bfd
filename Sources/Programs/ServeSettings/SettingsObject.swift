import ConditionalHTTP
import StrictJSON

/// Reads the members of one object of a configuration; an unread member is an error.
struct SettingsObject {
  private let file: String
  /// The path of the object, `$` at the top.
  let place: String
  private let members: [String: JSONValue]
  private var known: [String] = []

  private init(_ members: [String: JSONValue], file: String, place: String) {
    self.members = members
    self.file = file
    self.place = place
  }

  /// Reads the object at the top of a text.
  init(_ bytes: [UInt8], file: String) throws(SettingsError) {
    let value: JSONValue
    do throws(JSONReader.Fault) {
      value = try JSONReader.value(of: bytes)
    } catch {
      throw SettingsError("\(file):\(error.line):\(error.column): \(error.problem)")
    }
    guard case .object(let members) = value else {
      throw SettingsError("\(file): $: an object is expected, not \(value.kind)")
    }
    self.init(members, file: file, place: "$")
  }

  /// The names of all members, in alphabetical order.
  var names: [String] { members.keys.sorted() }

  /// Creates an error at a member, or at the object, with the expected value.
  func error(_ name: String?, _ expected: String, found: String? = nil) -> SettingsError {
    let place = name.map { path(of: $0) } ?? self.place
    // An address may have a password.
    let shown = found.map { found in
      ", found " + (found.contains("//") ? HTTPAddress.hidingCredentials(in: found) : found)
    }
    return SettingsError("\(file): \(place): expected \(expected)" + (shown ?? ""))
  }

  private func path(of name: String) -> String {
    let isPlain = name.utf8.allSatisfy { (0x30...0x7A).contains($0) && $0 != 0x5B && $0 != 0x5D }
    return isPlain && !name.isEmpty ? "\(place).\(name)" : "\(place)[\(JSONValue.string(name))]"
  }

  private mutating func consume(_ name: String) -> JSONValue? {
    known.append(name)
    return members[name]
  }

  /// Takes a string that is not empty and without a NUL, at which the system would end it, if present.
  mutating func text(
    _ name: String,
    _ expected: String,
    _ isValid: (String) -> Bool = { _ in true }
  ) throws(SettingsError) -> String? {
    guard let value = consume(name) else { return nil }
    guard case .string(let text) = value else { throw error(name, expected, found: value.kind) }
    guard !text.isEmpty, !text.utf8.contains(0), isValid(text) else {
      throw error(name, expected, found: "\(value)")
    }
    return text
  }

  /// Takes a whole number within bounds, if present.
  mutating func whole(_ name: String, _ bounds: ClosedRange<Int64>) throws(SettingsError) -> Int? {
    guard let value = consume(name) else { return nil }
    let expected = "a whole number, \(bounds.lowerBound) to \(bounds.upperBound)"
    guard case .whole(let number) = value else { throw error(name, expected, found: value.kind) }
    guard bounds.contains(number) else { throw error(name, expected, found: "\(number)") }
    return Int(number)
  }

  /// Takes true or false, if present.
  mutating func flag(_ name: String) throws(SettingsError) -> Bool? {
    guard let value = consume(name) else { return nil }
    guard case .bool(let flag) = value else {
      throw error(name, "true or false", found: value.kind)
    }
    return flag
  }

  /// Takes an object, if present.
  mutating func object(_ name: String) throws(SettingsError) -> SettingsObject? {
    guard let value = consume(name) else { return nil }
    guard case .object(let members) = value else {
      throw error(name, "an object", found: value.kind)
    }
    return SettingsObject(members, file: file, place: path(of: name))
  }

  /// Takes a list, if present.
  mutating func list(_ name: String, most: Int) throws(SettingsError) -> SettingsList? {
    guard let value = consume(name) else { return nil }
    guard case .list(let elements) = value else { throw error(name, "a list", found: value.kind) }
    guard elements.count <= most else {
      throw error(name, "at most \(most) elements", found: "\(elements.count)")
    }
    return SettingsList(
      candidates: elements.enumerated().map { index, element in
        guard case .object(let members) = element else { return nil }
        return SettingsObject(members, file: file, place: "\(path(of: name))[\(index)]")
      },
      elements: elements,
      error: { [self] index, expected in
        SettingsError(
          "\(file): \(path(of: name))[\(index)]: expected \(expected), found \(elements[index].kind)"
        )
      }
    )
  }

  /// An entry that is a text or an object.
  enum Entry {
    case text(String, place: String)
    case object(SettingsObject)
  }

  /// Takes a text that is not empty, an object, or a list of them, if present.
  mutating func entries(
    _ name: String,
    _ expected: String,
    most: Int
  ) throws(SettingsError) -> [Entry] {
    guard let value = consume(name) else { return [] }
    let place = path(of: name)
    guard case .list(let elements) = value else {
      return [try entry(value, place, expected)]
    }
    guard !elements.isEmpty, elements.count <= most else {
      throw error(name, "1 to \(most) elements", found: "\(elements.count)")
    }
    var entries: [Entry] = []
    for (index, element) in elements.enumerated() {
      entries.append(try entry(element, "\(place)[\(index)]", expected))
    }
    return entries
  }

  private func entry(
    _ value: JSONValue,
    _ place: String,
    _ expected: String
  ) throws(SettingsError) -> Entry {
    switch value {
    case .string(let text) where !text.isEmpty && !text.utf8.contains(0):
      return .text(text, place: place)
    case .object(let members): return .object(SettingsObject(members, file: file, place: place))
    default:
      throw SettingsError("\(file): \(place): expected \(expected), found \(value.kind)")
    }
  }

  /// Takes a text, or the value of an environment variable; no error shows the value.
  mutating func secret(
    _ name: String,
    environment: (String) -> String?
  ) throws(SettingsError) -> (value: String, isLiteral: Bool) {
    let expected = "a text or {\"env\": \"NAME\"}"
    switch consume(name) {
    case .string(let text): return (text, true)
    case .object(let members):
      guard members.count == 1, case .string(let variable)? = members["env"], !variable.isEmpty
      else { throw error(name, expected, found: "another object") }
      guard let value = environment(variable), !value.isEmpty else {
        throw error(name, "a value in the environment variable \(variable), which is not set")
      }
      return (value, false)
    case let other: throw error(name, expected, found: other?.kind ?? "nothing")
    }
  }

  /// Ends the reading.
  func end() throws(SettingsError) {
    guard let unknown = names.first(where: { !known.contains($0) }) else { return }
    throw error(
      unknown,
      "one of \(known.sorted().joined(separator: ", "))",
      found: "an unknown member"
    )
  }
}

/// The elements of a list of a configuration.
struct SettingsList {
  fileprivate let candidates: [SettingsObject?]
  fileprivate let elements: [JSONValue]
  fileprivate let error: (Int, String) -> SettingsError

  fileprivate init(
    candidates: [SettingsObject?],
    elements: [JSONValue],
    error: @escaping (Int, String) -> SettingsError
  ) {
    self.candidates = candidates
    self.elements = elements
    self.error = error
  }

  /// The elements, all of them texts.
  func texts(_ expected: String, _ isValid: (String) -> Bool) throws(SettingsError) -> [String] {
    var texts: [String] = []
    for (index, element) in elements.enumerated() {
      guard case .string(let text) = element, isValid(text) else { throw error(index, expected) }
      texts.append(text)
    }
    return texts
  }

  /// The elements, all of them objects.
  func objects() throws(SettingsError) -> [SettingsObject] {
    var found: [SettingsObject] = []
    for (index, object) in candidates.enumerated() {
      guard let object else { throw error(index, "an object") }
      found.append(object)
    }
    return found
  }
}
