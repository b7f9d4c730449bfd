import Serving
import Synchronization
import Timetable

/// Makes boards: takes an edition that is still right, or makes one.
final class BoardDesk: Sendable {
  let realtime: RealtimeFeeds?
  let clock: ServiceClock
  let decay: RealtimeDecay
  private let shelf = EditionShelf()
  private let crowd = Atomic<Int>(0)

  init(realtime: RealtimeFeeds?, clock: ServiceClock, decay: RealtimeDecay = .standard) {
    self.realtime = realtime
    self.clock = clock
    self.decay = decay
  }

  /// What is known of the realtime of a timetable now.
  func snapshot(of feed: Feed) -> RealtimeSnapshot { realtime?.snapshot(of: feed) ?? .init() }

  /// What is to be said of realtime and of alerts, with the phases that are part of a board.
  func words(
    _ snapshot: RealtimeSnapshot,
    phases: Set<BoardPhase>,
    at now: Double
  ) -> BoardEdition.Words {
    let trips = RealtimeStatusWord(
      snapshot.trips,
      hasFeed: snapshot.index != nil,
      freshFor: decay.fresh,
      at: now
    )
    let alerts = RealtimeStatusWord(
      snapshot.alerts,
      hasFeed: snapshot.alertIndex != nil,
      freshFor: AlertDecay.freshFor,
      at: now
    )
    return BoardEdition.Words(
      realtime: phases.contains(.realtime) || trips == .disabled ? trips : .skippedBudget,
      alerts: phases.contains(.alerts) || alerts == .disabled ? alerts : .skippedBudget
    )
  }

  /// The edition of a board that is right now.
  ///
  /// - Parameters:
  ///   - request: What was asked.
  ///   - phases: The optional phases that are part of it.
  ///   - now: The service clock.
  ///   - isForComparison: Whether only what people see counts, as for a 304: then an edition made with
  ///     an earlier publication will do, as long as nothing of this stop has changed.
  /// - Returns: The edition.
  func edition(
    _ request: BoardRequest,
    phases: Set<BoardPhase>,
    at now: Double,
    isForComparison: Bool = false
  ) -> BoardEdition {
    let feed = request.stop.feed
    let snapshot = snapshot(of: feed)
    let words = words(snapshot, phases: phases, at: now)
    let key = BoardKey(request, phases: phases)
    let before = request.instant == nil ? shelf.edition(key) : nil
    if let before, now < before.validUntil, before.status == words.realtime,
      before.alertsStatus == words.alerts
    {
      if before.tick == snapshot.tick { return before }
      if isForComparison, looksTheSame(before, snapshot, request, at: now) { return before }
    }
    let board = MergedBoard(
      request: request,
      now: now,
      realtime: phases.contains(.realtime) ? snapshot.index : nil,
      decay: decay
    )
    var selection: AlertSelection?
    if phases.contains(.alerts), let index = snapshot.alertIndex,
      index.timetable === feed.timetable
    {
      selection = AlertSelection(
        index: index,
        stop: Int(request.stop.stop),
        rows: board.rows,
        realtime: board.realtime,
        now: board.instant,
        language: request.language
      )
    }
    let edition = BoardEdition(
      board,
      selection: selection,
      snapshot: snapshot,
      words: words,
      earlier: snapshot.trips.sourceTime.map { self.words(snapshot, phases: phases, at: $0) },
      before: before
    )
    if request.instant == nil { shelf.put(edition, key) }
    return edition
  }

  /// Whether an edition made with an earlier publication, whose time has not run out, looks like one made
  /// now.
  ///
  /// The version of a stop leaves source times out, and how fresh each departure is depends on them. If
  /// everything was fresh and is, nobody sees a difference; else a new edition has to tell.
  private func looksTheSame(
    _ before: BoardEdition,
    _ snapshot: RealtimeSnapshot,
    _ request: BoardRequest,
    at now: Double
  ) -> Bool {
    let stop = Int(request.stop.stop)
    guard before.stopVersion == snapshot.index?.version(of: stop) ?? 0,
      before.alertVersion == snapshot.alertIndex?.version ?? 0,
      before.hasIndexes == BoardEdition.indexes(snapshot)
    else { return false }
    guard let index = snapshot.index, before.stopVersion != 0 else { return true }
    return before.isFresh && now - Double(index.oldestSourceTime(at: stop)) <= decay.fresh
  }

  /// An edition that is no longer right, for when there is no time to make one.
  func copy(_ request: BoardRequest, phases: Set<BoardPhase>, at now: Double) -> BoardEdition? {
    guard request.instant == nil, let copy = shelf.edition(BoardKey(request, phases: phases)),
      now - copy.madeAt <= Double(BoardBudget.staleCopy.components.seconds)
    else { return nil }
    return copy
  }

  // MARK: The crowd

  /// Counts a board that is being made.
  ///
  /// - Returns: How many are being made now, this one included.
  func enter() -> Int { crowd.add(1, ordering: .relaxed).newValue }

  /// Counts a board that is done.
  func leave() { crowd.subtract(1, ordering: .relaxed) }
}

/// When alerts age.
enum AlertDecay {
  /// The greatest age of alerts that count as fresh, in seconds (mesdeparts.md 3.8).
  static let freshFor: Double = 120
}
