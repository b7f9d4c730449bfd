import StrictJSON

/// Finds what a document says and no answer has shown.
struct SchemaCoverage {
  private let document: ContractDocument
  private let sightings: [ContractDocument.Place: SchemaComparison.Sighting]
  private var visited: Set<ContractDocument.Place> = []
  private(set) var failures: Set<String> = []

  init(
    _ document: ContractDocument,
    _ sightings: [ContractDocument.Place: SchemaComparison.Sighting]
  ) {
    self.document = document
    self.sightings = sightings
  }

  /// Goes through a schema and those within.
  mutating func visit(_ place: ContractDocument.Place) {
    guard visited.insert(place).inserted, let schema = document[place]?.object else { return }
    guard let seen = sightings[place] else {
      failures.insert("\(place): no type writes it")
      return
    }
    if let reference = schema["$ref"]?.string { visit(reference) }
    visitKinds(place, schema, seen)
    let required = Set(schema["required"]?.list?.compactMap(\.string) ?? [])
    for name in (schema["properties"]?.object ?? [:]).keys {
      let property = ContractDocument.place(place, "properties", name)
      guard seen.present.contains(name) else {
        failures.insert("\(property): no type writes it")
        continue
      }
      if !required.contains(name), !seen.absent.contains(name), !isCondition(place) {
        failures.insert("\(property): optional, and always written")
      }
      visit(property)
    }
    for word in ["items", "additionalProperties", "then", "else", "propertyNames"]
    where schema[word]?.object != nil { visit(ContractDocument.place(place, word)) }
    for word in ["allOf", "oneOf", "anyOf"] {
      for number in (schema[word]?.list ?? []).indices {
        visit(ContractDocument.place(place, word, "\(number)"))
      }
    }
  }

  private mutating func visitKinds(
    _ place: ContractDocument.Place,
    _ schema: [String: JSONValue],
    _ seen: SchemaComparison.Sighting
  ) {
    for kind in SchemaReading.kinds(schema["type"]) {
      if kind == "number", !seen.hasFraction {
        failures.insert("\(place): always whole, and the document says number")
      } else if kind != "number", !seen.kinds.contains(kind) {
        failures.insert("\(place): never \(kind)")
      }
    }
    for word in schema["enum"]?.list ?? [] where !seen.values.contains(word) {
      failures.insert(Self.unwritten(word, place))
    }
  }

  /// The difference of a word that nothing writes.
  static func unwritten(_ word: JSONValue, _ place: ContractDocument.Place) -> String {
    "\(place): no type writes \(word)"
  }

  /// Whether a schema adds to another one what a condition is about, and says nothing of what is required.
  private func isCondition(_ place: ContractDocument.Place) -> Bool {
    place.hasSuffix("/then") || place.hasSuffix("/else")
      || place.split(separator: "/").dropLast().last == "allOf"
        && document[place]?["required"] == nil
  }
}
