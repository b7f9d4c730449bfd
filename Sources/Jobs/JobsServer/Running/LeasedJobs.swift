import Jobs

/// The leases of one worker of a shared store: when it looks for jobs, how many it takes, when it renews, and what it stops.
///
/// A value without a clock. Times are those of a clock that never goes back, from any origin.
struct LeasedJobs: Sendable {
  /// A search for jobs.
  struct Search: Hashable, Sendable {
    /// The most jobs to lease.
    var most: Int
    /// Jobs that are not leased, since this worker works on them, even if their leases have ended.
    var besides: [String]
  }

  /// The outcomes of leases that were granted.
  struct Granted: Hashable, Sendable {
    /// Those whose jobs are worked on.
    var begun: [JobLease] = []
    /// Those that are given back: the worker ends.
    var returned: [JobLease] = []
  }

  private let limits: JobLimits
  /// The jobs that are worked on, also after their leases were lost: their work may not have stopped.
  private var running: Set<String> = []
  private var leases: [String: JobLease] = [:]
  /// Whether a search is under way, and whether there may be more jobs than it finds.
  private var (isSearching, mayBeMore) = (false, false)
  private var isClosed = false
  private var renewalAt: Duration

  /// Creates the state of a worker that works on nothing.
  init(_ limits: JobLimits, at now: Duration) {
    self.limits = limits
    renewalAt = now + Self.interval(limits)
  }

  /// How often leases are renewed, and how often the store is searched for jobs that were not announced.
  static func interval(_ limits: JobLimits) -> Duration {
    .seconds(limits.leaseSeconds) / 3
  }

  // MARK: Looking

  /// Notes that there may be a job to lease (JL10): one was announced, a lease may have ended, or there is room again.
  ///
  /// - Returns: The search to begin; `nil` if one is under way, which is followed by another one, or if there is no room.
  mutating func wanted() -> Search? {
    mayBeMore = true
    return isSearching ? nil : search()
  }

  private mutating func search() -> Search? {
    let room = limits.runningJobs - running.count
    guard mayBeMore, !isClosed, room > 0 else {
      isSearching = false
      return nil
    }
    (isSearching, mayBeMore) = (true, false)
    return Search(most: room, besides: running.sorted())
  }

  /// Takes the leases of a search.
  mutating func granted(_ found: [JobLease]) -> Granted {
    guard !isClosed else { return Granted(returned: found) }
    for lease in found {
      leases[lease.job] = lease
      running.insert(lease.job)
    }
    return Granted(begun: found)
  }

  /// Ends a search whose leases were taken.
  ///
  /// - Returns: The next one, if there may be more.
  mutating func searched() -> Search? { search() }

  /// Ends a search that failed: the next renewal looks again.
  mutating func searchFailed() { isSearching = false }

  // MARK: Renewing

  /// When the leases are renewed next.
  var wakesAt: Duration { renewalAt }

  /// Begins a renewal (JL3); the next one is counted from now, however long this one takes.
  ///
  /// - Returns: The leases to renew.
  mutating func renewal(at now: Duration) -> [JobLease] {
    renewalAt = now + Self.interval(limits)
    return leases.values.sorted { ($0.job, $0.fence) < ($1.job, $1.fence) }
  }

  /// Compares what was to be renewed with what was.
  ///
  /// - Returns: The leases that were lost, whose work is stopped.
  mutating func renewed(_ held: [JobLease], _ renewed: [JobLease]) -> [JobLease] {
    let renewed = Set(renewed)
    return held.filter { !renewed.contains($0) && lose($0) }
  }

  // MARK: Ends

  /// Notes that another worker has a lease, or that its job ended elsewhere.
  ///
  /// - Returns: Whether that is new.
  mutating func lose(_ lease: JobLease) -> Bool {
    guard leases[lease.job] == lease else { return false }
    leases[lease.job] = nil
    return true
  }

  /// Notes that the work on a job has stopped: there is room for another one.
  mutating func stopped(_ job: String) {
    running.remove(job)
    leases[job] = nil
  }

  /// Ends the worker: it takes no further job.
  mutating func close() { isClosed = true }
}
