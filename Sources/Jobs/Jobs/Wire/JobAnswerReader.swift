public import StrictJSON
public import TolerantDecoding

/// What starting a job came to.
public struct JobStarted: Hashable, Sendable {
  /// The job's id.
  public var job: String
  /// The token that opens it.
  public var token: String
  /// When the token expires, in milliseconds since 1970-01-01T00:00:00Z.
  public var tokenExpiresAt: Int64?
  /// How long the token is good, in seconds.
  public var tokenSeconds: Int?
}

/// A refusal by the server.
public struct JobRefusal: Error, Hashable, Sendable {
  /// The status.
  public var status: Int
  /// Why.
  public var error: JobWireError
  /// When it is worth to ask again, in seconds, if the server says so.
  public var retryAfter: Int?

  /// Creates a refusal.
  public init(status: Int, error: JobWireError, retryAfter: Int? = nil) {
    self.status = status
    self.error = error
    self.retryAfter = retryAfter
  }
}

/// One result.
public struct JobResult: Hashable, Sendable {
  /// Its number in the job, from 0.
  public var number: Int
  /// Its outcome.
  public var outcome: OpenEnum<JobOutcome>
  /// The line of the file it begins at, from 1.
  public var line: Int?
  /// Why it failed, or what a person should know about it.
  public var problems: [JobWireError]
  /// The book.
  public var book: JobBook?
  /// The result as it came.
  public var raw: JSONValue { source.value }
  let source: RawJSON
}

/// A page of results.
public struct JobResultPage: Hashable, Sendable {
  /// How many there are in all.
  public var total: Int?
  /// Whether the job ended before it was done.
  public var isPartial: Bool?
  /// The results of this page.
  public var items: LossyList<JobResult>
  /// The value of `after` for the next page; nothing on the last one.
  public var next: Int?
  /// When the results expire, in milliseconds; a hint.
  public var expiresAt: Int64?
  /// What deviated.
  public var issues: [DecodeIssue] = []
}

/// Reads the answers of job servers, in every envelope they had.
public struct JobAnswerReader: Sendable {
  /// The result of a start.
  public enum Start: Hashable, Sendable {
    /// The job was started.
    case started(JobStarted)
    /// It is not.
    case refused(JobRefusal)

    /// The started job.
    public var started: JobStarted? {
      if case .started(let started) = self { started } else { nil }
    }
    /// Why it was not started.
    public var refusal: JobRefusal? {
      if case .refused(let refusal) = self { refusal } else { nil }
    }
  }

  /// The result of a request for results.
  public enum Results: Hashable, Sendable {
    /// A page.
    case page(JobResultPage)
    /// The job is not over.
    case notFinished
    /// There never was such a job.
    case unknownJob
    /// The results are gone.
    case expired
    /// Something else.
    case refused(JobRefusal)
  }

  /// A state with events, for those who poll.
  public struct State: Hashable, Sendable {
    /// The state.
    public var state: OpenEnum<JobState>?
    /// The last event there is.
    public var position: EventPosition?
    /// How far the job is.
    public var progress: JobProgress
    /// The events that were missed, or the state in their place, in order.
    public var events: [JobMessage]
    /// When to ask again, in milliseconds.
    public var pollAfter: Int64?
    /// When the token expires, in milliseconds since 1970-01-01T00:00:00Z.
    public var tokenExpiresAt: Int64?
    /// Its priority.
    public var priority: OpenEnum<JobPriority>?
    /// Before which instant it does not run, in milliseconds since 1970-01-01T00:00:00Z; only while it waits for that.
    public var runAt: Int64?
    /// How many attempts have failed.
    public var failedAttempts: Int?
    /// How many attempts there are at most.
    public var maxAttempts: Int?
    /// Why the last attempt failed.
    public var lastError: JobWireError?
    /// The job that an operator has started in its place.
    public var restartedAs: String?
  }

  private static let statuses = 200..<300
  private let decoder: TolerantDecoder

  /// Creates a reader.
  ///
  /// - Parameter limits: How much of an answer is read.
  public init(limits: DecodeLimits = DecodeLimits()) { decoder = TolerantDecoder(limits: limits) }

  /// Reads the answer to a start: every 2xx with an id and a token is one.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - body: The body, whatever it is.
  ///   - chosen: The id that the client chose itself, for servers that do not repeat it.
  /// - Returns: The result.
  public func start(status: Int, body: [UInt8], chosen: String? = nil) -> Start {
    var refused = refusal(status: status, body: body)
    guard Self.statuses.contains(status) else { return .refused(refused) }
    let started = read(body) { root -> JobStarted? in
      let data = root["data"].holdsObject ? root["data"] : root
      guard let token = data[["authToken", "token", "auth_token"]].string(), !token.isEmpty
      else { return nil }
      return JobStarted(
        job: data[["jobId", "job_id", "id"]].string() ?? chosen ?? "",
        token: token,
        tokenExpiresAt: data[["tokenExpiresAt", "expiresAt"]].instant(),
        tokenSeconds: data["expiresIn"].int(in: 0...31_536_000)
      )
    }
    if let started = started.flatMap(\.self) {
      if !started.job.isEmpty { return .started(started) }
      refused.error.message = "the answer has a token, and does not say for which job"
    }
    return .refused(refused)
  }

  /// Reads the answer to a question for results.
  ///
  /// - Parameters:
  ///   - status: The status; only 410 says that results are gone.
  ///   - body: The body, whatever it is.
  /// - Returns: The result.
  public func results(status: Int, body: [UInt8]) -> Results {
    switch status {
    case 404: return .unknownJob
    case 409: return .notFinished
    case 410: return .expired
    case Self.statuses: break
    default: return .refused(refusal(status: status, body: body))
    }
    guard let decoded = try? decoder.decode(body, { JobResultReader.page($0) }) else {
      return .refused(refusal(status: status, body: body))
    }
    var page = decoded.model
    page.issues = decoded.issues
    return .page(page)
  }

  /// Reads a state.
  ///
  /// - Parameter body: The body.
  /// - Returns: The state; `nil` if the body is not a state.
  public func state(body: [UInt8]) -> State? {
    let reader = JobMessageReader()
    return read(body) { answer -> State? in
      guard answer.isObject() else { return nil }
      let root = answer["state"].isPresent || !answer["data"].holdsObject ? answer : answer["data"]
      guard let state = Self.state(root) else { return nil }
      let events = root["events"].list { $0.raw.map { reader.message(of: $0) } }
      var position: EventPosition?
      if let seq = root["lastSeq"].int(in: 0 ... .max) {
        position = EventPosition(
          epoch: Int64(root["epoch"].int(in: 0 ... .max) ?? 0),
          seq: Int64(seq)
        )
      }
      return State(
        state: state,
        position: position,
        progress: JobProgressReader.progress(root),
        events: events?.elements ?? [],
        pollAfter: root["pollAfterMs"].int(in: 0...3_600_000).map { Int64($0) },
        tokenExpiresAt: root["tokenExpiresAt"].instant(),
        priority: root["priority"].open(JobPriority.self),
        runAt: root["runAt"].instant(),
        failedAttempts: root["failedAttempts"].int(in: 0 ... .max),
        maxAttempts: root["maxAttempts"].int(in: 0 ... .max),
        lastError: root["lastError"].holdsObject
          ? JobWireError.read(root["lastError"]) : nil,
        restartedAs: root["restartedAs"].string()
      )
    }.flatMap(\.self)
  }

  /// The state: under its name, or as one of the words that other servers have for it in `status`.
  private static func state(_ root: DecodeField) -> OpenEnum<JobState>? {
    if root["state"].isPresent { return root["state"].open(JobState.self) ?? .unknown("") }
    let place = root["status"]
    guard let word = place.string()?.lowercased(), let state = words[word] else { return nil }
    place.report(
      .alias,
      .note,
      "today's name of this is \"state\", with the word \"\(state.rawValue)\""
    )
    return .known(state)
  }

  private static let words: [String: JobState] = [
    "pending": .queued, "queued": .queued, "initialized": .queued, "processing": .running,
    "running": .running, "active": .running, "complete": .succeeded, "completed": .succeeded,
    "succeeded": .succeeded, "failed": .failed, "error": .failed, "canceled": .canceled,
    "cancelled": .canceled, "canceling": .canceling,
  ]

  /// Reads an error of any shape: problem details, envelopes, flat ones, and bodies that are not JSON.
  ///
  /// - Parameters:
  ///   - status: The status.
  ///   - body: The body, whatever it is.
  /// - Returns: The refusal; its code is `http_STATUS` if the body says none.
  public func refusal(status: Int, body: [UInt8]) -> JobRefusal {
    let error = read(body) { JobWireError.read($0) }.flatMap(\.self)
    return JobRefusal(
      status: status,
      error: error ?? JobWireError(code: "http_\(status)", message: "the server answers \(status)")
    )
  }

  private func read<Model>(_ body: [UInt8], _ make: (DecodeField) -> Model) -> Model? {
    try? decoder.decode(body, make).model
  }
}

/// How long results are probably still there: a hint for a countdown, by the server's clock.
public struct ExpiryHint: Hashable, Sendable {
  private let end: Int64

  /// Creates a hint.
  ///
  /// - Parameters:
  ///   - expiresAt: When the server says they go, by its clock.
  ///   - serverNow: The time of the server (`Date` of its answer).
  ///   - clientNow: The time here at the same moment.
  public init(expiresAt: Int64, serverNow: Int64, clientNow: Int64) {
    end = expiresAt - serverNow + clientNow
  }

  /// How long they are still there, in milliseconds; 0 if they may be gone.
  ///
  /// Asking is worth a try even then.
  ///
  /// - Parameter clientNow: The time here.
  /// - Returns: Milliseconds, not negative.
  public func remaining(clientNow: Int64) -> Int64 { max(0, end - clientNow) }
}
