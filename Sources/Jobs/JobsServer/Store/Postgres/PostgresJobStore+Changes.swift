package import Jobs
import PostgresClient

// Everything that changes a job, each with its event in one transaction.
extension PostgresJobStore {
  // MARK: Working

  package func begin(
    _ lease: JobLease,
    phases: [JobPhase]
  ) async throws -> (JobRow, JobEvent?)? {
    let now = now
    return try await pool.transaction { connection in
      guard let job = try await leased(connection, lease)?.job,
        let state = job.state.after(.begin)
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
      let (job, locked) = try await working(connection, lease)
      let next = locked.state.stepped(
        hasCheckpoint: step.checkpoint != nil,
        at: locked.now,
        limits
      )
      let progress = job.progress.after(step, fraction: fraction, sentence: sentence)
      // Of two results with one number the later one counts: a statement changes a row once.
      let items = Dictionary(step.items.map { ($0.number, $0) }) { $1 }.values.sorted {
        $0.number < $1.number
      }
      // The job is locked, so no other transaction takes the next number.
      let position = EventPosition(epoch: job.position.epoch, seq: job.position.seq + 1)
      let event = JobEvent(position: position, at: now, body: .progress(progress))
      // One statement: each one waits for the database.
      try await connection.query(
        """
        WITH stepped AS (
          UPDATE job SET updated_at = $2, fraction = $3, processed = $4, total = $5, phase = $6, current = $7,
            sentence = $8, checkpoint = coalesce($9, checkpoint),
            \(leaseUntil) = to_timestamp($10::bigint / 1000.0), crashes = $11, last_seq = $12
          WHERE id = $1
        ), results AS (
          INSERT INTO result SELECT $1, * FROM unnest(
            $13::bigint[], $14::text[], $15::bigint[], $16::text[], $17::text[], $18::bytea[])
          ON CONFLICT (job, number) DO UPDATE SET outcome = excluded.outcome, line = excluded.line,
            problems = excluded.problems, value = excluded.value, raw = excluded.raw
        ), stored AS (
          INSERT INTO event VALUES ($1, $12, $2, $19)
        ) SELECT pg_notify($20, $21)
        """,
        [
          .text(job.id), .int(now), .double(progress.fraction), .int(progress.processed),
          .int(progress.total), .display(progress.phase), .display(progress.current),
          .display(progress.sentence), .bytes(step.checkpoint), .int(next.endsAt),
          .int(next.crashes), .int(position.seq),
          .array(.int, items.map { .int($0.number) }),
          .array(.text, items.map { .text($0.outcome.rawValue) }),
          .array(.int, items.map { .int($0.line) }),
          .array(.text, items.map { .text(JobResultText.problemText($0)) }),
          .array(.text, items.map { .text(JobResultText.valueText($0)) }),
          .array(.bytes, items.map { .bytes($0.raw) }),
          .bytes(StoredEvent.bytes(event, job: job.id, pipeline: job.pipeline)),
          .text(channel), .text(announcement(of: event, job.id)),
        ]
      )
      return (event, job.state == .canceling ? .stop : .proceed)
    }
  }

  package func beat(_ lease: JobLease) async throws -> JobDirective {
    let now = now
    return try await pool.transaction { connection in
      let (job, locked) = try await working(connection, lease)
      if now - job.updatedAt >= limits.signMilliseconds {
        let next = locked.state.stepped(hasCheckpoint: false, at: locked.now, limits)
        try await connection.query(
          """
          UPDATE job SET updated_at = $2, \(leaseUntil) = to_timestamp($3::bigint / 1000.0) WHERE id = $1
          """,
          [.text(job.id), .int(now), .int(next.endsAt)]
        )
      }
      return job.state == .canceling ? .stop : .proceed
    }
  }

  /// The job that is worked on under a lease.
  private func working(
    _ connection: PostgresConnection,
    _ lease: JobLease
  ) async throws -> (job: JobRow, lease: LockedLease) {
    guard let found = try await locked(connection, lease.job), !found.job.state.isTerminal
    else { throw JobStoreError.gone(lease.job) }
    guard found.lease.state.admits(lease) else { throw JobStoreError.fenced(lease.job) }
    return found
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
      guard let job = try await leased(connection, lease)?.job, !job.state.isTerminal else {
        return nil
      }
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
      guard let job = try await leased(connection, lease)?.job, !job.state.isTerminal else {
        return nil
      }
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
    completion.add(try await outcomes(connection, job.id))
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
        .text(announcement(of: event, job.id)),
      ]
    )
    return event
  }

  /// What connections that listen are sent about an event.
  private func announcement(of event: JobEvent, _ job: String) -> String {
    "\(job).\(event.position.seq)"
  }
}
