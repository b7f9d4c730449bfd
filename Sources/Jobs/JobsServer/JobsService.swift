package import FreshnessServer
import HTTPTypes
package import Hummingbird
package import Jobs
package import Logging
package import Serving

/// The jobs' part of a server: durable jobs, their events over three transports, their results.
package struct JobsService: Sendable {
  /// The beginnings of the paths that take more than GET.
  package static let writablePaths = ["/v1/jobs", "/v1/dead-letters", "/v1/token", "/ws/progress"]

  let store: any JobStore
  let broadcaster: JobEventBroadcaster
  private let runner: JobRunner
  let authorization: JobAuthorization
  let rules: OriginGuard
  let starts: StartEndpoint
  private let clock: ServiceClock
  let logger: Logger
  let contact = StoreContact()
  private let pipelines: [PipelineName: any JobPipeline]
  let serving: ResourceServing
  private let operators: OperatorAccess

  /// Creates the service.
  ///
  /// - Parameters:
  ///   - store: The jobs.
  ///   - pipelines: The pipelines that do the work.
  ///   - rules: The origin rules for requests of browsers.
  ///   - acceptsQueryToken: Whether a token is accepted in the query, where it ends up in logs.
  ///   - operators: Decides which requests may see dead letters and start them again.
  ///   - clock: The service clock.
  ///   - logger: Logs failures.
  package init(
    store: any JobStore,
    pipelines: [any JobPipeline],
    rules: OriginGuard = OriginGuard(hosts: []),
    acceptsQueryToken: Bool = false,
    operators: OperatorAccess = OperatorAccess(token: nil),
    clock: ServiceClock,
    logger: Logger
  ) {
    self.operators = operators
    self.store = store
    self.clock = clock
    self.rules = rules
    self.logger = logger
    serving = ResourceServing(limits: .jobs(store.limits), observesShutdown: false) { [store] in
      store.now
    }
    broadcaster = JobEventBroadcaster(
      limits: store.limits,
      isShared: store.isShared,
      limiter: serving.limiter
    )
    authorization = JobAuthorization(
      store: store,
      acceptsQueryToken: acceptsQueryToken,
      metrics: broadcaster.metrics
    )
    runner = JobRunner(store: store, broadcaster: broadcaster, pipelines: pipelines, logger: logger)
    self.pipelines = Dictionary(pipelines.map { ($0.name, $0) }) { first, _ in first }
    starts = StartEndpoint(
      store: store,
      runner: runner,
      pipelines: Set(pipelines.map(\.name)),
      permits: UploadPermits(
        most: store.limits.uploads,
        mostBytes: store.limits.uploadBytes,
        mostWaiting: store.limits.uploadsWaiting
      ),
      starts: StartPermits(store.limits),
      metrics: broadcaster.metrics
    )
  }

  /// Opens WebSockets for the server.
  package var authorizer: JobSocketAuthorizer {
    JobSocketAuthorizer(
      store: store,
      broadcaster: broadcaster,
      authorization: authorization,
      rules: rules,
      serving: serving,
      logger: logger
    )
  }

  /// Resumes unfinished jobs that no worker runs, and removes expired ones, until the task is canceled.
  package func run() async throws {
    await withTaskGroup(of: Void.self) { group in
      if store.isShared {
        group.addTask { await share() }
      }
      await keepHouse()
      group.cancelAll()
    }
    await runner.close()
    await store.close()
  }

  /// Follows what other servers do, and keeps the leases of this one.
  private func share() async {
    let relay = JobRelay(store: store, broadcaster: broadcaster, logger: logger)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while (try? await Task.sleep(for: await runner.untilRenewal)) != nil {
          await attempt("leases cannot be renewed") {
            try await runner.renew()
            // What a server that ended had leased.
            try await runner.leaseNext()
          }
        }
      }
      // Renewals do not wait for reads.
      group.addTask {
        let pause = LeasedJobs.interval(store.limits)
        while (try? await Task.sleep(for: pause)) != nil { await relay.retry() }
      }
      await store.watch { announcement in
        switch announcement {
        case .event(let job, let seq): await relay.send(job, upTo: seq)
        case .open: await attempt("jobs cannot be leased") { try await runner.leaseNext() }
        case .gap:
          broadcaster.metrics.missedAnnouncements()
          await relay.catchUp()
          await attempt("jobs cannot be leased") { try await runner.leaseNext() }
        case .lost(let reason):
          logger.log(
            level: level,
            "the database announces nothing",
            metadata: ["error": "\(reason)"]
          )
        }
      }
      group.cancelAll()
    }
  }

  private func attempt(_ failure: String, _ body: () async throws -> Void) async {
    do {
      try await body()
    } catch is CancellationError {
    } catch {
      logger.log(level: level, "\(failure)", metadata: ["error": "\(error)"])
    }
  }

  /// The level of failures of the store, which are many while it is known not to answer.
  private var level: Logger.Level { contact.isSilent ? .debug : .warning }

  private func keepHouse() async {
    var hasCounted = false
    while !Task.isCancelled {
      do {
        if !hasCounted { try await store.countCrashes() }
        hasCounted = true
        // A run that the store interrupted is taken up again.
        try await runner.resume()
      } catch is CancellationError {
        break
      } catch {
        logger.error("jobs cannot be taken up", metadata: ["error": "\(error)"])
      }
      do {
        let expired = try await store.sweep()
        if !expired.isEmpty {
          logger.info("results expired", metadata: ["jobs": "\(expired.count)"])
        }
        // Each time, so that what a crash left goes too.
        for pipeline in pipelines.values {
          let gone = try await store.gone(of: try await pipeline.remembered())
          if !gone.isEmpty { try await pipeline.forget(gone) }
        }
      } catch is CancellationError {
        break
      } catch {
        logger.error("what is too old cannot be removed", metadata: ["error": "\(error)"])
      }
      do {
        for job in try await store.stuck() {
          logger.warning("a job does not go on", metadata: ["job": "\(job)"])
        }
      } catch is CancellationError {
        break
      } catch {
        logger.error("jobs cannot be looked at", metadata: ["error": "\(error)"])
      }
      do {
        // Not until an instant of the service clock, which may be set.
        try await Task.sleep(for: .seconds(Double(store.limits.sweepSeconds) / clock.pace))
      } catch {
        break
      }
    }
  }

  /// Writes measurements: how many jobs there are and what is done for them.
  package func write(to metrics: inout MetricsText) async {
    let found = await measured()
    metrics.add(
      "freshet_jobs",
      .gauge,
      "Jobs that are known, by state",
      JobState.allCases.map { state in
        let count = found.map { Double($0.counts[state.rawValue] ?? 0) }
        return (labels: [("state", state.rawValue)], value: count)
      }
    )
    metrics.add(
      "freshet_jobs_running",
      .gauge,
      "Jobs that are worked on at this moment",
      Double(await runner.count)
    )
    metrics.add(
      "freshet_jobs_stuck",
      .gauge,
      "Jobs that are worked on and have not gone on for long",
      found.map { Double($0.stuck) }
    )
    metrics.add(
      "freshet_jobs_dead",
      .gauge,
      "Dead letters: jobs that failed for reasons that may pass, and were not started again",
      found.map { Double($0.dead) }
    )
    metrics.add(
      "freshet_jobs_oldest_waiting_seconds",
      .gauge,
      "Time since the start of the oldest job that waits to run at once; 0 if none does",
      found.map { Double($0.delays.waiting ?? 0) / 1_000 }
    )
    metrics.add(
      "freshet_jobs_oldest_due_seconds",
      .gauge,
      "Time since the instant at which the oldest job was to run that waited for one; 0 if none is late",
      found.map { Double($0.delays.due ?? 0) / 1_000 }
    )
    starts.permits.write(to: &metrics)
    broadcaster.metrics.write(to: &metrics)
    if store.isShared { broadcaster.metrics.writeShared(to: &metrics) }
  }

  /// What the store says of all jobs; nil if it does not say it in time, as without its database.
  private func measured() async -> MeasuredJobs? {
    // The last health check got no answer.
    guard !contact.isSilent else { return nil }
    return try? await inTime { [store] in try await MeasuredJobs(store) }
  }

  /// What is read of the store for operators; `nil` if it takes longer than they wait for it.
  func inTime<Value: Sendable>(
    _ read: @escaping @Sendable () async throws -> Value
  ) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await read() }
      group.addTask {
        try? await Task.sleep(for: .seconds(JobLimits.measureSeconds))
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  /// Ends all streams and sockets, so that the server can end.
  package func close() { serving.close() }

  /// Histograms of reads and streams.
  package var served: ServingMetrics { serving.metrics }

  /// The methods of its paths, for ``Serving/RouteMethods``.
  package var forms: [RouteMethods.Form] { JobPathComponent.forms(Set(pipelines.keys)) }

  /// Adds the endpoints, behind the origin rules.
  package func add(to router: Router<some RequestContext>) {
    add(
      to: router.group()
        .add(middleware: OriginGuardMiddleware(rules))
        .add(middleware: StoreFaultMiddleware(store: store))
    )
  }

  private func add(to router: some RouterMethods<some RequestContext>) {
    let jobs = JobEndpoints(
      store: store,
      broadcaster: broadcaster,
      authorization: authorization,
      pipelines: pipelines,
      reads: JobReads(serving: serving)
    )
    let events = JobEventEndpoint(
      store: store,
      broadcaster: broadcaster,
      authorization: authorization,
      serving: serving
    )
    let authorizer = authorizer
    let letters = DeadLetterEndpoints(store: store, runner: runner, operators: operators)
    router.get("v1/dead-letters") { request, context in
      try await letters.list(request, isLocal: (context as? ClientContext)?.isPeerLocal ?? false)
    }
    router.post("v1/dead-letters/:job/restart") { request, context in
      try await letters.restart(
        request,
        id: Self.name(context),
        isLocal: (context as? ClientContext)?.isPeerLocal ?? false
      )
    }
    router.get("v1/capabilities") { _, _ in jobs.capabilities() }
    router.post("v1/token/refresh") { request, _ in try await jobs.refresh(request, id: nil) }
    router.post("v1/jobs/:job") { request, context in
      try await starts.answer(
        request,
        pipeline: Self.name(context),
        client: ClientNetwork(of: context)
      )
    }
    router.get("v1/jobs/:job") { request, context in
      try await jobs.status(request, id: Self.name(context))
    }
    router.delete("v1/jobs/:job") { request, context in
      try await jobs.cancel(request, id: Self.name(context))
    }
    router.post("v1/jobs/:job/cancel") { request, context in
      try await jobs.cancel(request, id: Self.name(context))
    }
    router.post("v1/jobs/:job/token") { request, context in
      try await jobs.refresh(request, id: Self.name(context))
    }
    router.get("v1/jobs/:job/events") { request, context in
      try await events.answer(request, id: Self.name(context))
    }
    router.head("v1/jobs/:job/events") { request, context in
      try await events.head(request, id: Self.name(context))
    }
    router.get("v1/jobs/:job/results") { request, context in
      try await jobs.results(request, id: Self.name(context))
    }
    router.get("v1/jobs/:job/failed.csv") { request, context in
      try await jobs.failedRows(request, id: Self.name(context))
    }
    router.get("ws/progress") { request, _ -> Response in
      throw try await authorizer.refusal(request.head)
    }
  }

  private static func name(_ context: some RequestContext) -> String {
    context.parameters.get("job") ?? ""
  }
}

/// What a store says of all jobs together.
private struct MeasuredJobs: Sendable {
  let counts: [String: Int]
  let stuck: Int
  let dead: Int
  let delays: JobDelays

  /// Asks the store; ends at the first question without an answer.
  init(_ store: any JobStore) async throws {
    counts = try await store.counts()
    stuck = try await store.stuck().count
    dead = try await store.deadLetters(limit: store.limits.deadLetters).count
    delays = try await store.delays()
  }
}
