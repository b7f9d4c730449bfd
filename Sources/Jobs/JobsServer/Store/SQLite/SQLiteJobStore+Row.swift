import Foundation
import GRDB
import Jobs

extension JobRow {
  /// Reads a row of the table `job`.
  ///
  /// - Throws: ``JobStoreError/damaged(_:)`` for an unknown state.
  init(_ row: Row) throws {
    let (id, word): (String, String) = (row["id"], row["state"])
    guard let state = JobState(rawValue: word) else {
      throw JobStoreError.damaged("the job \(id) has the state \"\(word)\"")
    }
    self.init(
      id: id,
      pipeline: PipelineName(rawValue: row["pipeline"]),
      state: state,
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
