import ConditionalHTTP
import Foundation
import Freshness
import FreshnessRuntime
import FreshnessTesting
import HTTPTypes
import Observation
import Testing

@MainActor
@Suite("LiveValue")
struct LiveValueTests {
  /// Waits until what is tracked changes.
  private func change(of read: @escaping @MainActor () -> Void) async {
    await withCheckedContinuation { done in
      withObservationTracking(read) { done.resume() }
    }
  }

  @Test
  func `it shows the copy, and views that read it are told`() async throws {
    let stand = Stand(exchange: ScriptedExchange([.held]))
    let live = LiveValue(Note("/a"), client: stand.client)
    let task = Task { await live.observe() }
    try await stand.exchange.waitForRequests(atLeast: 1)
    async let told: Void = change { _ = live.value }
    await Task.yield()
    stand.exchange.finish(1, with: .note("one"))
    await told
    #expect(await eventually { live.value != nil })
    #expect(live.value == "one")
    #expect(!live.isLoading)
    #expect(live.freshness?.verifiedAgo == .zero)
    task.cancel()
    await task.value
    #expect(stand.client.counters.observers == 0)
  }

  @Test
  func `R4: another resource clears the old copy at once and cancels its request`() async throws {
    let stand = Stand(exchange: ScriptedExchange([.note("one"), .held, .held]))
    let live = LiveValue(Note("/a"), client: stand.client)
    let task = Task { await live.observe() }
    #expect(await eventually { live.value != nil })
    live.refresh()
    try await stand.exchange.waitForRequests(atLeast: 2)
    live.follow(Note("/b"), client: stand.client)
    #expect(live.value == nil)
    try await stand.exchange.waitForRequests(atLeast: 3)
    #expect(stand.exchange.held == [3])
    stand.exchange.finish(3, with: .note("two"))
    #expect(await eventually { live.value != nil })
    #expect(live.value == "two")
    task.cancel()
    await task.value
  }

  @Test
  func `R27: the age counts and views are told each second, and each minute after an hour`()
    async throws
  {
    let stand = Stand(
      policy: .steady.with { $0.push = nil },
      exchange: ScriptedExchange(replying: { _ in .applied("one") })
    )
    let live = LiveValue(JSONResource(Self.url, as: String.self), client: stand.client)
    let task = Task { await live.observe() }
    #expect(await eventually { live.value == "one" })
    #expect(live.age == .zero)
    #expect(live.state == .live)
    stand.client.connectivity(.offline)
    for second in 1...3 {
      async let told: Void = change { _ = live.age }
      await Task.yield()
      try await stand.pass(.seconds(1))
      await told
      #expect(live.age == .seconds(second))
    }
    #expect(live.state == .offline)
    try await stand.pass(.seconds(3_597))
    #expect(await eventually { live.age == .seconds(3_600) })
    #expect(live.label?.badge == .unavailable)
    // The words change each hour now: the next tick is a minute away.
    #expect(await eventually { stand.clock.nextDeadline?.offset == .seconds(3_660) })
    task.cancel()
    await task.value
    #expect(await eventually { stand.clock.sleepers == 0 })
  }

  @Test
  func `a released model ends its request and its ticks`() async throws {
    let stand = Stand(exchange: ScriptedExchange([.note("one"), .held]))
    weak var released: LiveValue<String>?
    do {
      let live = LiveValue(Note("/a"), client: stand.client)
      live.start()
      released = live
      #expect(await eventually { live.value == "one" })
      live.refresh()
      try await stand.exchange.waitForRequests(atLeast: 2)
      #expect(stand.client.counters.requests == 1)
    }
    #expect(await eventually { released == nil && stand.client.counters.observers == 0 })
    #expect(stand.client.counters.requests == 0)
    #expect(await eventually { stand.exchange.held.isEmpty })
    #expect(await eventually { stand.clock.sleepers == 0 })
  }

  @Test
  func `two views and start share one observation, and the last one to leave ends it`()
    async throws
  {
    let stand = Stand(exchange: ScriptedExchange([.note("one"), .held]))
    let live = LiveValue(Note("/a"), client: stand.client)
    let one = Task { await live.observe() }
    let two = Task { await live.observe() }
    live.start()
    #expect(await eventually { live.value == "one" })
    #expect(stand.client.counters.observers == 1)
    one.cancel()
    await one.value
    two.cancel()
    await two.value
    #expect(stand.client.counters.observers == 1)
    live.stop()
    #expect(await eventually { stand.client.counters.observers == 0 })
  }

  @Test
  func `a task that is canceled before it runs observes nothing`() async throws {
    let stand = Stand(exchange: ScriptedExchange([.held]))
    let live = LiveValue(Note("/a"), client: stand.client)
    let task = Task { await live.observe() }
    task.cancel()
    await task.value
    #expect(await eventually { stand.client.counters.observers == 0 })
    #expect(stand.client.counters.requests == 0)
  }

  static let url = notesURL("/a")
}
