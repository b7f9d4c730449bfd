import Jobs
import StrictJSON

/// The bodies of the answers about jobs; `openapi-jobs.json` describes them, and a test compares both.
enum JobBody {
  /// The path of a job.
  static func path(of job: JobRow) -> String { "/v1/jobs/\(job.id)" }

  /// A job that was started: `Started`.
  static func started(_ started: StartedJob, _ limits: JobLimits, now: Int64) -> JSONValue {
    let job = started.job
    let path = path(of: job)
    return .object([
      "jobId": .string(job.id), "token": .string(started.token),
      "pipeline": .string(job.pipeline.rawValue), "state": .string(job.state.rawValue),
      "priority": .string(job.schedule.priority.rawValue),
      "tokenExpiresAt": .string(JobInstant.text(started.tokenExpiresAt)),
      "expiresIn": .whole((started.tokenExpiresAt - now) / 1_000),
      "pollAfterMs": .whole(Int64(limits.pollSeconds) * 1_000),
      "links": .object([
        "status": .string(path), "events": .string(path + "/events"),
        "results": .string(path + "/results"), "failedRows": .string(path + "/failed.csv"),
        "cancel": .string(path + "/cancel"),
        "webSocket": .string("/ws/progress?jobId=\(job.id)"),
      ]),
    ])
  }

  /// The state of a job and its events: `JobStatus`.
  static func status(
    _ job: JobRow,
    tokenExpiry: Int64,
    _ events: [JSONValue],
    _ limits: JobLimits
  ) -> JSONValue {
    var members: [String: JSONValue] = [
      "jobId": .string(job.id), "pipeline": .string(job.pipeline.rawValue),
      "state": .string(job.state.rawValue), "epoch": .whole(job.position.epoch),
      "lastSeq": .whole(job.position.seq), "progress": JSONValue(job.progress.fraction),
      "status": .string(job.progress.sentence),
      "processedCount": .whole(Int64(job.progress.processed ?? 0)),
      "createdAt": .string(JobInstant.text(job.createdAt)),
      "updatedAt": .string(JobInstant.text(job.updatedAt)),
      "tokenExpiresAt": .string(JobInstant.text(tokenExpiry)),
      "pollAfterMs": .whole(Int64(limits.pollSeconds) * 1_000), "events": .list(events),
    ]
    members["totalCount"] = job.progress.total.map { .whole(Int64($0)) }
    members["phase"] = job.progress.phase.map { .string($0) }
    members["expiresAt"] = job.expiresAt.map { .string(JobInstant.text($0)) }
    members["priority"] = .string(job.schedule.priority.rawValue)
    members["failedAttempts"] = .whole(Int64(job.failures))
    members["maxAttempts"] = .whole(Int64(limits.attemptsOfJob))
    if job.state == .queued {
      members["runAt"] = job.schedule.runAt.map { .string(JobInstant.text($0)) }
    }
    members["lastError"] = job.lastFailure.map(error)
    members["restartedAs"] = job.restartedAs.map { .string($0) }
    return .object(members)
  }

  /// A job that was asked to stop: `CancelAnswer`.
  static func canceled(_ job: JobRow) -> JSONValue {
    .object(["jobId": .string(job.id), "state": .string(job.state.rawValue)])
  }

  /// A page of results: `ResultPage`.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - items: The results of the page, and one more if another page follows.
  ///   - total: The number of results of all pages.
  ///   - limit: The number of results of a page.
  /// - Returns: The body.
  static func results(_ job: JobRow, _ items: [JobItem], total: Int, limit: Int) -> JSONValue {
    var members: [String: JSONValue] = [
      "jobId": .string(job.id), "pipeline": .string(job.pipeline.rawValue),
      "state": .string(job.state.rawValue), "partial": .bool(job.state != .succeeded),
      "total": .whole(Int64(total)), "items": .list(items.prefix(limit).map(JobResultText.json)),
    ]
    members["expiresAt"] = job.expiresAt.map { .string(JobInstant.text($0)) }
    if items.count > limit, let last = items.prefix(limit).last {
      members["next"] = .whole(Int64(last.number))
    }
    return .object(members)
  }

  /// A new token: `TokenAnswer`.
  static func token(_ token: String, of job: String, expiry: Int64, now: Int64) -> JSONValue {
    .object([
      "jobId": .string(job), "token": .string(token),
      "expiresIn": .whole(max(0, (expiry - now) / 1_000)),
      "expiresAt": .string(JobInstant.text(expiry)),
    ])
  }

  /// Pipelines, versions and limits: `Capabilities`.
  static func capabilities(
    _ pipelines: [PipelineName: [JobPhase]],
    _ limits: JobLimits
  ) -> JSONValue {
    var names: [String: JSONValue] = [:]
    for (name, phases) in pipelines {
      names[name.rawValue] = .object([
        "phases": .list(
          phases.map { .object(["name": .string($0.name), "weight": JSONValue($0.weight)]) }
        )
      ])
    }
    return .object([
      "pipelines": .object(names), "limits": limits.json,
      "versions": .list(WireVersion.allCases.map { .string($0.rawValue) }),
      "defaultVersion": .string(WireVersion.newest.rawValue),
      "transports": .list([.string("websocket"), .string("sse"), .string("polling")]),
      "outcomes": .list(JobOutcome.allCases.map { .string($0.rawValue) }),
      "states": .list(JobState.allCases.map { .string($0.rawValue) }),
      "priorities": .list(JobPriority.allCases.map { .string($0.rawValue) }),
    ])
  }

  /// Jobs that failed: `DeadLetters`.
  static func deadLetters(_ jobs: [JobRow]) -> JSONValue {
    .object(["items": .list(jobs.map(deadLetter))])
  }

  /// A job that an operator started again: `Restarted`.
  static func restarted(_ job: JobRow, token: String) -> JSONValue {
    .object([
      "jobId": .string(job.id), "token": .string(token),
      "pipeline": .string(job.pipeline.rawValue), "state": .string(job.state.rawValue),
    ])
  }

  private static func deadLetter(_ job: JobRow) -> JSONValue {
    var members: [String: JSONValue] = [
      "jobId": .string(job.id), "pipeline": .string(job.pipeline.rawValue),
      "createdAt": .string(JobInstant.text(job.createdAt)),
      "failedAttempts": .whole(Int64(job.failures)), "status": .string(job.progress.sentence),
    ]
    members["endedAt"] = job.endedAt.map { .string(JobInstant.text($0)) }
    members["expiresAt"] = job.expiresAt.map { .string(JobInstant.text($0)) }
    members["error"] = job.lastFailure.map(error)
    return .object(members)
  }

  private static func error(_ failure: JobWireError) -> JSONValue {
    .object(["code": .string(failure.code), "message": .string(failure.message)])
  }
}
