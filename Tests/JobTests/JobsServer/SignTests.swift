import Jobs
import Logging
import PostgresClient
import Serving
import Testing

@testable import JobsServer

// Work that goes on without anything to tell, and leases that are lost over it.
@Suite struct `Signs of life of the work` {
  @Test(arguments: StoreKind.allCases, [false, true])
  func `are not events, and are stored when they are due`(kind: StoreKind, isDue: Bool) async throws
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

  @Test(arguments: [(true, false), (false, true), (true, true)])
  func `a lost lease is counted once, however it is noticed`(
    renews: Bool,
    beats: Bool
  ) async throws {
    let stage = try await StoreStage(.postgres)
    let (first, second) = (try await stage.open(), try await stage.open())
    let pipeline = CountingPipeline()
    pipeline.isHeld = true
    let broadcaster = JobEventBroadcaster(limits: first.limits, isShared: true)
    let runner = JobRunner(
      store: first,
      broadcaster: broadcaster,
      pipelines: [pipeline],
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
    let job = try await first.startJob(.csvImport, "100").0.id
    try await runner.leaseNext()
    while try await first.job(job)?.state != .running {
      try await Task.sleep(for: .milliseconds(5))
    }
    let connection = try await stage.connect()
    try await connection.query(
      "UPDATE \(stage.schema).job SET lease_until = clock_timestamp() - interval '1 ms'"
    )
    await connection.close()
    let taken = try #require(try await second.claimNext(most: 1).first)
    #expect(taken.job == job)
    #expect(Self.lost(broadcaster) == 0)
    if beats { pipeline.beats = 0 }
    if renews { try await runner.renew() }
    while await runner.count > 0 { try await Task.sleep(for: .milliseconds(5)) }
    try await runner.renew()
    #expect(Self.lost(broadcaster) == 1)
    #expect(try await second.begin(taken, phases: []) != nil)
    await runner.close()
    await stage.close(first)
    await stage.close(second)
  }

  private static func lost(_ broadcaster: JobEventBroadcaster) -> Int? {
    var metrics = MetricsText()
    broadcaster.metrics.writeShared(to: &metrics)
    return metrics.text.split(separator: "\n").compactMap { line in
      line.hasPrefix("freshet_job_leases_lost_total ")
        ? line.split(separator: " ").last.flatMap { Int($0) } : nil
    }.first
  }
}
