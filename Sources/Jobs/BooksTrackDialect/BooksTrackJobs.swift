import HTTPTypes
import Hummingbird
import Jobs
import JobsServer
import NIOCore
import Serving
import StrictJSON

/// The addresses at which the app asks about its jobs, fetches results, stops them, and renews tokens.
struct BooksTrackJobs: Sendable {
  /// The longest request about a job, in bytes.
  static let requestBytes = 4 << 10
  /// The field with which a part of the app sends its token.
  private static let tokenField = HTTPField.Name("x-auth-token").map { [$0] } ?? []
  /// The field that identifies the part of the app whose errors of an import are sentences.
  private static let contractField = HTTPField.Name("x-api-contract-version")

  let view: JobsView

  func add(to router: some RouterMethods<some RequestContext>) {
    router.get("api/v2/imports/:job") { request, context in
      try await status(request, id: Self.id(context))
    }
    router.get("api/v2/imports/:job/stream") { request, context in
      try BooksTrackStream(view: view).answer(request, try await job(request, Self.id(context)))
    }
    router.get("v1/csv/status/:job") { request, context in
      try await tableStatus(request, id: Self.id(context))
    }
    router.get("api/job-state/:job") { request, context in
      try await state(request, id: Self.id(context))
    }
    for path: RouterPath in [
      "api/v2/imports/:job/results", "v1/csv/results/:job", "v1/scan/results/:job",
    ] {
      router.get(path) { request, context in try await results(request, id: Self.id(context)) }
    }
    router.post("v1/csv/cancel/:job") { request, context in
      try await cancel(request, id: Self.id(context))
    }
    for path: RouterPath in ["api/enrichment/cancel", "api/scan-bookshelf/cancel"] {
      router.post(path) { request, _ in
        try await cancel(request, id: try Self.text(try await body(request), "jobId"))
      }
    }
    router.post("api/token/refresh") { request, _ in try await refresh(request) }
  }

  private static func id(_ context: some RequestContext) -> String {
    context.parameters.get("job") ?? ""
  }

  /// The credential of a request, and the subprotocol it was in.
  func credential(_ request: Request) -> (PresentedCredential, subprotocol: String?)? {
    view.credential(request.headers, query: request.uri.query, others: Self.tokenField)
  }

  private func job(_ request: Request, _ id: String) async throws -> JobRow {
    try await view.job(id, credential(request)?.0)
  }

  /// Why a request did not become a socket.
  ///
  /// - Throws: ``Problem`` 400, 401, 404.
  func refusal(
    ofSocket request: Request,
    id: String,
    _ native: JobSocketAuthorizer
  ) async throws -> Problem {
    let job = try await job(request, id)
    if let text = QueryItems(request)["version"], WireVersion(parsing: text) == nil {
      let known = WireVersion.allCases.map(\.rawValue).joined(separator: ", ")
      throw Self.invalid("version is \"\(text.prefix(40))\"; expected: \(known), or none")
    }
    return native.handshakeProblem(request.head, of: job)
  }

  // MARK: State

  private func status(_ request: Request, id: String) async throws -> Response {
    let job = try await job(request, id)
    let word =
      switch job.state {
      case .queued: "PENDING"
      case .running, .canceling: "PROCESSING"
      case .succeeded: "COMPLETED"
      case .canceled: "CANCELLED"
      case .failed, .expired: "FAILED"
      }
    var data: [String: JSONValue] = [
      "jobId": .string(job.id), "status": .string(word),
      "progress": JSONValue(job.progress.fraction),
      "processedCount": .whole(Int64(job.progress.processed ?? 0)),
      "pipeline": .string(job.pipeline.rawValue), "message": .string(job.progress.sentence),
    ]
    data["totalCount"] = job.progress.total.map { .whole(Int64($0)) }
    return BooksTrackEnvelope.answer(data, at: view.now)
  }

  private func tableStatus(_ request: Request, id: String) async throws -> Response {
    let job = try await job(request, id)
    let completion = try await view.completion(job)
    var data: [String: JSONValue] = [
      "jobId": .string(job.id), "progress": JSONValue(job.progress.fraction),
      "message": .string(job.progress.sentence),
    ]
    switch job.state {
    case .queued, .running, .canceling: data["status"] = .string("processing")
    case .succeeded, .canceled:
      data["status"] = .string("completed")
      let results = BooksTrackResults(
        pipeline: job.pipeline,
        items: try await view.results(job),
        completion: completion
      ).table()
      (data["books"], data["errors"]) = (results["books"], results["errors"])
    case .failed, .expired:
      data["status"] = .string("failed")
      data["error"] = .string(completion?.failure?.message ?? "the job failed")
    }
    return BooksTrackEnvelope.answer(data, at: view.now)
  }

  /// What an app reads that comes back: flat, without an envelope.
  private func state(_ request: Request, id: String) async throws -> Response {
    let job = try await job(request, id)
    let word =
      switch job.state {
      case .queued, .running, .canceling: "running"
      case .succeeded, .canceled: "complete"
      case .failed, .expired: "failed"
      }
    var members: [String: JSONValue] = [
      "pipeline": .string(job.pipeline.rawValue),
      "totalCount": .whole(Int64(job.progress.total ?? 0)),
      "processedCount": .whole(Int64(job.progress.processed ?? 0)), "status": .string(word),
      "startTime": .whole(job.startedAt ?? job.createdAt), "version": .whole(job.position.seq),
    ]
    members["endTime"] = job.endedAt.map { .whole($0) }
    return BooksTrackEnvelope.json(.object(members))
  }

  // MARK: Results

  /// The results: the members that a job of this kind has in any of the app's structures.
  func results(_ request: Request, id: String) async throws -> Response {
    let job = try await job(request, id)
    // The original keeps the results of jobs that succeeded, and knows none of others.
    if job.state == .failed {
      let failure = try await view.completion(job)?.failure?.message
      throw Problem(
        .notFound,
        JobProblemCode.notFound.rawValue,
        detail: "the job failed and has no results: \(failure ?? "no reason given")"
      )
    }
    let results = BooksTrackResults(
      pipeline: job.pipeline,
      items: try await view.results(job),
      completion: try await view.completion(job)
    )
    let areSentences = Self.contractField.map { request.headers.contains($0) } ?? false
    var data = results.members(at: job.endedAt ?? view.now, areSentences: areSentences)
    data["jobId"] = .string(job.id)
    data["pipeline"] = .string(job.pipeline.rawValue)
    data["timestamp"] = .whole(job.endedAt ?? view.now)
    data["expiresAt"] = job.expiresAt.map { .string(JobInstant.text($0)) }
    return BooksTrackEnvelope.answer(data, at: view.now)
  }

  // MARK: Cancelling and tokens

  /// Asks a job to stop: always 200, as the app takes nothing else.
  func cancel(_ request: Request, id: String) async throws -> Response {
    let job = try await view.cancel(try await job(request, id))
    let (word, message) =
      switch job.state {
      case .canceled, .canceling: ("canceled", "the job was told to stop")
      case .succeeded: ("completed", "the job was over")
      default: (job.state.rawValue, "the job was over")
      }
    return BooksTrackEnvelope.answer(
      [
        "jobId": .string(job.id), "status": .string(word), "message": .string(message),
        // Nothing is left behind by a job, so there is nothing to be cleaned.
        "cleanup": .object(["r2ObjectsDeleted": .whole(0), "kvCacheCleared": .bool(false)]),
      ],
      isFlatToo: true,
      at: view.now
    )
  }

  private func refresh(_ request: Request) async throws -> Response {
    let value = try await body(request)
    let id = try Self.text(value, "jobId")
    let (token, expiry) = try await view.refresh(id, token: try Self.text(value, "oldToken"))
    return BooksTrackEnvelope.answer(
      [
        "jobId": .string(id), "token": .string(token), "authToken": .string(token),
        "expiresIn": .whole(max(0, (expiry - view.now) / 1_000)),
      ],
      isFlatToo: true,
      at: view.now
    )
  }

  private func body(_ request: Request) async throws -> JSONValue {
    let tooLarge = Problem(
      .contentTooLarge,
      JobProblemCode.tooLarge.rawValue,
      detail: "the request is longer than \(Self.requestBytes) bytes"
    )
    guard !request.declaresMore(than: Self.requestBytes) else { throw tooLarge.last }
    var request = request
    let body: ByteBuffer
    do {
      body = try await request.collectBody(upTo: Self.requestBytes)
    } catch is NIOTooManyBytesError {
      throw tooLarge
    }
    guard let value = try? JSONReader.value(of: Array(body.readableBytesView)) else {
      throw Self.invalid("the body is not valid JSON")
    }
    return value
  }

  private static func text(_ value: JSONValue, _ name: String) throws -> String {
    guard let text = value[name]?.string, !text.isEmpty else { throw invalid("\(name) is needed") }
    return text
  }

  private static func invalid(_ detail: String) -> Problem {
    Problem(.badRequest, JobProblemCode.invalidRequest.rawValue, detail: detail)
  }
}
