public import StrictJSON
public import TolerantDecoding

/// A message of a job server, of any version, as one model.
public struct JobMessage: Hashable, Sendable {
  /// The content of a message.
  public enum Body: Hashable, Sendable {
    /// Work begins.
    case started(JobStart)
    /// Work went on.
    case progress(JobProgress)
    /// The job is over, however it ended.
    case ended(JobCompletion)
    /// The state, in place of events.
    case snapshot(JobStatusReport)
    /// The server knows that the client listens.
    case ready
    /// How far the photos of a scan are.
    case photos(PhotoReport)
    /// The job should stop.
    case canceling
    /// The server asks for a sign of life.
    case ping
    /// The answer to a sign of life.
    case pong
    /// A notice about the client's own message, or why the socket closes.
    case notice(JobWireError)
    /// A new token takes the place of the old one.
    case token(String, expiresAt: Int64?)
    /// A message of an unknown type; it is ignored.
    case unknown
    /// Bytes that are not a message; they are ignored too.
    case unreadable
  }

  /// The type as written; empty for bytes that are not a message.
  public var type: String
  /// The job.
  public var job: String?
  /// The kind of job.
  public var pipeline: PipelineName?
  /// When it was written, in milliseconds since 1970-01-01T00:00:00Z.
  public var at: Int64?
  /// The version in the envelope; nothing depends on it.
  public var version: String?
  /// Its number, if it is a numbered event.
  public var position: EventPosition?
  /// Which log the server's numbers belong to, also of messages without a number.
  public var epoch: Int64?
  /// The number of the first event that this one covers, if others were left out on purpose.
  public var covers: Int64?
  /// The content.
  public var body: Body
  /// What deviated.
  public var issues: [DecodeIssue]
  /// The whole message as it came; writing it gives an equal one.
  public var raw: JSONValue { source.value }
  /// The same, decoded only when read.
  var source: RawJSON

  /// Creates a message.
  public init(type: String, body: Body, issues: [DecodeIssue] = [], raw: JSONValue = .null) {
    self.type = type
    self.body = body
    self.issues = issues
    source = RawJSON(raw)
  }

  /// Whether the job is over with this.
  public var isTerminal: Bool {
    if case .ended = body { true } else { false }
  }
}

/// The facts known when work begins.
public struct JobStart: Hashable, Sendable {
  /// How many items there are.
  public var total: Int?
  /// The phases.
  public var phases: [JobPhase]
  /// How long it may take, in milliseconds.
  public var estimate: Int64?

  /// Creates a start.
  public init(total: Int? = nil, phases: [JobPhase] = [], estimate: Int64? = nil) {
    self.total = total
    self.phases = phases
    self.estimate = estimate
  }
}

/// The state of a job, in place of events.
public struct JobStatusReport: Hashable, Sendable {
  /// How far it is.
  public var progress: JobProgress
  /// Its state, if the server says it.
  public var state: OpenEnum<JobState>?
  /// When it changed last, in milliseconds since 1970-01-01T00:00:00Z.
  public var updatedAt: Int64?
  /// Whether all events since the client's last one follow.
  public var isRecovered: Bool?
  /// The number of the last event that it includes.
  public var lastSeq: Int64?

  /// Creates a report.
  public init(
    progress: JobProgress,
    state: OpenEnum<JobState>? = nil,
    updatedAt: Int64? = nil,
    isRecovered: Bool? = nil,
    lastSeq: Int64? = nil
  ) {
    self.progress = progress
    self.state = state
    self.updatedAt = updatedAt
    self.isRecovered = isRecovered
    self.lastSeq = lastSeq
  }
}

/// How far the photos of a scan are.
public struct PhotoReport: Hashable, Sendable {
  /// How far a photo is.
  public enum Status: String, CaseIterable, Hashable, Sendable {
    case queued
    case processing
    case complete
    case error
  }

  /// One photo.
  public struct Photo: Hashable, Sendable {
    /// Which one, from 0.
    public var index: Int?
    /// How far it is.
    public var status: OpenEnum<Status>?
    /// How many books were found in it.
    public var booksFound: Int?
    /// Why it failed.
    public var problem: String?
  }

  /// How many photos there are.
  public var total: Int?
  /// The one under way, from 0.
  public var current: Int?
  /// How many books were found so far.
  public var booksFound: Int?
  /// The photos.
  public var photos: [Photo]
}
