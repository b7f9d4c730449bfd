import Foundation
import FreshnessServer
package import HTTPTypes
package import Hummingbird
package import Jobs
package import Serving

/// The credential of a request.
package enum PresentedCredential: Hashable, Sendable {
  /// A token of the job.
  case token(String)
  /// The id alone, which then is the secret.
  case id
}

/// A view of a service's jobs for other APIs: the same store, rules and limits, no state of its own.
package struct JobsView: Sendable {
  /// The mark of the jobs that were started through this view.
  package let dialect: String
  /// Whether the id alone opens a job of this view.
  package let acceptsBareIDs: Bool
  /// Whether the query may have the token of a job of this view, so that it ends up in logs.
  package let acceptsQueryTokens: Bool

  let store: any JobStore
  let broadcaster: JobEventBroadcaster
  let authorization: JobAuthorization
  let starts: StartEndpoint
  let rules: OriginGuard
  let serving: ResourceServing

  /// The limits that are kept.
  package var limits: JobLimits { store.limits }
  /// Now, in milliseconds since 1970-01-01T00:00:00Z.
  package var now: Int64 { store.now }

  /// Adds a middleware that rejects what the origin rules of the service reject.
  package func guarded<Context: RequestContext>(
    _ router: some RouterMethods<Context>
  ) -> RouterGroup<Context> {
    router.group().add(middleware: OriginGuardMiddleware(rules))
  }

  /// The problem of a store that cannot be written at the moment; `nil` for other errors.
  package func problem(of error: any Error) -> Problem? {
    store.fault(of: error)?.problem
  }

  /// The credential of a request: a token in a subprotocol, `Authorization`, another field, or the query if tokens are
  /// accepted there (``acceptsQueryTokens``); otherwise the id alone, if that is sufficient (``acceptsBareIDs``).
  ///
  /// - Parameters:
  ///   - fields: The fields of the request.
  ///   - query: Its query.
  ///   - others: Further fields that carry a token as it is.
  /// - Returns: The credential, and the subprotocol it was in; `nil` if the request has none.
  package func credential(
    _ fields: HTTPFields,
    query: String?,
    others: [HTTPField.Name] = []
  ) -> (PresentedCredential, subprotocol: String?)? {
    var plain = fields
    for name in others where plain[.authorization] == nil {
      if let token = fields[name], !token.isEmpty { plain[.authorization] = "Bearer \(token)" }
    }
    if let (token, subprotocol) = authorization.token(plain, query: QueryText(query)) {
      return (.token(token), subprotocol)
    }
    if acceptsQueryTokens, let token = QueryText(query)["token"] { return (.token(token), nil) }
    return acceptsBareIDs ? (.id, nil) : nil
  }

  /// Starts a job, unless the same was started before.
  ///
  /// - Parameters:
  ///   - pipeline: Its kind.
  ///   - request: The request.
  ///   - client: The client.
  ///   - read: Reads the content of the request.
  /// - Returns: The job and a token for it.
  /// - Throws: ``Serving/Problem`` 400, 404, 408, 409, 413, 415, 429, 503.
  package func start(
    _ pipeline: PipelineName,
    _ request: Request,
    client: ClientNetwork?,
    read: (JobUpload) async throws -> JobOrder
  ) async throws -> StartedJob {
    try await starts.start(request, pipeline, named: pipeline.rawValue, client: client) { upload in
      var order = try await read(upload)
      if let id = order.id, !JobPathComponent.isJob(id) {
        throw JobProblem(
          .badRequest,
          .invalidRequest,
          "jobId is \"\(id.prefix(40))\"; expected: a UUID"
        ).problem
      }
      if let id = order.id { order.id = try await stored(id)?.id ?? Self.oneCase(id) }
      order.options[JobOrder.dialect] = dialect
      return order
    }
  }

  /// Whether a job was started through this view.
  package func isOwn(_ id: String) async throws -> Bool {
    try await stored(id)?.options[JobOrder.dialect] == dialect
  }

  /// Whether a request for a job at an address of several APIs is answered by this view: for its own jobs, and for an id
  /// that nothing here has, if the request comes without a token, as only clients of this view ask.
  package func answers(for id: String, _ credential: PresentedCredential?) async throws -> Bool {
    guard let job = try await stored(id) else {
      return credential == .id && JobPathComponent.isJob(id)
    }
    return job.options[JobOrder.dialect] == dialect
  }

  /// How far a job is now, or was at its end.
  package func progress(of job: JobRow) async throws -> JobProgress {
    try await store.job(job.id)?.progress ?? job.progress
  }

  /// The job of an id, which means the same in capitals and in small letters (RFC 9562, section 4).
  private func stored(_ id: String) async throws -> JobRow? {
    if let job = try await store.job(id) { return job }
    guard JobPathComponent.isJob(id) else { return nil }
    if let job = try await store.job(id.lowercased()) { return job }
    return try await store.job(id.uppercased())
  }

  /// An id in one case, in which it is kept.
  private static func oneCase(_ id: String) -> String {
    id == id.lowercased() ? id : id.uppercased()
  }

  /// A job, for clients that may see it.
  ///
  /// - Throws: ``Serving/Problem`` 401, 404, 410.
  package func job(_ id: String, _ credential: PresentedCredential?) async throws -> JobRow {
    let known = try await stored(id)
    switch credential {
    case .token(let token):
      return try await authorization.living(known?.id ?? id, token: token).job
    case .id:
      guard let job = known, job.options[JobOrder.dialect] == dialect else {
        throw authorization.unknown(id)
      }
      guard !job.isGone(at: store.due) else { throw authorization.gone }
      return job
    case nil:
      throw JobAuthorization.unauthorized(
        .tokenMissing,
        "a token is needed: Authorization: Bearer TOKEN"
      )
    }
  }

  /// How many files a job has.
  package func fileCount(_ job: JobRow) async throws -> Int {
    try await store.work(job).inputs.count
  }

  /// The content of the first file of a job; `nil` once it was removed.
  package func content(of job: JobRow) async throws -> [UInt8]? {
    try await store.work(job).inputs.first.flatMap { FileManager.default.contents(atPath: $0.path) }
      .map { Array($0) }
  }

  /// How a job ended; `nil` until then.
  package func completion(_ job: JobRow) async throws -> JobCompletion? {
    guard case .ended(let completion)? = try await lastEvent(job)?.body else { return nil }
    return completion
  }

  /// The results of a job that is over, in order.
  ///
  /// - Throws: ``Serving/Problem`` 409 before its end, 410 after their time.
  package func results(_ job: JobRow) async throws -> [JobItem] {
    guard job.state.isTerminal else { throw JobProblem.notFinished(job, store.limits) }
    guard let page = try await store.page(job.id, outcomes: nil, after: -1, limit: .max) else {
      throw authorization.gone
    }
    return page.items
  }

  /// The results that a completion carries: all of them.
  ///
  /// An app whose messages carry books saves those books and asks for no others, so that a part of them would be taken for
  /// the whole.
  package func embedded(_ job: JobRow) async throws -> [JobItem] {
    try await store.items(job.id, after: -1, limit: .max)
  }

  /// Asks a job to stop; idempotent.
  ///
  /// - Returns: The job afterwards.
  package func cancel(_ job: JobRow) async throws -> JobRow {
    guard let (row, event) = try await store.cancel(job.id) else {
      throw authorization.unknown(job.id)
    }
    if let event { broadcaster.publish(event, of: job.id) }
    return row
  }

  /// Makes a new token in place of one that is good.
  ///
  /// - Returns: The token, and when it expires, in milliseconds since 1970-01-01T00:00:00Z.
  /// - Throws: ``Serving/Problem`` 401, 404, 410.
  package func refresh(_ id: String, token: String) async throws -> (token: String, expiry: Int64) {
    let id = try await stored(id)?.id ?? id
    _ = try await authorization.living(id, token: token)
    guard let (fresh, expiry) = try await store.refresh(id, token: token) else {
      // It ended just now, perhaps with the results.
      _ = try await authorization.living(id, token: token)
      throw JobAuthorization.unauthorized(.tokenExpired, "the token is too old")
    }
    return (fresh, expiry)
  }

  // MARK: Listening

  /// Subscribes to a job; `nil` if the limit is reached or the server shuts down.
  package func subscribe(to job: JobRow) -> JobEventSubscription? {
    broadcaster.listen(to: job.id).map {
      JobEventSubscription(
        job: job,
        stream: JobStream(job, in: store, $0, .digest),
        broadcaster: broadcaster,
        serving: serving
      )
    }
  }

  /// The response when the listeners are at their limit.
  package var tooMany: Problem {
    JobProblem(
      .serviceUnavailable,
      .busy,
      "too many listen; poll instead",
      retryAfter: store.limits.pollSeconds
    ).problem
  }

  private func lastEvent(_ job: JobRow) async throws -> JobEvent? {
    guard job.state.isTerminal else { return nil }
    let stored = try await store.messages(job.id, after: job.position.seq - 1, limit: 1)
    return stored.first.flatMap { StoredEvent.event($0) }
  }

  /// Why the origin rules reject a request to open a socket; `nil` if they do not.
  package func refusal(_ request: HTTPRequest) -> Problem? { rules.refusal(request)?.problem }
}

extension JobsService {
  /// A view of the jobs in the terms of another API.
  ///
  /// - Parameters:
  ///   - dialect: The mark of the jobs that are started through it.
  ///   - acceptsBareIDs: Whether the id alone opens such a job.
  ///   - acceptsQueryTokens: Whether the query may have the token of such a job.
  /// - Returns: The view.
  package func view(
    dialect: String,
    acceptsBareIDs: Bool,
    acceptsQueryTokens: Bool
  ) -> JobsView {
    JobsView(
      dialect: dialect,
      acceptsBareIDs: acceptsBareIDs,
      acceptsQueryTokens: acceptsQueryTokens,
      store: store,
      broadcaster: broadcaster,
      authorization: authorization,
      starts: starts,
      rules: rules,
      serving: serving
    )
  }
}
