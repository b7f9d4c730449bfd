import HTTPTypes
import Hummingbird
import Jobs
import Serving
import StrictJSON

/// What operators do with jobs that failed for reasons that may pass.
struct DeadLetterEndpoints: Sendable {
  let store: any JobStore
  let runner: JobRunner
  let operators: OperatorAccess

  /// `GET /v1/dead-letters`: the jobs that failed, those that ended last first.
  func list(_ request: Request, isLocal: Bool) async throws -> Response {
    try check(request, isLocal)
    let jobs = try await store.deadLetters(limit: store.limits.deadLetters)
    return JobAnswer.json(.object(["items": .list(jobs.map(Self.json))]))
  }

  /// `POST /v1/dead-letters/{id}/restart`: starts one again, as a job of its own; once, however often it is asked.
  func restart(_ request: Request, id: String, isLocal: Bool) async throws -> Response {
    try check(request, isLocal)
    switch try await store.restart(id) {
    case .job(let job, let token, let isNew)?:
      if isNew { await runner.add(job, of: nil) }
      return JobAnswer.json(
        .object([
          "jobId": .string(job.id), "token": .string(token),
          "pipeline": .string(job.pipeline.rawValue), "state": .string(job.state.rawValue),
        ]),
        status: .accepted
      )
    case .busy?:
      throw JobProblem(
        .serviceUnavailable,
        .busy,
        "\(store.limits.openJobs) jobs wait or run",
        retryAfter: 5
      ).problem
    case .mismatch?, .taken?, nil:
      throw JobProblem(.notFound, .notFound, "there is no dead letter \"\(id.prefix(80))\"").problem
    }
  }

  private func check(_ request: Request, _ isLocal: Bool) throws {
    guard operators.allows(request.head, isLocal: isLocal) else {
      throw JobAuthorization.unauthorized(
        .tokenMissing,
        "dead letters are for operators: Authorization: Bearer with the operator token of the server"
      )
    }
  }

  private static func json(_ job: JobRow) -> JSONValue {
    var members: [String: JSONValue] = [
      "jobId": .string(job.id), "pipeline": .string(job.pipeline.rawValue),
      "createdAt": .string(JobInstant.text(job.createdAt)),
      "failedAttempts": .whole(Int64(job.failures)), "status": .string(job.progress.sentence),
    ]
    members["endedAt"] = job.endedAt.map { .string(JobInstant.text($0)) }
    members["expiresAt"] = job.expiresAt.map { .string(JobInstant.text($0)) }
    members["error"] = job.lastFailure.map {
      .object(["code": .string($0.code), "message": .string($0.message)])
    }
    return .object(members)
  }
}
