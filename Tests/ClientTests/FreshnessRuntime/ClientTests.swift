import ConditionalHTTP
import Freshness
import FreshnessRuntime
import FreshnessTesting
import HTTPTypes
import Testing

@Suite("FreshnessClient: observing")
struct ClientTests {
  @Test
  func `R5: the first observer asks at once and sees loading, then the copy`() async throws {
    let stand = Stand(exchange: ScriptedExchange([.held]))
    var snapshots = stand.client.snapshots(of: Note("/a")).makeAsyncIterator()
    let first = try #require(await snapshots.next())
    #expect(first.value == nil)
    #expect(first.isLoading)
    try await stand.exchange.waitForRequests(atLeast: 1)
    stand.exchange.finish(1, with: .note("one"))
    let second = try #require(await snapshots.next())
    #expect(second.value == "one")
    #expect(!second.isLoading)
    #expect(second.failure == nil)
  }

  @Test
  func `R1: two observers of equal resources share one request and one copy`() async throws {
    let stand = Stand(exchange: ScriptedExchange([.held]))
    var one = stand.client.snapshots(of: Note("/a")).makeAsyncIterator()
    var two = stand.client.snapshots(of: Note("/a")).makeAsyncIterator()
    _ = await one.next()
    _ = await two.next()
    try await stand.exchange.waitForRequests(atLeast: 1)
    #expect(stand.client.counters.requests == 1)
    #expect(stand.client.counters.observed == 1)
    stand.exchange.finish(1, with: .note("shared"))
    #expect(await one.next()?.value == "shared")
    #expect(await two.next()?.value == "shared")
    #expect(stand.exchange.sent.count == 1)
  }

  @Test
  func `R9: the next request goes out an interval later, through the one sleeping task`()
    async throws
  {
    let stand = Stand(exchange: ScriptedExchange([.note("one"), .note("two")]))
    var snapshots = stand.client.snapshots(of: Note("/a")).makeAsyncIterator()
    while await snapshots.next()?.value != "one" {}
    try await stand.pass(.milliseconds(9_999))
    #expect(stand.exchange.sent.count == 1)
    try await stand.pass(.milliseconds(1))
    try await stand.exchange.waitForRequests(atLeast: 2)
    #expect(await snapshots.next()?.value == "two")
    #expect(await eventually { stand.clock.sleepers == 1 })
  }

  @Test
  func `newest wins: a slow observer skips intermediate copies and never falls behind`()
    async throws
  {
    let stand = Stand(exchange: ScriptedExchange([.note("0")]))
    let note = Note("/a")
    var snapshots = stand.client.snapshots(of: note).makeAsyncIterator()
    while await snapshots.next()?.value != "0" {}
    for number in 1...1_000 { stand.client.write("\(number)", to: note) }
    #expect(await snapshots.next()?.value == "1000")
  }

  @Test
  func `R16: a 304 moves the age and wakes no observer`() async throws {
    let stand = Stand(
      exchange: ScriptedExchange([
        .note("one", tag: "\"v1\""), .status(.notModified), .note("two", tag: "\"v2\""),
      ])
    )
    let note = Note("/a")
    var snapshots = stand.client.snapshots(of: note).makeAsyncIterator()
    while await snapshots.next()?.value != "one" {}
    try await stand.pass(.seconds(10))
    try await stand.exchange.waitForRequests(atLeast: 2)
    #expect(stand.exchange.sent[1].request.headerFields[.ifNoneMatch] == "\"v1\"")
    try await stand.pass(.seconds(10))
    // The next thing the observer sees is the second body.
    #expect(await snapshots.next()?.value == "two")
    let report = try #require(stand.client.freshness(of: note))
    #expect(report.verifiedAgo == .zero)
    #expect(stand.client.diagnostics(of: note)?.counters.unchanged == 1)
  }

  @Test
  func `no cache on the way answers in place of the origin`() async throws {
    let stand = Stand(exchange: ScriptedExchange([.note("one")]))
    var snapshots = stand.client.snapshots(of: Note("/a")).makeAsyncIterator()
    while await snapshots.next()?.value == nil {}
    #expect(stand.exchange.sent[0].request.headerFields[.cacheControl] == "no-cache")
  }

  @Test
  func `a 304 about another copy than ours is followed by one unconditional request`()
    async throws
  {
    let stand = Stand(
      exchange: ScriptedExchange([
        .note("one", tag: "\"v1\""),
        .status(.notModified, [.eTag: "\"other\""]),
        .note("two", tag: "\"other\""),
      ])
    )
    var snapshots = stand.client.snapshots(of: Note("/a")).makeAsyncIterator()
    while await snapshots.next()?.value != "one" {}
    try await stand.pass(.seconds(10))
    #expect(await snapshots.next()?.value == "two")
    #expect(stand.exchange.sent[2].request.headerFields[.ifNoneMatch] == nil)
  }

  @Test
  func `R22: a failure is shown beside the copy and says why`() async throws {
    let stand = Stand(
      exchange: ScriptedExchange([
        .note("one"), .status(.serviceUnavailable, [.retryAfter: "30"]), .note("one"),
      ])
    )
    var snapshots = stand.client.snapshots(of: Note("/a")).makeAsyncIterator()
    while await snapshots.next()?.value != "one" {}
    try await stand.pass(.seconds(10))
    let failed = try #require(await snapshots.next())
    #expect(failed.value == "one")
    #expect(failed.failure?.kind == .throttled)
    #expect(failed.failure?.status == 503)
    #expect(failed.failure?.description == "the server asks for a pause of 30 s (503)")
    // R21: the pause is kept.
    try await stand.pass(.milliseconds(29_999))
    #expect(stand.exchange.sent.count == 2)
    try await stand.pass(.milliseconds(1))
    let recovered = try #require(await snapshots.next())
    #expect(recovered.failure == nil)
    #expect(recovered.value == "one")
  }

  @Test
  func `R21: a body that cannot be read keeps its reason, and the copy`() async throws {
    let broken = HTTPExchangeAnswer(head: HTTPResponse(status: .ok), body: [0xFF])
    let stand = Stand(exchange: ScriptedExchange([.note("one"), .answer(broken)]))
    var snapshots = stand.client.snapshots(of: Note("/a")).makeAsyncIterator()
    while await snapshots.next()?.value != "one" {}
    try await stand.pass(.seconds(10))
    let failed = try #require(await snapshots.next())
    #expect(failed.value == "one")
    #expect(failed.failure?.description == "the note is no UTF-8 (200)")
  }

  @Test
  func `R21: a problem document is read and its detail shown`() async throws {
    let body = #"{"title":"No such stop","detail":"stop 99 is not in the feed","status":404}"#
    let answer = HTTPExchangeAnswer(
      head: HTTPResponse(
        status: .notFound,
        headerFields: [.contentType: "application/problem+json"]
      ),
      body: Array(body.utf8)
    )
    let stand = Stand(exchange: ScriptedExchange([.answer(answer)]))
    var snapshots = stand.client.snapshots(of: Note("/a")).makeAsyncIterator()
    // A snapshot replaces one that was not read.
    var shown: LiveFailure?
    while shown == nil { shown = try #require(await snapshots.next()).failure }
    let failure = try #require(shown)
    #expect(failure.kind == .refused)
    #expect(failure.problem?.title == "No such stop")
    #expect(failure.description.hasSuffix("(404): stop 99 is not in the feed"))
  }

  @Test
  func `R6: a request without an answer is cancelled and shown as too late`() async throws {
    let stand = Stand(exchange: ScriptedExchange([.held]))
    var snapshots = stand.client.snapshots(of: Note("/a")).makeAsyncIterator()
    _ = await snapshots.next()
    try await stand.exchange.waitForRequests(atLeast: 1)
    try await stand.pass(.seconds(12))
    var failure: LiveFailure?
    while failure == nil { failure = try #require(await snapshots.next()).failure }
    #expect(failure?.kind == .timedOut)
    #expect(failure?.description == "no answer in time")
    #expect(stand.client.counters.requests == 0)
  }

  @Test
  func `P2: the shortest interval that observers request wins, and goes with its observer`()
    async throws
  {
    let exchange = ScriptedExchange(replying: { _ in .note("same") })
    let stand = Stand(exchange: exchange)
    let note = Note("/a")
    var slow = stand.client.snapshots(of: note).makeAsyncIterator()
    while await slow.next()?.value == nil {}
    do {
      var fast = stand.client.snapshots(of: note, every: .seconds(4)).makeAsyncIterator()
      #expect(await fast.next()?.value == "same")
      try await stand.pass(.seconds(4))
      try await exchange.waitForRequests(atLeast: 2)
    }
    // Until the answer is in, the next action is to give up the request.
    #expect(await eventually { stand.client.freshness(of: note)?.nextActionIn == .seconds(10) })
  }

  @Test
  func `R27: a day's jump of the device's clock moves no age`() async throws {
    let exchange = ScriptedExchange(
      ["00", "10"].map { second in
        .note("same", [.date: "Fri, 20 Nov 2026 12:00:\(second) GMT", .age: "7"])
      }
    )
    let stand = Stand(exchange: exchange)
    let note = Note("/a")
    var snapshots = stand.client.snapshots(of: note).makeAsyncIterator()
    while await snapshots.next()?.value == nil {}
    #expect(stand.client.freshness(of: note)?.label.age == .milliseconds(7_999))
    stand.wall.now = WallTime(milliseconds: stand.wall.now.milliseconds + 86_400_000)
    try await stand.pass(.seconds(3))
    #expect(stand.client.freshness(of: note)?.label.age == .milliseconds(10_999))
    try await stand.pass(.seconds(7))
    try await exchange.waitForRequests(atLeast: 2)
    try await stand.clock.waitForSleepers(atLeast: 1)
    #expect(await eventually { stand.client.counters.requests == 0 })
    #expect(stand.client.freshness(of: note)?.label.age == .milliseconds(7_999))
  }

  @Test
  func `R29: each sample is recorded once and reads as a line of JSON`() async throws {
    let stand = Stand(
      exchange: ScriptedExchange([.note("one", tag: "\"1\""), .status(.notModified)])
    )
    let note = Note("/a?x=\"1\"")
    var snapshots = stand.client.snapshots(of: note).makeAsyncIterator()
    while await snapshots.next()?.value == nil {}
    try await stand.pass(.seconds(10))
    try await stand.exchange.waitForRequests(atLeast: 2)
    #expect(await eventually { stand.client.counters.requests == 0 })
    let records = stand.records.all
    #expect(records == stand.client.samples(of: note))
    #expect(records.map(\.sample.isConditional) == [false, true])
    #expect(records[1].startedAt.milliseconds - records[0].startedAt.milliseconds == 10_000)
    let expected =
      #"{"resource":"GET notes.example/a?x=\"1\"","context":"1.0","generation":2,"origin":"schedule","#
      + #""startedAt":1800000010000,"endedAt":1800000010000,"durationMs":0,"status":304,"#
      + #""outcome":"unchanged","verdict":"keepUnmodified""#
    let evidence = records[0].evidence
    #expect(evidence.reason == .catchUp && evidence.entityTag == "\"1\"")
    #expect(evidence.digest == SampleEvidence.digest(of: Array("one".utf8)))
    // The value that the algorithm's authors publish, however the bytes come.
    #expect(SampleEvidence.digest(of: Array("a".utf8)) == 0xAF63_DC4C_8601_EC8C)
    #expect(SampleEvidence.digest(of: Array("a".utf8).lazy.map { $0 }) == 0xAF63_DC4C_8601_EC8C)
    #expect(records[0].line.contains("\"digest\":\"1a08aa1921ca5caf\""))
    let line = records[1].line
    #expect(line.hasPrefix(expected))
    #expect(line.hasSuffix(#""bytes":0,"conditional":true,"changed":false,"cadenceMs":10000}"#))
  }
}
