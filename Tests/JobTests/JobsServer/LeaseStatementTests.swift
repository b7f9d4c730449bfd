import Jobs
import PostgresClient
import Testing

@testable import JobsServer

/// The statements about leases, compared with the values that decide.
@Suite struct `Statements about leases` {
  /// A row of a job, in the words of the table.
  private struct Row {
    var id: String
    var lease: JobLeaseState
    /// What the column `owner` has.
    var owner: Int64
  }

  private static let hour: Int64 = 3_600_000

  /// All combinations of what decides, as of an instant.
  private func rows(_ mine: Int64, at now: Int64) -> [Row] {
    let holders: [(Int64, JobLeaseState.Holder)] = [
      (0, .nobody), (-1, .nobody), (mine, .thisWorker), (mine == 1 ? 2 : 1, .another),
    ]
    var rows: [Row] = []
    for state in JobState.allCases {
      for (owner, holder) in holders {
        for endsAt in [nil, now - Self.hour, now + Self.hour] {
          for runAt in [nil, now - Self.hour, now + Self.hour] {
            let lease = JobLeaseState(
              state: state,
              runAt: runAt,
              fence: Int64(rows.count),
              holder: holder,
              endsAt: endsAt,
              crashes: rows.count % 3
            )
            rows.append(Row(id: "job\(rows.count)", lease: lease, owner: owner))
          }
        }
      }
    }
    return rows
  }

  private func insert(_ rows: [Row], _ stage: StoreStage) async throws {
    func text(_ instant: Int64?) -> String { instant.map(String.init) ?? "NULL" }
    let values = rows.map { row in
      """
      ('\(row.id)', 'csv_import', '\(row.lease.state.rawValue)', 1, 0, 0, 0, 0, 0, 0, '', '{}', \(row.owner),
      \(row.lease.fence), to_timestamp(\(text(row.lease.endsAt)) / 1000.0), \(text(row.lease.runAt)), \(row.lease.crashes))
      """
    }
    let connection = try await stage.connect()
    defer { Task { await connection.close() } }
    try await connection.query(
      """
      INSERT INTO \(stage.schema).job (id, pipeline, state, epoch, last_seq, created_at, updated_at, attempt, fraction,
        processed, sentence, options, owner, fence, lease_until, run_at, crashes)
      VALUES \(values.joined(separator: ", "))
      """
    )
  }

  @Test func `find the jobs that a worker may take, and write what was decided`() async throws {
    let stage = try await StoreStage(.postgres)
    let store = try #require(try await stage.open() as? PostgresJobStore)
    let rows = rows(store.owner, at: store.now)
    try await insert(rows, stage)
    let (now, limits) = (store.now, store.limits)
    let free = rows.filter { $0.lease.taken(at: now, due: now, limits) != nil }
    #expect(free.count > 20 && free.count < rows.count)
    let taken = try await store.claimNext(most: rows.count)
    #expect(Set(taken.map(\.job)) == Set(free.map(\.id)))
    for row in free {
      let lease = try #require(row.lease.taken(at: now, due: now, limits))
      let stored = try #require(
        try await store.pool.withConnection { try await store.locked($0, row.id) }
      )
      #expect(stored.lease.state.fence == lease.fence, "\(row)")
      #expect(stored.lease.state.crashes == lease.crashes, "\(row)")
      #expect(stored.lease.state.holder == .thisWorker)
      let endsAt = try #require(stored.lease.state.endsAt)
      #expect((now...now + Self.hour).contains(endsAt), "\(row)")
    }
    // Each of them can be taken by its name as well, unless it was taken now.
    for row in rows.prefix(60) where !free.contains(where: { $0.id == row.id }) {
      #expect(try await store.claim(row.id) == nil, "\(row)")
    }
    await stage.close(store)
  }

  @Test func `renew and give back what a worker has, and nothing else`() async throws {
    let stage = try await StoreStage(.postgres)
    let store = try #require(try await stage.open() as? PostgresJobStore)
    let rows = rows(store.owner, at: store.now)
    try await insert(rows, stage)
    let (now, limits) = (store.now, store.limits)
    let leases = rows.flatMap { row in
      [row.lease.fence, row.lease.fence - 1].map { (row, JobLease(job: row.id, fence: $0)) }
    }
    let held = leases.filter { $0.lease.renewed($1, at: now, limits) != nil }.map(\.1)
    #expect(held.count == rows.count / 4)
    #expect(Set(try await store.renew(leases.map(\.1))) == Set(held))
    for (_, lease) in leases.prefix(80) { try await store.rest(lease) }
    for (row, lease) in leases.prefix(80) where row.lease.fence == lease.fence {
      let stored = try #require(
        try await store.pool.withConnection { try await store.locked($0, row.id) }
      )
      let expected = row.lease.admits(lease) ? row.lease.freed.holder : row.lease.holder
      #expect(stored.lease.state.holder == expected, "\(row)")
    }
    await stage.close(store)
  }
}
