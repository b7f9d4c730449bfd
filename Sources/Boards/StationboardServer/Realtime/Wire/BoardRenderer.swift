import Serving
import Synchronization
import Timetable

/// Returns the cached board if it is still valid; otherwise renders it.
final class BoardRenderer: Sendable {
  let realtime: RealtimeFeeds?
  let clock: ServiceClock
  let decay: RealtimeDecay
  let metrics = BoardMetrics()
  private let cache = BoardCache()
  /// The requests for all boards: one server answers them.
  private struct Traffic {
    /// How many are being answered.
    var inFlight = 0
    /// Those of the last seconds.
    var recent = RequestCount()
  }

  private let traffic = Mutex(Traffic())
  /// How many answers a second the server gives with ease.
  private let ease: Int
  /// What boards say and understand beside the native contract.
  let additions: BoardAdditions

  init(
    realtime: RealtimeFeeds?,
    clock: ServiceClock,
    decay: RealtimeDecay = .standard,
    ease: Int = ServerLimits().boardsPerSecond,
    additions: BoardAdditions = []
  ) {
    self.realtime = realtime
    self.clock = clock
    self.decay = decay
    self.ease = ease
    self.additions = additions
  }

  /// The current realtime data of a timetable.
  func snapshot(of feed: Feed) -> RealtimeSnapshot { realtime?.snapshot(of: feed) ?? .init() }

  /// The status of realtime and of alerts, for the phases that are part of a board.
  func statuses(
    _ snapshot: RealtimeSnapshot,
    phases: BoardPhases,
    at now: Double
  ) -> RenderedBoard.Statuses {
    let trips = BoardRealtimeStatus(
      snapshot.trips,
      hasFeed: snapshot.index != nil,
      matchesNothing: snapshot.index?.counters.matchesNothing ?? false,
      freshFor: decay.fresh,
      at: now
    )
    let alerts = BoardRealtimeStatus(
      snapshot.alerts,
      hasFeed: snapshot.alertIndex != nil,
      freshFor: AlertDecay.freshFor,
      at: now
    )
    return RenderedBoard.Statuses(
      realtime: phases.contains(.realtime) || trips == .disabled ? trips : .skippedBudget,
      alerts: phases.contains(.alerts) || alerts == .disabled ? alerts : .skippedBudget
    )
  }

  /// The rendered form of a board that is right now.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - phases: The optional phases that are part of it.
  ///   - now: The service clock.
  ///   - snapshot: The current realtime data, read once for everything in the response.
  ///   - isForComparison: Whether only the visible content counts, as for a 304: then a board made with an earlier
  ///     publication is sufficient, as long as nothing of this stop has changed.
  /// - Returns: The cached board if it is still valid, otherwise a new one.
  func renderedBoard(
    _ request: BoardRequest,
    phases: BoardPhases,
    at now: Double,
    snapshot: RealtimeSnapshot,
    isForComparison: Bool = false
  ) -> RenderedBoard {
    let statuses = statuses(snapshot, phases: phases, at: now)
    let key = BoardKey(request, phases: phases)
    let before = request.instant == nil ? cache.renderedBoard(key) : nil
    if let before, now < before.validUntil, before.given == statuses,
      before.tick == snapshot.tick
        || isForComparison && looksTheSame(before, snapshot, request, at: now)
    {
      return before
    }
    let (board, selection) = make(request, snapshot, phases: phases, at: now)
    let renderedBoard = RenderedBoard(
      board,
      selection: selection,
      snapshot: snapshot,
      statuses: statuses,
      additions: additions,
      before: before
    )
    if let coverage = renderedBoard.coverage { metrics.count(coverage) }
    if request.instant == nil { cache.put(renderedBoard, key) }
    return renderedBoard
  }

  /// Whether a board is still right, as long as timetables and realtime are what it was made with.
  ///
  /// - Parameters:
  ///   - board: The board.
  ///   - now: The service clock.
  ///   - isForComparison: Whether only the visible content counts.
  /// - Returns: Whether it is.
  func isCurrent(_ board: CurrentBoard, at now: Double, isForComparison: Bool) -> Bool {
    let renderedBoard = board.renderedBoard
    guard now < renderedBoard.validUntil,
      renderedBoard.given == statuses(board.snapshot, phases: board.phases, at: now)
    else { return false }
    return renderedBoard.tick == board.snapshot.tick
      || isForComparison && looksTheSame(renderedBoard, board.snapshot, board.request, at: now)
  }

  /// Merges timetable, realtime and alerts.
  private func make(
    _ request: BoardRequest,
    _ snapshot: RealtimeSnapshot,
    phases: BoardPhases,
    at now: Double
  ) -> (MergedBoard, AlertSelection?) {
    let board = MergedBoard(
      request: request,
      now: now,
      realtime: phases.contains(.realtime) ? snapshot.index : nil,
      vehicles: phases.contains(.realtime) ? snapshot.vehicleIndex : nil,
      decay: decay
    )
    guard phases.contains(.alerts), let index = snapshot.alertIndex,
      index.timetable === request.stop.feed.timetable
    else { return (board, nil) }
    let selection = AlertSelection(
      index: index,
      stop: Int(request.stop.stop),
      rows: board.rows,
      realtime: board.realtime,
      now: board.instant,
      language: request.language
    )
    return (board, selection)
  }

  /// When a board last changed visibly, as a rendered board has it, if known.
  ///
  /// One clock: what came with a publication is as old as the publication, so a client that has a board
  /// of that publication has this one.
  func since(
    _ renderedBoard: RenderedBoard,
    _ request: BoardRequest,
    phases: BoardPhases,
    snapshot: RealtimeSnapshot
  ) -> Double {
    if let since = renderedBoard.since { return since }
    let since = findSince(renderedBoard, request, phases: phases, snapshot)
    renderedBoard.since = since
    return since
  }

  /// Returns the source time of the trip updates if a board rendered then, with all that is known now, would already
  /// have looked like this; otherwise when the board was rendered.
  private func findSince(
    _ renderedBoard: RenderedBoard,
    _ request: BoardRequest,
    phases: BoardPhases,
    _ snapshot: RealtimeSnapshot
  ) -> Double {
    // Every client got the publication from this server, so earlier changes are known.
    guard let source = snapshot.trips.sourceTime, source < renderedBoard.madeAt,
      renderedBoard.madeAt - source < BoardBudget.longestComparison,
      let arrival = snapshot.trips.fetchedAt, snapshot.changedAt < arrival,
      snapshot.index?.version(of: Int(request.stop.stop)) ?? 0 == renderedBoard.stopVersion,
      statuses(snapshot, phases: phases, at: source) == renderedBoard.given
    else { return renderedBoard.madeAt }
    let (board, selection) = make(request, snapshot, phases: phases, at: source)
    guard board.nextChangeAt >= renderedBoard.madeAt,
      selection?.nextChangeAt ?? .infinity > renderedBoard.madeAt,
      board.offers.nextChangeAt > renderedBoard.madeAt
    else { return renderedBoard.madeAt }
    return source
  }

  /// Whether a rendered board made with an earlier publication, whose time has not run out, looks like one made
  /// now.
  ///
  /// The version of a stop does not cover source times, and the freshness of each departure depends on them. If
  /// everything was fresh and still is, the boards look the same; otherwise a new one is needed.
  private func looksTheSame(
    _ before: RenderedBoard,
    _ snapshot: RealtimeSnapshot,
    _ request: BoardRequest,
    at now: Double
  ) -> Bool {
    let stop = Int(request.stop.stop)
    guard before.stopVersion == snapshot.index?.version(of: stop) ?? 0,
      before.alertVersion == snapshot.alertIndex?.version ?? 0,
      before.vehicleVersion == RenderedBoard.vehicleVersion(snapshot, request),
      !before.hidesVehicles,
      before.hasIndexes == RenderedBoard.indexes(snapshot)
    else { return false }
    guard let index = snapshot.index, before.stopVersion != 0 else { return true }
    return before.isFresh && now - Double(index.oldestSourceTime(at: stop)) <= decay.fresh
  }

  /// An outdated board, for when no time is left to render a new one.
  func copy(_ request: BoardRequest, phases: BoardPhases, at now: Double) -> RenderedBoard? {
    guard request.instant == nil, let copy = cache.renderedBoard(BoardKey(request, phases: phases)),
      now - copy.madeAt <= Double(BoardBudget.staleCopy.components.seconds)
    else { return nil }
    return copy
  }

  /// The current board for a client that follows it: earlier versions are kept.
  func followed(
    _ request: BoardRequest,
    phases: BoardPhases,
    at now: Double,
    snapshot: RealtimeSnapshot
  ) -> RenderedBoard {
    let renderedBoard = renderedBoard(request, phases: phases, at: now, snapshot: snapshot)
    cache.follow(BoardKey(request, phases: phases))
    return renderedBoard
  }

  /// The board that a client has, by its entity tag; `nil` if it is no longer cached.
  func renderedBoard(
    _ request: BoardRequest,
    phases: BoardPhases,
    tagged tag: String
  ) -> RenderedBoard? {
    cache.renderedBoard(BoardKey(request, phases: phases), tagged: tag)
  }

  /// How many rendered boards are kept.
  var renderedBoards: Int { cache.count }

  // MARK: Boards in flight

  /// Counts a request, and a board that is being made for it.
  ///
  /// - Parameter now: When the request came, on the service clock.
  /// - Returns: How many are being made now, this one included.
  func enter(at now: Double) -> Int {
    traffic.withLock { traffic in
      traffic.recent.note(at: now)
      traffic.inFlight += 1
      return traffic.inFlight
    }
  }

  /// Counts a board that is done.
  func leave() { traffic.withLock { $0.inFlight -= 1 } }

  /// Lets a request wait that is counted as a board being made: while it waits it is not counted.
  func whileNotRendering<Found>(
    _ wait: @concurrent () async throws -> Found
  ) async rethrows -> Found {
    leave()
    defer { traffic.withLock { $0.inFlight += 1 } }
    return try await wait()
  }

  /// The announcement of the next trip updates; `nil` if the source has no known rhythm or is late (R31).
  ///
  /// Clients that asked within the last period ask again after the next publication.
  func foretold(_ trips: borrowing SourceStatus, at now: Double) -> ForetoldChange? {
    guard let next = trips.nextExpected(at: now), let period = trips.period else { return nil }
    let clients = traffic.withLock { $0.recent.count(last: period, at: now) }
    return ForetoldChange(
      expectedAt: next,
      quantile: SourceStatus.quantile,
      spread: ClientSpread.window(clients: clients, period: period, ease: ease)
    )
  }
}

/// When alerts age.
enum AlertDecay {
  /// The greatest age of alerts that count as fresh, in seconds (mesdeparts.md 3.8).
  static let freshFor: Double = 120
}
