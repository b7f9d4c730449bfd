import ConditionalHTTP
import HTTPTypes
import Testing

@Suite struct PreferTests {
  typealias Preference = Prefer.Preference
  typealias Parameter = Prefer.Parameter

  @Test(arguments: [
    ("", []),
    ("wait=10", [Preference("wait", "10")]),
    ("respond-async, wait=10", [Preference("respond-async"), Preference("wait", "10")]),
    ("Wait = \"10\"", [Preference("wait", "10")]),
    ("foo", [Preference("foo")]),
    ("foo=", [Preference("foo")]),
    ("foo=\"\"", [Preference("foo")]),
    ("foo; bar", [Preference("foo", parameters: [Parameter("bar")])]),
    ("foo; bar=\"\"", [Preference("foo", parameters: [Parameter("bar")])]),
    ("foo=\"\"; bar", [Preference("foo", parameters: [Parameter("bar")])]),
    (
      "return=minimal; foo=\"some parameter\";;B=c ; , x",
      [
        Preference(
          "return",
          "minimal",
          parameters: [Parameter("foo", "some parameter"), Parameter("b", "c")]
        ), Preference("x"),
      ]
    ),
    ("lenient;, a b, =x, y", [Preference("lenient"), Preference("y")]),
    ("a=\"x, y\", b", [Preference("a", "x, y"), Preference("b")]),
  ])
  func `preferences are read`(field: String, preferences: [Preference]) {
    #expect(Prefer(parsing: field).preferences == preferences)
  }

  @Test(
    arguments: [
      ("wait=30", 30), ("wait=0", 0), ("wait=5, wait=9", 5), ("wait=\"7\"", 7), ("wait", nil),
      ("wait=-1", nil), ("wait=1.5", nil), ("wait=soon, wait=5", nil), ("respond-async", nil),
      ("wait=99999999999999999999", 2_147_483_648),
    ] as [(String, Int64?)]
  )
  func `a wait is read`(field: String, seconds: Int64?) {
    #expect(Prefer(parsing: field).wait == seconds)
  }

  @Test(
    arguments: [
      ("return=minimal", .minimal),
      ("Return=representation", .representation),
      ("return=minimal, return=representation", .minimal),
      ("return=Minimal", nil),
      ("return", nil),
    ] as [(String, Prefer.Return?)]
  )
  func `what the answer should hold is read`(field: String, value: Prefer.Return?) {
    #expect(Prefer(parsing: field).returning == value)
  }

  @Test func `a value is built`() {
    var prefer = Prefer()
    prefer.wait = 25
    prefer.returning = .minimal
    prefer.respondsAsynchronously = true
    prefer.set(Preference("Foo", "a b", parameters: [Parameter("bar", "c\"d"), Parameter("e")]))
    #expect(
      prefer.description
        == "wait=25, return=minimal, respond-async, foo=\"a b\"; bar=\"c\\\"d\"; e"
    )
    #expect(Prefer(parsing: prefer.description) == prefer)
    prefer.wait = -1
    prefer.respondsAsynchronously = false
    prefer.returning = nil
    prefer.remove("FOO")
    #expect(prefer.description == "wait=0")
    prefer.wait = nil
    #expect(prefer.description == "")
    #expect(!prefer.respondsAsynchronously)
  }

  @Test func `a server says what it honoured, once and without parameters`() {
    let prefer = Prefer(parsing: "respond-async, wait=10; x=y, handling=lenient, wait=20")
    #expect(prefer.applied(["wait", "handling"]).description == "wait=10, handling=lenient")
    #expect(prefer.applied([]).description == "")
  }

  @Test func `several fields are one list`() {
    var fields = HTTPFields()
    fields.append(HTTPField(name: .prefer, value: "respond-async"))
    fields.append(HTTPField(name: .prefer, value: "wait=3"))
    #expect(Prefer(fields: fields).wait == 3)
    #expect(HTTPField.Name.preferenceApplied.rawName == "Preference-Applied")
  }
}
