import ConditionalHTTP
import Freshness
import FreshnessRuntime
import FreshnessTesting
import HTTPTypes
import Observation
import Testing

@MainActor
@Suite("LiveResource")
struct LiveResourceTests {
  /// Waits until what is tracked changes.
  private func change(of read: @escaping @MainActor () -> Void) async {
    await withCheckedContinuation { done in
      withObservationTracking(read) { done.resume() }
    }
  }

  @Test
  func `it shows the copy, and views that read it are told`() async throws {
    let stand = Stand(exchange: ScriptedExchange([.held]))
    let live = LiveResource(Note("/a"), client: stand.client)
    let task = Task { await live.observe() }
    try await stand.exchange.waitForRequests(atLeast: 1)
    async let told: Void = change { _ = live.value }
    await Task.yield()
    stand.exchange.settle(1, with: .note("one"))
    await told
    #expect(await eventually { live.value != nil })
    #expect(live.value == "one")
    #expect(!live.isLoading)
    #expect(live.freshness?.verifiedAgo == .zero)
    task.cancel()
    await task.value
    #expect(stand.client.census.observers == 0)
  }

  @Test
  func `R4: another resource clears the old copy at once and cancels its request`() async throws {
    let stand = Stand(exchange: ScriptedExchange([.note("one"), .held, .held]))
    let live = LiveResource(Note("/a"), client: stand.client)
    let task = Task { await live.observe() }
    #expect(await eventually { live.value != nil })
    live.refresh()
    try await stand.exchange.waitForRequests(atLeast: 2)
    live.resource = Note("/b")
    #expect(live.value == nil)
    try await stand.exchange.waitForRequests(atLeast: 3)
    #expect(stand.exchange.held == [3])
    stand.exchange.settle(3, with: .note("two"))
    #expect(await eventually { live.value != nil })
    #expect(live.value == "two")
    task.cancel()
    await task.value
  }
}
