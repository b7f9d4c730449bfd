/// How much of an answer the server could put together (seed 001, `meta.responseMode`).
public enum ResponseMode: UInt8, Hashable, Sendable {
  /// `full`
  case full
  /// `degraded_static`
  case degradedStatic
  /// `stale_cache_fallback`
  case staleCacheFallback
  /// `static_timeout_fallback`
  case staticTimeoutFallback
  /// A word this client does not know.
  case unknown
}

/// What became of realtime data on the server (seed 001, `meta.rtStatus`).
public enum RealtimeStatus: UInt8, Hashable, Sendable {
  /// `applied`
  case applied
  /// `partial`, `degraded` or `mixed`
  case partial
  /// `skipped_budget`
  case skippedBudget
  /// `disabled`
  case disabled
  /// `missing_cache`
  case missingCache
  /// `stale_cache`
  case staleCache
  /// `guarded_error`
  case guardedError
  /// A word this client does not know.
  case unknown
}

/// What an answer says about the freshness of its own data (R26, R27, R31).
///
/// Every field is optional: a server that says nothing is a server whose answers age from arrival.
public struct FreshnessMetadata: Hashable, Sendable {
  /// The server's clock when it answered.
  public var serverTime: WallTime?
  /// When the data was made, on the server's clock (`rtFetchedAt`).
  public var fetchedAt: WallTime?
  /// The age of the data when the server answered (`rtCacheAgeMs`).
  public var cacheAge: Timespan?
  /// The time the answer spent in caches on its way: the `Age` field (RFC 9111), or what `Date` betrays
  /// against the server's own time (R37).
  public var transit: Timespan
  /// How much of the answer the server could put together.
  public var mode: ResponseMode?
  /// What became of realtime data.
  public var status: RealtimeStatus?
  /// The older flag `rt.applied`, which is read when there is no status.
  public var appliedFlag: Bool?
  /// The older word `rt.reason`, which is read when neither a status nor the flag says "applied".
  public var reason: RealtimeStatus?

  /// Creates marks.
  public init(
    serverTime: WallTime? = nil,
    fetchedAt: WallTime? = nil,
    cacheAge: Timespan? = nil,
    transit: Timespan = .zero,
    mode: ResponseMode? = nil,
    status: RealtimeStatus? = nil,
    appliedFlag: Bool? = nil,
    reason: RealtimeStatus? = nil
  ) {
    self.serverTime = serverTime
    self.fetchedAt = fetchedAt
    self.cacheAge = cacheAge
    self.transit = transit
    self.mode = mode
    self.status = status
    self.appliedFlag = appliedFlag
    self.reason = reason
  }

  /// Takes over what a later answer about the same body says (R16).
  public func updated(by later: FreshnessMetadata) -> FreshnessMetadata {
    FreshnessMetadata(
      serverTime: later.serverTime ?? serverTime,
      fetchedAt: later.fetchedAt ?? fetchedAt,
      cacheAge: later.cacheAge ?? cacheAge,
      transit: later.transit,
      mode: later.mode ?? mode,
      status: later.status ?? status,
      appliedFlag: later.appliedFlag ?? appliedFlag,
      reason: later.reason ?? reason
    )
  }

  /// The age of the data on arrival, as far as the server tells.
  ///
  /// R26, R27: the server's own figure first, then `serverTime − fetchedAt`; time in caches is added.
  public var ageAtArrival: Timespan? {
    if let cacheAge { return max(cacheAge, .zero) + transit }
    guard let serverTime, let fetchedAt else { return nil }
    return max(serverTime - fetchedAt, .zero) + transit
  }

  /// The age on arrival, below zero where the source time is ahead of the server's clock (R31).
  var signedAge: Timespan? {
    guard let age = ageAtArrival, age == transit, let serverTime, let fetchedAt else {
      return ageAtArrival
    }
    // A server's time may be cut to whole seconds.
    let ahead = fetchedAt - serverTime
    return ahead > .seconds(1) ? transit - ahead : age
  }

  /// The latest that the age on arrival can be, as far as the server tells (R37).
  ///
  /// The time on the way back is unknown, and at most as long as the request took. `Age` and `Date`
  /// count whole seconds, so that time in caches may be almost a second longer than they say.
  ///
  /// - Parameter delay: The time from the request to the arrival of the answer.
  /// - Returns: The age, if the server tells any.
  public func greatestAgeAtArrival(delay: Timespan) -> Timespan? {
    ageAtArrival.map { $0 + wayBack(delay) }
  }

  /// The longest time since the answer was made that its age does not count.
  func wayBack(_ delay: Timespan) -> Timespan {
    max(delay, .zero) + (transit > .zero ? Self.secondOfCaches : .zero)
  }

  /// What the fields of caches leave out: they count whole seconds (RFC 9110 5.6.7, RFC 9111 5.1).
  private static let secondOfCaches = Timespan.milliseconds(999)

  /// What became of realtime data, from the first field that tells.
  ///
  /// R26: the status, then the older flag, then the older reason (mesdeparts.md 1.1.12).
  public var effectiveStatus: RealtimeStatus? {
    if let status { return status }
    return appliedFlag == true ? .applied : reason
  }

  /// How the schedule answers an answer that is less than full (R34, seed 001).
  public var degradation: Degradation {
    // R34: "disabled" beats every reason to ask again.
    if effectiveStatus == .disabled { return .disabled }
    if mode == .staticTimeoutFallback || effectiveStatus == .guardedError { return .retried }
    let isFull = mode == nil || mode == .full
    let isApplied = effectiveStatus == nil || effectiveStatus == .applied
    return isFull && isApplied ? .none : .steady
  }
}

/// The classes of degraded answers, by what they do to the schedule (R34).
public enum Degradation: UInt8, Hashable, Sendable {
  /// The answer is full.
  case none
  /// The normal cadence goes on.
  case steady
  /// The backoff ladder is climbed once, then the normal cadence goes on.
  case retried
  /// Nothing extra is asked until the context or a person says so.
  case disabled
}
