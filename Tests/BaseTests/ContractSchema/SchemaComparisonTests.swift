import ContractSchema
import StrictJSON
import Testing

@Suite("Comparing answers with a document")
struct SchemaComparisonTests {
  private static let answer = "GET /trip"

  /// The differences of answers from a document with one operation, whose answers have these schemas.
  private static func differences(_ schemas: String, _ answers: String...) throws -> [String] {
    let response = """
      {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Trip"}}}}
      """
    let text = """
      {"paths": {"/trip": {"get": {"responses": {"200": \(response)}}}},
       "components": {"schemas": \(schemas)}}
      """
    let document = ContractDocument(try ContractDocument.value(of: Array(text.utf8)))
    var comparison = SchemaComparison(document)
    for text in answers {
      let value = try ContractDocument.value(of: Array(text.utf8))
      comparison.compare(value, answering: Self.answer)
    }
    return comparison.differences()
  }

  private static let trip = """
    {"Trip": {"type": "object", "required": ["line"], "properties": {
      "line": {"type": "string", "enum": ["S1", "S2"]}, "delay": {"type": ["number", "null"]}}}}
    """

  @Test
  func `Full and minimal answers with every kind and word are the same as the document`() throws {
    let found = try Self.differences(
      Self.trip,
      #"{"line": "S1", "delay": 1.5}"#,
      #"{"line": "S2", "delay": null}"#,
      #"{"line": "S1"}"#
    )
    #expect(found == [])
  }

  @Test(arguments: [
    (#"{"line": "S1", "delay": 0.5, "name": "x"}"#, "does not have the member name"),
    (#"{"delay": 0.5}"#, "line is missing"),
    (#"{"line": "S3"}"#, "\"S3\" is not in"),
    (#"{"line": "S1", "delay": "late"}"#, "says number or null"),
    (#"{"line": 1}"#, "says string"),
  ])
  func `An answer that the document does not allow is a difference`(
    answer: String,
    difference: String
  ) throws {
    let found = try Self.differences(
      Self.trip,
      #"{"line": "S1", "delay": 1.5}"#,
      #"{"line": "S2", "delay": null}"#,
      #"{"line": "S1"}"#,
      answer
    )
    #expect(found.contains { $0.contains(difference) }, "\(found)")
  }

  @Test(arguments: [
    ([#"{"line": "S1"}"#, #"{"line": "S2"}"#], "delay: no type writes it"),
    ([#"{"line": "S1", "delay": 1.5}"#, #"{"line": "S2", "delay": null}"#], "always written"),
    (
      [#"{"line": "S1", "delay": 2}"#, #"{"line": "S2", "delay": null}"#, #"{"line": "S1"}"#],
      "always whole"
    ),
    ([#"{"line": "S1", "delay": 2.5}"#, #"{"line": "S2"}"#], "never null"),
    (
      [#"{"line": "S1", "delay": 2.5}"#, #"{"line": "S1", "delay": null}"#, #"{"line": "S1"}"#],
      "no type writes \"S2\""
    ),
    ([], "no answer was compared"),
  ])
  func `What the document says and no answer has is a difference`(
    answers: [String],
    difference: String
  ) throws {
    let schemas = Self.trip
    let found: [String]
    switch answers.count {
    case 0: found = try Self.differences(schemas)
    case 2: found = try Self.differences(schemas, answers[0], answers[1])
    default: found = try Self.differences(schemas, answers[0], answers[1], answers[2])
    }
    #expect(found.contains { $0.contains(difference) }, "\(found)")
  }

  @Test
  func `Parts, alternatives and conditions are read together`() throws {
    let schemas = """
      {"Trip": {"allOf": [{"$ref": "#/components/schemas/Named"}], "required": ["kind", "content"],
        "properties": {"kind": {"enum": ["bus", "rail"]}, "content": {"type": "object"}},
        "if": {"properties": {"kind": {"const": "bus"}}},
        "then": {"properties": {"content": {"$ref": "#/components/schemas/Bus"}}},
        "else": {"properties": {"content": {"anyOf": [
          {"required": ["track"], "properties": {"track": {"type": "integer"}}},
          {"required": ["platform"], "properties": {"platform": {"type": "string"}}}]}}}},
       "Named": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
       "Bus": {"type": "object", "additionalProperties": {"type": "integer"}}}
      """
    let (bus, track, platform) = (
      #"{"name": "1", "kind": "bus", "content": {"seats": 3}}"#,
      #"{"name": "1", "kind": "rail", "content": {"track": 3}}"#,
      #"{"name": "1", "kind": "rail", "content": {"platform": "3"}}"#
    )
    #expect(try Self.differences(schemas, bus, track, platform) == [])
    let found = try Self.differences(schemas, bus, track)
    #expect(found.count == 1 && found[0].contains("anyOf/1: no type writes it"), "\(found)")
    let wrong = #"{"name": "1", "kind": "rail", "content": {"seat": 3}}"#
    #expect(try !Self.differences(schemas, bus, track, platform, wrong).isEmpty)
    #expect(try !Self.differences(schemas, bus, track, platform, #"{"kind": "bus"}"#).isEmpty)
  }

  @Test
  func `A word of a schema that is not compared is a difference`() throws {
    let found = try Self.differences(#"{"Trip": {"type": "object", "minProperties": 1}}"#, "{}")
    #expect(found.count == 1 && found[0].contains("minProperties"), "\(found)")
  }
}
