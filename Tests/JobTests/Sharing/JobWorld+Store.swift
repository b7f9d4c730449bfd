import Jobs

@testable import JobsServer

// The database: each function is a transaction, which decides by the values that the program uses.
extension JobWorld {
  /// What the database stores of a job.
  struct Row {
    var plan: Plan
    var state = JobState.queued
    var runAt: Int64?
    var createdAt: Int64
    var fence: Int64 = 0
    /// The process that has the lease; 0 for none.
    var owner = 0
    var endsAt: Int64 = 0
    var crashes = 0
    var failures = 0
    /// How many items are done, as the checkpoint says.
    var done = 0
    /// The items, each with the lease under which it was stored.
    var items: [Int: Int] = [:]
    var events: [JobEvent] = []

    // What only the simulation knows.

    /// How many workers have taken it.
    var grants = 0
    var takenAt: Int64 = 0
    var freeSince: Int64 = 0
    /// How many workers were silent until another one took it, since it went on last.
    var silences = 0
    /// How many servers ended over it.
    var killed = 0
    /// Whether it ended because of that.
    var endsServers = false

    init(plan: Plan, runAt: Int64?, createdAt: Int64) {
      self.plan = plan
      self.runAt = runAt
      self.createdAt = createdAt
      freeSince = createdAt
    }

    /// The lease as a worker finds it.
    func lease(for token: Int) -> JobLeaseState {
      JobLeaseState(
        state: state,
        runAt: runAt,
        fence: fence,
        holder: owner == 0 ? .nobody : owner == token ? .thisWorker : .another,
        endsAt: owner == 0 ? nil : endsAt,
        crashes: crashes
      )
    }

    mutating func write(_ lease: JobLeaseState, token: Int, at now: Int64) {
      state = lease.state
      (runAt, fence, crashes) = (lease.runAt, lease.fence, lease.crashes)
      owner = lease.holder == .nobody ? 0 : token
      endsAt = lease.endsAt ?? 0
      if owner == 0 { freeSince = now }
    }
  }

  /// The answer to a step.
  enum StepAnswer {
    case stored(JobEvent, isStopped: Bool)
    case refused
  }

  // MARK: Leases

  func claim(
    most: Int,
    besides: [String],
    due: Int64,
    token: Int
  ) -> [(lease: JobLease, grant: Int)] {
    var taken: [(lease: JobLease, grant: Int)] = []
    let order = rows.filter { !$0.value.state.isTerminal && !besides.contains($0.key) }
      .sorted { ($0.value.createdAt, $0.key) < ($1.value.createdAt, $1.key) }
    for (id, row) in order where taken.count < most {
      var found = row.lease(for: token)
      if fault?.takesBlindly == true { found.endsAt = min(found.endsAt ?? 0, now) }
      if fault?.neverExpires == true, found.holder == .another { found.endsAt = .max }
      if fault?.ignoresInstants == true { found.runAt = nil }
      let before = found.holder
      guard var lease = found.taken(at: now, due: due, limits) else { continue }
      if fault?.keepsFence == true { lease.fence = row.fence }
      if fault?.countsNoCrash == true { lease.crashes = row.crashes }
      if fault?.blamesItself == true, before == .thisWorker { lease.crashes += 1 }
      acquire(id, row, lease, from: before, token)
      taken.append((JobLease(job: id, fence: lease.fence), rows[id]?.grants ?? 0))
    }
    return taken
  }

  private func acquire(
    _ id: String,
    _ row: Row,
    _ lease: JobLeaseState,
    from before: JobLeaseState.Holder,
    _ token: Int
  ) {
    checkSteady(id, row)
    if let runAt = row.runAt, row.state == .queued, runAt > now + Self.longestSkew {
      breaks(.instants, "\(id) is taken \(runAt - now) ms before its instant")
    }
    let counts = before == .another ? 1 : 0
    if fault?.countsNoCrash != true, lease.crashes != row.crashes + counts {
      breaks(.blame, "\(id) counts \(lease.crashes) silent workers after \(row.crashes)")
    }
    rows[id]?.write(lease, token: token, at: now)
    rows[id]?.runAt = row.runAt
    rows[id]?.grants += 1
    rows[id]?.takenAt = now
    if before == .another {
      takeovers += 1
      rows[id]?.silences += 1
    }
  }

  func renew(_ held: [JobLease], token: Int) -> [JobLease] {
    held.filter { lease in
      guard let row = rows[lease.job] else { return false }
      let found = row.lease(for: token)
      // One that only compares whether the job is open.
      if fault?.renewsBlindly == true { return !row.state.isTerminal }
      guard let renewed = found.renewed(lease, at: now, limits) else { return false }
      rows[lease.job]?.write(renewed, token: token, at: now)
      return true
    }
  }

  func rest(_ lease: JobLease, token: Int) {
    guard let row = rows[lease.job], admits(row, lease, token) else { return }
    rows[lease.job]?.write(row.lease(for: token).freed, token: token, at: now)
    if !row.state.isTerminal { announceOpen() }
  }

  private func admits(_ row: Row, _ lease: JobLease, _ token: Int) -> Bool {
    if fault?.ignoresFences == true { return true }
    if fault?.keepsFence == true { return row.fence == lease.fence }
    return row.lease(for: token).admits(lease)
  }

  // MARK: Work

  func began(_ lease: JobLease, token: Int) -> Row? {
    guard let row = rows[lease.job], admits(row, lease, token),
      let state = row.state.after(.begin)
    else { return nil }
    rows[lease.job]?.state = state
    if row.events.isEmpty { append(lease.job, .started(phases: [], total: row.plan.items)) }
    return rows[lease.job]
  }

  func step(_ work: Work, token: Int) -> StepAnswer {
    let lease = work.lease
    guard let row = rows[lease.job], !row.state.isTerminal, admits(row, lease, token) else {
      return .refused
    }
    checkFence(row, work)
    let next = row.lease(for: token).stepped(hasCheckpoint: true, at: now, limits)
    rows[lease.job]?.endsAt = next.endsAt ?? 0
    rows[lease.job]?.crashes = next.crashes
    rows[lease.job]?.silences = 0
    rows[lease.job]?.items[work.done] = work.grant
    rows[lease.job]?.done = work.done + 1
    let known = fault?.countsByItself == true ? work.seq + 1 : nil
    let event = append(
      lease.job,
      .progress(JobProgress(fraction: 0, processed: work.done + 1)),
      known
    )
    return .stored(event, isStopped: row.state == .canceling)
  }

  func end(_ work: Work, _ cause: JobCause, token: Int, endsServers: Bool) {
    let id = work.lease.job
    guard let row = rows[id], admits(row, work.lease, token) else { return }
    if fault?.endsTwice != true || row.state.isTerminal == false {
      guard !row.state.isTerminal, let state = row.state.after(cause) else { return }
      rows[id]?.state = state
    }
    checkFence(row, work)
    rows[id]?.endsServers = endsServers
    close(id, cause)
  }

  func fail(_ work: Work, token: Int, at stamp: Int64, sample: Double) {
    let id = work.lease.job
    guard let row = rows[id], !row.state.isTerminal, admits(row, work.lease, token) else { return }
    checkFence(row, work)
    if row.state == .canceling {
      rows[id]?.state = .canceled
      return close(id, .stop)
    }
    let failures = row.failures + 1
    rows[id]?.failures = fault?.countsNoFailure == true ? row.failures : failures
    if failures > limits.attemptsOfJob { breaks(.attempts, "\(id) failed \(failures) times") }
    let retry = JobRetry(
      failures: fault?.triesOnAndOn == true ? 1 : failures,
      isRetryable: true,
      now: stamp,
      sample: sample,
      limits
    )
    guard case .again(let runAt) = retry else {
      rows[id]?.state = .failed
      return close(id, .fail)
    }
    let waiting = row.lease(for: token).waiting(until: runAt)
    rows[id]?.write(waiting, token: token, at: now)
    append(id, .progress(JobProgress(fraction: 0, processed: row.done)))
  }

  func cancel(_ id: String) {
    guard downUntil <= now, let row = rows[id], let state = row.state.after(.cancel),
      state != row.state
    else { return }
    rows[id]?.state = state
    if state.isTerminal { close(id, .cancel) }
  }

  /// Writes the end of a job.
  private func close(_ id: String, _ cause: JobCause) {
    rows[id]?.owner = 0
    rows[id]?.endsAt = 0
    let ending: JobEnding =
      switch cause {
      case .succeed: .succeeded
      case .fail: .failed
      default: .canceled
      }
    append(id, .ended(JobCompletion(ending: ending)))
    if rows[id]?.events.count(where: \.isTerminal) ?? 0 > 1 { breaks(.oneEnd, "\(id) ends again") }
  }

  /// Stores an event after the last one, and announces it.
  @discardableResult
  private func append(_ id: String, _ body: JobEvent.Body, _ known: Int64? = nil) -> JobEvent {
    let before = rows[id]?.events ?? []
    let seq = known ?? Int64(before.count) + 1
    if seq != Int64(before.count) + 1 { breaks(.log, "\(id): \(seq) follows \(before.count)") }
    if before.last?.isTerminal == true { breaks(.oneEnd, "\(id): \(seq) follows the end") }
    let event = JobEvent(position: EventPosition(epoch: 1, seq: seq), at: now, body: body)
    rows[id]?.events.append(event)
    announce(id, seq)
    return event
  }

  /// Checks that no other process has taken the job since.
  private func checkFence(_ row: Row, _ work: Work) {
    if work.grant != row.grants {
      breaks(.fences, "\(work.lease.job): lease \(work.grant) writes after \(row.grants)")
    }
  }

  /// Notes that a server ends over a job.
  func countEnd(over id: String) {
    rows[id]?.killed += 1
    let count = rows[id]?.killed ?? 0
    if count > limits.crashesOfJob { breaks(.attempts, "\(count) servers ended over \(id)") }
  }
}
