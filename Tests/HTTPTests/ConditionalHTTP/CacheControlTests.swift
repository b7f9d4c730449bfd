import ConditionalHTTP
import HTTPTypes
import Testing

@Suite struct CacheControlTests {
  typealias Directive = CacheControl.Directive

  @Test(arguments: [
    ("", []),
    ("no-store", [Directive("no-store")]),
    ("public, max-age=15", [Directive("public"), Directive("max-age", "15")]),
    (" ,,Public ,\tMAX-AGE=15,", [Directive("public"), Directive("max-age", "15")]),
    ("max-age=\"15\"", [Directive("max-age", "15")]),
    ("max-age = 15", [Directive("max-age", "15")]),
    ("max-age=", [Directive("max-age", "")]),
    (
      "private=\"set-cookie, x\", a=b",
      [Directive("private", "set-cookie, x"), Directive("a", "b")]
    ),
    ("a=\"x\\\"y\\\\,z\"", [Directive("a", "x\"y\\,z")]),
    ("community=\"UCI\"", [Directive("community", "UCI")]),
    ("=, no-store", [Directive("no-store")]),
    ("\"x, no-cache\", no-store", [Directive("no-store")]),
    ("a b, no-store", [Directive("no-store")]),
    ("a=b c, no-store", [Directive("no-store")]),
    ("max-age=15; public, no-store", [Directive("no-store")]),
    ("no-store, a=\"open, max-age=1", [Directive("no-store"), Directive("max-age", "1")]),
    ("é, no-store", [Directive("no-store")]),
  ])
  func `directives are read`(field: String, directives: [Directive]) {
    #expect(CacheControl(parsing: field).directives == directives)
  }

  @Test(
    arguments: [
      ("max-age=0", 0),
      ("max-age=15", 15),
      ("max-age=0015", 15),
      ("max-age=2147483648", 2_147_483_648),
      ("max-age=99999999999999999999999", 2_147_483_648),
      ("max-age=15, max-age=30", 15),
      ("max-age", 0),
      ("max-age=", 0),
      ("max-age=-1", 0),
      ("max-age=1.5", 0),
      ("max-age=+5", 0),
      ("max-age=\" 5\"", 0),
      ("max-age=\"5\"", 5),
      ("s-maxage=5", nil),
    ] as [(String, Int64?)]
  )
  func `a lifetime is read, and an unreadable one is ignored`(field: String, seconds: Int64?) {
    #expect(CacheControl(parsing: field).maxAge == seconds)
  }

  @Test func `every directive has a name`() {
    let value = CacheControl(
      parsing: "max-age=1, s-maxage=2, stale-while-revalidate=3, stale-if-error=4, no-store,"
        + " no-cache, must-revalidate, private, public, immutable, x=\"y z\""
    )
    #expect(value.maxAge == 1)
    #expect(value.sharedMaxAge == 2)
    #expect(value.staleWhileRevalidate == 3)
    #expect(value.staleIfError == 4)
    #expect(value.isNoStore && value.isNoCache && value.mustRevalidate)
    #expect(value.isPrivate && value.isPublic)
    #expect(value.directive("Immutable") == Directive("immutable"))
    #expect(value.directive("x")?.argument == "y z")
    let none = CacheControl(parsing: "x")
    #expect(none.maxAge == nil && none.sharedMaxAge == nil && none.staleWhileRevalidate == nil)
    #expect(!none.isNoStore && !none.isNoCache && !none.mustRevalidate)
    #expect(!none.isPrivate && !none.isPublic)
  }

  @Test func `a value is built`() {
    var value = CacheControl()
    #expect(value.description == "")
    value.isPublic = true
    value.maxAge = 15
    value.sharedMaxAge = 5
    value.staleWhileRevalidate = 30
    value.mustRevalidate = true
    #expect(
      value.description
        == "public, max-age=15, s-maxage=5, stale-while-revalidate=30, must-revalidate"
    )
    value.maxAge = -4
    value.sharedMaxAge = nil
    value.isPublic = false
    value.isPrivate = true
    value.staleIfError = .max
    #expect(
      value.description
        == "max-age=0, stale-while-revalidate=30, must-revalidate, private,"
        + " stale-if-error=2147483648"
    )
  }

  @Test func `setting replaces all of a name in the first one's place`() {
    var value = CacheControl(parsing: "a=1, max-age=1, b=2, Max-Age=2")
    value.maxAge = 9
    #expect(value.description == "a=1, max-age=9, b=2")
    value.isNoCache = true
    value.isNoCache = true
    #expect(value.description == "a=1, max-age=9, b=2, no-cache")
    value.remove("A")
    value.isNoCache = false
    #expect(value.description == "max-age=9, b=2")
  }

  @Test(arguments: [
    "private=\"set-cookie\"", "no-cache=\"a, b\"", "a=\"x\\\"y\\\\\"", "a=\"\"", "a=b", "immutable",
    "a=\"é\"",
  ])
  func `what is written is read as it was`(field: String) {
    let value = CacheControl(parsing: field)
    #expect(value.description == field)
    #expect(CacheControl(parsing: value.description) == value)
  }

  @Test func `control characters cannot be written`() {
    let value = CacheControl([Directive("a", "x\r\nSet-Cookie: y")])
    #expect(value.description == "a=\"x  Set-Cookie: y\"")
  }

  @Test(
    arguments: [
      ("max-age=15", 15, 15),
      ("max-age=15, s-maxage=5", 15, 5),
      ("s-maxage=5", nil, 5),
      ("no-store, max-age=15", 0, 0),
      ("no-cache, max-age=15", 0, 0),
      ("no-cache=\"set-cookie\", max-age=15", 15, 15),
      ("no-cache=\"set-cookie\", no-cache, max-age=15", 0, 0),
      ("public", nil, nil),
      ("max-age=soon", 0, 0),
    ] as [(String, Int64?, Int64?)]
  )
  func `the strictest directive decides the lifetime`(
    field: String,
    own: Int64?,
    shared: Int64?
  ) {
    let value = CacheControl(parsing: field)
    #expect(value.freshnessLifetime() == own)
    #expect(value.freshnessLifetime(isShared: true) == shared)
  }

  @Test func `many open quotes cost no more than one`() {
    let field = "no-store, " + String(repeating: "\\\"", count: 200_000) + ", max-age=1"
    #expect(CacheControl(parsing: field).description == "no-store, max-age=1")
    #expect(Prefer(parsing: field).preferences.count == 2)
  }

  @Test func `several fields are one list`() {
    var fields = HTTPFields()
    fields.append(HTTPField(name: .cacheControl, value: "public"))
    fields.append(HTTPField(name: .cacheControl, value: "max-age=3"))
    #expect(CacheControl(fields: fields).description == "public, max-age=3")
    #expect(CacheControl(fields: [:]).directives.isEmpty)
  }
}
