import ConditionalHTTP
import Testing

@Suite struct EntityTagTests {
  @Test(arguments: [
    ("\"xyzzy\"", "xyzzy", false, true),
    ("W/\"xyzzy\"", "xyzzy", true, true),
    ("\"\"", "", false, true),
    ("W/\"\"", "", true, true),
    ("\"a,b\"", "a,b", false, true),
    ("\"W/a\"", "W/a", false, true),
    ("\"é\"", "é", false, true),
    ("\"a b\"", "a b", false, true),
    ("  \"x\"\t", "x", false, true),
    ("xyzzy", "xyzzy", false, false),
    ("W/xyzzy", "W/xyzzy", false, false),
    ("w/\"xyzzy\"", "w/\"xyzzy\"", false, false),
    ("W/ \"x\"", "W/ \"x\"", false, false),
    ("\"open", "\"open", false, false),
    ("\"", "\"", false, false),
    ("W/\"", "W/\"", false, false),
    ("shut\"", "shut\"", false, false),
    ("\"a\"b\"", "\"a\"b\"", false, false),
    ("'x'", "'x'", false, false),
    ("5f-61b0c2d8;gz", "5f-61b0c2d8;gz", false, false),
    ("*", "*", false, false),
  ])
  func `a tag is read, and written as it was`(
    field: String,
    opaque: String,
    isWeak: Bool,
    isQuoted: Bool
  ) throws {
    let tag = try #require(EntityTag(parsing: field))
    #expect(tag.opaque == opaque)
    #expect(tag.isWeak == isWeak)
    #expect(tag.isQuoted == isQuoted)
    let trimmed = field.filter { $0 != "\t" }.drop { $0 == " " }
    #expect(tag.description == String(trimmed))
    #expect(tag.fieldValue == Array(trimmed.utf8))
  }

  @Test(arguments: ["", "  ", "\t", "\"a\u{0}\"", "a\u{7F}", "\"a\r\nX: y\""])
  func `a blank or unclean value is not a tag`(field: String) {
    #expect(EntityTag(parsing: field) == nil)
  }

  @Test func `bytes that are not UTF-8 go back as they came`() throws {
    let bytes: [UInt8] = [0x22, 0xE9, 0xFF, 0x22]
    let tag = try #require(EntityTag(parsing: bytes))
    #expect(tag.fieldValue == bytes)
    #expect(tag.isStrong)
    let other = try #require(EntityTag(parsing: [0x22, 0xE8, 0xFF, 0x22] as [UInt8]))
    #expect(tag != other)
    #expect(!tag.weaklyMatches(other))
  }

  @Test func `letters that only look the same are not the same`() {
    #expect(EntityTag("\u{E9}") != EntityTag("e\u{301}"))
    #expect(!EntityTag("\u{E9}").weaklyMatches(EntityTag("e\u{301}")))
    #expect(!EntityTag("\u{E9}").matches(ifNoneMatch: "\"e\u{301}\""))
  }

  @Test func `a tag that is made is written`() {
    #expect(EntityTag("r41").description == "\"r41\"")
    #expect(EntityTag("r41", isWeak: true).description == "W/\"r41\"")
    #expect(EntityTag("r41") == EntityTag(parsing: "\"r41\""))
  }

  // The table of RFC 9110 section 8.8.3.2, and legacy tags.
  @Test(arguments: [
    ("W/\"1\"", "W/\"1\"", false, true),
    ("W/\"1\"", "W/\"2\"", false, false),
    ("W/\"1\"", "\"1\"", false, true),
    ("\"1\"", "\"1\"", true, true),
    ("\"1\"", "\"2\"", false, false),
    ("1", "1", false, true),
    ("1", "\"1\"", false, false),
    ("1", "2", false, false),
  ])
  func `two tags compare strongly and weakly`(
    left: String,
    right: String,
    strongly: Bool,
    weakly: Bool
  ) throws {
    let left = try #require(EntityTag(parsing: left))
    let right = try #require(EntityTag(parsing: right))
    #expect(left.stronglyMatches(right) == strongly)
    #expect(right.stronglyMatches(left) == strongly)
    #expect(left.weaklyMatches(right) == weakly)
    #expect(right.weaklyMatches(left) == weakly)
  }

  @Test(arguments: [
    ("\"a\"", true, true),
    ("W/\"a\"", true, false),
    ("*", true, true),
    (" * ", true, true),
    ("\"b\", \"a\"", true, true),
    ("\"b\",W/\"a\"", true, false),
    (",, \"b\" ,\t, \"a\" ,", true, true),
    ("\"b,\\\", \"a\"", true, true),
    ("\"a,b\", \"c\"", false, false),
    ("a", false, false),
    ("b, \"a\"", true, true),
    ("\"a", false, false),
    ("\"b\" \"a\"", true, true),
    ("", false, false),
    (",", false, false),
    ("\"*\"", false, false),
    ("\"A\"", false, false),
  ])
  func `a field names a tag`(field: String, ifNoneMatch: Bool, ifMatch: Bool) {
    let tag = EntityTag("a")
    #expect(tag.matches(ifNoneMatch: field) == ifNoneMatch)
    #expect(tag.matches(ifMatch: field) == ifMatch)
  }

  @Test func `a weak tag never satisfies If-Match, and a star names it all the same`() {
    let tag = EntityTag("a", isWeak: true)
    #expect(!tag.matches(ifMatch: "W/\"a\", \"a\""))
    #expect(tag.matches(ifMatch: "*"))
    #expect(tag.matches(ifNoneMatch: "\"a\""))
  }

  @Test func `a server that makes legacy tags knows its own`() throws {
    let tag = try #require(EntityTag(parsing: "5f-61b0"))
    #expect(tag.matches(ifNoneMatch: "\"x\", 5f-61b0 , \"y\""))
    #expect(!tag.matches(ifMatch: "5f-61b0"))
  }

  @Test func `a list is written as it was read`() {
    let list = EntityTagList(parsing: "\"a\" ,W/\"b,c\",, old")
    #expect(list.description == "\"a\", W/\"b,c\", old")
    #expect(EntityTagList(parsing: list.description) == list)
    #expect(EntityTagList(parsing: "*").description == "*")
  }
}
