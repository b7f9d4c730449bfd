public import StrictJSON

/// A file that came with the start of a job, stored before the job was accepted.
public struct JobInput: Hashable, Sendable {
  /// The name the person gave it, for messages; never part of a path.
  public var name: String
  /// The media type of the request, without parameters; empty if it did not say.
  public var mediaType: String
  /// Where it lies.
  public var path: String
  /// Its length, in bytes.
  public var byteCount: Int

  /// Creates a description of a file.
  public init(name: String, mediaType: String, path: String, byteCount: Int) {
    self.name = name
    self.mediaType = mediaType
    self.path = path
    self.byteCount = byteCount
  }
}

/// The work for a pipeline, and its progress.
public struct JobWork: Hashable, Sendable {
  /// The job's id: the key under which a pipeline stores what must not be done twice.
  public var job: String
  /// The files, in the order of the request.
  ///
  /// `csv_import`: one table. `batch_enrichment`: one JSON text
  /// `{"books":[{"title","author"?,"isbn"?}]}`, already checked. `ai_scan`: photos.
  public var inputs: [JobInput]
  /// The options of the request: names and values as received in the query or the form.
  public var options: [String: String]
  /// The last committed checkpoint; `nil` at the first attempt.
  ///
  /// Its meaning is up to the pipeline.
  public var checkpoint: [UInt8]?
  /// How often this job was begun before; 0 at the first attempt.
  public var attempt: Int
  /// How many attempts follow if this one fails for a reason that passes; 0 without a server.
  ///
  /// With another attempt to come, a pipeline reports what cannot be done now as a ``JobFailure`` that is retryable, and
  /// not as failed items.
  public var attemptsLeft = 0
  /// The number of the lease under which it is done; `nil` without a lease.
  ///
  /// What a pipeline writes elsewhere in the database of the jobs is refused under an older number.
  public var fence: Int64?

  /// Creates a piece of work.
  public init(
    job: String,
    inputs: [JobInput],
    options: [String: String] = [:],
    checkpoint: [UInt8]? = nil,
    attempt: Int = 0
  ) {
    self.job = job
    self.inputs = inputs
    self.options = options
    self.checkpoint = checkpoint
    self.attempt = attempt
  }
}

/// The result of one row, book or photo.
public struct JobItem: Hashable, Sendable {
  /// A problem of an item.
  public struct Problem: Hashable, Sendable {
    /// A stable code: `isbn_checksum`, `not_found`.
    public var code: String
    /// The reason, for the person who sent it.
    public var message: String
    /// The column or field it is about.
    public var field: String?
    /// Whether the same item may succeed later.
    public var isRetryable: Bool
    /// What may have been meant, for a person to decide.
    public var proposal: String?

    /// Creates a problem.
    public init(
      code: String,
      message: String,
      field: String? = nil,
      isRetryable: Bool = false,
      proposal: String? = nil
    ) {
      self.code = code
      self.message = message
      self.field = field
      self.isRetryable = isRetryable
      self.proposal = proposal
    }
  }

  /// Its number in the job, from 0: the key of the result.
  ///
  /// Reporting a number again replaces the result, so that work done twice after a crash leaves
  /// one.
  public var number: Int
  /// Its outcome.
  public var outcome: JobOutcome
  /// The line of the file it begins at, from 1.
  public var line: Int?
  /// Why it failed, or what a person should know about it.
  public var problems: [Problem]
  /// The result: an object.
  ///
  /// Nothing for what has none.
  public var value: JSONValue?
  /// For a failed row, its original bytes without the end of line.
  public var raw: [UInt8]?

  /// Creates a result.
  public init(
    number: Int,
    outcome: JobOutcome,
    line: Int? = nil,
    problems: [Problem] = [],
    value: JSONValue? = nil,
    raw: [UInt8]? = nil
  ) {
    self.number = number
    self.outcome = outcome
    self.line = line
    self.problems = problems
    self.value = value
    self.raw = raw
  }
}
