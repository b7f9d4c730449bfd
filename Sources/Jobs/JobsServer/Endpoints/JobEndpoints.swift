import ConditionalHTTP
import FreshnessServer
import HTTPTypes
import Hummingbird
import Jobs
import NIOCore
import Serving
import StrictJSON

/// State, results, cancelling and tokens of a job.
struct JobEndpoints: Sendable {
  /// The longest request for a new token, in bytes.
  private static let refreshBytes = 4 << 10

  let store: any JobStore
  let broadcaster: JobEventBroadcaster
  let authorization: JobAuthorization
  let pipelines: [PipelineName: any JobPipeline]
  let reads: JobReads

  // MARK: State

  /// `GET /v1/jobs/{id}`: the state, and the events after `after`; conditional.
  func status(_ request: Request, id: String) async throws -> Response {
    let query = QueryText(request.uri.query)
    let (job, tokenExpiry) = try await authorization.living(id, request.headers, query: query)
    let asked = try Self.position(query)
    let version = try Self.version(query)
    // The answer depends on where the client is and which token it has: the same state is another answer for
    // another one.
    let tag = EntityTag(
      "\(job.position)-\(job.state.rawValue)-\(asked?.description ?? "all")-\(version.rawValue)-\(tokenExpiry)\(job.restartedAs.map { "-\($0)" } ?? "")"
    )
    return try await reads.answer(request, .state, tag: tag) { state in
      let writer = JobMessageWriter(job: job.id, pipeline: job.pipeline, version: version)
      let events = try await events(job, after: asked, writer)
      let body = JobBody.status(job, tokenExpiry: tokenExpiry, events, store.limits).bytes
      return Representation(state: state, mediaType: JobAnswer.mediaType, body: body)
    }
  }

  private func events(
    _ job: JobRow,
    after asked: EventPosition?,
    _ writer: JobMessageWriter
  ) async throws -> [JSONValue] {
    var messages: [JSONValue] = []
    let after: Int64
    if let seq = job.position.replayStart(for: asked, atMost: store.limits.replayedEvents) {
      after = seq
    } else {
      messages.append(writer.reconnected(job.snapshot(), isRecovered: false))
      after = job.state.isTerminal ? job.position.seq - 1 : job.position.seq
    }
    for bytes in try await store.messages(job.id, after: after, limit: store.limits.replayedEvents)
    {
      guard let event = StoredEvent.event(bytes), event.position.seq <= job.position.seq else {
        continue
      }
      var items: [JobItem] = []
      if event.isTerminal, writer.version == .v1 {
        items = try await store.items(job.id, after: -1, limit: store.limits.embeddedItems)
      }
      messages.append(writer.message(event, items: items))
      broadcaster.metrics.sent(.polling)
    }
    return messages
  }

  static func position(_ query: QueryText) throws -> EventPosition? {
    guard let text = query["after"] else { return nil }
    guard let position = EventPosition(parsing: text) else {
      throw JobProblem(
        .badRequest,
        .invalidRequest,
        "after is \"\(text.prefix(40))\"; expected: EPOCH.SEQ, as the id of an event"
      ).problem
    }
    return position
  }

  static func version(_ query: QueryText) throws -> WireVersion {
    guard let text = query["version"] else { return .newest }
    guard let version = WireVersion(parsing: text) else {
      let known = WireVersion.allCases.map(\.rawValue).joined(separator: ", ")
      throw JobProblem(
        .badRequest,
        .invalidRequest,
        "version is \"\(text.prefix(40))\"; expected: \(known)"
      ).problem
    }
    return version
  }

  // MARK: Cancelling

  /// `DELETE /v1/jobs/{id}` and `POST /v1/jobs/{id}/cancel`: asks the job to stop; idempotent.
  func cancel(_ request: Request, id: String) async throws -> Response {
    _ = try await authorization.living(id, request.headers, query: QueryText(request.uri.query))
    guard let (job, event) = try await store.cancel(id) else {
      throw JobProblem(.notFound, .notFound, "there is no job \"\(id.prefix(80))\"").problem
    }
    if let event { broadcaster.publish(event, of: id) }
    return JobAnswer.json(
      JobBody.canceled(job),
      status: job.state.isTerminal ? .ok : .accepted
    )
  }

  // MARK: Results

  /// `GET /v1/jobs/{id}/results`: the outcomes of the items, in pages.
  func results(_ request: Request, id: String) async throws -> Response {
    let query = QueryText(request.uri.query)
    let job = try await ended(request, id, query)
    let limit =
      try number(query, "limit", 1...store.limits.pageItems)
      ?? store.limits.usualPageItems
    let after = try number(query, "after", -1...Int(Int32.max)) ?? -1
    let outcomes = try outcomes(query)
    let names = outcomes?.map(\.rawValue).joined(separator: "+") ?? "all"
    let tag = EntityTag("\(job.position)-results-\(names)-\(after)-\(limit)")
    return try await reads.answer(request, .results, tag: tag) { state in
      guard
        let page = try await store.page(job.id, outcomes: outcomes, after: after, limit: limit + 1)
      else { throw authorization.gone }
      let body = JobBody.results(job, page.items, total: page.total, limit: limit).bytes
      return Representation(state: state, mediaType: JobAnswer.mediaType, body: body)
    }
  }

  /// `GET /v1/jobs/{id}/failed.csv`: the failed rows, to be corrected and sent again.
  func failedRows(_ request: Request, id: String) async throws -> Response {
    let job = try await ended(request, id, QueryText(request.uri.query))
    let tag = EntityTag("\(job.position)-failed")
    return try await reads.answer(request, .failedRows, tag: tag) { state in
      var table = Representation(
        state: state,
        mediaType: "text/csv; charset=utf-8",
        body: try await failedRows(of: job)
      )
      table.fields[.contentDisposition] =
        "attachment; filename=\"failed-\(job.id.prefix(8)).csv\""
      return table
    }
  }

  private func failedRows(of job: JobRow) async throws -> [UInt8] {
    // Before the results: if those are still there, the files were.
    let work = try await store.work(job)
    guard
      let page = try await store.page(job.id, outcomes: [.failed], after: -1, limit: .max)
    else { throw authorization.gone }
    let bytes: [UInt8]?
    do {
      bytes = try await pipelines[job.pipeline]?.failedRows(work, failed: page.items)
    } catch let failure as JobFailure {
      // The file goes with the results, perhaps at this moment.
      if try await store.isGone(job.id) { throw authorization.gone }
      throw JobProblem(
        .notFound,
        .noTable,
        "the file that was sent cannot be read as a table: \(failure.message)"
      ).problem
    }
    guard let bytes else {
      throw JobProblem(
        .notFound,
        .noTable,
        "a job of \(job.pipeline) has no table of failed rows"
      ).problem
    }
    return bytes
  }

  private func ended(_ request: Request, _ id: String, _ query: QueryText) async throws -> JobRow {
    let job = try await authorization.living(id, request.headers, query: query).job
    guard job.state.isTerminal else { throw JobProblem.notFinished(job, store.limits) }
    return job
  }

  private func outcomes(_ query: QueryText) throws -> [JobOutcome]? {
    guard let text = query["outcome"] else { return nil }
    return try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
      guard let outcome = JobOutcome(rawValue: String(word)) else {
        let known = JobOutcome.allCases.map(\.rawValue).joined(separator: ", ")
        throw JobProblem(
          .badRequest,
          .invalidRequest,
          "outcome is \"\(word.prefix(40))\"; expected: \(known)"
        ).problem
      }
      return outcome
    }
  }

  private func number(_ query: QueryText, _ name: String, _ bounds: ClosedRange<Int>) throws -> Int?
  {
    guard let text = query[name] else { return nil }
    guard let number = Int(text), bounds.contains(number) else {
      throw JobProblem(
        .badRequest,
        .invalidRequest,
        "\(name) is \"\(text.prefix(40))\"; expected: \(bounds.lowerBound) to \(bounds.upperBound)"
      ).problem
    }
    return number
  }

  // MARK: Tokens and limits

  /// `POST /v1/jobs/{id}/token` with the old token, or `POST /v1/token/refresh` with both in a body.
  func refresh(_ request: Request, id: String?) async throws -> Response {
    var request = request
    let query = QueryText(request.uri.query)
    var job = id
    var token = authorization.token(request.headers, query: query)?.token
    let body: ByteBuffer
    let tooLarge = JobProblem(
      .contentTooLarge,
      .tooLarge,
      "the request is longer than \(Self.refreshBytes) bytes",
      extensions: ["maxBytes": .integer(Self.refreshBytes)]
    ).problem
    guard !request.declaresMore(than: Self.refreshBytes) else { throw tooLarge.last }
    do {
      body = try await request.collectBody(upTo: Self.refreshBytes)
    } catch is NIOTooManyBytesError {
      throw tooLarge
    }
    if body.readableBytes > 0 {
      guard let value = try? JSONReader.value(of: Array(body.readableBytesView)) else {
        throw JobProblem(.badRequest, .invalidRequest, "the body is not valid JSON").problem
      }
      job = job ?? value["jobId"]?.string
      token = token ?? value["oldToken"]?.string ?? value["token"]?.string
    }
    guard let job, !job.isEmpty else {
      throw JobProblem(.badRequest, .invalidRequest, "\"jobId\" and \"oldToken\" are needed")
        .problem
    }
    guard let token, !token.isEmpty else {
      guard id != nil else {
        throw JobProblem(.badRequest, .invalidRequest, "\"oldToken\" is needed").problem
      }
      throw JobAuthorization.unauthorized(
        .tokenMissing,
        "a token is needed: Authorization: Bearer TOKEN"
      )
    }
    // Says what is wrong with a token that is not good.
    var fields = HTTPFields()
    fields[.authorization] = "Bearer \(token)"
    _ = try await authorization.living(job, fields, query: QueryText(nil))
    guard let (fresh, expiry) = try await store.refresh(job, token: token) else {
      // It ended just now, perhaps with the results.
      _ = try await authorization.living(job, fields, query: QueryText(nil))
      throw JobProblem(.unauthorized, .tokenExpired, "the token is too old").problem
    }
    return JobAnswer.json(JobBody.token(fresh, of: job, expiry: expiry, now: store.now))
  }

  /// `GET /v1/capabilities`: pipelines, versions and the limits that are enforced.
  func capabilities() -> Response {
    JobAnswer.json(JobBody.capabilities(pipelines.mapValues(\.phases), store.limits))
  }
}
