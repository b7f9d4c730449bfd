package import ConditionalHTTP
import Freshness
package import FreshnessRuntime
import FreshnessServer
import GTFS
import GTFSRealtime
import HTTPTypes
package import Logging
package import Serving
import Synchronization

/// The realtime sources of a server, polled by the engine; boards read what they left.
///
/// A request never waits for a source: a tick decodes and indexes off the request path and puts the
/// result in place in one assignment. An unchanged feed costs one conditional request.
package final class RealtimeFeeds: Sendable {
  let sources: [RealtimeSource]
  let store: FeedStore
  private let exchange: any HTTPExchange
  /// What servers share of the sources; `nil` if each server polls for itself.
  let sharing: RealtimeSharing?
  let clock: ServiceClock
  private let hostClock: HostClock
  private let random: any RandomNumberGenerator & Sendable
  private let logger: Logger
  private let leastPercent: MatchThreshold
  let history: HistoryInbox?
  private let onTaken: @Sendable (RealtimeSource) -> Void
  let state: Mutex<[String: RealtimeState]>
  private let changeCount = Atomic<UInt64>(0)
  /// The server that polls each source, while it is polled.
  private let pollers = Mutex<[RealtimeSource: FreshnessClient]>([:])
  private let broadcaster = UpdateBroadcaster()

  /// Creates the sources of a server; nothing is asked yet.
  ///
  /// - Parameters:
  ///   - sources: Where the feeds are; of several of a kind for a timetable, the first that has a trip on a day wins,
  ///     and all their alerts are shown.
  ///   - store: The timetables.
  ///   - exchange: Sends the requests; files need none.
  ///   - clock: The service clock.
  ///   - hostClock: The clock of the schedule.
  ///   - random: The random source of the schedule's jitter; each source starts with the same.
  ///   - logger: Logs what an operator should know.
  ///   - leastPercent: The share of the trip updates that must match a trip.
  ///   - history: Gets what is put in place; `nil` without a history.
  ///   - sharing: The database through which servers share the sources; `nil` if each server polls for itself.
  ///   - onTaken: Called after each new content of a source, once it is in use or rejected.
  package init(
    sources: [RealtimeSource],
    store: FeedStore,
    exchange: any HTTPExchange,
    clock: ServiceClock,
    hostClock: HostClock = .device(),
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    logger: Logger,
    leastPercent: MatchThreshold = MatchThreshold(),
    history: HistoryInbox? = nil,
    sharing: RealtimeSharing? = nil,
    onTaken: @escaping @Sendable (RealtimeSource) -> Void = { _ in }
  ) {
    self.sources = sources
    self.store = store
    self.exchange = FileExchange(otherwise: exchange)
    self.clock = clock
    self.hostClock = hostClock
    self.random = random
    self.logger = logger
    self.leastPercent = leastPercent
    self.history = history
    self.sharing = sharing
    self.onTaken = onTaken
    var states: [String: RealtimeState] = [:]
    for source in sources {
      switch source.kind {
      case .tripUpdates: states[source.prefix, default: RealtimeState()].trips.append(.init(source))
      case .alerts: states[source.prefix, default: RealtimeState()].alerts.append(.init(source))
      case .vehiclePositions:
        states[source.prefix, default: RealtimeState()].vehicles.append(.init(source))
      }
    }
    for prefix in states.keys { states[prefix]?.show() }
    state = Mutex(states)
  }

  /// Whether any source is asked with credentials.
  var hasCredentials: Bool {
    sources.contains { $0.request.headerFields[.authorization] != nil }
  }

  /// The share of the trip updates of a feed that must match a trip, in percent.
  func leastPercent(of feed: Feed) -> Int { leastPercent.percent(prefix: feed.entry.prefix ?? "") }

  /// The number of changes of realtime so far; what is read after it is as new.
  var version: UInt64 { changeCount.load(ordering: .acquiring) }

  /// Changes the states, and counts the change.
  func update<Outcome: Sendable>(
    _ change: (inout [String: RealtimeState]) -> Outcome
  ) -> Outcome {
    state.withLock { state in
      // Before the lock is released: no request reads the new state with the earlier number.
      defer { changeCount.add(1, ordering: .releasing) }
      return change(&state)
    }
  }

  /// What boards of a timetable may know of realtime.
  func snapshot(of feed: Feed) -> RealtimeSnapshot {
    let key = feed.entry.prefix ?? ""
    return state.withLock { state in
      guard let current = state[key] else { return RealtimeSnapshot() }
      // An index of another timetable would name other trips. Nothing is written without need: each change is a copy.
      var snapshot = current.snapshot
      let generation = feed.entry.generation
      if current.tripGeneration != generation,
        snapshot.index != nil || snapshot.trips.fetchedAt != nil
      {
        snapshot.index = nil
        snapshot.isOfAnotherTimetable = snapshot.trips.fetchedAt != nil
      }
      if current.alertGeneration != generation, snapshot.alertIndex != nil {
        snapshot.alertIndex = nil
      }
      if current.vehicleGeneration != generation, snapshot.vehicleIndex != nil {
        snapshot.vehicleIndex = nil
      }
      return snapshot
    }
  }

  /// Waits for the next change of any realtime.
  ///
  /// - Returns: Once for each change or several together; ends when the task is cancelled.
  func ticks() -> AsyncStream<Void> { broadcaster.changes() }

  /// The state of a source's poller and its current failure; `nil` if the source is not polled.
  func poller(of source: RealtimeSource) -> (report: FreshnessReport, failure: String?)? {
    let download = FeedDownload(source: source, constants: source.policy)
    guard let client = pollers.withLock({ $0[source] }), let report = client.freshness(of: download)
    else { return nil }
    return (report, client.snapshot(of: download)?.failure.map { Self.description($0) })
  }

  // MARK: Polling

  /// Polls the sources until the task is cancelled.
  package func run() async {
    let prefixes = Set(store.feeds.map { $0.entry.prefix ?? "" })
    for source in sources where !prefixes.contains(source.prefix) {
      logger.warning(
        "a realtime source is for a feed that is not imported",
        metadata: source.metadata(["prefix": "\"\(source.prefix)\""])
      )
    }
    await withTaskGroup { group in
      for source in sources where sharing == nil || !RealtimeSharing.shares(source) {
        group.addTask { await self.poll(source) }
      }
      if let sharing { group.addTask { await sharing.run(self) } }
      group.addTask { await self.followTimetables() }
    }
  }

  /// Polls a source until the task is canceled.
  ///
  /// - Parameters:
  ///   - source: The source.
  ///   - term: The lease under which its feeds are published for all servers; `nil` if they are put in place here only.
  func poll(_ source: RealtimeSource, under term: SharedTerm? = nil) async {
    let traces = OwnTraces(
      term.map { LeasedExchange(exchange: exchange, term: $0) } ?? exchange
    )
    let client = FreshnessClient(
      exchange: traces,
      policy: source.policy,
      clock: hostClock,
      random: random,
      limits: ClientLimits(idleResources: 0),
      recorder: { self.asked(source, $0.sample) }
    )
    pollers.withLock { $0[source] = client }
    defer { pollers.withLock { $0[source] = nil } }
    let download = FeedDownload(source: source, constants: source.policy)
    var last: FeedDigest?
    // What another server or a missing database left here is not a failure of these polls.
    var lastFailure: String? = term == nil ? nil : ""
    func note(_ failure: LiveFailure?) {
      guard failure?.description != lastFailure else { return }
      lastFailure = failure?.description
      if let failure {
        TraceScope.$current.withValue(traces.latest) {
          logger.warning(
            "a realtime source fails",
            metadata: source.metadata(["reason": "\(failure)"])
          )
        }
      }
      let isOfContent =
        switch failure?.kind {
        case .undecodable, .missingBody: true
        default: false
        }
      change(source) { status, current in
        if status.failureIsOfContent != isOfContent { current.snapshot.changedAt = clock.now }
        // Boards are public: the log says the rest.
        status.failure = failure.map { Self.description($0) }
        status.failureIsOfContent = isOfContent
      }
    }
    for await snapshot in client.snapshots(of: download) {
      // Content that comes with a failure arrived before it: a board never tells of a failure before it shows the content.
      if snapshot.failure == nil { note(nil) }
      defer { if let failure = snapshot.failure { note(failure) } }
      guard let bytes = snapshot.value, bytes.digest != last else { continue }
      last = bytes.digest
      if let term {
        if await !publish(bytes, from: source, under: term) { last = nil }
        continue
      }
      // Off the threads that handle requests.
      await BackgroundExecutor.apart {
        TraceScope.$current.withValue(traces.latest) { self.handle(bytes, from: source) }
        // A timetable that was imported meanwhile has been announced already.
        self.rebuild(source.prefix)
      }
      onTaken(source)
    }
  }

  /// A failure of a source, without the names of files and machines.
  private static func description(_ failure: LiveFailure) -> String {
    let status = failure.status.map { " (\($0))" } ?? ""
    switch failure.kind {
    case .refused: return "the source refuses the request\(status)"
    case .unauthorised: return "the source refuses access\(status)"
    case .gone: return "the source is gone\(status)"
    case .throttled: return "the source asks for a pause\(status)"
    case .serverError: return "the source failed\(status)"
    case .timedOut: return "the source did not answer in time"
    case .unreachable: return "the source cannot be reached"
    case .undecodable, .missingBody:
      return "the answer of the source cannot be read, or is too large\(status)"
    }
  }

  /// Notes a request that ended.
  private func asked(_ source: RealtimeSource, _ sample: Sample) {
    let now = clock.now
    change(source, isTick: false) { status, _ in
      status.lastPollAt = now
      status.metrics.count(sample.outcome)
      switch sample.outcome {
      case .content: status.answered(isChange: sample.isChange, at: now)
      case .unchanged: status.answered(isChange: false, at: now)
      default: break
      }
    }
  }

  /// Decodes a feed, judges it, and puts it in place if it is to be used.
  ///
  /// - Parameters:
  ///   - bytes: The feed.
  ///   - source: Where it is from.
  ///   - decoded: What it decodes to, if that is known.
  func handle(_ bytes: FeedBytes, from source: RealtimeSource, decoded: DecodedFeed? = nil) {
    let now = bytes.arrivedAt ?? clock.now
    let judging: Judging = bytes.position == nil ? .here : .ofLeader
    guard let decoded = accepted(bytes, decoded, from: source, at: now, judging) else { return }
    switch decoded.content {
    case .tripUpdates(let feed):
      let (made, generation) = index(feed, from: source, at: now, known: decoded.index)
      put(made?.index, of: generation, from: source, at: now) { current in
        current.status.took(bytes, feed.header, entities: feed.trips.count, at: now)
        current.status.metrics.decodeSeconds = decoded.seconds
        current.status.metrics.indexSeconds = made?.seconds ?? 0
        current.content = feed
      }
    case .vehiclePositions(let feed):
      putVehicles(feed, from: source, at: now) { status, indexSeconds in
        status.took(bytes, feed.header, entities: feed.positions.count, at: now)
        status.metrics.decodeSeconds = decoded.seconds
        status.metrics.indexSeconds = indexSeconds
      }
    case .alerts(let feed):
      putAlerts(feed, from: source, at: now) { status, indexSeconds in
        status.took(bytes, feed.header, entities: feed.alerts.count, at: now)
        status.metrics.decodeSeconds = decoded.seconds
        status.metrics.indexSeconds = indexSeconds
      }
    }
  }

  /// Decodes a feed, unless that was done before, and judges it.
  ///
  /// - Returns: The decoded feed; `nil` if it is not to be used.
  func accepted(
    _ bytes: FeedBytes,
    _ known: DecodedFeed? = nil,
    from source: RealtimeSource,
    at now: Double,
    _ judging: Judging
  ) -> DecodedFeed? {
    let (digest, instant) = (bytes.digest, Int64(now))
    do throws(RealtimeError) {
      let decoded = if let known { known } else { try DecodedFeed(bytes, of: source.kind) }
      let response = decoded.response(digest: digest, instant: instant)
      return judge(response, of: source, judging) ? decoded : nil
    } catch {
      let response = FeedResponse(digest: digest, instant: instant, content: .broken(error))
      _ = judge(response, of: source, judging)
      return nil
    }
  }

  /// What a judgement decides.
  enum Judging {
    /// Whether the content is put in place here.
    case here
    /// Whether it is published for all servers; it is in use only then.
    case beforePublication
    /// Nothing: the leader has accepted it.
    case ofLeader
  }

  /// The earliest instant at which a feed may have been made as far as its arrival shows.
  func earliest(of header: FeedHeader, from source: RealtimeSource, at now: Double) -> Int64 {
    let status = state.withLock { $0[source.prefix]?.status(of: source) }
    return Int64(status?.earliest(of: header, arrivedAt: now) ?? now)
  }

  /// Judges a response; returns whether to use it.
  func judge(_ arrival: FeedResponse, of source: RealtimeSource, _ judging: Judging) -> Bool {
    func judged(_ sequence: inout FeedSequence?) -> FeedVerdict {
      guard var next = sequence else { return .same }
      if judging == .ofLeader {
        next.accept(arrival)
        sequence = next
        return .new([])
      }
      let verdict = next.judge(arrival)
      if case .new = verdict, judging == .beforePublication { return verdict }
      sequence = next
      return verdict
    }
    let verdict = update { state in
      var sequence = state[source.prefix]?.sequence(of: source)
      let verdict = judged(&sequence)
      if let sequence { state[source.prefix]?.put(sequence, of: source) }
      return verdict
    }
    change(source, isTick: false) { status, _ in status.metrics.count(verdict) }
    if case .new(let notes) = verdict {
      for note in notes {
        logger.debug("a realtime feed is used", metadata: source.metadata(["note": "\(note)"]))
      }
      return true
    }
    let reason = verdict.reason
    if let reason {
      logger.warning(
        "a realtime feed is not used",
        metadata: source.metadata(["verdict": verdict.label, "reason": reason])
      )
    }
    change(source) { status, current in
      // The feed in use arrived again: the source confirms it.
      if status.isRefused != (reason != nil) { current.snapshot.changedAt = clock.now }
      status.refusal = reason
      status.judged = arrival.digest
    }
    return false
  }

  // MARK: Timetables

  /// Rebuilds the indexes when a timetable is imported again.
  private func followTimetables() async {
    let changes = store.changes()
    let prefixes = Set(sources.map(\.prefix))
    await BackgroundExecutor.apart { for prefix in prefixes { self.rebuild(prefix) } }
    for await _ in changes {
      await BackgroundExecutor.apart { for prefix in prefixes { self.rebuild(prefix) } }
    }
  }

  /// Writes to the log when a feed begins or ceases to match its timetable.
  func report(_ counters: RealtimeCounters?, of prefix: String) {
    guard let counters, counters.received > 0 else { return }
    let match = counters.match
    let before = update { state -> RealtimeCounters.Match? in
      let before = state[prefix]?.match
      state[prefix]?.match = match
      return before
    }
    guard match != before else { return }
    var metadata: Logger.Metadata = [
      "feed": "\"\(prefix)\"", "tripUpdates": "\(counters.received)",
      "matched": "\(counters.matched)", "added": "\(counters.added)",
      "unmatched": "\(counters.unmatched)",
    ]
    for (reason, count) in counters.withoutEffect { metadata[reason.rawValue] = "\(count)" }
    if let trip = counters.examples.lazy.compactMap(\.trip).first {
      metadata["exampleTrip"] = .string(String(reflecting: String(trip.prefix(64))))
    }
    switch match {
    case .nothing:
      logger.warning(
        "trip updates do not match the timetable: no board shows them",
        metadata: metadata
      )
    case .some: logger.info("some trip updates do not match the timetable", metadata: metadata)
    case .all:
      guard before != nil else { return }
      logger.info("all trip updates match the timetable again", metadata: metadata)
    }
  }

  func change(
    _ source: RealtimeSource,
    isTick: Bool = true,
    _ change: (inout SourceStatus, inout RealtimeState) -> Void
  ) {
    let before = update { state -> RealtimeState? in
      guard var current = state[source.prefix] else { return nil }
      let before = current
      switch source.kind {
      case .tripUpdates:
        guard let place = current.trips.firstIndex(where: { $0.source == source }) else {
          return nil
        }
        var status = current.trips[place].status
        change(&status, &current)
        current.trips[place].status = status
      case .alerts:
        guard let place = current.alerts.firstIndex(where: { $0.source == source }) else {
          return nil
        }
        var status = current.alerts[place].status
        change(&status, &current)
        current.alerts[place].status = status
      case .vehiclePositions:
        guard let place = current.vehicles.firstIndex(where: { $0.source == source }) else {
          return nil
        }
        var status = current.vehicles[place].status
        change(&status, &current)
        current.vehicles[place].status = status
      }
      current.show()
      if isTick { current.snapshot.tick += 1 }
      state[source.prefix] = current
      return before
    }
    // What is no longer needed is freed here, not while requests wait for the lock.
    withExtendedLifetime(before) {}
    if isTick { notify() }
  }

  func notify() { BackgroundExecutor.wake { [broadcaster] in broadcaster.send() } }
}

extension RealtimeSource {
  /// The metadata of a log message about a source.
  func metadata(_ more: [String: String]) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["source": "\(title)", "kind": "\(kind.rawValue)"]
    for (name, value) in more { metadata[name] = "\(value)" }
    return metadata
  }
}
