import Foundation
import Jobs
import Logging
import Synchronization
import Testing

@testable import JobsServer

@Suite struct `Events of a shared store` {
  private func hear(_ subscription: JobSubscription) -> [Int64] {
    var heard: [Int64] = []
    while let entry = subscription.next() { heard.append(entry.event.position.seq) }
    return heard
  }

  @Test(arguments: StoreKind.allCases)
  func `reach each subscriber in order, whichever announcements were missed`(
    kind: StoreKind
  )
    async throws
  {
    let stage = try await StoreStage(kind)
    let store = try await stage.open()
    let broadcaster = JobEventBroadcaster(limits: store.limits, isShared: true)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let relay = JobRelay(store: store, broadcaster: broadcaster, logger: logger)
    let lease = try await store.runJob()
    await relay.send(lease.job, upTo: 1)
    let first = try #require(broadcaster.listen(to: lease.job))
    #expect(hear(first) == [], "no subscriber")
    for number in 0..<6 { try await store.step(lease, processed: number) }
    // Two and three were announced before it subscribed, five was not announced.
    await relay.send(lease.job, upTo: 4)
    #expect(hear(first) == [4, 5, 6, 7], "what is stored comes with it")
    await relay.send(lease.job, upTo: 6)
    #expect(hear(first) == [])
    try await store.step(lease)
    try await store.step(lease)
    broadcaster.publish(try await store.events(lease.job)[8], of: lease.job)
    #expect(hear(first) == [], "it comes in the order of the log")
    let second = try #require(broadcaster.listen(to: lease.job))
    await relay.catchUp()
    #expect(hear(first) == [8, 9])
    #expect(hear(second) == [8, 9])
    _ = try await store.end(lease, .succeed)
    await relay.send(lease.job, upTo: 10)
    #expect(hear(first) == [10])
    await stage.close(store)
    // What cannot be read is sent later: a closed store is one that cannot be reached.
    await relay.send(lease.job, upTo: 11)
    await relay.retry()
    #expect(hear(second) == [10])
  }

  @Test func `come after those that could not be read when announcements went on`() async throws {
    let stage = try await StoreStage(.postgres)
    let (store, unreachable) = try await (stage.open(), stage.open())
    let broadcaster = JobEventBroadcaster(limits: store.limits, isShared: true)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let relay = JobRelay(store: store, broadcaster: broadcaster, logger: logger)
    let cut = JobRelay(store: unreachable, broadcaster: broadcaster, logger: logger)
    let lease = try await store.runJob()
    let subscription = try #require(broadcaster.listen(to: lease.job))
    // Two is not announced, and cannot be read once announcements go on.
    try await store.step(lease)
    await stage.close(unreachable)
    await cut.catchUp()
    try await store.step(lease)
    await relay.send(lease.job, upTo: 3)
    #expect(hear(subscription) == [1, 2, 3])
    await stage.close(store)
  }
}
