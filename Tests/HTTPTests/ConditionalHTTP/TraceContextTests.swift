import HTTPTypes
import Testing

@testable import ConditionalHTTP

@Suite struct TraceContextTests {
  /// The example of the recommendation.
  private static let example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  /// Numbers that are counted.
  private struct Counter: RandomNumberGenerator {
    var number: UInt64 = 0
    mutating func next() -> UInt64 {
      number += 1
      return number
    }
  }

  private func context(_ fields: HTTPFields) -> TraceContext? { TraceContext(fields) }

  @Test(
    arguments: [
      example, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
      "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "00-12345678901234567890123456789012-1234567890123456-03",
    ]
  )
  func `the examples of W3C are read and written`(text: String) throws {
    let context = try #require(TraceContext(traceparent: text))
    #expect(context.traceparent == text)
    #expect(text.contains("-\(context.traceID)-\(context.spanID)-"))
  }

  @Test func `only the flags that are defined are passed on`() throws {
    let prefix = String(Self.example.dropLast(2))
    let context = try #require(TraceContext(traceparent: prefix + "ff"))
    #expect(context.traceparent == prefix + "03")
  }

  @Test(
    arguments: [
      "cc-12345678901234567890123456789012-1234567890123456-01",
      "cc-12345678901234567890123456789012-1234567890123456-01-what-the-future-will-be-like",
      "01-12345678901234567890123456789012-1234567890123456-01-",
    ]
  )
  func `of a later version that part is read which version 00 defines`(text: String) {
    #expect(
      TraceContext(traceparent: text)?.traceparent
        == "00-12345678901234567890123456789012-1234567890123456-01"
    )
  }

  // The cases of W3C's own test suite, trace-context/test/test.py, and some of ours.
  @Test(
    arguments: [
      "", "00", "00-", "-", "00--", String(example.dropLast()), example + " ", " " + example,
      "00-12345678901234567890123456789012-1234567890123456-01.",
      "00-12345678901234567890123456789012-1234567890123456-01-what-the-future-will-be-like",
      "cc-12345678901234567890123456789012-1234567890123456-01.what-the-future-will-be-like",
      "ff-12345678901234567890123456789012-1234567890123456-01",
      ".0-12345678901234567890123456789012-1234567890123456-01",
      "0.-12345678901234567890123456789012-1234567890123456-01",
      "000-12345678901234567890123456789012-1234567890123456-01",
      "0-12345678901234567890123456789012-1234567890123456-01",
      "00-00000000000000000000000000000000-1234567890123456-01",
      "00-.2345678901234567890123456789012-1234567890123456-01",
      "00-1234567890123456789012345678901.-1234567890123456-01",
      "00-123456789012345678901234567890123-1234567890123456-01",
      "00-1234567890123456789012345678901-1234567890123456-01",
      "00-12345678901234567890123456789012-0000000000000000-01",
      "00-12345678901234567890123456789012-.234567890123456-01",
      "00-12345678901234567890123456789012-12345678901234567-01",
      "00-12345678901234567890123456789012-123456789012345-01",
      "00-12345678901234567890123456789012-1234567890123456-.0",
      "00-12345678901234567890123456789012-1234567890123456-001",
      "00-12345678901234567890123456789012-1234567890123456-1",
      "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00F067AA0BA902B7-01",
      "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
      "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
      "00-４bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    ]
  )
  func `what is not valid is as good as none`(text: String) {
    #expect(TraceContext(traceparent: text) == nil)
  }

  @Test func `two fields are not valid`() {
    var fields: HTTPFields = [.traceparent: Self.example]
    #expect(context(fields) != nil)
    fields.append(HTTPField(name: .traceparent, value: Self.example))
    #expect(context(fields) == nil)
    #expect(context([.tracestate: "a=1"]) == nil)
  }

  @Test func `a child has the trace and an id of its own`() throws {
    let parent = try #require(
      context([.traceparent: Self.example, .tracestate: "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"])
    )
    var counter = Counter()
    let child = parent.child(using: &counter)
    #expect(child.traceID == parent.traceID)
    #expect(child.spanID != parent.spanID)
    var fields = HTTPFields()
    child.write(to: &fields)
    let span = "\(child.spanID)"
    #expect(fields[.traceparent] == "00-4bf92f3577b34da6a3ce929d0e0e4736-\(span)-01")
    #expect(fields[.tracestate] == "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7")
    parent.write(to: &fields)
    #expect(fields[values: .traceparent].count == 1)
    #expect(fields[.traceparent] != parent.traceparent)
  }

  @Test func `a trace that begins has random ids and says so`() throws {
    var counter = Counter()
    let first = TraceContext(using: &counter)
    let second = TraceContext(using: &counter)
    #expect(first.traceID != second.traceID)
    #expect(first.traceparent.hasSuffix("-02"))
    #expect(TraceContext(traceparent: first.traceparent) == first)
    #expect(first.state == nil)
  }

  // MARK: tracestate

  @Test(
    arguments: [
      (["foo=1"], "foo=1"), (["foo=1,bar=2"], "foo=1,bar=2"), (["foo=1", "bar=2"], "foo=1,bar=2"),
      (["foo=1 \t , \t bar=2, \t baz=3"], "foo=1,bar=2,baz=3"),
      (["foo=1,,bar=2", "", "\t"], "foo=1,bar=2"),
      (["fw529a3039@dt=FfAK:a+b/c"], "fw529a3039@dt=FfAK:a+b/c"),
      (["0tenant@sys=a b"], "0tenant@sys=a b"), (["a_-*/@z=!"], "a_-*/@z=!"),
      (["z=" + String(repeating: "v", count: 256)], "z=" + String(repeating: "v", count: 256)),
    ] as [([String], String)]
  )
  func `a list is passed on in its order`(fields: [String], list: String) {
    #expect(TraceState.read(fields) == list)
  }

  @Test(
    arguments: [
      [], [""], ["foo"], ["foo="], ["=1"], ["foo=1,foo=2"], ["foo=1", "foo=1"], ["Foo=1"],
      ["_foo=1"], ["foo=1=2"],
      ["foo =1"], ["foo@=1;bar=é"], ["foo=\u{7F}"], ["foo=a\tb"],
      [String(repeating: "k", count: 257) + "=1"], ["k=" + String(repeating: "v", count: 257)],
      [(0..<33).map { "k\($0)=1" }.joined(separator: ",")],
    ]
  )
  func `a list that is not valid is dropped as a whole`(fields: [String]) {
    #expect(TraceState.read(fields) == nil)
  }

  @Test func `a list with a fault leaves the parent valid`() throws {
    let read = try #require(context([.traceparent: Self.example, .tracestate: "foo"]))
    #expect(read.state == nil)
  }

  @Test func `of a list that is too long the long members go first, then the last ones`() throws {
    let long = "long=" + String(repeating: "v", count: 200)
    let short = (0..<31).map { "key\($0)=" + String(repeating: "v", count: 20) }
    let list = try #require(TraceState.read([([long] + short).joined(separator: ",")]))
    #expect(list.utf8.count <= TraceState.mostBytes)
    #expect(list.utf8.count > TraceState.mostBytes - 30)
    #expect(!list.contains("long"))
    #expect(short.joined(separator: ",").hasPrefix(list))
    let all = (0..<32).map { "k\($0)=v" }.joined(separator: ",")
    #expect(TraceState.read([all]) == all)
  }
}
