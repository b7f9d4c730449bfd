public import StrictJSON
import TolerantDecoding

/// Writes the messages of one job in one version.
///
/// Members that a version does not know are added where its clients ignore them: `seq` and `epoch` of the
/// event, counts by outcome. No member that a version requires is ever left out.
public struct JobMessageWriter: Hashable, Sendable {
  /// The job.
  public var job: String
  /// Its kind.
  public var pipeline: PipelineName
  /// The version.
  public var version: WireVersion

  /// Creates a writer.
  public init(job: String, pipeline: PipelineName, version: WireVersion) {
    self.job = job
    self.pipeline = pipeline
    self.version = version
  }

  /// Writes an event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - items: The results that a completion of version 1 carries, in order; other versions leave them out.
  ///   - covers: The number of the first event it covers, if others were left out on purpose.
  /// - Returns: The message.
  public func message(
    _ event: JobEvent,
    items: [JobItem] = [],
    covers: Int64? = nil
  ) -> JSONValue {
    let message = message(of: event, items)
    guard let covers, covers < event.position.seq, case .object(var members) = message else {
      return message
    }
    members["covers"] = .whole(covers)
    return .object(members)
  }

  private func message(of event: JobEvent, _ items: [JobItem]) -> JSONValue {
    switch event.body {
    case .started(let phases, let total):
      return envelope("job_started", event.at, event.position, started(phases, total))
    case .progress(let progress):
      return envelope("job_progress", event.at, event.position, Self.progress(progress))
    case .ended(let completion):
      if completion.ending == .known(.failed) {
        return envelope("error", event.at, event.position, failure(completion, at: event.at))
      }
      return envelope("job_complete", event.at, event.position, complete(completion, items))
    }
  }

  /// Writes the state in place of events, as all versions know it after a reconnection.
  ///
  /// - Parameters:
  ///   - snapshot: The state.
  ///   - isRecovered: Whether all events since the client's last one follow; else the state covers
  ///     those that are left out.
  /// - Returns: The message; it is not an event and has no number of its own.
  public func reconnected(_ snapshot: JobSnapshot, isRecovered: Bool) -> JSONValue {
    var payload = Self.members(
      ("progress", JSONValue(snapshot.progress.fraction)),
      ("status", .string(snapshot.progress.sentence)),
      ("processedCount", .whole(Int64(snapshot.progress.processed ?? 0))),
      ("totalCount", .whole(Int64(snapshot.progress.total ?? 0))),
      ("lastUpdate", .whole(snapshot.updatedAt)),
      ("message", .string("Reconnected successfully - resuming job progress")),
      ("state", .string(snapshot.state.rawValue)),
      ("recovered", .bool(isRecovered)),
      ("lastSeq", .whole(snapshot.position.seq))
    )
    payload["phase"] = snapshot.progress.phase.map { .string($0) }
    return envelope(
      "reconnected",
      snapshot.updatedAt,
      EventPosition(epoch: snapshot.position.epoch, seq: -1),
      payload
    )
  }

  /// Writes the answer to `ready`.
  public func readyAck(at instant: Int64) -> JSONValue {
    envelope("ready_ack", instant, nil, ["timestamp": .whole(instant)])
  }

  /// Writes the answer to `ping`.
  public func pong(at instant: Int64) -> JSONValue { envelope("pong", instant, nil, [:]) }

  /// Writes that the job is alive without an update; it is not an event and has no number.
  public func keepAlive(_ progress: JobProgress, at instant: Int64) -> JSONValue {
    var progress = progress
    progress.isKeepAlive = true
    return envelope("job_progress", instant, nil, Self.progress(progress))
  }

  /// Writes what a client should know about a message of its own, or why the socket closes.
  ///
  /// - Parameters:
  ///   - code: A stable code.
  ///   - message: The reason.
  ///   - offending: The type of the message it is about.
  ///   - instant: Now, in milliseconds since 1970-01-01T00:00:00Z.
  /// - Returns: The message.
  public func notice(
    _ code: JobProblemCode,
    _ message: String,
    offending: String? = nil,
    at instant: Int64
  ) -> JSONValue {
    var payload = Self.members(("code", .string(code.rawValue)), ("message", .string(message)))
    payload["offendingType"] = offending.map { .string($0) }
    return envelope("notice", instant, nil, payload)
  }

  private func envelope(
    _ type: String,
    _ at: Int64,
    _ position: EventPosition?,
    _ payload: [String: JSONValue]
  ) -> JSONValue {
    var payload = payload
    payload["type"] = .string(type)
    var members = Self.members(
      ("type", .string(type)),
      ("jobId", .string(job)),
      ("pipeline", .string(pipeline.rawValue)),
      ("timestamp", .whole(at)),
      ("version", .string(version.envelopeText)),
      ("payload", .object(payload))
    )
    if let position {
      members["epoch"] = .whole(position.epoch)
      if position.seq >= 0 { members["seq"] = .whole(position.seq) }
    }
    return .object(members)
  }

  private func started(_ phases: [JobPhase], _ total: Int?) -> [String: JSONValue] {
    var payload: [String: JSONValue] = [
      "stages": .list(
        phases.map {
          .object(["name": .string($0.name), "weight": JSONValue($0.weight)])
        }
      )
    ]
    payload["totalCount"] = total.map { .whole(Int64($0)) }
    return payload
  }

  private static func progress(_ progress: JobProgress) -> [String: JSONValue] {
    var payload = members(
      ("progress", JSONValue(progress.fraction)),
      ("status", .string(progress.sentence))
    )
    payload["processedCount"] = progress.processed.map { .whole(Int64($0)) }
    payload["totalCount"] = progress.total.map { .whole(Int64($0)) }
    payload["currentItem"] = progress.current.map { .string($0) }
    payload["phase"] = progress.phase.map { .string($0) }
    if progress.isKeepAlive { payload["keepAlive"] = .bool(true) }
    payload["retry"] = progress.retry.map { .object(retry($0)) }
    return payload
  }

  private static func retry(_ notice: JobRetryNotice) -> [String: JSONValue] {
    var retry = members(("failedAttempts", .whole(Int64(notice.failedAttempts))))
    retry["maxAttempts"] = notice.maxAttempts.map { .whole(Int64($0)) }
    retry["runAt"] = notice.runAt.map { .string(JobInstant.text($0)) }
    retry["code"] = notice.code.map { .string($0) }
    return retry
  }

  private func failure(_ completion: JobCompletion, at instant: Int64) -> [String: JSONValue] {
    let error =
      completion.failure
      ?? JobWireError(code: JobWireError.unknownCode, message: "the job failed")
    var payload = Self.members(
      ("code", .string(error.code)),
      ("message", .string(error.message)),
      ("retryable", .bool(error.isRetryable ?? false))
    )
    payload["details"] = error.details
    guard version == .v2WithExpiry else { return payload }
    // The nested form of later servers beside the flat one.
    payload["data"] = .null
    payload["error"] = .object(
      Self.members(("code", .string(error.code)), ("message", .string(error.message)))
    )
    payload["summary"] = .object(summary(completion))
    payload["counts"] = counts(completion)
    payload["partial"] = .bool(completion.isPartial)
    payload["expiresAt"] = completion.expiresAt.map { .string(JobInstant.text($0)) }
    return payload
  }

  private func complete(_ completion: JobCompletion, _ items: [JobItem]) -> [String: JSONValue] {
    var payload: [String: JSONValue]
    if version == .v1 {
      payload = full(completion, items)
    } else {
      payload = ["summary": .object(summary(completion)), "counts": counts(completion)]
    }
    payload["pipeline"] = .string(pipeline.rawValue)
    payload["status"] = .string(completion.ending.rawValue)
    payload["partial"] = .bool(completion.isPartial)
    if version == .v2WithExpiry, let expiry = completion.expiresAt {
      payload["expiresAt"] = .string(JobInstant.text(expiry))
    }
    return payload
  }

  private func summary(_ completion: JobCompletion) -> [String: JSONValue] {
    var summary = Self.members(
      ("totalProcessed", .whole(Int64(completion.total ?? 0))),
      ("successCount", .whole(Int64(completion.successes ?? 0))),
      ("failureCount", .whole(Int64(completion.failures ?? 0))),
      ("duration", .whole(completion.duration ?? 0)),
      ("resourceId", .string("job-results:" + job))
    )
    if pipeline == .aiScan {
      summary["totalDetected"] = .whole(Int64(completion.detected ?? 0))
      summary["approved"] = .whole(Int64(completion.approved ?? 0))
      summary["needsReview"] = .whole(Int64(completion.needsReview ?? 0))
      summary["photosProcessed"] = completion.photos.map { .whole(Int64($0)) }
    }
    return summary
  }

  private func counts(_ completion: JobCompletion) -> JSONValue {
    .object(completion.counts.mapValues { .whole(Int64($0)) })
  }

  static func members(_ members: (String, JSONValue)...) -> [String: JSONValue] {
    Dictionary(members) { first, _ in first }
  }
}
