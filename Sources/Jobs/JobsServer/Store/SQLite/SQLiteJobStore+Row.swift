import Foundation
import GRDB
import Jobs

extension JobRow {
  /// Reads a row of the table `job`.
  ///
  /// - Throws: ``JobStoreError/damaged(_:)`` for an unknown state.
  init(_ row: Row) throws {
    let id: String = row["id"]
    self.init(
      id: id,
      pipeline: PipelineName(rawValue: row["pipeline"]),
      state: try JobState(stored: row["state"], of: id),
      position: EventPosition(epoch: row["epoch"], seq: row["last_seq"]),
      createdAt: row["created_at"],
      startedAt: row["started_at"],
      endedAt: row["ended_at"],
      updatedAt: row["updated_at"],
      expiresAt: row["expires_at"],
      attempt: row["attempt"],
      crashes: row["crashes"],
      progress: JobProgress(
        fraction: row["fraction"],
        processed: row["processed"],
        total: row["total"],
        phase: row["phase"],
        current: row["current"],
        sentence: row["sentence"]
      ),
      checkpoint: (row["checkpoint"] as Data?).map { Array($0) },
      options: JobRow.options(row["options"]),
      schedule: JobSchedule(
        priority: JobPriority(rawValue: row["priority"]) ?? .normal,
        runAt: row["run_at"]
      ),
      rank: row["rank"] ?? row["created_at"],
      failures: row["failures"],
      lastFailure: JobRow.failure(row["failure"]),
      isDead: row["is_dead"],
      restartedAs: row["restarted_as"]
    )
  }
}

/// The columns of a job that a step reads.
///
/// A step is stored many times a second, so only these columns are read, by position rather than by name.
struct JobBeforeStep {
  let pipeline: PipelineName
  let state: JobState
  /// The last event.
  let position: EventPosition
  let progress: JobProgress

  /// Reads them; `nil` if there is no such job.
  ///
  /// - Throws: ``JobStoreError/damaged(_:)`` for an unknown state; errors of SQLite.
  init?(_ database: Database, _ id: String) throws {
    let statement = try database.cachedStatement(
      sql: """
        SELECT pipeline, state, epoch, last_seq, fraction, processed, total, phase, current, sentence
        FROM job WHERE id = ?
        """
    )
    guard let row = try Row.fetchOne(statement, arguments: [id]) else { return nil }
    pipeline = PipelineName(rawValue: row[0])
    state = try JobState(stored: row[1], of: id)
    position = EventPosition(epoch: row[2], seq: row[3])
    progress = JobProgress(
      fraction: row[4],
      processed: row[5],
      total: row[6],
      phase: row[7],
      current: row[8],
      sentence: row[9]
    )
  }
}

extension JobState {
  /// Reads a state as it is stored.
  ///
  /// - Throws: ``JobStoreError/damaged(_:)`` for an unknown one.
  fileprivate init(stored word: String, of job: String) throws {
    guard let state = JobState(rawValue: word) else {
      throw JobStoreError.damaged("the job \(job) has the state \"\(word)\"")
    }
    self = state
  }
}
