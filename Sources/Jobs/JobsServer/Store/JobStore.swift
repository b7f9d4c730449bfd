import Foundation
package import Jobs

/// Jobs, events, results and tokens.
///
/// Every change of a job is one transaction that also stores its event, before any client is notified. Work is done
/// under a lease: a worker whose lease has ended changes nothing.
package protocol JobStore: Sendable {
  /// The limits that the store enforces.
  var limits: JobLimits { get }
  /// Now, in milliseconds since 1970-01-01T00:00:00Z; a clock that is wrong for a while does not count.
  var now: Int64 { get }
  /// Now, for what ends: not after ``now``.
  var due: Int64 { get }

  /// Whether other servers change the store too.
  var isShared: Bool { get }
  /// Reports what any server has stored until the task is canceled; returns at once for a store that is not shared.
  func watch(_ notify: (JobStoreNotice) async -> Void) async

  /// The fault that a client gets instead of an error; `nil` for an error that does not pass.
  func fault(of error: any Error) -> StoreFault?
  /// Ends waits for locks, and prevents new ones: the server ends.
  func stopWaiting()
  /// Completes what was written, after the last job has stopped.
  func finishWriting() async
  /// Gives the store back.
  func close() async

  // MARK: Starting

  /// Whether a job could be started now: there is room, or it was started with this key before.
  func hasRoom(key: String?) async throws -> Bool
  /// Whether a job was started with a key that is still remembered.
  func knows(key: String?) async throws -> Bool
  /// Starts a job.
  ///
  /// - Parameters:
  ///   - pipeline: Its kind.
  ///   - inputs: Its files.
  ///   - options: The options of the request.
  ///   - key: The idempotency key, if any.
  ///   - id: The id, if the client chose one.
  ///   - schedule: When it may run, and before which others.
  /// - Returns: The result of the start.
  /// - Throws: An error of the database or of the file system; then nothing is stored.
  func start(
    _ pipeline: PipelineName,
    inputs: [JobInputFile],
    options: [String: String],
    key: String?,
    id: String?,
    schedule: JobSchedule
  ) async throws -> JobStart

  // MARK: Reading

  /// A job; `nil` if it never existed or was forgotten long ago.
  func job(_ id: String) async throws -> JobRow?
  /// Whether a job is or was here.
  func exists(_ job: String) async throws -> Bool
  /// The work of a job, with its last checkpoint and its files.
  func work(_ job: JobRow) async throws -> JobWork
  /// The jobs that are not over, in the order in which they run.
  func openJobs() async throws -> [JobRow]
  /// The jobs that are worked on and have not gone on for too long.
  func stuck() async throws -> [String]
  /// How many jobs are in each state.
  func counts() async throws -> [String: Int]
  /// How long the jobs have waited that could run and do not.
  func delays() async throws -> JobDelays
  /// Stored messages of the newest version after a number, in order.
  func messages(_ job: String, after seq: Int64, limit: Int) async throws -> [[UInt8]]
  /// Results of a job, in order of their numbers.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - outcomes: The outcomes; `nil` for all.
  ///   - after: The number of the previous result; -1 for the beginning.
  ///   - limit: The most results.
  /// - Returns: The results.
  /// - Throws: An error of the database.
  func items(
    _ job: String,
    outcomes: [JobOutcome]?,
    after: Int,
    limit: Int
  ) async throws -> [JobItem]
  /// Results of a job and their number at one moment; `nil` if they were removed.
  func page(
    _ job: String,
    outcomes: [JobOutcome]?,
    after: Int,
    limit: Int
  ) async throws -> JobPage?
  /// Whether the results of a job are gone.
  func isGone(_ job: String) async throws -> Bool
  /// Those of some jobs whose results are gone, or of which nothing is known.
  func gone(of jobs: [String]) async throws -> [String]

  // MARK: Tokens

  /// The access that a token grants; a token is too old from the very millisecond of its end.
  func access(_ job: String, token: String) async throws -> JobAccess
  /// Replaces a valid token with a new one; the old one stays valid for a short time.
  ///
  /// - Returns: The new token and its expiry; `nil` if the old one is not valid.
  func refresh(_ job: String, token: String) async throws -> (String, Int64)?

  // MARK: Working

  /// Leases a job; `nil` if another worker has it. The lease of a job that is over does not begin it.
  func claim(_ job: String) async throws -> JobLease?
  /// Leases the open jobs that no worker has and whose time has come, those with the lowest ranks first.
  ///
  /// - Parameters:
  ///   - most: The most jobs.
  ///   - jobs: Jobs that are not leased, since this process works on them, even if their leases have ended.
  /// - Returns: The leases.
  /// - Throws: An error of the database.
  func claimNext(most: Int, besides jobs: [String]) async throws -> [JobLease]
  /// Renews leases, and returns those that are still held.
  func renew(_ held: [JobLease]) async throws -> [JobLease]
  /// Lets a job go without its end, for any worker to take it up.
  func rest(_ lease: JobLease) async throws
  /// Begins or resumes the work; `nil` if the job has ended or the lease has.
  ///
  /// - Returns: The job, and the event if this is the first attempt.
  func begin(_ lease: JobLease, phases: [JobPhase]) async throws -> (JobRow, JobEvent?)?
  /// Commits a step: results, checkpoint, progress and its event.
  ///
  /// - Parameters:
  ///   - step: The step.
  ///   - lease: The lease of the job.
  ///   - fraction: The share of the whole; it never falls.
  ///   - sentence: The current activity, for display.
  /// - Returns: The event and whether to continue.
  /// - Throws: An error of the database; ``JobStoreError/gone(_:)`` for a job that has ended,
  ///   ``JobStoreError/fenced(_:)`` for a lease that has.
  func commit(
    _ step: JobStep,
    under lease: JobLease,
    fraction: Double,
    sentence: String
  ) async throws -> (JobEvent, JobDirective)
  /// Notes that the work continues and that there is nothing to report: no event is stored, and the job's row only as often
  /// as ``Jobs/JobLimits/signMilliseconds`` says.
  ///
  /// - Parameter lease: The lease of the job.
  /// - Returns: Whether to continue.
  /// - Throws: As ``commit(_:under:fraction:sentence:)``.
  func beat(_ lease: JobLease) async throws -> JobDirective
  /// Asks a job to stop.
  ///
  /// - Returns: The job, and its last event if it ended at once; `nil` if the job does not exist. A job that has ended
  ///   stays as it is.
  func cancel(_ id: String) async throws -> (JobRow, JobEvent?)?
  /// Ends a job.
  ///
  /// - Parameters:
  ///   - lease: The lease of the job.
  ///   - cause: How it ended: succeeded, failed or stopped.
  ///   - failure: Why it failed.
  /// - Returns: The job and its last event; `nil` if it has ended already or the lease has.
  /// - Throws: An error of the database.
  func end(
    _ lease: JobLease,
    _ cause: JobCause,
    failure: JobFailure?
  ) async throws -> (JobRow, JobEvent?)?

  /// Notes that an attempt failed: the job is queued again for later, or ends, see ``Jobs/JobRetry``. One that was asked
  /// to stop ends as canceled.
  ///
  /// - Parameters:
  ///   - lease: The lease of the job, which ends.
  ///   - failure: Why it failed.
  ///   - sample: A random sample, 0 to 1.
  /// - Returns: The job and the event with its outcome; `nil` if it has ended already or the lease has.
  /// - Throws: An error of the database.
  func fail(
    _ lease: JobLease,
    _ failure: JobFailure,
    sample: Double
  ) async throws -> (JobRow, JobEvent?)?

  // MARK: Operators

  /// The jobs that failed for reasons that may pass and were not started again, those that ended last first.
  func deadLetters(limit: Int) async throws -> [JobRow]
  /// Notes that a dead letter was started again as another job.
  func noteRestart(of job: String, as new: String) async throws

  // MARK: Housekeeping

  /// Counts the processes that ended while they worked on a job, when a process starts.
  func countCrashes() async throws
  /// Removes what is too old: results of jobs that ended long ago, and after another while the jobs.
  ///
  /// - Returns: The jobs whose results went.
  func sweep() async throws -> [String]
}

/// How long jobs have waited that could run and do not, in milliseconds; `nil` if none waits.
package struct JobDelays: Hashable, Sendable {
  /// Since the start of the oldest that was to run at once.
  package var waiting: Int64?
  /// Since the instant of the oldest that was to run at an instant, such as another attempt.
  package var due: Int64?

  /// Creates delays from the oldest instants.
  init(oldestStart: Int64?, oldestDue: Int64?, now: Int64) {
    waiting = oldestStart.map { max(0, now - $0) }
    due = oldestDue.map { max(0, now - $0) }
  }

  /// The query of the oldest instants, with the place of the present one.
  static func query(now place: String) -> String {
    """
    SELECT min(CASE WHEN run_at IS NULL THEN created_at END) AS start, min(run_at) AS due FROM job
    WHERE state = 'queued' AND (run_at IS NULL OR run_at <= \(place))
    """
  }
}

extension JobStore {
  func claimNext(most: Int) async throws -> [JobLease] {
    try await claimNext(most: most, besides: [])
  }

  func end(_ lease: JobLease, _ cause: JobCause) async throws -> (JobRow, JobEvent?)? {
    try await end(lease, cause, failure: nil)
  }

  func items(_ job: String, after: Int, limit: Int) async throws -> [JobItem] {
    try await items(job, outcomes: nil, after: after, limit: limit)
  }

  func start(
    _ pipeline: PipelineName,
    inputs: [JobInputFile],
    options: [String: String],
    key: String?
  ) async throws -> JobStart {
    try await start(pipeline, inputs: inputs, options: options, key: key, id: nil)
  }

  /// Starts a job that runs at once.
  func start(
    _ pipeline: PipelineName,
    inputs: [JobInputFile],
    options: [String: String],
    key: String?,
    id: String?
  ) async throws -> JobStart {
    try await start(
      pipeline,
      inputs: inputs,
      options: options,
      key: key,
      id: id,
      schedule: JobSchedule()
    )
  }

  /// Starts a dead letter again, as a job of its own with the same files and options; asked again, it is the same job.
  ///
  /// - Parameter id: The dead letter.
  /// - Returns: The result of the start; `nil` if there is no such dead letter.
  /// - Throws: An error of the database or of the file system.
  func restart(_ id: String) async throws -> JobStart? {
    guard let job = try await job(id), job.state == .failed, job.isDead || job.restartedAs != nil,
      !job.isGone(at: due)
    else { return nil }
    let files = try await work(job).inputs.map { input in
      let content = try Data(contentsOf: URL(fileURLWithPath: input.path))
      return (name: input.name, mediaType: input.mediaType, content: Array(content))
    }
    // The keys of clients have the name of an owner in front.
    let start = try await start(
      job.pipeline,
      inputs: files,
      options: job.options,
      key: "dead letter\0\(id)",
      id: nil,
      schedule: JobSchedule(priority: job.schedule.priority)
    )
    if case .job(let new, _, _) = start { try await noteRestart(of: id, as: new.id) }
    return start
  }
}

/// What a shared store reports.
package enum JobStoreNotice: Hashable, Sendable {
  /// An event was stored.
  case event(job: String, seq: Int64)
  /// A job may be leased.
  case open
  /// Reports begin or continue; any number of them may be missing before this one.
  case gap
  /// Reports have stopped, and will continue.
  case lost(String)
}

/// A file that comes with the start of a job.
package typealias JobInputFile = (name: String, mediaType: String, content: [UInt8])

/// The outcome of starting a job.
package enum JobStart: Sendable {
  /// It is new, or it is the one that was started with the same key before.
  case job(JobRow, token: String, isNew: Bool)
  /// The key was used for another request.
  case mismatch
  /// Another job has the requested id.
  case taken
  /// Too many jobs wait or run.
  case busy
}

/// Results of a job at one moment.
package struct JobPage: Sendable {
  /// The results, in order of their numbers.
  var items: [JobItem]
  /// How many results have one of the outcomes.
  var total: Int
}

/// The access that a token grants.
package enum JobAccess: Sendable {
  /// It opens the job.
  case open(JobRow, tokenExpiresAt: Int64)
  /// It was one for this job, and is too old.
  case tokenExpired
  /// It is or was one for this job, whose results are gone.
  case gone
  /// The token is not valid for this job, or the job does not exist: the client does not learn which.
  case refused
}
