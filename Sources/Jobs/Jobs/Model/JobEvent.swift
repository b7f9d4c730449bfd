extension EventPosition: CustomStringConvertible {
  /// Reads the form ``description`` writes: two whole numbers, not negative, with a full stop between.
  public init?(parsing text: some StringProtocol) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let epoch = Int64(parts[0]), let seq = Int64(parts[1]), epoch >= 0,
      seq >= 0
    else { return nil }
    self.init(epoch: epoch, seq: seq)
  }

  /// The position as the id of a server-sent event: `1.17`.
  public var description: String { "\(epoch).\(seq)" }
}

/// One event of a job, as it is stored.
public struct JobEvent: Hashable, Sendable {
  /// What happened.
  public enum Body: Hashable, Sendable {
    /// Work begins; the phases, with how many items there are if that is known.
    case started(phases: [JobPhase], total: Int?)
    /// Work went on.
    case progress(JobProgress)
    /// The job is over; the last event of every job.
    case ended(JobCompletion)
  }

  /// Its number.
  public var position: EventPosition
  /// When it was stored, in milliseconds since 1970-01-01T00:00:00Z.
  public var at: Int64
  /// What happened.
  public var body: Body

  /// Creates an event.
  public init(position: EventPosition, at: Int64, body: Body) {
    self.position = position
    self.at = at
    self.body = body
  }

  /// Whether it is the last event of its job.
  public var isTerminal: Bool {
    if case .ended = body { true } else { false }
  }

  /// Whether a newer event of the same kind makes it superfluous.
  public var isProgress: Bool {
    if case .progress = body { true } else { false }
  }
}

/// How far a job is.
public struct JobProgress: Hashable, Sendable {
  /// The share of the whole that is done, 0 to 1; it never falls within a job.
  public var fraction: Double
  /// How many items are done.
  public var processed: Int?
  /// The number of items; `nil` while unknown.
  public var total: Int?
  /// The name of the phase.
  public var phase: String?
  /// The current activity, for display.
  public var current: String?
  /// A sentence for a person.
  public var sentence: String
  /// Whether it only says that the job lives.
  public var isKeepAlive: Bool
  /// That an attempt failed and another one follows; `nil` for work that went on.
  public var retry: JobRetryNotice?

  /// Creates a report.
  public init(
    fraction: Double,
    processed: Int? = nil,
    total: Int? = nil,
    phase: String? = nil,
    current: String? = nil,
    sentence: String = "",
    isKeepAlive: Bool = false
  ) {
    self.fraction = fraction
    self.processed = processed
    self.total = total
    self.phase = phase
    self.current = current
    self.sentence = sentence
    self.isKeepAlive = isKeepAlive
  }
}

/// The state of a job at one moment, in place of all events up to it.
public struct JobSnapshot: Hashable, Sendable {
  /// The job.
  public var job: String
  /// Its kind.
  public var pipeline: PipelineName
  /// The state of the job.
  public var state: JobState
  /// The last event it covers.
  public var position: EventPosition
  /// How far it is.
  public var progress: JobProgress
  /// When it changed last, in milliseconds since 1970-01-01T00:00:00Z.
  public var updatedAt: Int64
  /// How it ended; `nil` until then.
  public var completion: JobCompletion?

  /// Creates a snapshot.
  public init(
    job: String,
    pipeline: PipelineName,
    state: JobState,
    position: EventPosition,
    progress: JobProgress,
    updatedAt: Int64,
    completion: JobCompletion? = nil
  ) {
    self.job = job
    self.pipeline = pipeline
    self.state = state
    self.position = position
    self.progress = progress
    self.updatedAt = updatedAt
    self.completion = completion
  }
}
