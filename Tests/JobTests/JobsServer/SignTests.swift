import Jobs
import Testing

@testable import JobsServer

// Work that goes on without anything to tell.
@Suite struct `Signs of life of the work` {
  @Test(arguments: StoreKind.allCases, [false, true])
  func `are no events, and are stored when they are due`(kind: StoreKind, isDue: Bool) async throws
  {
    let stage = try await StoreStage(kind)
    let store = try await stage.open { $0.heartbeatSeconds = isDue ? 0 : 3_600 }
    let lease = try await store.runJob()
    try await store.step(lease, [JobItem(number: 0, outcome: .imported)], processed: 1)
    let before = try #require(try await store.job(lease.job))
    while store.now == before.updatedAt { await Task.yield() }
    for _ in 0..<3 { #expect(try await store.beat(lease) == .proceed) }
    let now = try #require(try await store.job(lease.job))
    #expect((now.updatedAt > before.updatedAt) == isDue)
    #expect((now.position, now.progress) == (before.position, before.progress))
    _ = try await store.cancel(lease.job)
    #expect(try await store.beat(lease) == .stop)
    _ = try await store.end(lease, .stop)
    await #expect(throws: JobStoreError.self) { try await store.beat(lease) }
    #expect(try await store.events(lease.job).map(\.position.seq) == [1, 2, 3])
    await stage.close(store)
  }

  @Test func `are stored before the job counts as stuck`() {
    var limits = JobLimits()
    (limits.heartbeatSeconds, limits.stuckSeconds) = (3_600, 120)
    #expect(limits.signMilliseconds == 60_000)
    limits.heartbeatSeconds = 25
    #expect(limits.signMilliseconds == 25_000)
  }
}
