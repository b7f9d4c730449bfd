import StrictJSON
import Testing

@Suite struct `Reading JSON` {
  private func value(
    _ text: String,
    _ change: (inout JSONReader.Rules) -> Void = { _ in }
  ) throws -> JSONValue {
    var rules = JSONReader.Rules()
    change(&rules)
    return try JSONReader.value(of: Array(text.utf8), rules: rules)
  }

  private func problem(
    _ text: String,
    _ change: (inout JSONReader.Rules) -> Void = { _ in }
  ) -> JSONReader.Fault? {
    do {
      _ = try value(text, change)
      return nil
    } catch {
      return error as? JSONReader.Fault
    }
  }

  @Test func `every kind of value is read`() throws {
    let text = #" {"a": [null, true, false, -12, "x\n\u00e9\ud83d\ude00\/"], "b": {} , "c":[]} "#
    #expect(
      try value(text)
        == .object([
          "a": .list([.null, .bool(true), .bool(false), .whole(-12), .string("x\né😀/")]),
          "b": .object([:]), "c": .list([]),
        ])
    )
  }

  @Test(arguments: [
    ("", "ends where"), ("{", "name is expected"), ("[1,]", "value is expected"),
    ("{\"a\":1,}", "name is expected"), ("[1] 2", "follows"), ("01", "not a number"),
    ("-", "not a number"),
    ("tru", "value is expected"), ("\"\u{1}\"", "control character"), ("\"a", "does not end"),
    (#""\x""#, "unknown escape"), (#""\u12""#, "hexadecimal"), (#""\ud800x""#, "surrogates"),
    (#"{"a":1,"a":2}"#, "given twice"), ("1.5", "without fraction"), ("9007199254740993", "larger"),
    ("\u{FEFF}1", "value is expected"), ("NaN", "value is expected"),
  ])
  func `what is not strict JSON is refused`(_ text: String, _ words: String) {
    #expect(problem(text)?.problem.contains(words) == true, "\(text)")
  }

  @Test func `a fault says its line and column`() {
    let fault = problem("{\n  \"a\": 1,\n  \"a\": 2}")
    #expect(fault?.line == 3)
    #expect(fault?.column == 3)
  }

  @Test(arguments: [
    ("1.50", "1.50"), ("-0.0", "-0.0"), ("1e999", "1e999"), ("2E-3", "2E-3"),
    ("9007199254740993", "9007199254740993"),
    ("123456789012345678901234567890", "123456789012345678901234567890"),
  ])
  func `numbers are kept as they are written where that is asked for`(
    _ text: String,
    _ kept: String
  ) throws {
    let value = try value(text) { $0.keepsNumbers = true }
    #expect(value == .decimal(kept))
    #expect(String(decoding: value.bytes, as: UTF8.self) == text)
  }

  @Test(arguments: ["1.", ".5", "1.e3", "1e", "1e+", "1.5.5", "1-2", "+1", "0x10"])
  func `an invalid number is rejected when numbers are kept`(_ text: String) {
    #expect(problem(text) { $0.keepsNumbers = true } != nil)
  }

  @Test func `whole numbers stay whole when numbers are kept`() throws {
    #expect(
      try value("-9007199254740992") { $0.keepsNumbers = true } == .whole(-9_007_199_254_740_992)
    )
    #expect(try value("-0") { $0.keepsNumbers = true } == .whole(0))
  }

  @Test func `fractions are rounded where that is asked for`() throws {
    #expect(
      try value("[1.5, 2.4, 1e3]") { $0.roundsFractions = true }
        == .list([.whole(2), .whole(2), .whole(1_000)])
    )
  }

  @Test func `numbers are given by kind`() {
    #expect(JSONValue.decimal("5.0").int64 == 5)
    #expect(JSONValue.decimal("1e3").int64 == 1_000)
    #expect(JSONValue.decimal("9223372036854775807").int64 == .max)
    #expect(JSONValue.decimal("9223372036854775808").int64 == nil)
    #expect(JSONValue.decimal("5.5").int64 == nil)
    #expect(JSONValue.decimal("5.5").double == 5.5)
    #expect(JSONValue.decimal("1e999").double == nil)
    #expect(JSONValue.string("5").double == nil)
    #expect(JSONValue(0.25) == .decimal("0.25"))
    #expect(JSONValue(48) == .whole(48))
    #expect(JSONValue(.nan) == .null)
  }

  @Test func `a member that appears twice counts as the rules say, and its name is kept`() throws {
    let text = Array(#"{"a":1,"b":{"c":1,"c":2},"a":3}"#.utf8)
    var rules = JSONReader.Rules()
    rules.repetition = .first
    var reading = try JSONReader.reading(of: text, rules: rules)
    #expect(reading.value["a"] == .whole(1))
    #expect(reading.value["b"]?["c"] == .whole(1))
    #expect(reading.repeated == ["c", "a"])
    rules.repetition = .last
    reading = try JSONReader.reading(of: text, rules: rules)
    #expect(reading.value["a"] == .whole(3))
    #expect(reading.value["b"]?["c"] == .whole(2))
  }

  @Test func `damaged strings are repaired and counted where that is asked for`() throws {
    var rules = JSONReader.Rules()
    rules.repairsStrings = true
    let bytes: [UInt8] =
      Array("[\"a".utf8) + [0xE9] + Array("b\", \"\\ud800x\", \"\\ud800\\u0041\", \"t\tt\"]".utf8)
    let reading = try JSONReader.reading(of: bytes, rules: rules)
    #expect(
      reading.value
        == .list([
          .string("a\u{FFFD}b"), .string("\u{FFFD}x"), .string("\u{FFFD}A"), .string("t\tt"),
        ])
    )
    #expect(reading.repairs == 4)
  }

  @Test func `a byte order mark may be allowed`() throws {
    #expect(try value("\u{FEFF}1") { $0.skipsByteOrderMark = true } == .whole(1))
  }

  @Test func `depth, length and number of values have limits`() {
    #expect(problem(String(repeating: "[", count: 40))?.problem == "nested deeper than 32")
    #expect(problem("[1,2,3]") { $0.longest = 6 }?.problem == "the text is longer than 6 bytes")
    #expect(problem("[1,2,3]") { $0.most = 3 }?.problem == "more than 3 values")
    #expect(problem("[1,2,3]") { $0.most = 4 } == nil)
  }

  @Test func `a quoted string is one line and is read back as the same string`() throws {
    let string = "\"\\\n\r\t\u{1}\u{1F}é\u{2028}\u{2029}😀/"
    let quoted = JSONValue.quoted(string)
    #expect(quoted == #""\"\\\n\r\t\u0001\u001fé\u2028\u2029😀/""#)
    #expect(try value(quoted) == .string(string))
    #expect(JSONValue.string(string).description == quoted)
  }

  @Test func `bytes written are read back as the same value`() throws {
    let value: JSONValue = .object([
      "z": .string("\"\\\u{1}\n\té"), "a": .list([.null, .bool(false), .decimal("1.25")]),
      "": .whole(0),
    ])
    #expect(
      String(decoding: value.bytes, as: UTF8.self)
        == #"{"":0,"a":[null,false,1.25],"z":"\"\\\u0001\n\té"}"#
    )
    #expect(
      try self.value(String(decoding: value.bytes, as: UTF8.self)) { $0.keepsNumbers = true }
        == value
    )
  }

  @Test func `any bytes are read or refused, never fatal`() {
    var generator = SystemRandomNumberGenerator()
    let alphabet = Array(#"{}[]":,\u0019eE+-.truefalsn "#.utf8) + [0xE9, 0xC3, 0x00, 0x0A]
    var rules = JSONReader.Rules()
    rules.keepsNumbers = true
    rules.repairsStrings = true
    rules.repetition = .first
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
        alphabet.randomElement(using: &generator) ?? 0
      }
      if let value = try? JSONReader.value(of: bytes, rules: rules) {
        #expect(throws: Never.self) { _ = try JSONReader.value(of: value.bytes, rules: rules) }
      }
    }
  }
}
