public import StrictJSON
public import TolerantDecoding

/// How a job ended.
public enum JobEnding: String, CaseIterable, Hashable, Sendable {
  /// Everything is done.
  case succeeded
  /// It gave up.
  case failed
  /// It was stopped.
  case canceled

  /// The state of a job that ended so.
  public var state: JobState {
    switch self {
    case .succeeded: .succeeded
    case .failed: .failed
    case .canceled: .canceled
    }
  }
}

/// The one model of a completion: every wire version is written from it and read into it.
public struct JobCompletion: Hashable, Sendable {
  /// How it ended.
  public var ending: OpenEnum<JobEnding>
  /// How many items there were, without those that had nothing in them: successes and failures together.
  public var total: Int?
  /// How many succeeded.
  public var successes: Int?
  /// How many failed.
  public var failures: Int?
  /// How long it took, in milliseconds.
  public var duration: Int64?
  /// How many items came out how, by ``JobOutcome``; other texts are kept.
  public var counts: [String: Int]
  /// How many photos there were.
  public var photos: Int?
  /// How many books were detected in photos.
  public var detected: Int?
  /// How many of them are above the threshold.
  public var approved: Int?
  /// How many of them need a person's review.
  public var needsReview: Int?
  /// Why it failed.
  public var failure: JobWireError?
  /// Whether results are of a part of the work only.
  public var isPartial: Bool
  /// When the results are removed, in milliseconds since 1970-01-01T00:00:00Z.
  ///
  /// A hint for a countdown: that they are gone only the server's 410 says.
  public var expiresAt: Int64?
  /// An opaque key that older servers give; never part of an address.
  public var resourceId: String?
  /// Where older servers say that the results are.
  public var resultsURL: String?
  /// The books of a version that carries them.
  public var books: LossyList<JobBook>
  /// What failed, in a version that carries it.
  public var errors: LossyList<JobWireError>
  /// The shape it arrived in; `nil` for one made here.
  public var shape: CompletionShape?
  /// Members that are not known here, as they came.
  public var others: [String: JSONValue]

  /// Creates a completion.
  public init(
    ending: JobEnding = .succeeded,
    total: Int? = nil,
    successes: Int? = nil,
    failures: Int? = nil,
    duration: Int64? = nil,
    counts: [String: Int] = [:],
    isPartial: Bool = false,
    failure: JobWireError? = nil,
    expiresAt: Int64? = nil
  ) {
    self.ending = .known(ending)
    self.total = total
    self.successes = successes
    self.failures = failures
    self.duration = duration
    self.counts = counts
    self.failure = failure
    self.isPartial = isPartial
    self.expiresAt = expiresAt
    books = LossyList()
    errors = LossyList()
    others = [:]
  }

  /// The counts of the items of a job.
  ///
  /// - Parameter counts: How many items came out how.
  public mutating func add(_ counts: [JobOutcome: Int]) {
    self.counts = Dictionary(uniqueKeysWithValues: counts.map { ($0.key.rawValue, $0.value) })
    let failed = counts[.failed] ?? 0
    let succeeded = counts.filter(\.key.isSuccess).values.reduce(0, +)
    failures = failed
    successes = succeeded
    total = succeeded + failed
    if counts[.approved] != nil || counts[.needsReview] != nil {
      approved = counts[.approved] ?? 0
      needsReview = counts[.needsReview] ?? 0
      detected = (approved ?? 0) + (needsReview ?? 0)
    }
  }
}

/// The shapes of a completion in circulation (research §1.5).
public enum CompletionShape: String, CaseIterable, Hashable, Sendable {
  /// A: books and numbers in the payload itself.
  case full
  /// B: a summary.
  case summary
  /// C: an address of the results beside a few numbers.
  case resultsURL
  /// D: a summary and when the results expire.
  case summaryWithExpiry
  /// E: a summary of photos and detected books.
  case photoSummary
  /// F: an opaque object `result`.
  case result
  /// None of them: nothing was found.
  case bare
}
