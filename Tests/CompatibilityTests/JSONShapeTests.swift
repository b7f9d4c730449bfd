import CompatibilityCheck
import Foundation
import StrictJSON
import Testing

@Suite("Shapes of answers")
struct JSONShapeTests {
  /// A type as an app has it, and its shape.
  private struct Session: Decodable {
    enum State: String, Decodable { case idle, running }
    struct Todo: Decodable {
      var text: String
      var rank: Int32?
    }

    var id: String
    var count: Int
    var state: State
    var ratio: Double?
    var when: String?
    var tools: [String: Int]?
    var todos: [Todo]
    var isOpen: Bool
  }

  private static let shape: JSONShape = .object([
    "id": .string,
    "count": .integer,
    "state": .oneOf(["idle", "running"]),
    "ratio": .optional(.number),
    "when": .optional(.string),
    "tools": .optional(.map(.integer)),
    "todos": .list(.object(["text": .string, "rank": .optional(.int32)])),
    "isOpen": .bool,
  ])

  private static let good = [
    "id": "\"a\"", "count": "3", "state": "\"idle\"", "ratio": "0.5",
    "when": "\"2026-11-24T07:00:00Z\"", "tools": "{\"Bash\":2}",
    "todos": "[{\"text\":\"x\",\"rank\":1}]", "isOpen": "true",
  ]

  /// What is in place of a member.
  private static let others = [
    nil, "null", "\"\"", "\"a\"", "\"3\"", "0", "3", "-7", "3.0", "3.5", "1e3", "33.423", "true",
    "false", "[]", "{}", "[\"Bash\"]", "{\"Bash\":2}", "{\"Bash\":2.5}", "{\"Bash\":null}",
    "\"running\"", "\"blocked\"", "\"2026-11-24T07:00:00Z\"", "\"2026-11-24T07:00:00.531Z\"",
    "\"2026-11-24T08:00:00+01:00\"", "\"2026-11-24\"", "1764000000", "3000000000", "-3000000000",
    "[{\"text\":\"x\"}]", "[{\"text\":\"x\",\"rank\":null}]",
    "[{\"text\":\"x\",\"rank\":3000000000}]",
    "[{\"rank\":1}]", "[null]", "[{\"text\":1}]", "[{\"text\":\"x\",\"more\":[1]}]",
  ]

  private static func text(_ members: [String: String]) -> [UInt8] {
    let inside = members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }
    return Array("{\(inside.joined(separator: ","))}".utf8)
  }

  private func value(_ bytes: [UInt8]) throws -> JSONValue {
    var rules = JSONReader.Rules()
    rules.keepsNumbers = true
    return try JSONReader.value(of: bytes, rules: rules)
  }

  @Test("A shape refuses exactly what Foundation's decoder refuses for the type that it restates.")
  func likeCodable() throws {
    let decoder = JSONDecoder()
    var accepted = 0
    for name in Self.good.keys.sorted() {
      for other in Self.others {
        var members = Self.good
        members[name] = other
        let bytes = Self.text(members)
        let isRead = (try? decoder.decode(Session.self, from: Data(bytes))) != nil
        let faults = Self.shape.faults(in: try value(bytes))
        #expect(faults.isEmpty == isRead, "\(name): \(other ?? "absent"): \(faults)")
        if isRead { accepted += 1 }
      }
    }
    #expect(accepted > 30)
    #expect(accepted < Self.good.count * Self.others.count / 2)
  }

  @Test("A fault names the path, what is expected and what is there.")
  func words() throws {
    var members = Self.good
    members["count"] = "\"3\""
    members["state"] = "\"blocked\""
    members["todos"] = "[{\"text\":\"x\"},{\"rank\":[]}]"
    members["when"] = "\"2026-11-24T07:00:00.531Z\""
    let dated = JSONShape.object(["when": .date(.wholeSeconds)])
    let answer = try value(Self.text(members))
    let faults = JSONShape.all([Self.shape, dated]).faults(in: answer).map(\.description)
    #expect(
      faults == [
        "count: expected a whole number, found \"3\"",
        "state: expected one of \"idle\", \"running\", found \"blocked\"",
        "todos[1].rank: expected a whole number from -2147483648 to 2147483647, found a list of 0",
        "todos[1].text: expected a string, found nothing",
        "when: expected RFC 3339 without fractions of a second, found \"2026-11-24T07:00:00.531Z\"",
      ]
    )
  }

  @Test("Gson leaves fields unset where Codable refuses, and a script takes what is there.")
  func otherReaders() throws {
    var members = Self.good
    members["count"] = "\"3\""
    members["state"] = "\"blocked\""
    members["id"] = nil
    let bytes = Self.text(members)
    #expect(Self.shape.faults(in: try value(bytes)).map(\.path) == ["count", "id", "state"])
    #expect(Self.shape.faults(in: try value(bytes), as: .gson).isEmpty)
    #expect(
      Self.shape.faults(in: try value(bytes), as: .javaScript).map(\.path) == ["count", "id"]
    )
    members["todos"] = "{}"
    #expect(
      Self.shape.faults(in: try value(Self.text(members)), as: .gson).map(\.path) == ["todos"]
    )
  }

  @Test("Of a message with a closed type, the type decides; of several types, the first that fits.")
  func unions() throws {
    let message = JSONShape.tagged(
      by: "type",
      [
        "progress": .object(["payload": .object(["processed": .integer])]),
        "complete": .object([
          "payload": .first([
            .object(["books": .list(.string)]), .object(["count": .integer, "total": .integer]),
          ])
        ]),
      ]
    )
    func faults(_ text: String) throws -> [String] {
      message.faults(in: try value(Array(text.utf8))).map(\.description)
    }
    #expect(try faults(#"{"type":"progress","payload":{"processed":1}}"#).isEmpty)
    #expect(try faults(#"{"type":"complete","payload":{"count":1,"total":2}}"#).isEmpty)
    #expect(
      try faults(#"{"type":"notice","payload":{}}"#)
        == ["type: expected one of \"complete\", \"progress\", found \"notice\""]
    )
    #expect(try faults(#"{"payload":{}}"#) == ["type: expected a string, found nothing"])
    #expect(
      try faults(#"{"type":"complete","payload":{"books":[1]}}"#)
        == ["payload.books[0]: expected a string, found 1"]
    )
  }

  @Test("Optional, nullable and absent-or-there are three things.")
  func optionality() throws {
    func faults(_ shape: JSONShape, _ text: String) throws -> Int {
      JSONShape.object(["a": shape]).faults(in: try value(Array(text.utf8))).count
    }
    let texts = ["{}", #"{"a":null}"#, #"{"a":"x"}"#, #"{"a":1}"#]
    #expect(try texts.map { try faults(.optional(.string), $0) } == [0, 0, 0, 1])
    #expect(try texts.map { try faults(.nullable(.string), $0) } == [1, 0, 0, 1])
    #expect(try texts.map { try faults(.absentOr(.string), $0) } == [0, 1, 0, 1])
    #expect(try texts.map { try faults(.string, $0) } == [1, 1, 0, 1])
    #expect(try texts.map { try faults(.anything, $0) } == [0, 0, 0, 0])
  }

  @Test("The forms of instants are those that Foundation's formatters read.")
  func dates() throws {
    let whole = ISO8601DateFormatter()
    let fractions = ISO8601DateFormatter()
    fractions.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    let texts = [
      "2026-11-24T07:00:00Z", "2026-11-24T07:00:00.531Z", "2026-11-24T08:00:00+01:00",
      "2026-11-24T08:00:00.5+01:00", "2026-11-24", "", "soon", "2026-11-24T07:00Z", "1764000000",
      "2026-13-24T07:00:00Z", "2026-11-24T07:00:00",
    ]
    for text in texts {
      func isRead(_ form: JSONShape.DateForm) -> Bool {
        JSONShape.date(form).faults(in: .string(text)).isEmpty
      }
      #expect(isRead(.wholeSeconds) == (whole.date(from: text) != nil), "\(text)")
      #expect(isRead(.fractions) == (fractions.date(from: text) != nil), "\(text)")
      #expect(isRead(.anySeconds) == (isRead(.wholeSeconds) || isRead(.fractions)), "\(text)")
    }
    #expect(JSONShape.date(.day).faults(in: .string("2026-11-24")).isEmpty)
    #expect(!JSONShape.date(.day).faults(in: .string("2026-11-31")).isEmpty)
    #expect(JSONShape.date(.secondsSince1970).faults(in: .decimal("1764000000.5")).isEmpty)
    #expect(!JSONShape.date(.millisecondsSince1970).faults(in: .string("1764000000")).isEmpty)
  }

  @Test("At most twenty faults of a value are named.")
  func most() {
    let list = JSONValue.list(Array(repeating: .whole(1), count: 100))
    #expect(JSONShape.list(.string).faults(in: list).count == JSONShape.mostFaults)
  }
}
