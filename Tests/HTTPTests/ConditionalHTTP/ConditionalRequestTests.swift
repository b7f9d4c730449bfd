import ConditionalHTTP
import HTTPTypes
import Testing

@Suite struct ConditionalRequestTests {
  static let lastModified = "Sun, 06 Nov 1994 08:49:37 GMT"

  @Test func `an unconditional request has no conditions and no wait`() {
    #expect(ConditionalRequest(wait: 25).fields == [:])
    #expect(!ConditionalRequest().isConditional)
    #expect(ConditionalRequest(validators: Validators(), wait: 25).fields == [:])
  }

  @Test(arguments: ["\"r41\"", "W/\"r41\"", "r41", "w/\"r41\"", "\"a,b\""])
  func `a tag goes back as it came`(tag: String) {
    let request = ConditionalRequest(validators: Validators(fields: [.eTag: tag]))
    #expect(request.isConditional)
    #expect(request.fields == [.ifNoneMatch: tag])
  }

  @Test func `a tag that is not UTF-8 goes back byte by byte`() throws {
    let bytes: [UInt8] = [0x22, 0xE9, 0xFF, 0x22]
    var answer = HTTPFields()
    answer.append(HTTPField(name: .eTag, value: bytes))
    let request = ConditionalRequest(validators: Validators(fields: answer))
    let field = try #require(request.fields[fields: .ifNoneMatch].first)
    #expect(field.withUnsafeBytesOfValue { Array($0) } == bytes)
  }

  @Test func `both validators go back if there are both`() {
    let both = Validators(fields: [.eTag: "\"a\"", .lastModified: Self.lastModified])
    #expect(
      ConditionalRequest(validators: both).fields
        == [.ifNoneMatch: "\"a\"", .ifModifiedSince: Self.lastModified]
    )
    let date = Validators(fields: [.lastModified: " \(Self.lastModified) "])
    #expect(
      ConditionalRequest(validators: date).fields == [.ifModifiedSince: Self.lastModified]
    )
  }

  @Test func `blank validators are none`() {
    #expect(Validators(fields: [.eTag: " ", .lastModified: ""]).isEmpty)
    #expect(Validators(fields: [:]).isEmpty)
  }

  @Test func `caches and waiting are asked for`() {
    let request = ConditionalRequest(
      validators: Validators(entityTag: EntityTag("a")),
      isNoStore: true,
      isNoCache: true,
      wait: 25
    )
    #expect(
      request.fields
        == [.ifNoneMatch: "\"a\"", .cacheControl: "no-store, no-cache", .prefer: "wait=25"]
    )
    #expect(ConditionalRequest(isNoCache: true).fields == [.cacheControl: "no-cache"])
  }

  @Test func `old conditions go, other directives and preferences stay`() {
    var fields: HTTPFields = [
      .ifNoneMatch: "\"old\"", .ifModifiedSince: "x", .ifMatch: "*", .ifRange: "y",
      .ifUnmodifiedSince: "z", .cacheControl: "no-transform, no-store", .prefer: "wait=1, x=y",
      .accept: "application/json",
    ]
    let tag = Validators(entityTag: EntityTag("a"))
    ConditionalRequest(validators: tag, isNoStore: true, wait: 2).apply(to: &fields)
    #expect(
      fields == [
        .cacheControl: "no-transform, no-store", .prefer: "wait=2, x=y",
        .accept: "application/json", .ifNoneMatch: "\"a\"",
      ]
    )
    ConditionalRequest().apply(to: &fields)
    #expect(!fields.contains(.ifNoneMatch))
  }

  @Test(
    arguments: [
      ("\"a\"", "\"a\"", true),
      ("\"a\"", "\"b\"", false),
      ("W/\"a\"", "\"a\"", true),
      ("\"a\"", "W/\"a\"", true),
      ("a", "a", true),
      ("a", "\"a\"", false),
      (nil, "\"a\"", false),
      ("\"a\"", nil, true),
      (nil, nil, true),
    ] as [(String?, String?, Bool)]
  )
  func `a 304 speaks of the snapshot or not`(held: String?, named: String?, isConfirmed: Bool) {
    let validators = Validators(entityTag: held.flatMap { EntityTag(parsing: $0) })
    var fields = HTTPFields()
    fields[.eTag] = named
    #expect(validators.areConfirmed(by: fields) == isConfirmed)
  }

  @Test func `a date on a 304 speaks only if there is no tag`() {
    let held = Validators(entityTag: EntityTag("a"), lastModified: Self.lastModified)
    let other = "Sun, 06 Nov 1994 08:49:38 GMT"
    #expect(held.areConfirmed(by: [.lastModified: Self.lastModified]))
    #expect(!held.areConfirmed(by: [.lastModified: other]))
    #expect(held.areConfirmed(by: [.eTag: "\"a\"", .lastModified: other]))
  }
}
