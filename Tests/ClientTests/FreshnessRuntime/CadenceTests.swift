import ConditionalHTTP
import Freshness
import FreshnessRuntime
import FreshnessTesting
import HTTPTypes
import Testing

@Suite("FreshnessClient: requests an hour")
struct CadenceTests {
  /// Lets an hour pass, from alarm to alarm, for a number of observers of one resource.
  private func requests(
    observers: Int,
    activity: Activity?,
    policy: Policy
  ) async throws -> Int {
    let exchange = ScriptedExchange(replying: { sent in
      sent.request.headerFields[.ifNoneMatch] == nil
        ? .note("same", tag: "\"1\"") : .status(.notModified)
    })
    let stand = Stand(policy: policy, exchange: exchange)
    let note = Note("/list")
    let tasks = (0..<observers).map { _ in
      Task { for await _ in stand.client.snapshots(of: note) {} }
    }
    #expect(await eventually { stand.client.counters.observers == observers })
    #expect(await eventually { stand.client.value(of: note) != nil })
    if let activity { stand.client.activity(activity, of: note) }
    let before = exchange.sent.count
    let end = stand.clock.now.advanced(by: .seconds(3_600))
    while true {
      #expect(await eventually { stand.client.counters.requests == 0 })
      try await stand.clock.waitForSleepers(atLeast: 1)
      guard let next = stand.clock.nextDeadline, next <= end else { break }
      let sent = exchange.sent.count
      await stand.clock.advance(by: stand.clock.now.duration(to: next))
      #expect(await eventually { exchange.sent.count > sent || stand.clock.sleepers > 0 })
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    #expect(stand.client.counters.observers == 0)
    return exchange.sent.count - before
  }

  @Test(arguments: [1, 10_000])
  func `seed 003: an active workspace costs 2,400 requests an hour for any number of observers`(
    observers: Int
  ) async throws {
    let count = try await requests(observers: observers, activity: .active, policy: .workspaces)
    #expect(abs(count - 2_400) <= 48)
  }

  @Test(arguments: [1, 10_000])
  func `seed 003: an idle workspace costs 360 requests an hour for any number of observers`(
    observers: Int
  ) async throws {
    let count = try await requests(observers: observers, activity: nil, policy: .workspaces)
    #expect(abs(count - 360) <= 8)
  }
}
