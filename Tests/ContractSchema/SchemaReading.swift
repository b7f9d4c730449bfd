import StrictJSON

/// Reads a value by the schemas that hold for it together, as a strict validator: a member that no schema has is an error.
struct SchemaReading {
  /// What a value shows of a schema.
  struct Note {
    enum What {
      case kind(String, isFraction: Bool)
      case value(JSONValue)
      case present(String)
      case absent(String)
    }

    var place: ContractDocument.Place
    var what: What
  }

  /// The differences, and what was seen.
  struct Result {
    var errors: [String] = []
    var notes: [Note] = []

    mutating func add(_ other: Result) {
      errors += other.errors
      notes += other.notes
    }
  }

  /// The words of a schema that are read here.
  private static let read: Set<String> = [
    "$ref", "type", "enum", "const", "properties", "required", "additionalProperties", "items",
    "allOf", "oneOf", "anyOf", "if", "then", "else", "discriminator", "propertyNames", "pattern",
  ]
  /// The words that say nothing of members, kinds and words, or that others check.
  private static let left: Set<String> = [
    "description", "title", "examples", "format", "minimum", "maximum", "minLength", "maxLength",
    "minItems", "maxItems", "default",
  ]

  private let document: ContractDocument

  init(_ document: ContractDocument) { self.document = document }

  /// Reads a value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - places: The schemas that hold for it.
  ///   - path: Where the value is, for messages.
  ///   - isClosed: Whether a member that no schema has is an error.
  ///   - known: Members that a schema around this one has.
  /// - Returns: The differences, and what was seen.
  func read(
    _ value: JSONValue,
    _ places: [ContractDocument.Place],
    _ path: String,
    isClosed: Bool = true,
    known: Set<String> = []
  ) -> Result {
    var result = Result()
    var schemas = places.flatMap { expanded($0, value) }
    let named = known.union(schemas.flatMap { members($0).keys })
    for place in schemas {
      for word in ["oneOf", "anyOf"] {
        guard let count = document[place]?[word]?.list?.count else { continue }
        let chosen = choose(value, place, word, count, path, isClosed, named)
        result.add(chosen.result)
        schemas += chosen.places
      }
    }
    for place in schemas { check(value, place, path, &result) }
    switch value {
    case .object(let members):
      read(members, schemas, path, isClosed: isClosed, known: known, &result)
    case .list(let elements):
      let items = schemas.filter { document[$0]?["items"] != nil }
        .map { ContractDocument.place($0, "items") }
      guard !items.isEmpty else { break }
      for element in elements { result.add(read(element, items, "\(path)[]")) }
    default: break
    }
    return result
  }

  /// A schema with those it refers to and consists of.
  private func expanded(
    _ place: ContractDocument.Place,
    _ value: JSONValue
  ) -> [ContractDocument.Place] {
    guard let schema = document[place] else { return [place] }
    var found = [place]
    if let reference = schema["$ref"]?.string { found += expanded(reference, value) }
    for number in (schema["allOf"]?.list ?? []).indices {
      found += expanded(ContractDocument.place(place, "allOf", "\(number)"), value)
    }
    if schema["if"] != nil {
      let isTrue = read(value, [ContractDocument.place(place, "if")], "", isClosed: false).errors
        .isEmpty
      let branch = isTrue ? "then" : "else"
      if schema[branch] != nil { found += expanded(ContractDocument.place(place, branch), value) }
    }
    return found
  }

  private func members(_ place: ContractDocument.Place) -> [String: JSONValue] {
    document[place]?["properties"]?.object ?? [:]
  }

  private func choose(
    _ value: JSONValue,
    _ place: ContractDocument.Place,
    _ word: String,
    _ count: Int,
    _ path: String,
    _ isClosed: Bool,
    _ known: Set<String>
  ) -> (result: Result, places: [ContractDocument.Place]) {
    var candidates = (0..<count).map { ContractDocument.place(place, word, "\($0)") }
    if let choice = document[place]?["discriminator"],
      let member = choice["propertyName"]?.string.flatMap({ value[$0]?.string })
    {
      let named = choice["mapping"]?[member]?.string
      candidates = candidates.filter { document[$0]?["$ref"]?.string == named }
    }
    var fitting: [ContractDocument.Place] = []
    var nearest: [String] = ["\(path): no alternative of \(place) is named so"]
    for candidate in candidates {
      let errors = read(value, [candidate], path, isClosed: isClosed, known: known).errors
      if errors.isEmpty { fitting.append(candidate) }
      if candidate == candidates[0] || errors.count < nearest.count { nearest = errors }
    }
    guard let first = fitting.first else { return (Result(errors: nearest), []) }
    if word == "oneOf", fitting.count > 1 {
      return (Result(errors: ["\(path): several alternatives of \(place) fit"]), [])
    }
    let chosen = word == "oneOf" ? [first] : fitting
    return (Result(), chosen.flatMap { expanded($0, value) })
  }

  /// Compares the kind and the word of a value with a schema.
  private func check(
    _ value: JSONValue,
    _ place: ContractDocument.Place,
    _ path: String,
    _ result: inout Result
  ) {
    guard let schema = document[place]?.object else {
      if document[place]?.bool != true { result.errors.append("\(path): \(place) is not a schema") }
      return
    }
    for word in schema.keys where !Self.read.contains(word) && !Self.left.contains(word) {
      result.errors.append("\(place): \"\(word)\" is not compared")
    }
    let (kind, isFraction) = Self.kind(value)
    result.notes.append(Note(place: place, what: .kind(kind, isFraction: isFraction)))
    let kinds = Self.kinds(schema["type"])
    if !kinds.isEmpty, !kinds.contains(kind), !(kind == "integer" && kinds.contains("number")) {
      result.errors.append("\(path): \(kind), and \(place) says \(kinds.joined(separator: " or "))")
    }
    if let words = schema["enum"]?.list ?? schema["const"].map({ [$0] }) {
      result.notes.append(Note(place: place, what: .value(value)))
      if !words.contains(value) { result.errors.append("\(path): \(value) is not in \(place)") }
    }
    if let pattern = schema["pattern"]?.string, let text = value.string {
      if (try? Regex(pattern).firstMatch(in: text)) == nil {
        result.errors.append("\(path): \(value) does not match \(pattern)")
      }
    }
  }

  private func read(
    _ members: [String: JSONValue],
    _ schemas: [ContractDocument.Place],
    _ path: String,
    isClosed: Bool,
    known: Set<String>,
    _ result: inout Result
  ) {
    var rest = Set(members.keys).subtracting(known)
    var isFree = true
    for place in schemas {
      guard let schema = document[place] else { continue }
      for name in schema["required"]?.list?.compactMap(\.string) ?? [] where members[name] == nil {
        result.errors.append("\(path): \(name) is missing, which \(place) requires")
      }
      for name in self.members(place).keys {
        isFree = false
        rest.remove(name)
        let what: Note.What = members[name] == nil ? .absent(name) : .present(name)
        result.notes.append(Note(place: place, what: what))
      }
      if schema["propertyNames"] != nil {
        let names = ContractDocument.place(place, "propertyNames")
        for name in members.keys { result.add(read(.string(name), [names], "\(path) (names)")) }
      }
    }
    for (name, value) in members {
      let places = schemas.filter { document[$0]?["properties"]?[name] != nil }
        .map { ContractDocument.place($0, "properties", name) }
      if !places.isEmpty { result.add(read(value, places, "\(path).\(name)")) }
    }
    let others = schemas.filter { document[$0]?["additionalProperties"]?.object != nil }
      .map { ContractDocument.place($0, "additionalProperties") }
    for name in rest.sorted() {
      if !others.isEmpty {
        result.add(read(members[name] ?? .null, others, "\(path).\(name)"))
      } else if isClosed, !isFree || !known.isEmpty {
        result.errors.append("\(path): the document does not have the member \(name)")
      }
    }
  }

  /// The kinds of a schema.
  static func kinds(_ type: JSONValue?) -> [String] {
    type?.list?.compactMap(\.string) ?? type?.string.map { [$0] } ?? []
  }

  private static func kind(_ value: JSONValue) -> (String, isFraction: Bool) {
    switch value {
    case .null: ("null", false)
    case .bool: ("boolean", false)
    case .whole: ("integer", false)
    case .decimal: value.int64 == nil ? ("number", true) : ("integer", false)
    case .string: ("string", false)
    case .list: ("array", false)
    case .object: ("object", false)
    }
  }
}
