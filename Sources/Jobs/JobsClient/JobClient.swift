public import ConditionalHTTP
import Foundation
import HTTPTypes
public import Jobs

/// A job that was started, and what opens it.
public struct JobCredential: Hashable, Sendable {
  /// The job.
  public var job: String
  /// The token.
  public var token: String
  /// When the token expires, in milliseconds since 1970-01-01T00:00:00Z on the clock of this machine.
  public var tokenExpiresAt: Int64?

  /// Creates a credential.
  public init(job: String, token: String, tokenExpiresAt: Int64? = nil) {
    self.job = job
    self.token = token
    self.tokenExpiresAt = tokenExpiresAt
  }

  /// Creates a credential from a response just received.
  ///
  /// The lifetime of the token counts from now, because the server's clock may differ.
  init(job: String, _ started: JobStarted) {
    let end = started.tokenSeconds.map { JobClient.wallTime + Int64($0) * 1_000 }
    self.init(job: job, token: started.token, tokenExpiresAt: end ?? started.tokenExpiresAt)
  }

  /// The header fields that authorize a request.
  var authorization: HTTPFields { [.authorization: "Bearer \(token)"] }
}

/// Errors thrown by ``JobClient``.
public enum JobClientFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The server did not respond.
  case unreachable(String)
  /// The server rejected the request.
  case refused(JobRefusal)
  /// The job is not over.
  case notFinished
  /// There never was such a job.
  case unknownJob
  /// The results are gone.
  case expired

  /// What is wrong, for display.
  public var description: String {
    switch self {
    case .unreachable(let text): text
    case .refused(let refusal): "\(refusal.error.message) (\(refusal.status) \(refusal.error.code))"
    case .notFinished: "the job is not over yet"
    case .unknownJob: "the server knows no such job"
    case .expired: "the results of this job are gone"
    }
  }
}

/// Asks a job server: starts jobs, follows them to their end, cancels them, fetches results.
public struct JobClient: Sendable {
  /// A transport for everything but WebSockets.
  public typealias Transport = HTTPExchange & HTTPSending & HTTPStreaming

  /// The longest wait for an answer.
  public static let timeout = Duration.seconds(10)
  /// The longest wait for the answer to a small upload.
  public static let uploadTimeout = Duration.seconds(120)
  /// How often a start whose connection failed is sent at most.
  public static let brokenStarts = 5
  /// The pause after the first failure; it doubles from then on.
  static let firstPause = Duration.milliseconds(500)
  /// The longest wait that a server may ask for, in seconds.
  static let longestWait: Int64 = 86_400
  /// The rate at which a large one may go out, in bytes a second.
  public static let uploadBytesPerSecond = 8 << 10

  /// The time here, in milliseconds since 1970-01-01T00:00:00Z.
  static var wallTime: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

  let server: HTTPAddress
  let transport: any Transport
  let sockets: (any WebSocketExchange)?
  private let reader = JobAnswerReader()

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - transport: The transport.
  ///   - sockets: Opens WebSockets; without it jobs are followed by server-sent events.
  public init(
    server: HTTPAddress,
    transport: any Transport,
    sockets: (any WebSocketExchange)? = nil
  ) {
    self.server = server
    self.transport = transport
    self.sockets = sockets
  }

  /// Starts a job.
  ///
  /// - Parameters:
  ///   - pipeline: Its kind.
  ///   - content: The table, the books or the form.
  ///   - type: The media type of the content.
  ///   - options: The options of the pipeline.
  ///   - key: A key of your own; the same request with the same key starts one job.
  ///   - sent: Called with the bytes of the content that have gone out so far; on any thread.
  /// - Returns: The credential of the job.
  /// - Throws: ``JobClientFailure``.
  public func start(
    _ pipeline: PipelineName,
    content: [UInt8],
    type: String,
    options: [String: String] = [:],
    key: String? = nil,
    sent: (@Sendable (Int) -> Void)? = nil
  ) async throws(JobClientFailure) -> JobCredential {
    let query = options.sorted { $0.key < $1.key }.map { ($0.key, Optional($0.value)) }
    var request = server.request("/v1/jobs/\(pipeline.rawValue)", method: .post, query: query)
    request.headerFields[.contentType] = type
    if let key { request.headerFields[.idempotencyKey] = key }
    let slow = Duration.seconds(content.count / Self.uploadBytesPerSecond)
    let answer = try await send(request, content, max(Self.uploadTimeout, slow), sent)
    switch reader.start(status: answer.head.status.code, body: answer.body) {
    case .started(let started): return JobCredential(job: started.job, started)
    case .refused(var refusal):
      let fields = answer.head.headerFields
      refusal.retryAfter = RetryAfter.delay(
        in: fields,
        now: Self.wallTime,
        limit: Self.longestWait * 1_000
      )
      .map { Int(($0 + 999) / 1_000) }
      throw .refused(refusal)
    }
  }

  /// Starts a job.
  ///
  /// Retries with the same key while the server is busy and says when to retry, and after a connection failure: the
  /// server may have accepted the job, and the key prevents a second one.
  ///
  /// - Parameters:
  ///   - pipeline: Its kind.
  ///   - content: The table, the books or the form.
  ///   - type: The media type of the content.
  ///   - options: The options of the pipeline.
  ///   - key: A key of your own; the same request with the same key starts one job.
  ///   - patience: The longest time to wait in all.
  ///   - sent: Called with the bytes of the content that have gone out so far; on any thread.
  ///   - broken: Called before each wait after a connection failed, with the failure and the length of the wait.
  ///   - waiting: Called before each wait, with the reason and the seconds.
  /// - Returns: What opens the job.
  /// - Throws: ``JobClientFailure``; the last one if the patience is over.
  public func start(
    _ pipeline: PipelineName,
    content: [UInt8],
    type: String,
    options: [String: String] = [:],
    key: String,
    patience: Duration,
    sent: (@Sendable (Int) -> Void)? = nil,
    broken: (JobClientFailure, Duration) -> Void = { _, _ in },
    waiting: (JobRefusal, Int) -> Void
  ) async throws(JobClientFailure) -> JobCredential {
    var left = patience
    var failures = 0
    while true {
      do throws(JobClientFailure) {
        return try await start(
          pipeline,
          content: content,
          type: type,
          options: options,
          key: key,
          sent: sent
        )
      } catch {
        if case .unreachable = error {
          let pause = Self.firstPause * (1 << failures)
          failures += 1
          guard failures < Self.brokenStarts, pause <= left, !Task.isCancelled else { throw error }
          broken(error, pause)
          left -= pause
          try? await Task.sleep(for: pause)
          continue
        }
        guard case .refused(let refusal) = error, [429, 503, 507].contains(refusal.status),
          let seconds = refusal.retryAfter.map({ max(1, $0) }), .seconds(seconds) <= left
        else { throw error }
        waiting(refusal, seconds)
        left -= .seconds(seconds)
        // A task that is cancelled waits no more, and the next request fails.
        try? await Task.sleep(for: .seconds(seconds))
      }
    }
  }

  /// The state of a job, with the events after a position.
  ///
  /// - Parameters:
  ///   - credential: The job.
  ///   - position: The last event that is known.
  /// - Returns: The state.
  /// - Throws: ``JobClientFailure``.
  public func state(
    _ credential: JobCredential,
    after position: EventPosition? = nil
  ) async throws(JobClientFailure) -> JobAnswerReader.State {
    let answer = try await ask(
      server.request(
        "/v1/jobs/\(credential.job)",
        query: [("after", position?.description)],
        fields: credential.authorization
      )
    )
    guard let state = reader.state(body: answer.body) else {
      throw .refused(reader.refusal(status: answer.head.status.code, body: answer.body))
    }
    return state
  }

  /// Asks a job to stop.
  ///
  /// - Parameter credential: The job.
  /// - Throws: ``JobClientFailure``.
  public func cancel(_ credential: JobCredential) async throws(JobClientFailure) {
    let request = server.request(
      "/v1/jobs/\(credential.job)/cancel",
      method: .post,
      fields: credential.authorization
    )
    _ = try await ask(request, content: [])
  }

  /// Gets a new token in place of one that is still good.
  ///
  /// - Parameter credential: The job with the old token.
  /// - Returns: The job with the new one.
  /// - Throws: ``JobClientFailure``.
  public func refresh(_ credential: JobCredential) async throws(JobClientFailure) -> JobCredential {
    let request = server.request(
      "/v1/jobs/\(credential.job)/token",
      method: .post,
      fields: credential.authorization
    )
    let answer = try await ask(request, content: [])
    guard let started = reader.start(status: answer.head.status.code, body: answer.body).started
    else { throw .refused(reader.refusal(status: answer.head.status.code, body: answer.body)) }
    return JobCredential(job: credential.job, started)
  }

  /// A page of results.
  ///
  /// - Parameters:
  ///   - credential: The job.
  ///   - outcome: The outcome; `nil` for all.
  ///   - after: The number of the last known result; `nil` for the beginning.
  ///   - limit: The most results; `nil` for the server's default.
  /// - Returns: The page.
  /// - Throws: ``JobClientFailure``; only ``JobClientFailure/expired`` says that results are gone.
  public func results(
    _ credential: JobCredential,
    outcome: JobOutcome? = nil,
    after: Int? = nil,
    limit: Int? = nil
  ) async throws(JobClientFailure) -> JobResultPage {
    let request = server.request(
      "/v1/jobs/\(credential.job)/results",
      query: [
        ("outcome", outcome?.rawValue), ("after", after.map { "\($0)" }),
        ("limit", limit.map { "\($0)" }),
      ],
      fields: credential.authorization
    )
    let answer = try await exchange(request)
    switch reader.results(status: answer.head.status.code, body: answer.body) {
    case .page(let page): return page
    case .notFinished: throw .notFinished
    case .unknownJob: throw .unknownJob
    case .expired: throw .expired
    case .refused(let refusal): throw .refused(refusal)
    }
  }

  /// The failed rows as a table that can be corrected and sent again.
  ///
  /// - Parameter credential: The job.
  /// - Returns: CSV in UTF-8.
  /// - Throws: ``JobClientFailure``.
  public func failedRows(_ credential: JobCredential) async throws(JobClientFailure) -> [UInt8] {
    try await ask(
      server.request("/v1/jobs/\(credential.job)/failed.csv", fields: credential.authorization)
    )
    .body
  }

  // MARK: Requesting

  func ask(
    _ request: HTTPRequest,
    content: [UInt8]? = nil
  ) async throws(JobClientFailure) -> HTTPExchangeAnswer {
    let answer =
      if let content {
        try await send(request, content, Self.timeout)
      } else {
        try await exchange(request)
      }
    switch answer.head.status.code {
    case 200..<300: return answer
    case 410: throw .expired
    default: throw Self.failure(reader.refusal(status: answer.head.status.code, body: answer.body))
    }
  }

  /// Maps a refusal: one of our codes says more than the status, and other servers send a status without one.
  static func failure(_ refusal: JobRefusal) -> JobClientFailure {
    switch (JobProblemCode(rawValue: refusal.error.code), refusal.status) {
    case (.notFound, _), (nil, 404): .unknownJob
    case (.notFinished, _), (nil, 409): .notFinished
    default: .refused(refusal)
    }
  }

  private func exchange(_ request: HTTPRequest) async throws(JobClientFailure) -> HTTPExchangeAnswer
  {
    do {
      return try await transport.send(request, timeout: Self.timeout)
    } catch {
      throw .unreachable(error.description)
    }
  }

  private func send(
    _ request: HTTPRequest,
    _ content: [UInt8],
    _ timeout: Duration,
    _ sent: (@Sendable (Int) -> Void)? = nil
  ) async throws(JobClientFailure) -> HTTPExchangeAnswer {
    do {
      if let sent {
        return try await transport.send(request, content: content, timeout: timeout, sent: sent)
      }
      return try await transport.send(request, content: content, timeout: timeout)
    } catch {
      throw .unreachable(error.description)
    }
  }
}
