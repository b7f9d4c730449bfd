import StrictJSON
import Testing
import TolerantDecoding

@Suite("Unread members")
struct UnreadMemberTests {
  private func decode<Model>(
    _ text: String,
    counts: Bool = true,
    limits: DecodeLimits = DecodeLimits(),
    _ make: (DecodeField) -> Model
  ) throws -> Decoded<Model> {
    try TolerantDecoder(limits: limits, countsUnread: counts).decode(Array(text.utf8), make)
  }

  @Test("They are counted and named by their paths, and those inside of one are not counted again.")
  func paths() throws {
    let text = #"""
      {"a":1,"b":{"c":2,"d":{"e":3}},"list":[{"x":1,"y":2},{"x":3}],"gone":null,"more":[1,2]}
      """#
    let decoded = try decode(text) { root in
      _ = root["a"].int()
      _ = root["b"]["c"].int()
      _ = root["list"].list { $0["x"].int() }
    }
    #expect(decoded.unread == ["b.d", "list[0].y", "more"])
    #expect(decoded.unreadCount == 3)
    #expect(decoded.issues.map(\.kind) == [.unreadMember, .unreadMember, .unreadMember])
    #expect(decoded.issues.allSatisfy { $0.severity == .note })
    #expect(decoded.issueCount == 3)
  }

  @Test("What is kept as it came is read, and so is a member under another name.")
  func whole() throws {
    let decoded = try decode(#"{"a":{"b":{"c":1}},"old":2,"rest":1,"r":{"s":[1]}}"#) { root in
      (
        root["a"].value, root[["new", "old"]].int(), root.members(besides: ["a", "old", "r"]),
        root["r"].raw
      )
    }
    #expect(decoded.unread.isEmpty)
    #expect(decoded.unreadCount == 0)
  }

  @Test("A decoder that is not asked to counts nothing.")
  func off() throws {
    let decoded = try decode(#"{"a":1,"b":2}"#, counts: false) { $0["a"].int() }
    #expect(decoded.unread.isEmpty)
    #expect(decoded.unreadCount == 0)
    #expect(decoded.issues.isEmpty)
  }

  @Test("More than the limit of issues are counted only.")
  func limit() throws {
    var limits = DecodeLimits()
    limits.issues = 5
    let text = "{" + (0..<40).map { "\"m\($0)\":1" }.joined(separator: ",") + "}"
    let decoded = try decode(text, limits: limits) { $0["m0"].int() }
    #expect(decoded.unread.count == 5)
    #expect(decoded.unreadCount == 39)
    #expect(decoded.issues.count == 5)
    #expect(decoded.issueCount == 39)
  }

  @Test("A value that was taken out of a document is counted by itself.")
  func inner() throws {
    let outer = try decode(#"{"skip":1,"book":{"title":"A","isbn":"1"}}"#) { $0["book"].raw }
    let inner = try TolerantDecoder(countsUnread: true).decode(try #require(outer.model)) {
      $0["title"].string()
    }
    #expect(outer.unread == ["skip"])
    #expect(inner.unread == ["isbn"])
  }
}
