import ConditionalHTTP
import FreshnessServer
import HTTPTypes
package import Logging
package import PostgresClient
import PostgresSharing
import Serving
import Synchronization

/// Realtime that several servers share through a database: one of them polls each source, and all index the bytes that it
/// accepted.
///
/// Nothing that is not stored is shown, so that no server is ahead of the database. Without the database a server neither
/// polls nor publishes, and serves what it has, which grows old.
package final class RealtimeSharing: Sendable {
  private struct State {
    var cursor = PublicationCursor()
    var drivers: [String: SourceLeader] = [:]
    /// The newest feed of each source that this server publishes and has not applied, which need not be read back.
    var own: [String: (publication: SharedPublication, decoded: Task<DecodedFeed, Never>)] = [:]
    var published = 0
    var fenced = 0
    var behind = 0
    var failure: String?
    /// When the newest statement was sent whose answer named the newest position.
    var checkedAt: ContinuousClock.Instant?
  }

  let store: PostgresPublications
  let limits: LeadershipLimits
  private let logger: Logger
  private let state = Mutex(State())
  private let checks = UpdateBroadcaster()

  /// Creates what servers share; nothing is asked yet.
  ///
  /// - Parameters:
  ///   - address: The database.
  ///   - limits: The limits.
  ///   - name: What operators of other servers see of this one.
  ///   - schema: The name of the schema.
  ///   - logger: Logs what an operator should know.
  package init(
    _ address: PostgresAddress,
    limits: LeadershipLimits = LeadershipLimits(),
    name: String,
    schema: String = "freshet_realtime",
    logger: Logger
  ) {
    self.limits = limits
    self.logger = logger
    store = PostgresPublications(address, limits: limits, name: name, schema: schema)
  }

  /// Whether servers share a source: files are read by each server.
  package static func shares(_ source: RealtimeSource) -> Bool {
    ["http", "https"].contains(source.request.scheme)
  }

  /// Everything up to this position is shown here.
  var complete: Int64 { state.withLock { $0.cursor.complete } }

  /// Whether the database does not answer, and why.
  var failure: String? { state.withLock { $0.failure } }

  /// What operators may know of a source; `nil` if it is not shared.
  func status(of source: RealtimeSource) -> SourceLeader.Status? {
    state.withLock { $0.drivers[PostgresPublications.id(of: source)] }?.status
  }

  /// Whether the database was asked since an instant, and everything that it had is shown here.
  ///
  /// Then everything that any server had shown until that instant is shown here, because nothing is shown that is not
  /// stored. A position or an instant that is ahead of it is of another database, or invented.
  func isCurrent(since instant: ContinuousClock.Instant) -> Bool {
    state.withLock { state in
      guard let checkedAt = state.checkedAt, checkedAt >= instant else { return false }
      return state.cursor.isSettled
    }
  }

  /// Waits for answers of the database.
  ///
  /// - Returns: An element after each answer or several; ends when the task is canceled.
  func answers() -> AsyncStream<Void> { checks.changes() }

  /// Notes that a publication is shown.
  func progressed(to mark: PublicationCursor.Mark) {
    state.withLock { $0.cursor.progressed(to: mark) }
  }

  /// Notes the newest position of all publications, as the database had it after an instant.
  func checked(
    _ position: Int64,
    at instant: ContinuousClock.Instant,
    into feeds: RealtimeFeeds
  ) {
    read(into: feeds) { $0.noticed(position) }
    state.withLock { $0.checkedAt = max($0.checkedAt ?? instant, instant) }
    checks.send()
  }

  /// Counts an answer that was behind what its client had seen.
  func countBehind() { state.withLock { $0.behind += 1 } }

  // MARK: Running

  /// Follows and leads until the task is canceled, then gives all leases back.
  func run(_ feeds: RealtimeFeeds) async {
    let drivers = feeds.sources.filter(Self.shares).map { source in
      SourceLeader(
        source,
        in: store,
        report: { feeds.report(of: $0) },
        answered: { [self] in answered($1, of: $0, sentAt: $2, feeds) },
        poll: { [self] in await poll($0, fence: $1, feeds) }
      )
    }
    state.withLock { $0.drivers = Dictionary(drivers.map { ($0.id, $0) }) { $1 } }
    await withTaskGroup { group in
      for driver in drivers { group.addTask { await driver.run() } }
      group.addTask { await self.listen(feeds) }
    }
    store.close()
  }

  /// Polls a source for all servers until the lease is over.
  private func poll(_ driver: SourceLeader, fence: Int64, _ feeds: RealtimeFeeds) async {
    let source = driver.source
    let metadata = source.metadata(["fence": "\(fence)", "before": "\"\(driver.other)\""])
    logger.notice("this server polls a realtime source for all", metadata: metadata)
    await feeds.poll(source, under: SharedTerm(sharing: self, driver: driver, fence: fence))
    logger.notice("this server does not poll a realtime source any more", metadata: metadata)
  }

  private func listen(_ feeds: RealtimeFeeds) async {
    await store.database.watch { event in
      switch event {
      case .gap: read(into: feeds) { $0.missed() }
      case .stored(let position): read(into: feeds) { $0.noticed(position) }
      case .freed(let source): state.withLock { $0.drivers[source] }?.freed()
      case .lost(let reason): failed(reason)
      }
    }
  }

  private func answered(
    _ answer: LeaseAnswer?,
    of driver: SourceLeader,
    sentAt: ContinuousClock.Instant,
    _ feeds: RealtimeFeeds
  ) {
    guard let answer else {
      failed("no answer to a statement about a lease")
      if driver.fence == nil { feeds.noteAway(driver.source) }
      return
    }
    let before = state.withLock { state in
      defer { state.failure = nil }
      return state.failure
    }
    if before != nil { logger.notice("the database that shares realtime answers again") }
    if answer.lease.row.owner != .thisServer { feeds.note(answer.report, of: driver.source) }
    checked(answer.position, at: sentAt, into: feeds)
  }

  private func failed(_ reason: String) {
    let before = state.withLock { state in
      defer { state.failure = reason }
      return state.failure
    }
    if before == nil {
      logger.warning(
        "the database that shares realtime does not answer: boards go on with what is here",
        metadata: ["reason": "\(reason)"]
      )
    }
  }

  // MARK: Publishing

  /// Stores what a leader accepted, again and again until it is stored or the lease is over.
  ///
  /// - Returns: Whether it is stored.
  func publish(
    _ publication: SharedPublication,
    _ decoded: Task<DecodedFeed, Never>,
    _ driver: SourceLeader,
    fence: Int64,
    into feeds: RealtimeFeeds
  ) async -> Bool {
    // Before it is stored: the announcement may come before the answer.
    state.withLock { $0.own[driver.id] = (publication, decoded) }
    while driver.fence == fence, !Task.isCancelled {
      do {
        let position = try await store.publish(publication, of: driver.id, fence: fence)
        state.withLock { $0.published += 1 }
        read(into: feeds) { $0.noticed(position) }
        Task { [store, limits] in
          try? await Task.sleep(for: limits.removeAfter)
          try? await store.removeOld(of: driver.id)
        }
        return true
      } catch is PostgresPublications.Fenced {
        state.withLock { state in
          state.fenced += 1
          state.own[driver.id] = nil
        }
        logger.notice(
          "a publication was refused: another server polls the source",
          metadata: ["source": "\(driver.source.title)"]
        )
        return false
      } catch is CancellationError {
        break
      } catch {
        failed("\(error)")
        try? await Task.sleep(for: limits.lease.retryEvery)
      }
    }
    // It may have been stored: readers of it do not need what is kept here.
    state.withLock { $0.own[driver.id] = nil }
    return false
  }

  // MARK: Reading

  /// Notes something about publications, and reads them if there are any to read and no read is under way.
  private func read(
    into feeds: RealtimeFeeds,
    _ note: (inout PublicationCursor) -> Void
  ) {
    let after = state.withLock { state -> Int64? in
      note(&state.cursor)
      return state.cursor.begin()
    }
    if let after { Task { await self.read(after: after, into: feeds) } }
  }

  /// Reads until everything announced is applied.
  private func read(after position: Int64, into feeds: RealtimeFeeds) async {
    var next: Int64? = position
    let sources = Dictionary(
      feeds.sources.filter(Self.shares).map { (PostgresPublications.id(of: $0), $0) }
    ) { first, _ in first }
    while let after = next {
      do {
        let (found, end) = try await store.marks(after: after, of: Array(sources.keys))
        let chosen = state.withLock { $0.cursor.read(found, upTo: end) }
        for mark in chosen ?? [] {
          guard let source = sources[mark.source] else { continue }
          let own = state.withLock { $0.own[mark.source] }
          if let own, own.publication.id == mark.id {
            let decoded = await own.decoded.value
            await feeds.apply(own.publication, decoded, at: mark.position, from: source)
            state.withLock { state in
              if state.own[mark.source]?.publication.id == mark.id { state.own[mark.source] = nil }
            }
          } else if let publication = try await store.publication(mark.id) {
            await feeds.apply(publication, at: mark.position, from: source)
          } else {
            // The next read has the newer ones.
            state.withLock { $0.cursor.replaced(mark) }
            continue
          }
          progressed(to: mark)
        }
        next = state.withLock { state in
          if chosen != nil { state.cursor.applied(upTo: end) }
          return state.cursor.begin()
        }
        // Waiters for a position check again.
        feeds.notify()
        checks.send()
      } catch {
        state.withLock { $0.cursor.failed() }
        if !(error is CancellationError) { failed("\(error)") }
        try? await Task.sleep(for: limits.lease.retryEvery)
        next = state.withLock { $0.cursor.begin() }
        if Task.isCancelled { return }
      }
    }
  }

  // MARK: Operators

  /// Writes the measurements.
  func write(to metrics: inout MetricsText) {
    let (drivers, cursor, published, fenced, behind, isAway) = state.withLock {
      ($0.drivers, $0.cursor, $0.published, $0.fenced, $0.behind, $0.failure != nil)
    }
    let sources = drivers.values.sorted { $0.id < $1.id }.map { driver in
      (
        labels: [
          ("feed", driver.source.prefix), ("kind", driver.source.kind.rawValue),
          ("source", driver.source.title),
        ],
        status: driver.status
      )
    }
    metrics.add(
      "freshet_realtime_leader",
      .gauge,
      "1 if this server polls the source for all, else 0",
      sources.map { (labels: $0.labels, value: $0.status.isLeader ? 1 : 0) }
    )
    metrics.add(
      "freshet_realtime_takeovers_total",
      .counter,
      "How often this server became the one that polls the source",
      sources.map { (labels: $0.labels, value: Double($0.status.takeovers)) }
    )
    metrics.add(
      "freshet_realtime_position",
      .gauge,
      "The position up to which all publications are shown",
      Double(cursor.complete)
    )
    metrics.add(
      "freshet_realtime_published_total",
      .counter,
      "Feeds that this server published for all",
      Double(published)
    )
    metrics.add(
      "freshet_realtime_fenced_total",
      .counter,
      "Feeds that the database refused, because another server polls the source",
      Double(fenced)
    )
    metrics.add(
      "freshet_realtime_behind_total",
      .counter,
      "Boards and streams that were behind what their clients had seen, and said so",
      Double(behind)
    )
    metrics.add(
      "freshet_realtime_database_up",
      .gauge,
      "0 while the database that shares realtime does not answer, else 1",
      isAway ? 0 : 1
    )
  }
}

/// The time in which one server polls a source for all.
struct SharedTerm: Sendable {
  let sharing: RealtimeSharing
  let driver: SourceLeader
  let fence: Int64

  /// Whether the lease still lasts.
  var isOn: Bool { driver.fence == fence }
}

/// Sends requests to a source only while the lease lasts.
struct LeasedExchange: HTTPExchange {
  let exchange: any HTTPExchange
  let term: SharedTerm

  @concurrent
  func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    guard term.isOn else {
      throw HTTPExchangeError(.cancelled, "another server may poll the source now")
    }
    return try await exchange.send(request, timeout: timeout)
  }
}
