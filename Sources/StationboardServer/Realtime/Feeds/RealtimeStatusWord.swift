/// What became of realtime data in one board (seed 001, `meta.rtStatus`).
///
/// Each word has one cause:
///
/// | word | cause |
/// |---|---|
/// | `applied` | the feed is at hand and at most ``RealtimeDecay/freshFor`` old |
/// | `stale_cache` | the feed at hand is older, or it is new and all it says of the board is stale; the departures still carry it, with its age |
/// | `guarded_error` | the same or none, because the newest content of the source is no feed or not believed |
/// | `missing_cache` | a source is configured and no feed has come yet |
/// | `skipped_budget` | the phase was left out to answer in time |
/// | `disabled` | no source is configured, or the request asked for none |
enum RealtimeStatusWord: String, Hashable, Sendable {
  case applied
  case staleCache = "stale_cache"
  case guardedError = "guarded_error"
  case missingCache = "missing_cache"
  case skippedBudget = "skipped_budget"
  case disabled

  /// Reads the word off a source.
  init(_ standing: SourceStanding, hasFeed: Bool, freshFor: Double, at now: Double) {
    guard standing.isConfigured else {
      self = .disabled
      return
    }
    guard hasFeed, let age = standing.age(at: now) else {
      self = standing.isRefused ? .guardedError : .missingCache
      return
    }
    guard age > freshFor else {
      self = .applied
      return
    }
    self = standing.isRefused ? .guardedError : .staleCache
  }

  /// The seed's word in `rt.reason` and `x-md-rt-reason`.
  var reason: String {
    switch self {
    case .applied: "fresh"
    case .staleCache: "stale"
    case .guardedError: "guarded"
    case .missingCache: "missing"
    case .skippedBudget: "skipped_budget"
    case .disabled: "disabled"
    }
  }
}
