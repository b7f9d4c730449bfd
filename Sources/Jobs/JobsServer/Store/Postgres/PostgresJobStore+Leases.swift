import Jobs
import PostgresClient

// Leases: each statement locks the rows that it may change, and a value decides how they change.
extension PostgresJobStore {
  /// A lease whose row is locked, and the database's clock.
  struct LockedLease {
    let job: String
    let state: JobLeaseState
    let now: Int64
  }

  /// The columns of the table `job` that ``lockedLease(_:from:)`` reads.
  private var leaseColumns: String {
    """
    job.id, job.state, job.run_at, job.fence, job.owner, (extract(epoch FROM job.\(leaseUntil)) * 1000)::bigint,
    job.crashes, (extract(epoch FROM clock_timestamp()) * 1000)::bigint
    """
  }

  private func lockedLease(_ row: PostgresRow, from first: Int = 0) throws -> LockedLease {
    let (id, word, worker): (String, String, Int64) = (
      try row[first], try row[first + 1], try row[first + 4]
    )
    guard let state = JobState(rawValue: word) else {
      throw JobStoreError.damaged("the job \(id) has the state \"\(word)\"")
    }
    return LockedLease(
      job: id,
      state: JobLeaseState(
        state: state,
        runAt: try row[first + 2],
        fence: try row[first + 3],
        holder: worker == owner ? .thisWorker : worker > 0 ? .another : .nobody,
        endsAt: try row[first + 5],
        crashes: try row[first + 6]
      ),
      now: try row[first + 7]
    )
  }

  // MARK: Taking and renewing

  package func claim(_ job: String) async throws -> JobLease? {
    try await claim(where: "id = $1", .id(job), most: 1, "").first
  }

  package func claimNext(most: Int, besides jobs: [String]) async throws -> [JobLease] {
    // Rows that another worker has locked are skipped.
    try await claim(
      where: "id <> ALL($1)",
      .array(.text, jobs.map { .id($0) }),
      most: most,
      "SKIP LOCKED"
    )
  }

  /// Leases open jobs of this owner in order of their ranks.
  ///
  /// The statement finds the jobs that ``JobLeaseState/taken(at:due:_:)`` lets a worker take, so that others do not use up
  /// the number of them.
  private func claim(
    where condition: String,
    _ value: PostgresValue,
    most: Int,
    _ locks: String
  ) async throws -> [JobLease] {
    let due = now
    return try await pool.transaction { connection in
      let rows = try await connection.query(
        """
        SELECT \(leaseColumns) FROM job WHERE \(condition) AND library = $4 AND state IN ('queued', 'running', 'canceling')
          AND (owner IN (\(free), \(nobody)) OR \(leaseUntil) <= clock_timestamp())
          AND (run_at IS NULL OR run_at <= $3 OR state <> 'queued')
        ORDER BY coalesce(rank, created_at), id LIMIT $2 FOR UPDATE \(locks)
        """,
        [value, .int(most), .int(due), libraryColumn]
      )
      let taken = try rows.map { try lockedLease($0) }.compactMap { found in
        found.state.taken(at: found.now, due: due, limits).map { (job: found.job, state: $0) }
      }
      try await write(connection, taken)
      return taken.map { JobLease(job: $0.job, fence: $0.state.fence) }
    }
  }

  package func renew(_ held: [JobLease]) async throws -> [JobLease] {
    guard !held.isEmpty else { return [] }
    return try await pool.transaction { connection in
      let rows = try await connection.query(
        "SELECT \(leaseColumns) FROM job WHERE id = ANY($1) ORDER BY id FOR UPDATE",
        [.array(.text, held.map { .id($0.job) })]
      )
      let found = Dictionary(
        try rows.map { row in
          let lease = try lockedLease(row)
          return (lease.job, lease)
        }
      ) { first, _ in first }
      var (renewed, states): ([JobLease], [(String, JobLeaseState)]) = ([], [])
      for lease in held {
        guard let row = found[lease.job],
          let state = row.state.renewed(lease, at: row.now, limits)
        else { continue }
        renewed.append(lease)
        states.append((lease.job, state))
      }
      try await write(connection, states)
      return renewed
    }
  }

  package func rest(_ lease: JobLease) async throws {
    try await pool.transaction { connection in
      guard let (job, locked) = try await locked(connection, lease.job),
        locked.state.admits(lease)
      else { return }
      try await write(connection, [(lease.job, locked.state.freed)])
      guard !job.state.isTerminal else { return }
      try await connection.query(
        "SELECT pg_notify($1, $2)",
        [.text(channel), .text("\(lease.job).0")]
      )
    }
  }

  /// Writes leases of locked jobs.
  private func write(
    _ connection: PostgresConnection,
    _ leases: [(job: String, state: JobLeaseState)]
  ) async throws {
    guard !leases.isEmpty else { return }
    try await connection.query(
      """
      UPDATE job SET owner = written.owner, fence = written.fence, crashes = written.crashes,
        \(leaseUntil) = to_timestamp(written.ends_at / 1000.0)
      FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
        AS written (id, owner, fence, crashes, ends_at)
      WHERE job.id = written.id
      """,
      [
        .array(.text, leases.map { .id($0.job) }),
        .array(.int, leases.map { .int($0.state.holder == .nobody ? Int64(free) : owner) }),
        .array(.int, leases.map { .int($0.state.fence) }),
        .array(.int, leases.map { .int($0.state.crashes) }),
        .array(.int, leases.map { .int($0.state.endsAt) }),
      ]
    )
  }

  // MARK: Comparing

  /// A job and its lease, locked; `nil` if it does not exist.
  func locked(
    _ connection: PostgresConnection,
    _ job: String
  ) async throws -> (job: JobRow, lease: LockedLease)? {
    let rows = try await connection.query(
      "SELECT \(JobRow.columns), \(leaseColumns) FROM job WHERE id = $1 FOR UPDATE",
      [.id(job)]
    )
    return try rows.first.map {
      (try JobRow($0), try lockedLease($0, from: JobRow.columnCount))
    }
  }

  /// The lease of a job, which keeps its holder until the end of the transaction; `nil` if the job does not exist.
  func lease(_ connection: PostgresConnection, _ job: String) async throws -> JobLeaseState? {
    let rows = try await connection.query(
      "SELECT \(leaseColumns) FROM job WHERE id = $1 FOR SHARE",
      [.id(job)]
    )
    return try rows.first.map { try lockedLease($0).state }
  }

  /// A job under a lease, locked; `nil` if the lease has ended.
  func leased(
    _ connection: PostgresConnection,
    _ lease: JobLease
  ) async throws -> (job: JobRow, lease: LockedLease)? {
    guard let found = try await locked(connection, lease.job), found.lease.state.admits(lease)
    else { return nil }
    return found
  }
}
