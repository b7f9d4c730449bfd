import HTTPTypes
import Hummingbird
import Jobs
import Serving

/// What operators do with jobs that failed for reasons that may pass.
struct DeadLetterEndpoints: Sendable {
  let store: any JobStore
  let runner: JobRunner
  let operators: OperatorAccess

  /// `GET /v1/dead-letters`: the jobs that failed, those that ended last first.
  func list(_ request: Request, isLocal: Bool) async throws -> Response {
    try check(request, isLocal)
    let jobs = try await store.deadLetters(limit: store.limits.deadLetters)
    return JobAnswer.json(JobBody.deadLetters(jobs))
  }

  /// `POST /v1/dead-letters/{id}/restart`: starts one again, as a job of its own; once, however often it is asked.
  func restart(_ request: Request, id: String, isLocal: Bool) async throws -> Response {
    try check(request, isLocal)
    switch try await store.restart(id) {
    case .job(let job, let token, let isNew)?:
      if isNew { await runner.add(job, of: nil) }
      return JobAnswer.json(JobBody.restarted(job, token: token), status: .accepted)
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
}
