package import StrictJSON

/// Compares answers with the schemas of an OpenAPI document in both directions.
///
/// Each answer is compared with its schema: a member that the document lacks, a member that is missing, another kind and another
/// word are differences. What the document says and no answer had is a difference too: a property that nothing writes, an optional
/// one that is always there, a kind, a word or an alternative that never occurs. So the answers have to be full ones and
/// minimal ones.
///
/// Bounds of numbers and lengths are not compared here; `Tests/Contract/validate_answers.py` does.
package struct SchemaComparison {
  /// What has been seen at a place.
  struct Sighting {
    var kinds: Set<String> = []
    var hasFraction = false
    var values: Set<JSONValue> = []
    var present: Set<String> = []
    var absent: Set<String> = []
  }

  let document: ContractDocument
  private(set) var sightings: [ContractDocument.Place: Sighting] = [:]
  private(set) var answered: Set<ContractDocument.Answer> = []
  private var failures: [String] = []

  /// Creates a comparison with nothing compared.
  package init(_ document: ContractDocument) { self.document = document }

  /// Compares an answer with a schema.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - name: The name of the schema, or the place of one within: `Trip/properties/stops`.
  package mutating func compare(_ value: JSONValue, with name: String) {
    compare(value, at: ContractDocument.schema(name), name)
  }

  /// Compares an answer of an operation with its schema.
  ///
  /// - Parameters:
  ///   - value: The body.
  ///   - operation: The method and the path as the document has it: `GET /v1/jobs/{job}`.
  ///   - status: The status, or `default`.
  ///   - type: The media type.
  package mutating func compare(
    _ value: JSONValue,
    answering operation: String,
    _ status: String = "200",
    _ type: String = "application/json"
  ) {
    let answer = ContractDocument.Answer(operation: operation, status: status, type)
    guard let place = document.answers[answer] else {
      failures.append("\(answer): the document does not have it")
      return
    }
    answered.insert(answer)
    compare(value, at: place, "\(answer)")
  }

  /// Compares the words of a type with those that a schema has.
  ///
  /// - Parameters:
  ///   - type: The type; its raw values are written.
  ///   - name: The place of the schema: `Trip/properties/status`.
  package mutating func compare<Word: CaseIterable & RawRepresentable<String>>(
    words type: Word.Type,
    with name: String
  ) {
    for word in type.allCases { compare(.string(word.rawValue), with: name) }
  }

  private mutating func compare(
    _ value: JSONValue,
    at place: ContractDocument.Place,
    _ name: String
  ) {
    guard document[place] != nil else {
      failures.append("\(name): the document does not have \(place)")
      return
    }
    let result = SchemaReading(document).read(value, [place], name)
    failures += result.errors
    for note in result.notes {
      var sighting = sightings[note.place] ?? Sighting()
      switch note.what {
      case .kind(let kind, let isFraction):
        sighting.kinds.insert(kind)
        if isFraction { sighting.hasFraction = true }
      case .value(let value): sighting.values.insert(value)
      case .present(let name): sighting.present.insert(name)
      case .absent(let name): sighting.absent.insert(name)
      }
      sightings[note.place] = sighting
    }
  }

  /// All differences so far, each once, in alphabetical order.
  ///
  /// - Parameters:
  ///   - streams: The schemas of what the event streams and the sockets carry, which no answer refers to.
  ///   - statuses: The statuses of which every answer has to be compared: those of success.
  ///   - reserved: Words that the document has by its description for other servers, by the place of their schema. One that is
  ///     written is a difference.
  /// - Returns: The differences; empty if types and document say the same.
  package func differences(
    streams: [String] = [],
    statuses: [String] = ["200"],
    reserved: [String: [String]] = [:]
  ) -> [String] {
    var all = Set(failures)
    let answers = document.answers
    for answer in answers.keys where statuses.contains(answer.status) {
      if !answered.contains(answer) { all.insert("\(answer): no answer was compared") }
    }
    var coverage = SchemaCoverage(document, sightings)
    for place in Set(answers.values) {
      // Answers of one schema are the same ones; only an alternative has to be shown in its place.
      coverage.visit(document[place]?["$ref"]?.string ?? place)
    }
    for name in streams { coverage.visit(ContractDocument.schema(name)) }
    all.formUnion(coverage.failures)
    for (name, words) in reserved {
      for word in words {
        let difference = SchemaCoverage.unwritten(.string(word), ContractDocument.schema(name))
        if all.remove(difference) == nil { all.insert("\(name): \(word) is reserved and written") }
      }
    }
    return all.sorted()
  }

  /// The named schemas that have been compared, in alphabetical order.
  package var covered: [String] {
    let prefix = ContractDocument.schema("")
    return Set(
      sightings.keys.filter { $0.hasPrefix(prefix) }
        .compactMap { $0.dropFirst(prefix.count).split(separator: "/").first.map(String.init) }
    )
    .sorted()
  }
}
