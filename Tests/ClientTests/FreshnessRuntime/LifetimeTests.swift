import ConditionalHTTP
import Freshness
import FreshnessRuntime
import FreshnessTesting
import HTTPTypes
import Testing

@Suite("FreshnessClient: lifetimes and the device")
struct LifetimeTests {
  /// Watches until there is a copy, then stops.
  private func glance(_ client: FreshnessClient, _ note: Note) async {
    for await snapshot in client.snapshots(of: note) where snapshot.value != nil { return }
  }

  @Test
  func `Z1: no request, stream or sleeping task outlives the last observer`()
    async throws
  {
    let exchange = ScriptedExchange(replying: { $0.number == 1 ? .note("one") : .held })
    let stand = Stand(policy: .steady.with { $0.push = Policy.Push() }, exchange: exchange)
    let note = Note("/a", stream: "/news")
    let task = Task { for await _ in stand.client.snapshots(of: note) {} }
    let stream = try #require(await stand.streams.next())
    await stream.head()
    stand.client.refresh(note)
    try await exchange.waitForRequests(atLeast: 2)
    #expect(stand.client.counters.streams == 1)
    #expect(stand.client.counters.isWaiting)
    task.cancel()
    await task.value
    let counters = stand.client.counters
    #expect(counters.observers == 0)
    #expect(counters.requests == 0)
    #expect(counters.streams == 0)
    #expect(!counters.isWaiting)
    #expect(await eventually { exchange.held.isEmpty })
    #expect(await eventually { stand.clock.sleepers == 0 })
  }

  @Test
  func `Z2: twenty thousand glances leave no more than the limit behind`() async throws {
    let exchange = ScriptedExchange(replying: { _ in .note("same") })
    let stand = Stand(limits: ClientLimits(idleResources: 3), exchange: exchange)
    for number in 0..<2_000 { await glance(stand.client, Note("/\(number)")) }
    let note = Note("/often")
    await glance(stand.client, note)
    for _ in 0..<18_000 { await glance(stand.client, note) }
    let counters = stand.client.counters
    #expect(counters.idle == 3)
    #expect(counters.observers == 0)
    #expect(stand.clock.sleepers == 0)
    #expect(stand.client.value(of: note) == "same")
    #expect(stand.client.value(of: Note("/0")) == nil)
  }

  @Test
  func `the client itself goes with its last owner`() async throws {
    weak var gone: FreshnessClient?
    do {
      let stand = Stand(exchange: ScriptedExchange([.note("one")]))
      await glance(stand.client, Note("/a"))
      gone = stand.client
    }
    #expect(await eventually { gone == nil })
  }

  @Test
  func `a quick return finds the copy that was kept`() async throws {
    let stand = Stand(exchange: ScriptedExchange([.note("one"), .held]))
    let note = Note("/a")
    await glance(stand.client, note)
    var again = stand.client.snapshots(of: note).makeAsyncIterator()
    #expect(await again.next()?.value == "one")
    try await stand.exchange.waitForRequests(atLeast: 2)
  }

  @Test
  func `R11: in the background nothing is asked, and a return asks once`() async throws {
    let exchange = ScriptedExchange(replying: { _ in .note("same") })
    let stand = Stand(exchange: exchange)
    let note = Note("/a")
    var snapshots = stand.client.snapshots(of: note).makeAsyncIterator()
    while await snapshots.next()?.value == nil {}
    stand.client.lifecycle(.background)
    #expect(stand.clock.sleepers == 0 || !stand.client.counters.isWaiting)
    await stand.clock.advance(by: .seconds(600))
    #expect(exchange.sent.count == 1)
    stand.client.lifecycle(.foreground)
    try await exchange.waitForRequests(atLeast: 2)
    stand.client.focused()
    #expect(exchange.sent.count == 2)
  }

  @Test
  func `R11: a resource that is opened in the background waits for the foreground`()
    async throws
  {
    let exchange = ScriptedExchange(replying: { _ in .note("same") })
    let stand = Stand(exchange: exchange)
    stand.client.lifecycle(.background)
    var snapshots = stand.client.snapshots(of: Note("/a")).makeAsyncIterator()
    #expect(await snapshots.next()?.value == nil)
    #expect(exchange.sent.isEmpty)
    stand.client.lifecycle(.foreground)
    while await snapshots.next()?.value == nil {}
    #expect(exchange.sent.count == 1)
  }

  @Test
  func `R24: offline nothing is asked and no failure counted; back online asks once`()
    async throws
  {
    let exchange = ScriptedExchange(replying: { _ in .note("same") })
    let stand = Stand(exchange: exchange)
    let note = Note("/a")
    var snapshots = stand.client.snapshots(of: note).makeAsyncIterator()
    while await snapshots.next()?.value == nil {}
    stand.client.connectivity(.offline)
    await stand.clock.advance(by: .seconds(600))
    #expect(exchange.sent.count == 1)
    #expect(stand.client.freshness(of: note)?.failuresInARow == 0)
    #expect(stand.client.freshness(of: note)?.verifiedAgo == .seconds(600))
    stand.client.connectivity(.online)
    try await stand.pass(.seconds(1))
    try await exchange.waitForRequests(atLeast: 2)
    #expect(exchange.sent.count == 2)
  }

  @Test
  func `R19: another identity drops copy and validators at once and asks with the new fields`()
    async throws
  {
    let exchange = ScriptedExchange(replying: { sent in
      sent.request.headerFields[.authorization] == "Bearer two"
        ? .held : .note("mine", tag: "\"1\"")
    })
    let stand = Stand(exchange: exchange)
    let note = Note("/a")
    var snapshots = stand.client.snapshots(of: note).makeAsyncIterator()
    while await snapshots.next()?.value == nil {}
    stand.client.identify(by: [.authorization: "Bearer two"])
    #expect(stand.client.value(of: note) == nil)
    #expect(await snapshots.next()?.value == nil)
    try await exchange.waitForRequests(atLeast: 2)
    #expect(exchange.sent[1].request.headerFields[.ifNoneMatch] == nil)
    exchange.finish(2, with: .note("theirs"))
    while await snapshots.next()?.value != "theirs" {}
  }

  @Test
  func `R3: an answer to the old identity changes nothing`() async throws {
    let exchange = ScriptedExchange([.held, .held])
    let stand = Stand(exchange: exchange)
    let note = Note("/a")
    var snapshots = stand.client.snapshots(of: note).makeAsyncIterator()
    _ = await snapshots.next()
    try await exchange.waitForRequests(atLeast: 1)
    stand.client.identify(by: [.authorization: "Bearer two"])
    try await exchange.waitForRequests(atLeast: 2)
    #expect(!exchange.finish(1, with: .note("old")))
    exchange.finish(2, with: .note("new"))
    while let snapshot = await snapshots.next() {
      #expect(snapshot.value != "old")
      if snapshot.value == "new" { break }
    }
  }

  @Test
  func `R13: an action speeds polling up until its deadline`() async throws {
    let exchange = ScriptedExchange(replying: { _ in .note("same") })
    var policy = Policy.workspaces
    policy.jitter = .none
    let stand = Stand(policy: policy, exchange: exchange)
    let note = Note("/a")
    var snapshots = stand.client.snapshots(of: note).makeAsyncIterator()
    while await snapshots.next()?.value == nil {}
    #expect(stand.client.freshness(of: note)?.pace == .idle)
    stand.client.acted(on: note)
    #expect(stand.client.freshness(of: note)?.pace == .active)
    stand.client.fulfilled(note)
    #expect(stand.client.freshness(of: note)?.pace == .idle)
  }

  @Test
  func `R35: a prefetch warms a copy that the first observer finds`() async throws {
    let exchange = ScriptedExchange([.note("warm"), .held])
    let stand = Stand(exchange: exchange)
    let note = Note("/a")
    stand.client.prefetch(note)
    try await exchange.waitForRequests(atLeast: 1)
    #expect(await eventually { stand.client.value(of: note) != nil })
    var snapshots = stand.client.snapshots(of: note).makeAsyncIterator()
    #expect(await snapshots.next()?.value == "warm")
  }

  @Test
  func `P8: a local write shows at once and cancels the older answer`() async throws {
    let exchange = ScriptedExchange([.note("one"), .held])
    let stand = Stand(exchange: exchange)
    let note = Note("/a")
    var snapshots = stand.client.snapshots(of: note).makeAsyncIterator()
    while await snapshots.next()?.value == nil {}
    try await stand.pass(.seconds(10))
    try await exchange.waitForRequests(atLeast: 2)
    stand.client.write("mine", to: note)
    #expect(await snapshots.next()?.value == "mine")
    #expect(stand.client.counters.requests == 0)
  }
}
