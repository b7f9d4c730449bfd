import Foundation
import GRDB
package import Jobs

// Everything that changes a job, each with its event in one transaction.
extension SQLiteJobStore {
  /// Begins or resumes the work; `nil` if the job has ended or the lease has.
  package func begin(_ lease: JobLease, phases: [JobPhase]) async throws -> (JobRow, JobEvent?)? {
    guard leases.isHeld(lease) else { return nil }
    let (id, now) = (lease.job, now)
    let begun = try await database.write { [worker] database -> (JobRow, JobEvent?)? in
      guard let job = try Self.row(database, id), let state = job.state.after(.begin) else {
        return nil
      }
      try database.execute(
        sql: """
          UPDATE job SET state = ?, attempt = attempt + 1, started_at = coalesce(started_at, ?),
            updated_at = ?, worker = ? WHERE id = ?
          """,
        arguments: [state.rawValue, now, now, worker, id]
      )
      var event: JobEvent?
      if job.position.seq == 0 {
        event = try Self.append(
          database,
          job,
          now,
          .started(phases: phases, total: nil)
        )
      }
      return try Self.row(database, id).map { ($0, event) }
    }
    if begun == nil { leases.end(lease) }
    return begun
  }

  /// Commits a step: results, checkpoint, progress and its event.
  package func commit(
    _ step: JobStep,
    under lease: JobLease,
    fraction: Double,
    sentence: String
  ) async throws -> (JobEvent, JobDirective) {
    guard leases.isHeld(lease) else { throw JobStoreError.fenced(lease.job) }
    let (id, now) = (lease.job, now)
    return try await database.write { database in
      guard let job = try JobBeforeStep(database, id), !job.state.isTerminal else {
        throw JobStoreError.gone(id)
      }
      try Self.store(database, step.items, of: id)
      let progress = job.progress.after(step, fraction: fraction, sentence: sentence)
      let event = try Self.insert(
        database,
        id,
        job.pipeline,
        after: job.position,
        now,
        .progress(progress)
      )
      let update = try database.cachedStatement(
        sql: """
          UPDATE job SET updated_at = ?, fraction = ?, processed = ?, total = ?, phase = ?,
            current = ?, sentence = ?, checkpoint = coalesce(?, checkpoint), last_seq = ?,
            crashes = CASE WHEN ? THEN 0 ELSE crashes END
          WHERE id = ?
          """
      )
      try update.execute(arguments: [
        now, progress.fraction, progress.processed, progress.total, progress.phase,
        progress.current, progress.sentence, step.checkpoint.map { Data($0) }, event.position.seq,
        step.checkpoint != nil, id,
      ])
      return (event, job.state == .canceling ? .stop : .proceed)
    }
  }

  /// Notes that the work continues and that there is nothing to report.
  package func beat(_ lease: JobLease) async throws -> JobDirective {
    guard leases.isHeld(lease) else { throw JobStoreError.fenced(lease.job) }
    let (id, now) = (lease.job, now)
    let job = try await database.read { try Self.row($0, id) }
    guard let job, !job.state.isTerminal else { throw JobStoreError.gone(id) }
    if now - job.updatedAt >= limits.signMilliseconds {
      try await database.write { database in
        try database.execute(
          sql: "UPDATE job SET updated_at = ? WHERE id = ? AND state IN ('running', 'canceling')",
          arguments: [now, id]
        )
      }
    }
    return job.state == .canceling ? .stop : .proceed
  }

  /// Counts the processes that ended while they worked on a job.
  ///
  /// A process that lets a job go says so (``rest(_:)``); one that was killed, or that the job ended, cannot.
  package func countCrashes() async throws {
    let (condition, arguments) = ("worker NOT IN (0, ?)", StatementArguments([worker]))
    let isAny = try await database.read { database in
      try Int.fetchOne(
        database,
        sql: "SELECT 1 FROM job WHERE \(condition)",
        arguments: arguments
      ) != nil
    }
    guard isAny else { return }
    try await database.write { database in
      try database.execute(
        sql: "UPDATE job SET crashes = crashes + 1, worker = 0 WHERE \(condition)",
        arguments: arguments
      )
    }
  }

  /// Lets a job go without its end.
  package func rest(_ lease: JobLease) async throws {
    guard leases.isHeld(lease) else { return }
    defer { leases.end(lease) }
    try await database.write { database in
      try database.execute(sql: "UPDATE job SET worker = 0 WHERE id = ?", arguments: [lease.job])
    }
  }

  private static func store(_ database: Database, _ items: [JobItem], of job: String) throws {
    guard !items.isEmpty else { return }
    let statement = try database.cachedStatement(
      sql: "INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?, ?, ?, ?)"
    )
    for item in items {
      try statement.execute(arguments: [
        job, item.number, item.outcome.rawValue, item.line, JobResultText.problemText(item),
        JobResultText.valueText(item),
        item.raw.map { Data($0) },
      ])
    }
  }

  /// Asks a job to stop.
  ///
  /// - Returns: The job, and its last event if it ended at once; `nil` if the job does not exist. A job that has ended
  ///   stays as it is.
  package func cancel(_ id: String) async throws -> (JobRow, JobEvent?)? {
    let now = now
    return try await database.write { [limits] database in
      guard let job = try Self.row(database, id) else { return nil }
      guard let state = job.state.after(.cancel), state != job.state else { return (job, nil) }
      if state.isTerminal {
        var completion = JobCompletion(ending: .canceled, isPartial: true)
        completion.add(try Self.outcomes(database, id))
        return try Self.close(database, job, completion, now, limits)
      }
      try database.execute(
        sql: "UPDATE job SET state = ?, updated_at = ? WHERE id = ?",
        arguments: [state.rawValue, now, id]
      )
      return try Self.row(database, id).map { ($0, nil) }
    }
  }

  /// Ends a job.
  package func end(
    _ lease: JobLease,
    _ cause: JobCause,
    failure: JobFailure? = nil
  ) async throws -> (JobRow, JobEvent?)? {
    guard leases.isHeld(lease) else { return nil }
    let (id, now) = (lease.job, now)
    let ended = try await database.write { [limits] database -> (JobRow, JobEvent?)? in
      guard let job = try Self.row(database, id), !job.state.isTerminal else { return nil }
      return try Self.end(database, job, cause, failure, now, limits)
    }
    leases.end(lease)
    return ended
  }

  private static func end(
    _ database: Database,
    _ job: JobRow,
    _ cause: JobCause,
    _ failure: JobFailure?,
    _ now: Int64,
    _ limits: JobLimits
  ) throws -> (JobRow, JobEvent?)? {
    guard let state = job.state.after(cause) else { return nil }
    var completion = JobClosing.completion(of: job, state, failure, at: now)
    completion.add(try outcomes(database, job.id))
    if job.pipeline == .aiScan {
      completion.photos = try Int.fetchOne(
        database,
        sql: "SELECT count(*) FROM input WHERE job = ?",
        arguments: [job.id]
      )
    }
    return try close(database, job, completion, now, limits)
  }

  package func fail(
    _ lease: JobLease,
    _ failure: JobFailure,
    sample: Double
  ) async throws -> (JobRow, JobEvent?)? {
    guard leases.isHeld(lease) else { return nil }
    let (id, now) = (lease.job, now)
    let failed = try await database.write { [limits] database -> (JobRow, JobEvent?)? in
      guard let job = try Self.row(database, id), !job.state.isTerminal else { return nil }
      if job.state == .canceling { return try Self.end(database, job, .stop, nil, now, limits) }
      try database.execute(
        sql: "UPDATE job SET failures = failures + 1, failure = ? WHERE id = ?",
        arguments: [JobRow.text(failure), id]
      )
      guard let again = JobRepetition(job, failure, at: now, sample: sample, limits) else {
        return try Self.end(database, job, .fail, failure, now, limits)
      }
      try database.execute(
        sql: """
          UPDATE job SET state = 'queued', run_at = ?, rank = ?, sentence = ?, updated_at = ?, worker = 0
          WHERE id = ?
          """,
        arguments: [again.runAt, again.rank, again.sentence, now, id]
      )
      let event = try Self.append(database, job, now, .progress(again.progress))
      return try Self.row(database, id).map { ($0, event) }
    }
    leases.end(lease)
    return failed
  }

  private static func close(
    _ database: Database,
    _ job: JobRow,
    _ completion: JobCompletion,
    _ now: Int64,
    _ limits: JobLimits
  ) throws -> (JobRow, JobEvent?)? {
    let closing = JobClosing(completion, at: now, limits)
    try database.execute(
      sql: """
        UPDATE job SET state = ?, ended_at = ?, updated_at = ?, expires_at = ?, current = NULL, worker = 0,
          fraction = CASE WHEN ? THEN 1 ELSE fraction END, sentence = ?, tombstone_until = ?, is_dead = ?
        WHERE id = ?
        """,
      arguments: [
        closing.state.rawValue, now, now, closing.expiresAt, closing.state == .succeeded,
        closing.sentence, closing.tombstoneUntil, closing.isDead, job.id,
      ]
    )
    // A client that may follow the job to its end, however long it took, may also fetch its results.
    try database.execute(
      sql: "UPDATE token SET expires_at = max(expires_at, ?) WHERE job = ? AND NOT is_replaced",
      arguments: [closing.expiresAt, job.id]
    )
    let event = try append(database, job, now, .ended(closing.completion))
    return try row(database, job.id).map { ($0, event) }
  }

  /// Stores an event behind the last one.
  private static func append(
    _ database: Database,
    _ job: JobRow,
    _ now: Int64,
    _ body: JobEvent.Body
  ) throws -> JobEvent {
    let event = try insert(database, job.id, job.pipeline, after: job.position, now, body)
    try database.execute(
      sql: "UPDATE job SET last_seq = ? WHERE id = ?",
      arguments: [event.position.seq, job.id]
    )
    return event
  }

  /// Stores an event after the last one; the caller also records it in the job as the last one.
  private static func insert(
    _ database: Database,
    _ job: String,
    _ pipeline: PipelineName,
    after last: EventPosition,
    _ now: Int64,
    _ body: JobEvent.Body
  ) throws -> JobEvent {
    let position = EventPosition(epoch: last.epoch, seq: last.seq + 1)
    let event = JobEvent(position: position, at: now, body: body)
    let bytes = StoredEvent.bytes(event, job: job, pipeline: pipeline)
    let statement = try database.cachedStatement(sql: "INSERT INTO event VALUES (?, ?, ?, ?)")
    try statement.execute(arguments: [job, position.seq, now, Data(bytes)])
    return event
  }

  static func outcomes(_ database: Database, _ job: String) throws -> [JobOutcome: Int] {
    let rows = try Row.fetchAll(
      database,
      sql: "SELECT outcome, count(*) AS count FROM result WHERE job = ? GROUP BY outcome",
      arguments: [job]
    )
    var counts: [JobOutcome: Int] = [:]
    for row in rows {
      if let outcome = JobOutcome(rawValue: row["outcome"]) { counts[outcome] = row["count"] }
    }
    return counts
  }

  /// Those of some jobs whose results are gone, or of which nothing is known.
  package func gone(of jobs: [String]) async throws -> [String] {
    guard !jobs.isEmpty else { return [] }
    let kept = try await database.read { database in
      try Set(String.fetchAll(database, sql: "SELECT id FROM job WHERE state != 'expired'"))
    }
    return jobs.filter { !kept.contains($0) }
  }

  /// Removes what is too old: results of jobs that ended long ago, and after another while the jobs.
  ///
  /// - Returns: The jobs whose results went.
  package func sweep() async throws -> [String] {
    let (seen, now) = (now, due)
    let (expired, files) = try await database.write { database -> ([String], [String]) in
      try database.execute(
        sql: "INSERT OR REPLACE INTO seen SELECT 1, ? WHERE EXISTS (SELECT 1 FROM job)",
        arguments: [seen]
      )
      let due = try String.fetchAll(
        database,
        sql: """
          SELECT id FROM job WHERE expires_at <= ? AND state IN ('succeeded', 'failed', 'canceled')
          """,
        arguments: [now]
      )
      var files: [String] = []
      for id in due {
        files += try String.fetchAll(
          database,
          sql: "SELECT file FROM input WHERE job = ?",
          arguments: [id]
        )
        for table in ["result", "event", "input"] {
          try database.execute(sql: "DELETE FROM \(table) WHERE job = ?", arguments: [id])
        }
        try database.execute(
          sql: "UPDATE job SET state = 'expired', checkpoint = NULL, updated_at = ? WHERE id = ?",
          arguments: [now, id]
        )
      }
      try database.execute(
        sql: "DELETE FROM job WHERE tombstone_until <= ? AND state = 'expired'",
        arguments: [now]
      )
      // A token is kept as long as its job, so that its owner gets "too old" and not "wrong".
      try database.execute(sql: "DELETE FROM idempotency WHERE until <= ?", arguments: [now])
      return (due, files)
    }
    for file in files { try? FileManager.default.removeItem(atPath: folder + "/" + file) }
    return expired
  }
}
