/// A part of a pipeline's work with its share of the whole, for progress that never goes backwards.
public struct JobPhase: Hashable, Sendable {
  /// A stable name: `reading`, `looking_up`.
  public var name: String
  /// Its share of the whole work, more than 0; only the relation of the shares counts.
  public var weight: Double

  /// Creates a phase.
  public init(_ name: String, weight: Double) {
    self.name = name
    self.weight = weight
  }
}

/// The work of a pipeline since its last report.
///
/// A step is committed as a whole: results, progress and checkpoint in one transaction.
public struct JobStep: Hashable, Sendable {
  /// The results of these items; a number that was reported before is replaced.
  public var items: [JobItem]
  /// The name of the phase under way.
  public var phase: String
  /// How much of the phase is done, 0 to 1.
  public var fraction: Double
  /// How many items are done in all, with those of earlier attempts.
  public var processed: Int
  /// The number of items; `nil` while unknown.
  public var total: Int?
  /// The current activity of the pipeline, for display: `Dune`.
  public var current: String?
  /// Where the work resumes after a crash; `nil` keeps the last checkpoint.
  public var checkpoint: [UInt8]?

  /// Creates a step.
  public init(
    items: [JobItem] = [],
    phase: String,
    fraction: Double,
    processed: Int,
    total: Int? = nil,
    current: String? = nil,
    checkpoint: [UInt8]? = nil
  ) {
    self.items = items
    self.phase = phase
    self.fraction = fraction
    self.processed = processed
    self.total = total
    self.current = current
    self.checkpoint = checkpoint
  }

  /// Whether it only says that the work continues.
  ///
  /// - Parameter last: The step before; `nil` if absent.
  /// - Returns: Whether it has no results and no checkpoint, and is as far as the step before.
  package func isSign(after last: JobStep?) -> Bool {
    guard items.isEmpty, checkpoint == nil, var last else { return false }
    (last.items, last.checkpoint) = ([], nil)
    return self == last
  }
}

/// The instruction to a pipeline after a step.
public enum JobDirective: Hashable, Sendable {
  /// Continue.
  case proceed
  /// Stop here and return what there is; the job ends as canceled.
  case stop
}

/// Takes the steps of a pipeline.
public protocol JobSteps: Sendable {
  /// Commits a step and returns whether to continue. Call it after every batch, at least every half a second and before
  /// anything slow: it is where cancellation is noticed. A step that says nothing new is not stored and makes no event.
  ///
  /// - Parameter step: The completed work.
  /// - Returns: Whether to continue.
  /// - Throws: An error of the store, or `CancellationError` when the server stops; let both pass.
  func commit(_ step: JobStep) async throws -> JobDirective
}

/// Why a job failed as a whole.
public struct JobFailure: Error, Hashable, Sendable {
  /// A stable code: `csv_no_header`, `provider_unavailable`.
  public var code: String
  /// The reason, for the person who started the job.
  public var message: String
  /// Whether the same job may succeed later: true for providers and time limits, false for what is
  /// wrong with the input.
  public var isRetryable: Bool
  /// Whether the job ends even if attempts are left: another one would have the same result.
  public var isFinal: Bool

  /// Creates a failure.
  public init(code: String, message: String, isRetryable: Bool, isFinal: Bool = false) {
    self.code = code
    self.message = message
    self.isRetryable = isRetryable
    self.isFinal = isFinal
  }
}

/// Does the work of one kind of job.
///
/// 1. ``run(_:steps:)`` begins at the checkpoint of its work. The server may be killed at any moment, and
///    then it is called again with the last committed checkpoint: items behind it are done again and must
///    come out the same, and what is written elsewhere (the library) must not be written twice. So a
///    pipeline that writes elsewhere keeps there, by job and item number and in the same transaction,
///    the outcome of each item, writes before it commits the step, and looks there first.
/// 2. Item numbers are dense from 0. Counts of the job are counts of its items.
/// 3. A failed item does not end the job. ``JobFailure`` does: what was committed stays, as partial.
/// 4. After ``JobDirective/stop`` it returns soon and commits nothing more. When its task is canceled it throws
///    `CancellationError`; the job resumes after the next start of the server.
public protocol JobPipeline: Sendable {
  /// Its name.
  var name: PipelineName { get }
  /// Its phases in order; at least one.
  var phases: [JobPhase] { get }

  /// Does the work, or the rest of it.
  ///
  /// - Parameters:
  ///   - work: What to do.
  ///   - steps: Takes what was done.
  /// - Throws: ``JobFailure`` if the attempt failed: one that is retryable and not final is followed by another one, from
  ///   the last checkpoint, while attempts are left; what ``JobSteps/commit(_:)`` throws. Any other error ends the job as
  ///   failed with the code `internal_error`; its text goes to the log only. An SQLite error that reports a locked
  ///   database does not fail the job: the work is called again with the last checkpoint.
  func run(_ work: JobWork, steps: any JobSteps) async throws

  /// Returns the failed rows as a table that can be corrected and sent again; `nil` for a pipeline whose input is not a
  /// table.
  ///
  /// - Parameters:
  ///   - work: The work; its input may be read again for the header.
  ///   - failed: The failed items in order of their numbers, with their raw bytes.
  /// - Returns: The bytes of a CSV file in UTF-8.
  /// - Throws: An error of reading the input.
  func failedRows(_ work: JobWork, failed: [JobItem]) async throws -> [UInt8]?

  /// The jobs whose outcomes of items it keeps elsewhere; none by default.
  func remembered() async throws -> [String]

  /// Removes what it keeps elsewhere of jobs whose results are gone, but not what they have made.
  func forget(_ jobs: [String]) async throws

  /// The server ends: what waits for something that others hold, such as a lock, fails at once from now on.
  func stopWaiting()

  /// The server ends, and no job of this pipeline runs any more: what it keeps elsewhere is brought into its final place.
  func close() async
}

extension JobPipeline {
  /// No table.
  public func failedRows(_ work: JobWork, failed: [JobItem]) async throws -> [UInt8]? { nil }

  /// Nothing waits.
  public func stopWaiting() {}

  /// Nothing.
  public func close() async {}

  /// No job.
  public func remembered() async throws -> [String] { [] }

  /// Nothing.
  public func forget(_ jobs: [String]) async throws {}
}
