import ConditionalHTTP
import EventFeed
import Freshness
import FreshnessRuntime
import FreshnessTesting
import HTTPTypes
import Testing

@Suite("FreshnessClient: event streams (R33)")
struct StreamTests {
  private let policy = Policy.steady.with { $0.push = Policy.Push() }

  /// A note that is observed, and the stream that was requested for it.
  private struct Opened {
    var exchange: ScriptedExchange
    var stand: Stand
    var note: Note
    var snapshots: LiveSnapshots<Note>.AsyncIterator
    var stream: ScriptedStreaming.Stream
  }

  private func opened() async throws -> Opened {
    let exchange = ScriptedExchange(replying: { .note("\($0.number)") })
    let stand = Stand(policy: policy, exchange: exchange)
    let note = Note("/a", stream: "/news")
    var snapshots = stand.client.snapshots(of: note).makeAsyncIterator()
    while await snapshots.next()?.value == nil {}
    let stream = try #require(await stand.streams.next())
    return Opened(
      exchange: exchange,
      stand: stand,
      note: note,
      snapshots: snapshots,
      stream: stream
    )
  }

  @Test
  func `while a stream is alive polling is a slow safety net, and a change notice asks at once`()
    async throws
  {
    let it = try await opened()
    var snapshots = it.snapshots
    #expect(it.stream.request.headerFields[.accept] == "text/event-stream")
    await it.stream.head()
    // Opened without replay: one request closes the gap.
    try await it.stand.pass(.seconds(1))
    try await it.exchange.waitForRequests(atLeast: 2)
    while await snapshots.next()?.value != "2" {}
    #expect(it.stand.client.freshness(of: it.note)?.isStreaming == true)
    for _ in 0..<2 {
      try await it.stand.pass(.seconds(14))
      await it.stream.write(": heartbeat\n\n")
    }
    #expect(it.exchange.sent.count == 2)
    await it.stream.write("data: something\n\n")
    try await it.exchange.waitForRequests(atLeast: 3)
  }

  @Test
  func `a silent stream is lost after two and a half heartbeats, and polling goes on`()
    async throws
  {
    let it = try await opened()
    var snapshots = it.snapshots
    await it.stream.head()
    try await it.stand.pass(.seconds(1))
    while await snapshots.next()?.value != "2" {}
    try await it.stand.pass(.milliseconds(37_500))
    #expect(await eventually { it.stand.client.freshness(of: it.note)?.isStreaming == false })
    // It is reopened after a backoff step.
    try await it.stand.pass(.seconds(2))
    let second = try #require(await it.stand.streams.next())
    #expect(second !== it.stream)
  }

  @Test
  func `W3: a stream that ends is lost once; the next one resumes where it was`() async throws {
    let it = try await opened()
    await it.stream.head()
    await it.stream.write("id: e-7\ndata: x\n\n")
    it.stream.close()
    #expect(await eventually { it.stand.client.freshness(of: it.note)?.isStreaming == false })
    try await it.stand.pass(.seconds(5))
    let second = try #require(await it.stand.streams.next())
    let name = try #require(HTTPField.Name(ResumePoint.fieldName))
    #expect(second.request.headerFields[name] == "e-7")
  }

  @Test
  func `a stream is not opened again before the time that it named (retry)`() async throws {
    let it = try await opened()
    await it.stream.head()
    await it.stream.write("retry: 60000\n\n")
    it.stream.close()
    #expect(await eventually { it.stand.client.freshness(of: it.note)?.isStreaming == false })
    let lost = it.stand.clock.now
    while it.stand.streams.openings < 2 { try await it.stand.pass(.seconds(1)) }
    #expect(lost.duration(to: it.stand.clock.now) >= .seconds(59))
    #expect(await it.stand.streams.next() != nil)
  }

  @Test
  func `an answer that is not an event stream leaves polling as it is`() async throws {
    let it = try await opened()
    await it.stream.head(.ok, type: "text/html")
    #expect(await eventually { it.stand.client.counters.streams == 0 })
    #expect(it.stand.client.freshness(of: it.note)?.isStreaming == false)
    try await it.stand.pass(.seconds(10))
    try await it.exchange.waitForRequests(atLeast: 2)
  }

  @Test
  func `after a 204 no stream is requested again`() async throws {
    let it = try await opened()
    await it.stream.head(.noContent)
    #expect(await eventually { it.stand.client.counters.streams == 0 })
    for _ in 0..<20 {
      try await it.stand.pass(.seconds(10))
      #expect(await eventually { it.stand.client.counters.requests == 0 })
      #expect(it.stand.client.counters.streams == 0)
    }
  }
}
