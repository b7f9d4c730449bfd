import ConditionalHTTP
import Jobs
import Logging
import Serving
import Synchronization

/// Runs jobs, a limited number at once, and resumes those that were running when the server ended.
///
/// The next one is that with the lowest rank of the client network that has the fewest running, so that no client waits for all the jobs of another.
/// Whose jobs they are is not stored: those that are resumed are one client's.
actor JobRunner {
  private let store: any JobStore
  private let broadcaster: JobEventBroadcaster
  private let pipelines: [PipelineName: any JobPipeline]
  private let logger: Logger
  private var waiting = WaitingJobs()
  /// Rings when the time of a job that waits has come.
  private var alarm: (at: Int64, task: Task<Void, Never>)?
  private var running: [String: Task<Void, Never>] = [:]
  /// The leases of those that run, if the store is shared.
  private var leased: LeasedJobs
  /// The origin of the times of the leases.
  private let origin = ContinuousClock.now
  /// Whose jobs wait or run.
  private var clients: [String: ClientNetwork] = [:]
  /// The traces of the requests that started jobs of this process, until those are over.
  private var traces: [String: TraceScope] = [:]
  private var isClosed = false
  /// Those over which the process has ended more than once: each runs alone, so that no other is blamed for it.
  private var suspects: Set<String> = []

  init(
    store: any JobStore,
    broadcaster: JobEventBroadcaster,
    pipelines: [any JobPipeline],
    logger: Logger
  ) {
    self.store = store
    self.broadcaster = broadcaster
    self.pipelines = Dictionary(pipelines.map { ($0.name, $0) }) { first, _ in first }
    self.logger = logger
    leased = LeasedJobs(store.limits, at: .zero)
  }

  /// How many run.
  var count: Int { running.count }

  /// Takes up what is not over.
  ///
  /// - Throws: An error of the store.
  func resume() async throws {
    if store.isShared { return try await leaseNext() }
    let open = try await store.openJobs()
    waiting.keep(Set(open.map(\.id)), at: store.now)
    for job in open where running[job.id] == nil {
      if job.crashes >= store.limits.crashesOfJob - 1 { suspects.insert(job.id) }
      waiting.add(job)
    }
    startNext()
  }

  /// Takes a new job.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - client: Whose it is; `nil` if clients cannot be told apart.
  func add(_ job: JobRow, of client: ClientNetwork?) {
    // The job is announced to all servers.
    guard !isClosed, !store.isShared else { return }
    clients[job.id] = client
    traces[job.id] = TraceScope.current
    guard running[job.id] == nil else { return }
    waiting.add(job)
    startNext()
  }

  /// Whether a client may have another open job, by the rule of places that client networks share.
  ///
  /// - Parameters:
  ///   - client: The client; `nil` if clients cannot be told apart.
  ///   - percent: The most percent of all open jobs that it has while no other client has any.
  /// - Returns: Whether it may.
  func hasShare(_ client: ClientNetwork?, percent: Int) -> Bool {
    guard let client, !store.isShared else { return true }
    let held = clients.values.count { $0 == client }
    let free = store.limits.openJobs - waiting.count - running.count
    return FairPlaces.isOpen(to: held, free: free, percent: percent)
  }

  /// Stops everything; it resumes after the next start.
  func close() async {
    isClosed = true
    leased.close()
    alarm?.task.cancel()
    store.stopWaiting()
    for pipeline in pipelines.values { pipeline.stopWaiting() }
    let tasks = Array(running.values)
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    for pipeline in pipelines.values { await pipeline.close() }
    await store.finishWriting()
  }

  // MARK: A shared store

  /// Leases and runs the oldest jobs of a shared store, as many as there is room for.
  func leaseNext() async throws {
    var search = leased.wanted()
    while let next = search {
      let found: [JobLease]
      do {
        found = try await store.claimNext(most: next.most, besides: next.besides)
      } catch {
        leased.searchFailed()
        throw error
      }
      let granted = leased.granted(found)
      for lease in granted.begun {
        running[lease.job] = Task {
          _ = await TraceScope.$current.withValue(.own()) { await self.run(lease) }
          // What comes next is not canceled with the job.
          await Task { await self.endedShared(lease.job) }.value
        }
      }
      for lease in granted.returned { await letGo(lease) }
      search = leased.searched()
    }
  }

  private func endedShared(_ job: String) async {
    running[job] = nil
    leased.stopped(job)
    do {
      try await leaseNext()
    } catch {
      logger.warning("jobs cannot be leased", metadata: ["error": "\(error)"])
    }
  }

  /// How long it is until leases are renewed.
  var untilRenewal: Duration { max(.zero, leased.wakesAt - origin.duration(to: .now)) }

  /// Renews the leases of what runs, and stops what another server has taken over.
  func renew() async throws {
    let held = leased.renewal(at: origin.duration(to: .now))
    guard !held.isEmpty else { return }
    for lease in leased.renewed(held, try await store.renew(held)) {
      broadcaster.metrics.lostLease()
      running[lease.job]?.cancel()
    }
  }

  /// Counts a lease once that another server has, or of a job that ended elsewhere.
  private func lose(_ lease: JobLease) {
    if leased.lose(lease) { broadcaster.metrics.lostLease() }
  }

  private func startNext() {
    while !isClosed, running.count < store.limits.runningJobs, let place = nextPlace {
      let job = waiting.jobs[place].id
      let isAlone = running.isEmpty || !suspects.contains(job)
      guard isAlone, !running.keys.contains(where: suspects.contains) else { return }
      waiting.remove(at: place)
      // Not the trace of the request, if any, that made room for this job.
      let scope = traces[job]?.following ?? .own()
      running[job] = Task {
        let again = await TraceScope.$current.withValue(scope) { await self.run(job) }
        self.ended(job, again: again)
      }
    }
    setAlarm()
  }

  /// The place of the job that runs next.
  private var nextPlace: Int? {
    let due = waiting.due(at: store.now)
    return Self.next(
      due.map { clients[waiting.jobs[$0].id] },
      running: running.keys.map { clients[$0] }
    ).map { due[$0] }
  }

  /// Checks again when the time of the next job has come, and in between: clocks may be set.
  private func setAlarm() {
    let now = store.now
    guard let next = waiting.nextDue(after: now), !isClosed else { return }
    if let alarm, alarm.at <= next { return }
    alarm?.task.cancel()
    let pause = Duration.milliseconds(min(next - now, Self.longestAlarm))
    let task = Task {
      guard (try? await Task.sleep(for: pause)) != nil else { return }
      self.alarm = nil
      self.startNext()
    }
    alarm = (next, task)
  }

  /// The longest wait of an alarm, in milliseconds.
  private static let longestAlarm: Int64 = 10_000

  /// Finds the job that runs next: the oldest of a client that has the fewest running.
  ///
  /// - Parameters:
  ///   - waiting: Whose jobs wait, the oldest first.
  ///   - running: Whose jobs run.
  /// - Returns: Its place among those that wait; `nil` if none waits.
  static func next(_ waiting: [ClientNetwork?], running: [ClientNetwork?]) -> Int? {
    var counts: [ClientNetwork?: Int] = [:]
    for client in running { counts[client, default: 0] += 1 }
    return waiting.indices.min { left, right in
      (counts[waiting[left]] ?? 0, left) < (counts[waiting[right]] ?? 0, right)
    }
  }

  private func ended(_ job: String, again: JobRow?) {
    running[job] = nil
    suspects.remove(job)
    if let again {
      waiting.add(again)
    } else {
      clients[job] = nil
      traces[job] = nil
    }
    startNext()
  }

  @concurrent
  private nonisolated func run(_ id: String) async -> JobRow? {
    do {
      if let lease = try await store.claim(id) { return await run(lease) }
    } catch {
      logger.error("a job cannot be taken up", metadata: ["job": "\(id)", "error": "\(error)"])
    }
    return nil
  }

  /// Runs a job.
  ///
  /// - Returns: The job if it is tried again later.
  @concurrent
  private nonisolated func run(_ lease: JobLease) async -> JobRow? {
    do {
      return try await work(under: lease)
    } catch JobStoreError.fenced {
      await lose(lease)
      logger.warning("another server took a job over", metadata: ["job": "\(lease.job)"])
    } catch JobStoreError.gone {
      await lose(lease)
      logger.warning("a job ended elsewhere, or was removed", metadata: ["job": "\(lease.job)"])
    } catch {
      logger.error(
        "a job cannot be run",
        metadata: ["job": "\(lease.job)", "error": "\(error)"]
      )
      await letGo(lease)
    }
    return nil
  }

  private nonisolated func work(under lease: JobLease) async throws -> JobRow? {
    let id = lease.job
    logger.debug("a job runs", metadata: ["job": "\(id)"])
    guard let job = try await store.job(id), !job.state.isTerminal else {
      await letGo(lease)
      return nil
    }
    guard let pipeline = pipelines[job.pipeline] else {
      let failure = JobFailure(
        code: JobProblemCode.pipelineUnavailable.rawValue,
        message: "this server does not run \(job.pipeline) any more",
        isRetryable: false
      )
      try await end(lease, .fail, failure)
      return nil
    }
    guard !JobLeaseState.isHopeless(crashes: job.crashes, store.limits) else {
      logger.error(
        "a job is ended because the server ended over it again and again",
        metadata: ["job": "\(id)", "times": "\(job.crashes)"]
      )
      try await end(lease, .fail, Self.failure(of: job))
      return nil
    }
    guard let (begun, event) = try await begin(lease, pipeline) else { return nil }
    if let event { broadcaster.publish(event, of: id) }
    do {
      let isStopped = try await work(begun, lease, pipeline)
      try await end(lease, isStopped ? .stop : .succeed, nil)
    } catch let failure as JobFailure {
      return try await fail(lease, failure)
    } catch is CancellationError {
      logger.info("a job waits for the next start", metadata: ["job": "\(id)"])
      await letGo(lease)
    } catch JobStoreError.fenced(let job) {
      throw JobStoreError.fenced(job)
    } catch JobStoreError.gone(let job) {
      throw JobStoreError.gone(job)
    } catch  where store.fault(of: error) == .unreachable {
      // The job is unchanged; a server that reaches the database continues it.
      throw error
    } catch {
      // A server that ends interrupts its stores too.
      if Task.isCancelled {
        await letGo(lease)
        return nil
      }
      logger.error("a job failed", metadata: ["job": "\(id)", "error": "\(error)"])
      let failure = JobFailure(
        code: "internal_error",
        message: "the server failed to do the work; the failure is in its log as \(id)",
        isRetryable: true
      )
      try await end(lease, .fail, failure)
    }
    return nil
  }

  /// Notes that an attempt failed.
  ///
  /// - Returns: The job if it is tried again later.
  private nonisolated func fail(_ lease: JobLease, _ failure: JobFailure) async throws -> JobRow? {
    let sample = Double.random(in: 0...1)
    guard let (job, event) = try await store.fail(lease, failure, sample: sample) else {
      return nil
    }
    if let event { broadcaster.publish(event, of: lease.job) }
    guard !job.state.isTerminal else { return nil }
    broadcaster.metrics.retried()
    logger.warning(
      "an attempt at a job failed",
      metadata: [
        "job": "\(job.id)", "failures": "\(job.failures)", "code": "\(failure.code)",
        "reason": "\(failure.message)",
      ]
    )
    return job
  }

  /// Why a job is ended over which the server ended, with what is known of where it was.
  private static func failure(of job: JobRow) -> JobFailure {
    var place = job.progress.phase.map { " while it was at \($0.replacing("_", with: " "))" } ?? ""
    if let current = job.progress.current { place += ", at \"\(current.prefix(100))\"" }
    if let done = job.progress.processed {
      place += job.progress.total.map { ", \(done) of \($0) done" } ?? ", \(done) done"
    }
    return JobFailure(
      code: JobClosing.endsServer,
      message: "the server ended \(job.crashes) times over this job\(place); what was done is kept",
      isRetryable: false
    )
  }

  /// Says that the job is not worked on, also when the task is cancelled already.
  private nonisolated func letGo(_ lease: JobLease) async {
    let store = store
    // Not a part of this task: the change of a cancelled task is cancelled.
    await Task { try? await store.rest(lease) }.value
  }

  /// Begins a job; while another program has locked the database, waits.
  private nonisolated func begin(
    _ lease: JobLease,
    _ pipeline: any JobPipeline
  ) async throws -> (JobRow, JobEvent?)? {
    let end = ContinuousClock.now + .seconds(store.limits.lockedSeconds)
    while true {
      do {
        return try await store.begin(lease, phases: pipeline.phases)
      } catch  where isPassing(error) && ContinuousClock.now < end {
        try await Task.sleep(for: Self.lockPause)
      }
    }
  }

  /// Does the work of a job; while another program has locked a database, waits and resumes from the checkpoint.
  ///
  /// - Returns: Whether it was asked to stop.
  /// - Throws: What the pipeline throws; `JobFailure` if the lock remains.
  private nonisolated func work(
    _ begun: JobRow,
    _ lease: JobLease,
    _ pipeline: any JobPipeline
  ) async throws -> Bool {
    var job = begun
    var patience = JobPatience(store.limits)
    while true {
      let steps = RunnerSteps(job, lease, pipeline.phases, store, broadcaster)
      do {
        var work = try await store.work(job)
        work.fence = lease.fence
        work.attemptsLeft = max(0, store.limits.attemptsOfJob - 1 - job.failures)
        try await pipeline.run(work, steps: steps)
        return steps.isStopped
      } catch  where isPassing(error) {
        if Task.isCancelled { throw CancellationError() }
        let now = try await reread(job)
        let hasProgressed = now.map { $0.checkpoint != job.checkpoint } ?? false
        let isNew = hasProgressed || !patience.isWaiting
        let step = patience.failed(
          isReachable: store.fault(of: error) != .unreachable,
          hasProgressed: hasProgressed,
          at: origin.duration(to: .now)
        )
        job = now ?? job
        logger.log(
          level: isNew ? .warning : .debug,
          "a job waits for a database that cannot be used",
          metadata: ["job": "\(job.id)", "error": "\(error)"]
        )
        switch step {
        case .retry: try await Task.sleep(for: Self.lockPause)
        case .letGo: throw error
        case .fail:
          throw JobFailure(
            code: "database_locked",
            message:
              "another program keeps a database of the server locked; it was tried for "
              + "\(store.limits.lockedSeconds) s",
            isRetryable: true
          )
        }
      }
    }
  }

  /// The job as it is now; `nil` while that cannot be read.
  private nonisolated func reread(_ job: JobRow) async throws -> JobRow? {
    do {
      guard let now = try await store.job(job.id), !now.state.isTerminal else {
        throw JobStoreError.gone(job.id)
      }
      return now
    } catch  where isPassing(error) {
      return nil
    }
  }

  /// The pause before another attempt at a locked database, which itself waits some seconds.
  private static let lockPause = Duration.milliseconds(500)

  /// Whether a database cannot be used for now: that of the jobs, or one that the pipeline uses.
  private nonisolated func isPassing(_ error: any Error) -> Bool {
    [.locked, .unreachable].contains(store.fault(of: error))
  }

  private nonisolated func end(
    _ lease: JobLease,
    _ cause: JobCause,
    _ failure: JobFailure?
  ) async throws {
    guard let (_, event) = try await store.end(lease, cause, failure: failure) else { return }
    if let event { broadcaster.publish(event, of: lease.job) }
  }
}

/// Commits the steps of one run.
private final class RunnerSteps: JobSteps {
  private let lease: JobLease
  private let store: any JobStore
  private let broadcaster: JobEventBroadcaster
  private let state: Mutex<(scale: ProgressScale, isStopped: Bool, last: JobStep?)>

  init(
    _ job: JobRow,
    _ lease: JobLease,
    _ phases: [JobPhase],
    _ store: any JobStore,
    _ broadcaster: JobEventBroadcaster
  ) {
    self.lease = lease
    self.store = store
    self.broadcaster = broadcaster
    state = Mutex((ProgressScale(phases, from: job.progress.fraction), false, nil))
  }

  /// Whether the pipeline was asked to stop.
  var isStopped: Bool { state.withLock { $0.isStopped } }

  func commit(_ step: JobStep) async throws -> JobDirective {
    try Task.checkCancellation()
    let directive: JobDirective
    // Repeated progress makes no event: each heartbeat shows subscribers that a silent job lives.
    if step.isSign(after: state.withLock({ $0.last })) {
      directive = try await store.beat(lease)
    } else {
      let fraction = state.withLock { $0.scale.move(to: step.phase, step.fraction) }
      let event: JobEvent
      (event, directive) = try await store.commit(
        step,
        under: lease,
        fraction: fraction,
        sentence: JobSentence.progress(step)
      )
      state.withLock { $0.last = step }
      broadcaster.publish(event, of: lease.job)
    }
    if directive == .stop { state.withLock { $0.isStopped = true } }
    return directive
  }
}
