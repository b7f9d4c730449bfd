import Jobs
import PostgresClient

extension JobRow {
  /// How many ``columns`` there are.
  static let columnCount = 27
  /// The columns of the table `job` that ``init(_:from:)`` reads.
  static let columns = """
    job.id, job.pipeline, job.state, job.epoch, job.last_seq, job.created_at, job.started_at, job.ended_at,
    job.updated_at, job.expires_at, job.attempt, job.crashes, job.fraction, job.processed, job.total, job.phase,
    job.current, job.sentence, job.checkpoint, job.options, job.priority, job.run_at,
    coalesce(job.rank, job.created_at), job.failures, job.failure, job.is_dead, job.restarted_as
    """

  /// Reads ``columns``.
  ///
  /// - Throws: ``JobStoreError/damaged(_:)`` for an unknown state; `PostgresError` for columns of other types.
  init(_ row: PostgresRow) throws {
    let (id, word): (String, String) = (try row[0], try row[2])
    guard let state = JobState(rawValue: word) else {
      throw JobStoreError.damaged("the job \(id) has the state \"\(word)\"")
    }
    self.init(
      id: id,
      pipeline: PipelineName(rawValue: try row[1]),
      state: state,
      position: EventPosition(epoch: try row[3], seq: try row[4]),
      createdAt: try row[5],
      startedAt: try row[6],
      endedAt: try row[7],
      updatedAt: try row[8],
      expiresAt: try row[9],
      attempt: try row[10],
      crashes: try row[11],
      progress: JobProgress(
        fraction: try row[12],
        processed: try row[13],
        total: try row[14],
        phase: try row[15],
        current: try row[16],
        sentence: try row[17]
      ),
      checkpoint: try row[18],
      options: JobRow.options(try row[19]),
      schedule: JobSchedule(
        priority: JobPriority(rawValue: try row[20]) ?? .normal,
        runAt: try row[21]
      ),
      rank: try row[22],
      failures: try row[23],
      lastFailure: JobRow.failure(try row[24]),
      isDead: try row[25],
      restartedAs: try row[26]
    )
  }
}

extension PostgresValue {
  /// A job's id; one that the database could not store is not a job's.
  static func id(_ text: String) -> Self { text.utf8.contains(0) ? .null : .text(text) }

  /// A text for display; PostgreSQL stores no U+0000.
  static func display(_ text: String) -> Self {
    .text(text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text)
  }

  /// A text for display, or `NULL`.
  static func display(_ text: String?) -> Self { text.map { .display($0) } ?? .null }
}
