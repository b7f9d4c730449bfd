import Jobs
import TolerantDecoding

/// What changes in a job when it ends.
struct JobClosing: Sendable {
  /// How it ended, as its last event says.
  let completion: JobCompletion
  let state: JobState
  let expiresAt: Int64
  let tombstoneUntil: Int64
  let sentence: String
  /// Whether an operator may start it again: it failed, and its input is not at fault.
  let isDead: Bool

  /// The code of a job over which servers ended again and again.
  static let endsServer = "job_ends_server"

  /// Creates the change.
  init(_ completion: JobCompletion, at now: Int64, _ limits: JobLimits) {
    var completion = completion
    isDead =
      completion.failure.map {
        $0.isRetryable == true || $0.code == Self.endsServer
      } ?? false
    expiresAt = now + Int64(limits.resultSeconds) * 1_000
    completion.expiresAt = expiresAt
    self.completion = completion
    state = completion.ending.known?.state ?? .failed
    tombstoneUntil = expiresAt + Int64(limits.tombstoneSeconds) * 1_000
    sentence = JobSentence.ended(completion)
  }

  /// How a job that was worked on ends, without its counts.
  static func completion(
    of job: JobRow,
    _ state: JobState,
    _ failure: JobFailure?,
    at now: Int64
  ) -> JobCompletion {
    let ending: JobEnding =
      switch state {
      case .succeeded: .succeeded
      case .canceled: .canceled
      default: .failed
      }
    return JobCompletion(
      ending: ending,
      duration: now - (job.startedAt ?? now),
      isPartial: ending != .succeeded,
      failure: failure.map {
        JobWireError(code: $0.code, message: $0.message, isRetryable: $0.isRetryable)
      }
    )
  }
}

extension JobProgress {
  /// The progress after a step; share and count never fall.
  func after(_ step: JobStep, fraction: Double, sentence: String) -> JobProgress {
    JobProgress(
      fraction: max(fraction, self.fraction),
      processed: max(step.processed, processed ?? 0),
      total: step.total ?? total,
      phase: step.phase,
      current: step.current,
      sentence: sentence
    )
  }
}

/// What a failed attempt does to a job that is tried again.
struct JobRepetition: Sendable {
  let runAt: Int64
  let rank: Int64
  let sentence: String
  let progress: JobProgress

  /// Decides, for a job that is worked on; `nil` if it ends.
  init?(_ job: JobRow, _ failure: JobFailure, at now: Int64, sample: Double, _ limits: JobLimits) {
    let failures = job.failures + 1
    guard job.state.after(.retry) == .queued,
      case .again(let runAt) = JobRetry(
        failures: failures,
        isRetryable: failure.isRetryable && !failure.isFinal,
        now: now,
        sample: sample,
        limits
      )
    else { return nil }
    self.runAt = runAt
    rank = job.schedule.rank(due: runAt, limits)
    sentence =
      "waiting for attempt \(failures + 1) of \(limits.attemptsOfJob): \(failure.message)"
    var progress = job.progress
    progress.sentence = sentence
    progress.retry = JobRetryNotice(
      failedAttempts: failures,
      maxAttempts: limits.attemptsOfJob,
      runAt: runAt,
      code: failure.code
    )
    self.progress = progress
  }
}
