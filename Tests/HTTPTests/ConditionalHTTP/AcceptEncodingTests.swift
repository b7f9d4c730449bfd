import ConditionalHTTP
import HTTPTypes
import Testing

/// Accept-Encoding (RFC 9110 section 12.5.3).
@Suite struct AcceptEncodingTests {
  @Test(arguments: [
    "gzip", "GZIP", "x-gzip", "gzip, deflate, br", "deflate;q=0.5, gzip;q=0.4", "*", "*;q=0.1",
    "gzip;q=1.000", "br, gzip ; q=0.001", "identity;q=0, gzip;q=0.1", ",, gzip",
    "gzip;level=9;q=0.5", "deflate, *;q=0.2", "identity, gzip",
  ])
  func `the coding is welcome`(field: String) {
    #expect(AcceptEncoding(parsing: field).prefers("gzip"))
  }

  @Test(arguments: [
    "", "identity", "deflate, br", "gzip;q=0", "gzip;q=0.000, *", "*;q=0", "gzip;q=2",
    "gzip;q=0.1234", "gzip;q=", "gzip;q=-1", "gzip;q", "gzip;q=0, gzip;q=1", "gzips",
    "identity;q=0.9, gzip;q=0.5", "br;q=gzip", "\"gzip\"", "gzip;;q=1x",
  ])
  func `the coding is not welcome`(field: String) {
    #expect(!AcceptEncoding(parsing: field).prefers("gzip"))
  }

  @Test func `without the field nothing is encoded, and several lines are one list`() {
    #expect(!AcceptEncoding(parsing: nil).prefers("gzip"))
    #expect(!AcceptEncoding(fields: [:]).prefers("gzip"))
    var fields = HTTPFields()
    fields.append(HTTPField(name: .acceptEncoding, value: "br"))
    fields.append(HTTPField(name: .acceptEncoding, value: "gzip;q=0.5"))
    #expect(AcceptEncoding(fields: fields).prefers("gzip"))
  }

  @Test func `another coding is looked up by its own name`() {
    let field = AcceptEncoding(parsing: "zstd;q=0.3, gzip;q=0")
    #expect(field.prefers("zstd"))
    #expect(!field.prefers("br"))
  }

  @Test(arguments: [
    ("br, gzip", "br"), ("gzip, br", "br"), ("gzip, br;q=0.9", "gzip"),
    ("x-gzip, br;q=0.1", "gzip"),
    ("gzip", "gzip"), ("br", "br"), ("*", "gzip"), ("*, br", "br"), ("*;q=0.5, br;q=0", "gzip"),
    ("br;q=0.2, identity;q=0.5", nil), ("deflate", nil), ("", nil),
  ])
  func `of several codings the one with the highest weight is preferred`(
    field: String,
    expected: String?
  ) {
    #expect(AcceptEncoding(parsing: field).preferred(among: ["br", "gzip"]) == expected)
  }

  @Test func `without the field no coding is preferred`() {
    #expect(AcceptEncoding(parsing: nil).preferred(among: ["br", "gzip"]) == nil)
  }
}
