import Jobs

/// What the row of a job says of its lease, and what a worker may do with it.
///
/// The store locks the row, decides by this value, and writes what it says, all in one transaction. So workers that act at
/// the same time see each other's decisions, however late their statements arrive.
///
/// A value without a clock. Instants are those of the database's clock, in milliseconds since 1970-01-01T00:00:00Z.
struct JobLeaseState: Hashable, Sendable {
  /// The worker of a job.
  enum Holder: Hashable, Sendable {
    /// No worker; the job may wait for an instant.
    case nobody
    /// The worker that asks.
    case thisWorker
    /// Another worker.
    case another
  }

  /// The state of the job.
  var state: JobState
  /// Before which instant it does not begin, by the clock that stamps jobs; `nil` for at once.
  var runAt: Int64?
  /// Counts the leases of the job.
  var fence: Int64
  /// The owner of the lease.
  var holder: Holder
  /// When the lease ends unless it is renewed; `nil` without one.
  var endsAt: Int64?
  /// How many workers ended while they worked on the job, since it went on last.
  var crashes: Int

  /// Creates a state.
  init(
    state: JobState,
    runAt: Int64?,
    fence: Int64,
    holder: Holder,
    endsAt: Int64?,
    crashes: Int
  ) {
    self.state = state
    self.runAt = runAt
    self.fence = fence
    self.holder = holder
    self.endsAt = endsAt
    self.crashes = crashes
  }

  /// How long a lease lasts without being renewed, in milliseconds.
  static func duration(_ limits: JobLimits) -> Int64 { Int64(limits.leaseSeconds) * 1_000 }

  // MARK: Taking

  /// The lease of a worker that takes the job (rules JL1 and JL5).
  ///
  /// - Parameters:
  ///   - now: The database's clock.
  ///   - due: The clock that stamps jobs.
  ///   - limits: The limits.
  /// - Returns: What to write; `nil` if the worker may not take the job.
  func taken(at now: Int64, due: Int64, _ limits: JobLimits) -> Self? {
    guard !state.isTerminal, isDue(at: due), holder == .nobody || isOver(at: now) else {
      return nil
    }
    var taken = self
    taken.fence += 1
    taken.holder = .thisWorker
    taken.endsAt = now + Self.duration(limits)
    // A lease that has ended without being released means that its process ended over the job, unless it was this one, which was
    // only cut off from the database.
    if holder == .another { taken.crashes += 1 }
    return taken
  }

  /// Whether the instant has come for which the job waits.
  private func isDue(at due: Int64) -> Bool {
    state != .queued || runAt.map { $0 <= due } ?? true
  }

  /// Whether a lease has ended.
  private func isOver(at now: Int64) -> Bool { endsAt.map { $0 <= now } ?? false }

  /// Whether enough workers ended over the job that it ends instead of being worked on (JL5).
  static func isHopeless(crashes: Int, _ limits: JobLimits) -> Bool {
    crashes >= limits.crashesOfJob
  }

  // MARK: Working

  /// Whether a worker may write under a lease (JL2): no other worker has taken the job since, whatever the clocks say.
  func admits(_ lease: JobLease) -> Bool {
    holder == .thisWorker && fence == lease.fence
  }

  /// The lease after a renewal (JL3); `nil` if it is another one's.
  func renewed(_ lease: JobLease, at now: Int64, _ limits: JobLimits) -> Self? {
    guard admits(lease) else { return nil }
    var renewed = self
    renewed.endsAt = now + Self.duration(limits)
    return renewed
  }

  /// The lease after a step (JL3): one that can be gone on from proves that the job does not end its workers.
  func stepped(hasCheckpoint: Bool, at now: Int64, _ limits: JobLimits) -> Self {
    var stepped = self
    stepped.endsAt = now + Self.duration(limits)
    if hasCheckpoint { stepped.crashes = 0 }
    return stepped
  }

  // MARK: Ends of leases

  /// The state after a worker gave the job up, or ended it.
  var freed: Self {
    var freed = self
    freed.holder = .nobody
    freed.endsAt = nil
    return freed
  }

  /// The state after an attempt failed and another one follows (JL6).
  func waiting(until runAt: Int64) -> Self {
    var waiting = freed
    waiting.state = .queued
    waiting.runAt = runAt
    return waiting
  }
}
