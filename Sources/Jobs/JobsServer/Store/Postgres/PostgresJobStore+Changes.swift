package import Jobs
import PostgresClient

// Everything that changes a job, each with its event in one transaction.
extension PostgresJobStore {
  /// How long a lease lasts without being renewed, as the database's clock counts.
  private var leaseEnd: String { "clock_timestamp() + interval '\(limits.leaseSeconds) seconds'" }

  // MARK: Leases

  package func claim(_ job: String) async throws -> JobLease? {
    try await claim(where: "id = $2", .id(job), most: 1, "").first
  }

  package func claimNext(most: Int, besides jobs: [String]) async throws -> [JobLease] {
    // What another claim has locked is passed over.
    try await claim(
      where: "id <> ALL($2)",
      .array(.text, jobs.map { .id($0) }),
      most: most,
      "SKIP LOCKED"
    )
  }

  /// Leases open jobs of this owner without a lease whose time has come, in order of their ranks.
  ///
  /// A lease that has ended without a word means that its process ended over the job, unless it was this one, which was
  /// only cut off from the database.
  private func claim(
    where condition: String,
    _ value: PostgresValue,
    most: Int,
    _ locks: String
  ) async throws -> [JobLease] {
    let rows = try await pool.query(
      """
      WITH free AS (
        SELECT id FROM job WHERE \(condition) AND library = $5 AND state IN ('queued', 'running', 'canceling')
          AND (owner IN (\(free), \(nobody)) OR \(leaseUntil) <= clock_timestamp())
          AND (run_at IS NULL OR run_at <= $4 OR state <> 'queued')
        ORDER BY coalesce(rank, created_at), id LIMIT $3 FOR UPDATE \(locks))
      UPDATE job SET crashes = crashes + CASE WHEN owner IN (\(free), \(nobody), $1) THEN 0 ELSE 1 END, owner = $1, fence = fence + 1,
        \(leaseUntil) = \(leaseEnd)
      FROM free WHERE job.id = free.id RETURNING job.id, job.fence
      """,
      [.int(owner), value, .int(most), .int(now), libraryColumn]
    )
    return try rows.map { JobLease(job: try $0[0], fence: try $0[1]) }
  }

  package func renew(_ held: [JobLease]) async throws -> [JobLease] {
    guard !held.isEmpty else { return [] }
    let rows = try await pool.query(
      """
      UPDATE job SET \(leaseUntil) = \(leaseEnd) FROM unnest($1::text[], $2::bigint[]) AS held (id, fence)
      WHERE job.id = held.id AND job.fence = held.fence AND job.owner = $3 RETURNING job.id, job.fence
      """,
      [
        .array(.text, held.map { .id($0.job) }), .array(.int, held.map { .int($0.fence) }),
        .int(owner),
      ]
    )
    return try rows.map { JobLease(job: try $0[0], fence: try $0[1]) }
  }

  package func rest(_ lease: JobLease) async throws {
    try await pool.query(
      """
      WITH freed AS (
        UPDATE job SET owner = \(free), \(leaseUntil) = NULL WHERE id = $1 AND fence = $2 AND owner = $3
        RETURNING state IN ('queued', 'running', 'canceling') AS is_open)
      SELECT pg_notify($4, $5) FROM freed WHERE is_open
      """,
      [.id(lease.job), .int(lease.fence), .int(owner), .text(channel), .text("\(lease.job).0")]
    )
  }

  /// A job under a lease, locked; `nil` if the lease has ended, however the clocks stand.
  private func leased(_ connection: PostgresConnection, _ lease: JobLease) async throws -> JobRow? {
    let rows = try await connection.query(
      """
      SELECT \(JobRow.columns) FROM job WHERE id = $1 AND fence = $2 AND owner = $3 FOR UPDATE
      """,
      [.id(lease.job), .int(lease.fence), .int(owner)]
    )
    return try rows.first.map { try JobRow($0) }
  }

  // MARK: Working

  package func begin(
    _ lease: JobLease,
    phases: [JobPhase]
  ) async throws -> (JobRow, JobEvent?)? {
    let now = now
    return try await pool.transaction { connection in
      guard let job = try await leased(connection, lease), let state = job.state.after(.begin)
      else { return nil }
      try await connection.query(
        """
        UPDATE job SET state = $2, attempt = attempt + 1, started_at = coalesce(started_at, $3), updated_at = $3
        WHERE id = $1
        """,
        [.text(job.id), .text(state.rawValue), .int(now)]
      )
      var event: JobEvent?
      if job.position.seq == 0 {
        event = try await append(connection, job, now, .started(phases: phases, total: nil))
      }
      return try await find(connection, job.id).map { ($0, event) }
    }
  }

  package func commit(
    _ step: JobStep,
    under lease: JobLease,
    fraction: Double,
    sentence: String
  ) async throws -> (JobEvent, JobDirective) {
    let now = now
    return try await pool.transaction { connection in
      let job = try await working(connection, lease)
      try await store(connection, step.items, of: job.id)
      let progress = job.progress.after(step, fraction: fraction, sentence: sentence)
      try await connection.query(
        """
        UPDATE job SET updated_at = $2, fraction = $3, processed = $4, total = $5, phase = $6, current = $7,
          sentence = $8, checkpoint = coalesce($9, checkpoint), \(leaseUntil) = \(leaseEnd),
          crashes = CASE WHEN $9 IS NULL THEN crashes ELSE 0 END
        WHERE id = $1
        """,
        [
          .text(job.id), .int(now), .double(progress.fraction), .int(progress.processed),
          .int(progress.total), .display(progress.phase), .display(progress.current),
          .display(progress.sentence), .bytes(step.checkpoint),
        ]
      )
      let event = try await append(connection, job, now, .progress(progress))
      return (event, job.state == .canceling ? .stop : .proceed)
    }
  }

  package func beat(_ lease: JobLease) async throws -> JobDirective {
    let now = now
    return try await pool.transaction { connection in
      let job = try await working(connection, lease)
      if now - job.updatedAt >= limits.signMilliseconds {
        try await connection.query(
          "UPDATE job SET updated_at = $2, \(leaseUntil) = \(leaseEnd) WHERE id = $1",
          [.text(job.id), .int(now)]
        )
      }
      return job.state == .canceling ? .stop : .proceed
    }
  }

  /// The job that is worked on under a lease.
  private func working(
    _ connection: PostgresConnection,
    _ lease: JobLease
  ) async throws -> JobRow {
    guard let job = try await leased(connection, lease) else {
      let isOpen = try await find(connection, lease.job)?.state.isTerminal == false
      throw isOpen ? JobStoreError.fenced(lease.job) : JobStoreError.gone(lease.job)
    }
    guard !job.state.isTerminal else { throw JobStoreError.gone(job.id) }
    return job
  }

  private func store(
    _ connection: PostgresConnection,
    _ items: [JobItem],
    of job: String
  ) async throws {
    guard !items.isEmpty else { return }
    // One statement changes a row once: of two results with one number the later one counts.
    let items = Dictionary(items.map { ($0.number, $0) }) { $1 }.values.sorted {
      $0.number < $1.number
    }
    try await connection.query(
      """
      INSERT INTO result SELECT $1, * FROM unnest(
        $2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::bytea[])
      ON CONFLICT (job, number) DO UPDATE SET outcome = excluded.outcome, line = excluded.line,
        problems = excluded.problems, value = excluded.value, raw = excluded.raw
      """,
      [
        .text(job), .array(.int, items.map { .int($0.number) }),
        .array(.text, items.map { .text($0.outcome.rawValue) }),
        .array(.int, items.map { .int($0.line) }),
        .array(.text, items.map { .text(JobResultText.problemText($0)) }),
        .array(.text, items.map { .text(JobResultText.valueText($0)) }),
        .array(.bytes, items.map { .bytes($0.raw) }),
      ]
    )
  }

  // MARK: Ends

  package func cancel(_ id: String) async throws -> (JobRow, JobEvent?)? {
    let now = now
    return try await pool.transaction { connection in
      guard let job = try await find(connection, id, isLocked: true) else { return nil }
      guard let state = job.state.after(.cancel), state != job.state else { return (job, nil) }
      if state.isTerminal {
        let completion = JobCompletion(ending: .canceled, isPartial: true)
        return try await close(connection, job, completion, now)
      }
      try await connection.query(
        "UPDATE job SET state = $2, updated_at = $3 WHERE id = $1",
        [.text(job.id), .text(state.rawValue), .int(now)]
      )
      return try await find(connection, job.id).map { ($0, nil) }
    }
  }

  package func end(
    _ lease: JobLease,
    _ cause: JobCause,
    failure: JobFailure?
  ) async throws -> (JobRow, JobEvent?)? {
    let now = now
    return try await pool.transaction { connection in
      guard let job = try await leased(connection, lease), !job.state.isTerminal else { return nil }
      return try await end(connection, job, cause, failure, now)
    }
  }

  private func end(
    _ connection: PostgresConnection,
    _ job: JobRow,
    _ cause: JobCause,
    _ failure: JobFailure?,
    _ now: Int64
  ) async throws -> (JobRow, JobEvent?)? {
    guard let state = job.state.after(cause) else { return nil }
    var completion = JobClosing.completion(of: job, state, failure, at: now)
    if job.pipeline == .aiScan {
      let files = try await connection.query(
        "SELECT count(*) FROM input WHERE job = $1",
        [.text(job.id)]
      )
      completion.photos = try files.first?[0]
    }
    return try await close(connection, job, completion, now)
  }

  package func fail(
    _ lease: JobLease,
    _ failure: JobFailure,
    sample: Double
  ) async throws -> (JobRow, JobEvent?)? {
    let now = now
    return try await pool.transaction { connection in
      guard let job = try await leased(connection, lease), !job.state.isTerminal else { return nil }
      if job.state == .canceling { return try await end(connection, job, .stop, nil, now) }
      try await connection.query(
        "UPDATE job SET failures = failures + 1, failure = $2 WHERE id = $1",
        [.text(job.id), .text(JobRow.text(failure))]
      )
      guard let again = JobRepetition(job, failure, at: now, sample: sample, limits) else {
        return try await end(connection, job, .fail, failure, now)
      }
      try await connection.query(
        """
        UPDATE job SET state = 'queued', run_at = $2, rank = $3, sentence = $4, updated_at = $5,
          owner = \(nobody), \(leaseUntil) = to_timestamp($2 / 1000.0)
        WHERE id = $1
        """,
        [
          .text(job.id), .int(again.runAt), .int(again.rank), .display(again.sentence), .int(now),
        ]
      )
      let event = try await append(connection, job, now, .progress(again.progress))
      return try await find(connection, job.id).map { ($0, event) }
    }
  }

  /// Ends a locked job, regardless of its lease.
  private func close(
    _ connection: PostgresConnection,
    _ job: JobRow,
    _ completion: JobCompletion,
    _ now: Int64
  ) async throws -> (JobRow, JobEvent?)? {
    var completion = completion
    completion.take(try await outcomes(connection, job.id))
    let closing = JobClosing(completion, at: now, limits)
    try await connection.query(
      """
      UPDATE job SET state = $2, ended_at = $3, updated_at = $3, expires_at = $4, current = NULL, owner = \(free),
        \(leaseUntil) = NULL, fraction = CASE WHEN $5 THEN 1 ELSE fraction END, sentence = $6, tombstone_until = $7,
        is_dead = $8
      WHERE id = $1
      """,
      [
        .text(job.id), .text(closing.state.rawValue), .int(now), .int(closing.expiresAt),
        .bool(closing.state == .succeeded), .display(closing.sentence),
        .int(closing.tombstoneUntil), .bool(closing.isDead),
      ]
    )
    try await connection.query(
      "UPDATE token SET expires_at = greatest(expires_at, $2) WHERE job = $1 AND NOT is_replaced",
      [.text(job.id), .int(closing.expiresAt)]
    )
    let event = try await append(connection, job, now, .ended(closing.completion))
    return try await find(connection, job.id).map { ($0, event) }
  }

  /// Stores an event after the last one of a locked job, and announces it.
  private func append(
    _ connection: PostgresConnection,
    _ job: JobRow,
    _ now: Int64,
    _ body: JobEvent.Body
  ) async throws -> JobEvent {
    let numbers = try await connection.query(
      "UPDATE job SET last_seq = last_seq + 1 WHERE id = $1 RETURNING last_seq",
      [.text(job.id)]
    )
    guard let number = numbers.first else { throw JobStoreError.gone(job.id) }
    let position = EventPosition(epoch: job.position.epoch, seq: try number[0])
    let event = JobEvent(position: position, at: now, body: body)
    try await connection.query(
      "WITH stored AS (INSERT INTO event VALUES ($1, $2, $3, $4)) SELECT pg_notify($5, $6)",
      [
        .text(job.id), .int(position.seq), .int(now),
        .bytes(StoredEvent.bytes(event, job: job.id, pipeline: job.pipeline)), .text(channel),
        .text("\(job.id).\(position.seq)"),
      ]
    )
    return event
  }
}
