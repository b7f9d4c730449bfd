import FreshnessServer
import Hummingbird
import Jobs
import JobsServer
import NIOCore
import Serving
import StrictJSON
import TolerantDecoding

/// `GET /api/v2/imports/{id}/stream`: a job as the server-sent events of BooksTrack, with names of their own.
struct BooksTrackStream: Sendable {
  let view: JobsView

  /// Reports a job from its state to its end, which ends the stream too.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - job: The job.
  /// - Returns: The answer.
  /// - Throws: ``Problem`` 503 if too many listen.
  func answer(_ request: Request, _ job: JobRow) throws -> Response {
    guard let subscription = view.subscribe(to: job) else { throw view.tooMany }
    return EventStreamBody.answer(request) { writer in
      var target = writer
      defer { writer = target }
      _ = try await subscription.follow { update in
        let text = Self.text(update, job.id, try await end(update, job))
        try await target.write(ByteBuffer(string: text))
      }
    }
  }

  /// How far a job was at its end; `nil` before.
  private func end(_ update: JobStreamUpdate, _ job: JobRow) async throws -> JobProgress? {
    guard let event = update.event, event.isTerminal else { return nil }
    return try await view.progress(of: job)
  }

  /// Returns an update as an event, or as a comment if it is not an event.
  ///
  /// - Parameters:
  ///   - update: The update.
  ///   - job: The job.
  ///   - end: How far the job was at its end.
  /// - Returns: The text of the event.
  static func text(
    _ update: JobStreamUpdate,
    _ job: String,
    _ end: JobProgress? = nil
  ) -> String {
    guard let event = update.event else { return ": alive\n\n" }
    var members: [String: JSONValue]
    let name: String
    switch event.body {
    case .started(_, let total):
      name = "initialized"
      members = Self.members(JobProgress(fraction: 0, total: total), "initialized")
    case .progress(let progress):
      name = "processing"
      members = Self.members(progress, "processing")
    case .ended(let completion):
      let total = completion.total ?? 0
      var progress = JobProgress(fraction: 1, processed: total, total: total)
      if completion.ending != .known(.succeeded), let end { progress = end }
      if completion.ending == .known(.failed) {
        name = "failed"
        members = Self.members(progress, "failed")
        members["error"] = .object([
          "code": .string(completion.failure?.code ?? JobWireError.unknownCode),
          "message": .string(completion.failure?.message ?? "the job failed"),
          "retryable": .bool(completion.failure?.isRetryable ?? false),
        ])
      } else {
        name = "completed"
        members = Self.members(progress, completion.ending == .known(.canceled) ? "canceled" : name)
        members["completedAt"] = .string(JobInstant.text(event.at))
      }
    }
    members["jobId"] = .string(job)
    let data = String(decoding: JSONValue.object(members).bytes, as: UTF8.self)
    return "event: \(name)\nid: \(event.position)\ndata: \(data)\n\n"
  }

  private static func members(_ progress: JobProgress, _ status: String) -> [String: JSONValue] {
    [
      "status": .string(status), "progress": JSONValue(progress.fraction),
      "processedCount": .whole(Int64(progress.processed ?? 0)),
      "totalCount": .whole(Int64(progress.total ?? 0)),
    ]
  }
}
