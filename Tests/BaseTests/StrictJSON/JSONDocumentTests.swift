import StrictJSON
import Testing

@Suite struct `A JSON text by places` {
  private func document(
    _ text: String,
    _ change: (inout JSONReader.Rules) -> Void = { _ in }
  ) throws -> JSONDocument {
    var rules = JSONReader.Rules()
    rules.keepsNumbers = true
    change(&rules)
    return try JSONReader.document(of: Array(text.utf8), rules: rules)
  }

  @Test func `members are found whatever precedes them`() throws {
    let text = #"{"first":[1,{"x":2}],"":0,"deep":{"a":{"b":[]}},"escap\u0065d":"\t","é":-7}"#
    let document = try document(text)
    let value = { (name: String) in document.member(name, of: 0).map { document.value(at: $0) } }
    #expect(value("first") == .list([.whole(1), .object(["x": .whole(2)])]))
    #expect(value("") == .whole(0))
    #expect(value("deep") == .object(["a": .object(["b": .list([])])]))
    #expect(value("escaped") == .string("\t"))
    #expect(value("é") == .whole(-7))
    #expect(value("firsT") == nil)
    #expect(value("x") == nil)
    #expect(document.count(at: 0) == 5)
  }

  @Test func `no member is found in what is not an object`() throws {
    let document = try document(#"["a",1]"#)
    #expect(document.member("a", of: 0) == nil)
    #expect(document.member("a", of: 1) == nil)
  }

  @Test(arguments: [1, 2, 23, 24, 25, 60])
  func `one of two equal names counts, however many others there are`(_ others: Int) throws {
    let more = (0..<others).map { "\"m\($0)\":0" }.joined(separator: ",")
    let text = "{\"a\":1,\(more),\"\\u0061\":2,\"a\":3}"
    for (repetition, expected) in [(JSONReader.Rules.Repetition.first, 1), (.last, 3)] {
      let document = try document(text) { $0.repetition = repetition }
      let place = try #require(document.member("a", of: 0))
      #expect(document.value(at: place) == .whole(Int64(expected)))
      #expect(document.repeated == ["a", "a"])
      #expect(document.members(of: 0).reduce(0) { sum, _ in sum + 1 } == others + 1)
      #expect(document.value()["a"] == .whole(Int64(expected)))
    }
    #expect(throws: JSONReader.Fault.self) { try self.document(text) }
  }

  @Test func `names that are the same text in other bytes are equal where they stand twice`() throws
  {
    let document = try document("{\"e\u{301}\":1,\"\u{E9}\":2}") { $0.repetition = .first }
    #expect(document.repeated.count == 1)
    #expect(document.value() == .object(["é": .whole(1)]))
  }

  @Test func `strings end where they end, wherever they begin`() throws {
    for length in 0..<40 {
      for special in ["", "\\\"", "\\\\", "é", "\\u20ac", "日本"] {
        let plain = String(repeating: "x", count: length)
        let text = "[\"\(plain)\(special)\(plain)\",\"\(special)\"]"
        let middle = ["\\\"": "\"", "\\\\": "\\", "\\u20ac": "€"][special] ?? special
        #expect(
          try document(text).value() == .list([.string(plain + middle + plain), .string(middle)])
        )
      }
    }
  }

  @Test(arguments: [0x00, 0x1F, 0x0A] as [UInt8])
  func `a control character in a string is found at every place`(_ byte: UInt8) throws {
    for length in 0..<20 {
      let bytes =
        Array("\"".utf8) + Array(repeating: UInt8(ascii: "a"), count: length) + [byte]
        + Array("aaaaaaaaaaaa\"".utf8)
      #expect(throws: JSONReader.Fault.self) { try JSONReader.document(of: bytes) }
    }
  }

  @Test func `a value in a text equals the same value made otherwise`() throws {
    let document = try document(#"{"a":[1,2.50,"x"]}"#)
    let place = try #require(document.member("a", of: 0))
    let raw = RawJSON(document, at: place)
    let made = RawJSON(.list([.whole(1), .decimal("2.50"), .string("x")]))
    #expect(raw == made)
    #expect(raw.hashValue == made.hashValue)
    #expect(raw != RawJSON(.list([])))
  }
}
