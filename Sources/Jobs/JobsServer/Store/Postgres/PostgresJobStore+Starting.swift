import BookLibrary
import Foundation
package import Jobs
import PostgresClient

extension PostgresJobStore {
  package func hasRoom(key: String?) async throws -> Bool {
    if try await pool.withConnection({ try await openCount($0) }) < limits.openJobs { return true }
    return try await knows(key: key)
  }

  package func knows(key: String?) async throws -> Bool {
    guard let key else { return false }
    return try await pool.query(
      "SELECT 1 FROM idempotency WHERE key = $1 AND until > $2",
      [.bytes(digest(key)), .int(due)]
    ).count > 0
  }

  /// The digest of an idempotency key among those of this owner.
  private func digest(_ key: String) -> [UInt8] {
    // The keys of the usual owner are as they were before there were others.
    StartDigest.key(libraryOwner == .usual ? key : "\(libraryOwner)\0\(key)")
  }

  private func openCount(_ connection: PostgresConnection) async throws -> Int {
    let rows = try await connection.query(
      "SELECT count(*) FROM job WHERE state IN ('queued', 'running', 'canceling') AND library = $1",
      [libraryColumn]
    )
    return try rows.first?[0] ?? 0
  }

  package func start(
    _ pipeline: PipelineName,
    inputs: [JobInputFile],
    options: [String: String],
    key: String?,
    id: String?,
    schedule: JobSchedule
  ) async throws -> JobStart {
    let id = id ?? UUID().uuidString.lowercased()
    let start = PendingStart(
      id: id,
      request: StartDigest.request(pipeline, inputs.map(\.content), options, schedule),
      key: key.map(digest),
      token: JobToken.make(),
      now: now,
      runAt: schedule.runAt.flatMap { [now] in $0 > now ? $0 : nil }
    )
    do {
      return try await pool.transaction { connection in
        if let earlier = try await earlier(connection, start) { return earlier }
        // A job that another transaction is starting under this id is waited for.
        let made = try await connection.query(
          """
          INSERT INTO job (id, pipeline, state, epoch, last_seq, created_at, updated_at, attempt, fraction, processed,
            sentence, options, priority, run_at, rank, owner, \(leaseUntil), library)
          SELECT $1, $2, 'queued', epoch, 0, $3, $3, 0, 0, 0, 'waiting', $4, $5, $6::bigint, $7,
            CASE WHEN $6::bigint IS NULL THEN \(free) ELSE \(nobody) END, to_timestamp($6::bigint / 1000.0), $8 FROM log
          ON CONFLICT DO NOTHING RETURNING 1
          """,
          [
            .text(id), .text(pipeline.rawValue), .int(start.now), .display(JobRow.text(options)),
            .text(schedule.priority.rawValue), .int(start.runAt),
            .int(schedule.rank(due: start.runAt ?? start.now, limits)), libraryColumn,
          ]
        )
        guard made.count == 1 else { return try await earlier(connection, start) ?? .taken }
        for (number, input) in inputs.enumerated() {
          try await connection.query(
            "INSERT INTO input VALUES ($1, $2, $3, $4, $5)",
            [
              .text(id), .int(number), .display(input.name), .display(input.mediaType),
              .bytes(input.content),
            ]
          )
        }
        return try await admit(connection, start)
      }
    } catch is TooManyJobs {
      return .busy
    }
  }

  /// Admits a job whose files are stored: starts take turns here, so that limit and keys are exact.
  private func admit(
    _ connection: PostgresConnection,
    _ start: PendingStart
  ) async throws -> JobStart {
    try await connection.query(
      "SELECT pg_advisory_xact_lock(hashtextextended($1, 2))",
      [.text(schema.name)]
    )
    if let earlier = try await earlier(connection, start) {
      try await connection.query("DELETE FROM job WHERE id = $1", [.text(start.id)])
      return earlier
    }
    guard try await openCount(connection) <= limits.openJobs else { throw TooManyJobs() }
    if start.runAt != nil {
      let scheduled = try await connection.query(
        """
        SELECT count(*) FROM job WHERE state = 'queued' AND failures = 0 AND run_at > $1 AND library = $2
        """,
        [.int(start.now), libraryColumn]
      )
      guard try scheduled.first?[0] ?? 0 <= limits.scheduledJobs else { throw TooManyJobs() }
    }
    if let key = start.key {
      try await connection.query(
        """
        INSERT INTO idempotency VALUES ($1, $2, $3, $4)
        ON CONFLICT (key) DO UPDATE SET request = excluded.request, job = excluded.job, until = excluded.until
        """,
        [
          .bytes(key), .bytes(start.request), .text(start.id),
          .int(start.now + Int64(limits.idempotencySeconds) * 1_000),
        ]
      )
    }
    try await add(connection, start.token, start.id, start.now)
    guard let row = try await find(connection, start.id) else {
      throw JobStoreError.gone(start.id)
    }
    try await connection.query(
      "SELECT pg_notify($1, $2)",
      [.text(channel), .text("\(start.id).0")]
    )
    return .job(row, token: start.token, isNew: true)
  }

  /// The job that was started with the same key before, with a new token.
  private func earlier(
    _ connection: PostgresConnection,
    _ start: PendingStart
  ) async throws -> JobStart? {
    guard let key = start.key else { return nil }
    let known = try await connection.query(
      "SELECT request, job FROM idempotency WHERE key = $1 AND until > $2",
      [.bytes(key), .int(start.now)]
    )
    guard let found = known.first, let row = try await find(connection, try found[1]),
      !row.isGone(at: start.now)
    else { return nil }
    let request: [UInt8] = try found[0]
    guard request == start.request else { return .mismatch }
    try await add(connection, start.token, row.id, start.now)
    return .job(row, token: start.token, isNew: false)
  }
}

/// A start that is not decided yet.
private struct PendingStart {
  let id: String
  let request: [UInt8]
  let key: [UInt8]?
  let token: String
  let now: Int64
  /// The instant it waits for, if that is not past.
  let runAt: Int64?
}

/// Undoes a start for which there is no room.
private struct TooManyJobs: Error {}
