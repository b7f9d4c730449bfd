/// The status of realtime data in one board (seed 001, `meta.rtStatus`).
///
/// Each value has one cause:
///
/// | value | cause |
/// |---|---|
/// | `applied` | the feed is at hand and at most ``RealtimeDecay/fresh`` old, and departures of the board carry it, or none could |
/// | `partial` | the feed is as fresh, and none of the departures that could carries it, or nothing of it matches the timetable |
/// | `stale_cache` | the feed at hand is older, or it is new and all it says of the board is stale; the departures still carry it, with its age |
/// | `guarded_error` | the same or none, because the newest content of the source is not a feed or not believed |
/// | `missing_cache` | a source is configured and no feed has come yet |
/// | `skipped_budget` | the phase was left out to answer in time |
/// | `disabled` | no source is configured, or the request asked for none |
enum BoardRealtimeStatus: String, Hashable, Sendable, CaseIterable {
  case applied
  case partial
  case staleCache = "stale_cache"
  case guardedError = "guarded_error"
  case missingCache = "missing_cache"
  case skippedBudget = "skipped_budget"
  case disabled

  /// Derives the status from a source.
  ///
  /// - Parameters:
  ///   - status: The status of the source.
  ///   - hasFeed: Whether a feed of it is available.
  ///   - matchesNothing: Whether nothing of that feed matches the timetable.
  ///   - freshFor: The greatest age of a fresh feed, in seconds.
  ///   - now: The service clock, in seconds since 1970-01-01T00:00:00Z.
  init(
    _ status: SourceStatus,
    hasFeed: Bool,
    matchesNothing: Bool = false,
    freshFor: Double,
    at now: Double
  ) {
    guard status.isConfigured else {
      self = .disabled
      return
    }
    guard hasFeed, let age = status.age(at: now) else {
      self = status.isRefused ? .guardedError : .missingCache
      return
    }
    guard age > freshFor else {
      self = matchesNothing ? .partial : .applied
      return
    }
    self = status.isRefused ? .guardedError : .staleCache
  }

  /// The status of one board, with the freshness of its departures.
  func refined(_ coverage: BoardCoverage?, freshest: RealtimeFreshness?) -> BoardRealtimeStatus {
    guard self == .applied || self == .partial else { return self }
    // A producer may put a new timestamp on old predictions: then the departures decide.
    if freshest == .stale { return .staleCache }
    return coverage?.isEmpty == true ? .partial : self
  }

  /// Whether the feed in use is fresh, however much of the board it covers.
  var isFresh: Bool { self == .applied || self == .partial }

  /// The seed's value in `rt.reason` and `x-md-rt-reason`.
  var reason: String {
    switch self {
    case .applied: "fresh"
    case .partial: "partial"
    case .staleCache: "stale"
    case .guardedError: "guarded"
    case .missingCache: "missing"
    case .skippedBudget: "skipped_budget"
    case .disabled: "disabled"
    }
  }

  /// The same as one of the five values of the seed's schema.
  var closedReason: String {
    switch self {
    case .partial: "fresh"
    case .skippedBudget: "stale"
    default: reason
    }
  }
}
