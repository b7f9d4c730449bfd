import ConditionalHTTP
import HTTPTypes
import Hummingbird
import Jobs
import NIOCore
import Serving
import StrictJSON
import TolerantDecoding

/// `POST /v1/jobs/{pipeline}`: starts a job.
struct StartEndpoint: Sendable {
  /// The parameters that are not options of a pipeline.
  private static let ownParameters: Set<String> = ["token", "version", "jobId", JobOrder.dialect]

  let store: any JobStore
  let runner: JobRunner
  let pipelines: Set<PipelineName>
  let permits: UploadPermits
  let starts: StartPermits
  let metrics: JobMetrics

  /// Takes the input, stores the job, and answers 202 before any work is done.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - word: The name of the pipeline.
  ///   - client: The client.
  /// - Returns: The response, 202.
  /// - Throws: ``Problem`` 400, 404, 408, 409, 413, 415, 429, 503.
  func answer(
    _ request: Request,
    pipeline word: String,
    client: ClientNetwork?
  ) async throws -> Response {
    let pipeline = JobPathComponent.pipeline(word)
    return answer(
      try await start(request, pipeline, named: word, client: client) { upload in
        var options = QueryText(request.uri.query).others(besides: Self.ownParameters)
        let files = try await inputs(upload, pipeline, &options)
        options[JobOrder.dialect] = nil
        let schedule = try JobSchedule(taking: &options, now: store.now, store.limits)
        var order = JobOrder(files: files, options: options)
        order.schedule = schedule
        return order
      }
    )
  }

  /// Starts a job, unless the same was started before.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - pipeline: Its kind.
  ///   - word: The name of the pipeline in the request.
  ///   - client: The client.
  ///   - read: Reads the content of the request.
  /// - Returns: The job and a token for it.
  /// - Throws: ``Problem`` 400, 404, 408, 409, 413, 415, 429, 503.
  func start(
    _ request: Request,
    _ pipeline: PipelineName,
    named word: String,
    client: ClientNetwork?,
    read: (JobUpload) async throws -> JobOrder
  ) async throws -> StartedJob {
    do {
      guard pipelines.contains(pipeline) else {
        let names = pipelines.map(\.rawValue).sorted().joined(separator: ", ")
        throw JobProblem(
          .notFound,
          .unknownPipeline,
          "there is no pipeline \"\(word.prefix(60))\"; there are: \(names)"
        ).problem
      }
      let started = try await start(request, pipeline, client, read)
      metrics.started(started.isNew ? .started : .repeated)
      return started
    } catch let problem as Problem {
      switch problem.status {
      case .serviceUnavailable: metrics.started(.busy)
      case .tooManyRequests: metrics.started(.limited)
      case .requestTimeout: metrics.started(.tooSlow)
      default: metrics.started(.refused)
      }
      throw problem
    }
  }

  private func start(
    _ request: Request,
    _ pipeline: PipelineName,
    _ client: ClientNetwork?,
    _ read: (JobUpload) async throws -> JobOrder
  ) async throws -> StartedJob {
    let name = request.headers[.idempotencyKey]
    if let name, name.isEmpty || name.utf8.count > store.limits.idempotencyBytes {
      throw JobProblem(
        .badRequest,
        .invalidRequest,
        "Idempotency-Key has 1 to \(store.limits.idempotencyBytes) bytes"
      ).problem
    }
    var key = name.map { Self.key($0, of: request, from: client) }
    if let coding = request.headers[.contentEncoding], coding.lowercased() != "identity" {
      throw JobProblem(
        .unsupportedMediaType,
        .unsupportedMediaType,
        "the content is \(coding.prefix(40)); send it without Content-Encoding"
      ).problem
    }
    // The repetition of a start starts nothing.
    var isCounted = false
    if try await !store.knows(key: key) {
      try starts.acquire(client)
      isCounted = true
    }
    defer { if isCounted { starts.giveBack(client) } }
    let patience = Duration.seconds(store.limits.uploadWaitSeconds)
    let taken = try await AdmissionPermit.pause { await permits.acquire(within: patience) }
    guard let permit = taken else {
      throw JobProblem(
        .serviceUnavailable,
        .busy,
        "\(store.limits.uploads) other requests are read",
        retryAfter: 2
      ).problem
    }
    defer { withExtendedLifetime(permit) {} }
    guard try await store.hasRoom(key: key) else { throw busy }
    if isCounted, let admission = AdmissionPermit.current {
      guard await runner.hasShare(client, percent: admission.percent) else {
        throw JobProblem(
          .tooManyRequests,
          .tooManyStarts,
          "your network has its share of the \(store.limits.openJobs) open jobs",
          retryAfter: 5
        ).problem
      }
    }
    let order = try await read(JobUpload(request: request, permit: permit, limits: store.limits))
    // A client that chose the id and sends it again means the same job.
    if key == nil, let id = order.id { key = Self.key("jobId \(id)", of: request, from: client) }
    switch try await store.start(
      pipeline,
      inputs: order.files.map { ($0.name, $0.mediaType, $0.content) },
      options: order.options,
      key: key,
      id: order.id,
      schedule: order.schedule
    ) {
    case .job(let job, let token, let isNew):
      if isNew {
        isCounted = false
        await runner.add(job, of: client)
      }
      let expiry = max(store.now + Int64(store.limits.tokenSeconds) * 1_000, job.expiresAt ?? 0)
      return StartedJob(job: job, token: token, tokenExpiresAt: expiry, isNew: isNew)
    case .mismatch:
      throw JobProblem(
        .conflict,
        .idempotencyMismatch,
        order.id == nil || name != nil
          ? "this Idempotency-Key was used for another request"
          : "a job with this id was started with another request"
      ).problem
    case .taken:
      throw JobProblem(.conflict, .idempotencyMismatch, "there is a job with this id").problem
    case .busy:
      guard order.schedule.runAt == nil else {
        throw JobProblem(
          .serviceUnavailable,
          .busy,
          "\(store.limits.openJobs) jobs wait or run, or \(store.limits.scheduledJobs) are scheduled",
          retryAfter: 5
        ).problem
      }
      throw busy
    }
  }

  /// Binds a key to its owner: a client that knows the key and content of another one does not get
  /// its job.
  ///
  /// The owner is the bearer token of the request, or else the network of the client.
  private static func key(
    _ name: String,
    of request: Request,
    from client: ClientNetwork?
  ) -> String {
    let token = request.headers[.authorization].flatMap { BearerToken.token(of: $0) }
    let owner = token.map { "token \($0)" } ?? client.map { "client \($0)" } ?? "local"
    // No field has a NUL in it.
    return "\(owner)\0\(name)"
  }

  private var busy: Problem {
    JobProblem(
      .serviceUnavailable,
      .busy,
      "\(store.limits.openJobs) jobs wait or run",
      retryAfter: 5
    ).problem
  }

  private func answer(_ started: StartedJob) -> Response {
    let job = started.job
    let body = JobBody.started(started, store.limits, now: store.now)
    var response = JobAnswer.json(body, status: .accepted)
    response.headers[.location] = JobBody.path(of: job)
    return response
  }

  // MARK: Input

  private func inputs(
    _ upload: JobUpload,
    _ pipeline: PipelineName,
    _ options: inout [String: String]
  ) async throws -> [JobUpload.File] {
    switch pipeline {
    case .batchEnrichment:
      let bytes = try await upload.content(upTo: store.limits.booksBytes)
      return [try BookRequest(bytes, store.limits).file]
    case .aiScan: return try await upload.photos(&options)
    default: return [try await upload.table(&options)]
    }
  }
}
