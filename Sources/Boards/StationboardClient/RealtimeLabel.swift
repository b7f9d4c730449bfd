public import Freshness
public import Stationboard

/// The basis of a board, for the label beside its age: one rule for every client
/// (Documentation/stationboard-freshness.md, "The label").
///
/// Derived from what the board shows: old predictions are never called the timetable, and nothing is called
/// live that carries no realtime.
public enum RealtimeLabel: Hashable, Sendable {
  /// All departures that could carry realtime do; or the server does not say how many.
  case live
  /// Some of the departures that could carry realtime do.
  case liveFor(live: Int, departures: Int)
  /// No departure carries realtime, and none leaves soon enough to be expected to.
  case notYet
  /// No departure carries realtime, though some leave soon.
  case missing
  /// Nothing of the realtime feed matches the timetable, however old the feed is.
  case noMatch
  /// The departures carry old realtime.
  case old
  /// The departures carry old realtime, and what the source sends now cannot be used.
  case oldInError

  /// Reads the label of a board whose realtime the server calls `status`; `nil` if nothing is known beyond
  /// that.
  ///
  /// - Parameters:
  ///   - status: The status of realtime.
  ///   - coverage: How many departures carry it.
  ///   - isEmpty: Whether the board has no departures.
  public init?(_ status: RealtimeStatus?, _ coverage: Board.Coverage?, isEmpty: Bool) {
    guard let coverage else { return nil }
    let carries = coverage.live + coverage.old > 0
    switch status {
    case .applied, .partial:
      if coverage.live > 0 {
        self =
          coverage.live >= coverage.departures
          ? .live : .liveFor(live: coverage.live, departures: coverage.departures)
      } else if status == .partial, coverage.matchesNothing {
        self = .noMatch
      } else if coverage.departures > 0 {
        self = .missing
      } else {
        self = isEmpty ? .live : .notYet
      }
    case .staleCache where carries: self = .old
    case .staleCache where coverage.matchesNothing: self = .noMatch
    case .guardedError where carries: self = .oldInError
    default: return nil
    }
  }

  /// Reads the label of a board beside the engine's marker; `nil` if nothing is known beyond that.
  ///
  /// - Parameters:
  ///   - marker: The marker of the board (R26).
  ///   - board: The board.
  public init?(_ marker: FreshnessLabel.Marker, of board: Board?) {
    guard let board else { return nil }
    let status: RealtimeStatus
    switch marker {
    case .normal: status = .applied
    case .reduced(.status(let reason)): status = reason
    case .none, .reduced(.mode): return nil
    }
    self.init(status, board.meta.rtCoverage, isEmpty: board.departures.isEmpty)
  }
}

/// How much of its age a prediction is shown with.
public enum PredictionAge: String, Hashable, Sendable {
  /// At most 45 s old.
  case fresh
  /// At most 180 s old.
  case ageing
  /// Older: shown as old.
  case stale

  /// The freshness of a departure's prediction now; `nil` if it has none.
  ///
  /// The server's status, made worse by the time that has passed since: a client that receives nothing ages its
  /// board itself.
  ///
  /// - Parameters:
  ///   - departure: The departure.
  ///   - now: The server's time, in seconds since 1970-01-01T00:00:00Z.
  public init?(_ departure: Departure, at now: Double) {
    guard departure.realtimeDeparture != nil, !departure.cancelled else { return nil }
    let said = departure.realtimeFreshness.flatMap(PredictionAge.init(rawValue:)) ?? .fresh
    guard let known = departure.realtimeAt.flatMap({ BoardInstant.read($0) }) else {
      self = said
      return
    }
    let age = now - Double(known.milliseconds) / 1_000
    let aged: PredictionAge = age <= 45 ? .fresh : age <= 180 ? .ageing : .stale
    self = said == .stale || aged == .stale ? .stale : said == .ageing ? .ageing : aged
  }
}
