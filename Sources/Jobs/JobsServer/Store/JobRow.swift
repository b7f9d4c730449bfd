package import Jobs
import StrictJSON
import TolerantDecoding

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
  /// When it may run, and before which others.
  package let schedule: JobSchedule
  /// Its place among those that wait.
  let rank: Int64
  /// How many attempts at it have failed.
  let failures: Int
  /// Why the last attempt failed.
  let lastFailure: JobWireError?
  /// Whether it failed for a reason that may pass, and no operator has started it again.
  let isDead: Bool
  /// The job that an operator started in its place.
  let restartedAs: String?

  /// Whether an instant has to come before it runs.
  func waits(at now: Int64) -> Bool { state == .queued && schedule.runAt.map { $0 > now } ?? false }

  /// Whether its results are gone, from the very millisecond of their end, also before they are removed.
  func isGone(at now: Int64) -> Bool {
    state == .expired || state.isTerminal && expiresAt.map { $0 <= now } ?? false
  }

  /// The last event that the state includes: the end of a job always has an event of its own.
  var coveredPosition: EventPosition {
    guard state.isTerminal else { return position }
    return EventPosition(epoch: position.epoch, seq: max(0, position.seq - 1))
  }

  /// Options as a text.
  static func text(_ options: [String: String]) -> String {
    String(decoding: JSONValue.object(options.mapValues { .string($0) }).bytes, as: UTF8.self)
  }

  /// The options of a text.
  static func options(_ text: String) -> [String: String] {
    let options = try? JSONReader.value(of: Array(text.utf8)).object
    return options?.compactMapValues(\.string) ?? [:]
  }

  /// A failure as it is stored.
  static func text(_ failure: JobFailure) -> String {
    let members = ["code": JSONValue.string(failure.code), "message": .string(failure.message)]
    return String(decoding: JSONValue.object(members).bytes, as: UTF8.self)
  }

  /// The failure in a text.
  static func failure(_ text: String?) -> JobWireError? {
    guard let value = text.flatMap({ try? JSONReader.value(of: Array($0.utf8)) }) else {
      return nil
    }
    return JobWireError(
      code: value["code"]?.string ?? JobWireError.unknownCode,
      message: value["message"]?.string ?? ""
    )
  }

  func snapshot(completion: JobCompletion? = nil) -> JobSnapshot {
    JobSnapshot(
      job: id,
      pipeline: pipeline,
      state: state,
      position: coveredPosition,
      progress: progress,
      updatedAt: updatedAt,
      completion: completion
    )
  }
}
