import Jobs
import TestSimulation

@testable import JobsServer

// The work on a job, as ``JobRunner`` does it: each step is a transaction, whose answer may be lost.
extension JobWorld {
  /// What a job does.
  struct Plan {
    var items: Int
    /// How many attempts fail at an item at random, for a reason that passes.
    var failures = 0
    /// The item over which every server ends.
    var endsServer: Int?
  }

  /// Reads the job, and begins it unless servers ended over it again and again.
  func begin(_ server: Int, _ lease: JobLease) {
    transmit(server) {
      self.rows[lease.job]
    } answer: { found in
      guard let row = found ?? nil, !row.state.isTerminal else {
        return self.giveUp(server, lease)
      }
      guard
        self.fault?.triesOnAndOn == true
          || !JobLeaseState.isHopeless(crashes: row.crashes, self.limits)
      else { return self.end(server, lease, .fail, endsServers: true) }
      self.begin(server, lease, since: self.now)
    }
  }

  private func begin(_ server: Int, _ lease: JobLease, since: Int64) {
    transmit(server) {
      self.began(lease, token: self.servers[server].token)
    } answer: { found in
      guard let found else {
        guard self.now - since < Int64(self.limits.lockedSeconds) * 1_000 else {
          return self.giveUp(server, lease)
        }
        return self.onServer(server, in: 500) { self.begin(server, lease, since: since) }
      }
      guard let found else { return self.stopped(server, lease) }
      self.servers[server].work[lease.job]?.done = found.done
      self.servers[server].work[lease.job]?.seq = Int64(found.events.count)
      self.work(server, lease, found.plan)
    }
  }

  /// Does the next item, and stores it.
  private func work(_ server: Int, _ lease: JobLease, _ plan: Plan) {
    // Now and then an item takes longer than a lease lasts.
    let wait = random.oneIn(25) ? random.between(5_000, 25_000) : random.between(50, 900)
    onServer(server, in: wait) {
      guard let work = self.servers[server].work[lease.job], work.lease == lease else { return }
      if work.isCanceled { return self.giveUp(server, lease) }
      if work.isStopped { return self.end(server, lease, .stop) }
      guard work.done < plan.items else { return self.end(server, lease, .succeed) }
      if plan.endsServer == work.done {
        self.countEnd(over: lease.job)
        return self.kill(server)
      }
      if plan.failures > 0, self.random.oneIn(4),
        self.rows[lease.job]?.failures ?? 0 < plan.failures
      {
        return self.fail(server, lease)
      }
      self.commit(server, work, plan)
    }
  }

  private func commit(_ server: Int, _ work: Work, _ plan: Plan) {
    let (lease, token) = (work.lease, servers[server].token)
    steps += 1
    if fault?.tellsBeforeCommit == true {
      push(server, lease.job, progress(lease.job, work.seq + 1, done: work.done + 1))
    }
    transmit(server) {
      self.step(work, token: token)
    } answer: { answer in
      switch answer {
      case .stored(let event, let isStopped)?:
        self.servers[server].work[lease.job]?.done += 1
        self.servers[server].work[lease.job]?.seq = event.position.seq
        self.servers[server].work[lease.job]?.isStopped = isStopped
        if self.fault?.tellsAtOnce == true { self.push(server, lease.job, event) }
        self.work(server, lease, plan)
      case .refused?:
        _ = self.servers[server].leased.lose(lease)
        if self.fault?.goesOnRefused == true { return self.work(server, lease, plan) }
        self.stopped(server, lease)
      case nil: self.readAgain(server, lease, plan)
      }
    }
  }

  /// Reads the job after a step whose answer was lost, and goes on from what is stored.
  private func readAgain(_ server: Int, _ lease: JobLease, _ plan: Plan) {
    if servers[server].work[lease.job]?.isCanceled == true { return giveUp(server, lease) }
    transmit(server) {
      self.rows[lease.job]
    } answer: { found in
      guard var work = self.servers[server].work[lease.job] else { return }
      let row = found ?? nil
      if let row, row.state.isTerminal { return self.stopped(server, lease) }
      let step = work.patience.failed(
        isReachable: false,
        hasProgressed: row.map { $0.done != work.done } ?? false,
        at: self.clock(server)
      )
      if let row, self.fault?.forgetsCheckpoint != true {
        work.done = row.done
        if self.fault?.countsByItself != true { work.seq = Int64(row.events.count) }
      } else if self.fault?.forgetsCheckpoint == true {
        // It counts what it has sent as stored.
        work.done += 1
      }
      self.servers[server].work[lease.job] = work
      guard step == .retry else { return self.giveUp(server, lease) }
      self.onServer(server, in: 500) { self.work(server, lease, plan) }
    }
  }

  /// Stops the work on a job that another worker has: what it waits for is canceled.
  func stop(_ server: Int, _ lease: JobLease) {
    servers[server].work[lease.job]?.isCanceled = true
    onServer(server, in: random.between(0, 500)) { self.giveUp(server, lease) }
  }

  private func end(_ server: Int, _ lease: JobLease, _ cause: JobCause, endsServers: Bool = false) {
    guard let work = servers[server].work[lease.job] else { return }
    transmit(server) {
      self.end(work, cause, token: self.servers[server].token, endsServers: endsServers)
    } answer: { isStored in
      guard isStored != nil else { return self.giveUp(server, lease) }
      self.stopped(server, lease)
    }
  }

  private func fail(_ server: Int, _ lease: JobLease) {
    guard let work = servers[server].work[lease.job] else { return }
    let (stamp, sample) = (stamp(server), Double(random.between(0, 1_000)) / 1_000)
    transmit(server) {
      self.fail(work, token: self.servers[server].token, at: stamp, sample: sample)
    } answer: { isStored in
      guard isStored != nil else { return self.giveUp(server, lease) }
      self.stopped(server, lease)
    }
  }

  /// Gives a job back, and stops the work on it whether that succeeds or not.
  private func giveUp(_ server: Int, _ lease: JobLease) {
    guard servers[server].work[lease.job]?.lease == lease else { return }
    guard fault?.givesNothingBack != true else { return stopped(server, lease) }
    transmit(server) {
      self.rest(lease, token: self.servers[server].token)
    } answer: { _ in
      self.stopped(server, lease)
    }
  }

  /// Gives a job back that was not worked on.
  func giveBack(_ server: Int, _ lease: JobLease) {
    transmit(server) {
      self.rest(lease, token: self.servers[server].token)
    } answer: { _ in
    }
  }

  private func stopped(_ server: Int, _ lease: JobLease) {
    guard servers[server].work[lease.job]?.lease == lease else { return }
    servers[server].work[lease.job] = nil
    servers[server].leased.stopped(lease.job)
    search(server)
  }

  // MARK: Jobs

  /// Starts jobs from time to time, and cancels some.
  func startJobs() {
    guard now < Self.startsUntil else { return }
    schedule(in: random.between(500, 8_000)) { self.startJobs() }
    let id = "job\(rows.count)"
    var plan = Plan(items: Int(random.between(2, 14)))
    switch random.between(0, 9) {
    case 0, 1: plan.failures = Int(random.between(1, 4))
    // Each of its servers ends, so that it must come early.
    case 2 where now < 30_000 && random.oneIn(3):
      plan.endsServer = Int(random.between(0, Int64(plan.items) - 1))
    default: break
    }
    let runAt = random.oneIn(5) ? now + random.between(5_000, 30_000) : nil
    let token = random.oneIn(2)
    rows[id] = Row(plan: plan, runAt: runAt, createdAt: now)
    announceOpen()
    if token, random.oneIn(3) {
      schedule(in: random.between(10, 12_000)) { self.cancel(id) }
    }
  }

  func progress(_ job: String, _ seq: Int64, done: Int) -> JobEvent {
    JobEvent(
      position: EventPosition(epoch: 1, seq: seq),
      at: now,
      body: .progress(JobProgress(fraction: 0, processed: done))
    )
  }
}
