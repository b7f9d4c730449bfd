import Foundation
import GRDB
package import Jobs
import StrictJSON

/// A job as it is stored; instants are milliseconds since 1970-01-01T00:00:00Z.
package struct JobRow: Sendable {
  /// Its id.
  package let id: String
  /// Its kind.
  package let pipeline: PipelineName
  /// The state of the job.
  package let state: JobState
  /// The last event.
  package let position: EventPosition
  /// When it was started.
  package let createdAt: Int64
  /// When work began.
  package let startedAt: Int64?
  /// When it ended.
  package let endedAt: Int64?
  /// When it changed last.
  package let updatedAt: Int64
  /// When its results go.
  package let expiresAt: Int64?
  let attempt: Int
  /// How many processes ended while they worked on it, since it went on last.
  let crashes: Int
  /// How far it is.
  package let progress: JobProgress
  let checkpoint: [UInt8]?
  /// What its start chose.
  package let options: [String: String]

  init(_ row: Row) throws {
    id = row["id"]
    pipeline = PipelineName(rawValue: row["pipeline"])
    let word: String = row["state"]
    guard let state = JobState(rawValue: word) else {
      throw JobStoreError.damaged("the job \(id) has the state \"\(word)\"")
    }
    self.state = state
    position = EventPosition(epoch: row["epoch"], seq: row["last_seq"])
    createdAt = row["created_at"]
    startedAt = row["started_at"]
    endedAt = row["ended_at"]
    updatedAt = row["updated_at"]
    expiresAt = row["expires_at"]
    attempt = row["attempt"]
    crashes = row["crashes"]
    progress = JobProgress(
      fraction: row["fraction"],
      processed: row["processed"],
      total: row["total"],
      phase: row["phase"],
      current: row["current"],
      sentence: row["sentence"]
    )
    checkpoint = (row["checkpoint"] as Data?).map { Array($0) }
    let text: String = row["options"]
    let options = try? JSONReader.value(of: Array(text.utf8)).object
    self.options = options?.compactMapValues(\.string) ?? [:]
  }

  /// Whether its results are gone, from the very millisecond of their end, also before anybody has removed them.
  func isGone(at now: Int64) -> Bool {
    state == .expired || state.isTerminal && expiresAt.map { $0 <= now } ?? false
  }

  /// The last event that the state stands for: the end of a job always has an event of its own.
  var standing: EventPosition {
    guard state.isTerminal else { return position }
    return EventPosition(epoch: position.epoch, seq: max(0, position.seq - 1))
  }

  func snapshot(completion: JobCompletion? = nil) -> JobSnapshot {
    JobSnapshot(
      job: id,
      pipeline: pipeline,
      state: state,
      position: standing,
      progress: progress,
      updatedAt: updatedAt,
      completion: completion
    )
  }
}

/// An error of the job store.
package enum JobStoreError: Error, CustomStringConvertible {
  /// It was changed by something else.
  case damaged(String)
  /// The job went while it was worked on.
  case gone(String)
  /// Another server runs the jobs of this folder.
  case inUse(String)

  package var description: String {
    switch self {
    case .damaged(let text): text
    case .gone(let job): "the job \(job) is not there any more"
    case .inUse(let folder):
      "another server runs the jobs in \(folder); two would do all work twice"
    }
  }
}
