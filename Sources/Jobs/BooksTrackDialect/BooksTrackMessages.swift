import Jobs
import StrictJSON
import TolerantDecoding

/// Writes the messages of one job for the app's closed types: no type and no kind of member that they cannot read.
struct BooksTrackMessages: Sendable {
  /// The job.
  let job: String
  /// Its kind.
  let pipeline: PipelineName
  /// How far it was when the socket opened.
  let progress: JobProgress
  /// The version that the app named; nothing merges all.
  let version: WireVersion?
  /// How many photos a scan has.
  let photos: Int

  private static let older = "1.0.0"

  /// The answer to `ready`.
  func readyAck(at instant: Int64) -> JSONValue {
    envelope("ready_ack", instant, ["timestamp": .whole(instant)])
  }

  /// The answer to `ping`.
  func pong(at instant: Int64) -> JSONValue {
    envelope("pong", instant, ["timestamp": .whole(instant)])
  }

  /// The state of the job, for an app that was here before.
  func reconnected(_ progress: JobProgress, at instant: Int64) -> JSONValue {
    let processed = JSONValue.whole(Int64(progress.processed ?? 0))
    let total = JSONValue.whole(Int64(progress.total ?? 0))
    return envelope(
      "reconnected",
      instant,
      [
        "progress": JSONValue(progress.fraction), "status": .string(progress.sentence),
        "processedCount": processed, "processed_count": processed, "totalCount": total,
        "total_count": total, "lastUpdate": .whole(instant), "last_update": .whole(instant),
        "message": .string("Reconnected successfully - resuming job progress"),
      ],
      data: data(progress)
    )
  }

  /// That the job lives.
  func alive(_ progress: JobProgress, at instant: Int64) -> JSONValue {
    var progress = progress
    progress.isKeepAlive = true
    return message(progress, at: instant)
  }

  /// An event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - items: The results that an end carries.
  ///   - end: How far the job was at its end.
  /// - Returns: The message.
  func message(
    _ event: JobEvent,
    items: [JobItem],
    progress end: JobProgress? = nil
  ) -> JSONValue {
    switch event.body {
    case .started(_, let total):
      let count = pipeline == .aiScan ? photos : total ?? progress.total
      return envelope(
        "job_started",
        event.at,
        ["totalCount": count.map { .whole(Int64($0)) } ?? .null].filter { $0.value != .null },
        data: data(JobProgress(fraction: 0, total: count, sentence: "started"))
      )
    case .progress(let progress): return message(progress, at: event.at)
    case .ended(let completion) where completion.ending == .known(.failed):
      return failure(completion, end ?? progress, at: event.at)
    case .ended(let completion): return complete(completion, items, end ?? progress, at: event.at)
    }
  }

  private func message(_ progress: JobProgress, at instant: Int64) -> JSONValue {
    var payload: [String: JSONValue] = [
      "progress": JSONValue(progress.fraction), "status": .string(progress.sentence),
    ]
    payload["processedCount"] = progress.processed.map { .whole(Int64($0)) }
    payload["totalCount"] = progress.total.map { .whole(Int64($0)) }
    payload["currentItem"] = progress.current.map { .string($0) }
    if progress.isKeepAlive { payload["keepAlive"] = .bool(true) }
    return envelope("job_progress", instant, payload, data: data(progress))
  }

  private func failure(
    _ completion: JobCompletion,
    _ progress: JobProgress,
    at instant: Int64
  ) -> JSONValue {
    let message = completion.failure?.message ?? "the job failed"
    var data = data(progress)
    data["currentStatus"] = .string("Job failed: \(message)")
    data["error"] = .string(message)
    return envelope(
      "error",
      instant,
      [
        "code": .string(completion.failure?.code ?? JobWireError.unknownCode),
        "message": .string(message),
        "retryable": .bool(completion.failure?.isRetryable ?? false),
      ],
      data: data
    )
  }

  private func complete(
    _ completion: JobCompletion,
    _ items: [JobItem],
    _ progress: JobProgress,
    at instant: Int64
  ) -> JSONValue {
    let results = BooksTrackResults(
      pipeline: pipeline,
      items: items,
      completion: completion
    )
    var payload: [String: JSONValue] = ["pipeline": .string(pipeline.rawValue)]
    if version == nil || version == .v1 {
      payload.merge(results.members(at: instant)) { first, _ in first }
      if pipeline == .aiScan {
        let path = JSONValue.string("/v1/scan/results/\(job)")
        (payload["resultsUrl"], payload["results_url"]) = (path, path)
      }
    }
    if version != .v1 {
      payload["summary"] = .object(summary(completion))
      let expiry = completion.expiresAt ?? instant
      payload["expiresAt"] = .string(JobInstant.text(expiry))
    }
    let total = completion.total ?? 0
    var end = JobProgress(
      fraction: 1,
      processed: max(total, 1),
      total: max(total, 1),
      sentence: "Complete"
    )
    if completion.ending == .known(.canceled) {
      end = progress
      end.sentence = "Canceled"
    }
    var data = data(end)
    if pipeline == .aiScan { data["result"] = .object(results.scan(at: instant)) }
    return envelope("job_complete", instant, payload, data: data)
  }

  private func summary(_ completion: JobCompletion) -> [String: JSONValue] {
    var summary: [String: JSONValue] = [
      "totalProcessed": .whole(Int64(completion.total ?? 0)),
      "successCount": .whole(Int64(completion.successes ?? 0)),
      "failureCount": .whole(Int64(completion.failures ?? 0)),
      "duration": .whole(completion.duration ?? 0),
      "resourceId": .string("job-results:" + job),
    ]
    if pipeline == .aiScan {
      summary["totalDetected"] = .whole(Int64(completion.detected ?? 0))
      summary["approved"] = .whole(Int64(completion.approved ?? 0))
      summary["needsReview"] = .whole(Int64(completion.needsReview ?? 0))
    }
    return summary
  }

  /// The members of an older generation, which looks for them here.
  private func data(_ progress: JobProgress) -> [String: JSONValue] {
    var data: [String: JSONValue] = [
      "progress": JSONValue(progress.fraction),
      "processedItems": .whole(Int64(progress.processed ?? 0)),
      "totalItems": .whole(Int64(progress.total ?? 0)),
      "currentStatus": .string(progress.sentence),
    ]
    if progress.isKeepAlive { data["keepAlive"] = .bool(true) }
    return data
  }

  private func envelope(
    _ type: String,
    _ instant: Int64,
    _ payload: [String: JSONValue],
    data: [String: JSONValue]? = nil
  ) -> JSONValue {
    var payload = payload
    payload["type"] = .string(type)
    var members: [String: JSONValue] = [
      "type": .string(type), "jobId": .string(job), "pipeline": .string(pipeline.rawValue),
      "timestamp": .whole(instant), "version": .string(version?.envelopeText ?? Self.older),
      "payload": .object(payload),
    ]
    members["data"] = data.map { .object($0) }
    return .object(members)
  }
}
