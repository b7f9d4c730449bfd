/// How complete the server's response is (seed 001, `meta.responseMode`).
public enum ResponseMode: UInt8, Hashable, Sendable {
  /// `full`
  case full
  /// `degraded_static`
  case degradedStatic
  /// `stale_cache_fallback`
  case staleCacheFallback
  /// `static_timeout_fallback`
  case staticTimeoutFallback
  /// A value that this client does not know.
  case unknown
}

/// The state of realtime data on the server (seed 001, `meta.rtStatus`).
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
  /// A value that this client does not know.
  case unknown
}

/// What a response says about the freshness of its own data (R26, R27, R31).
///
/// Every field is optional. Without any, the data ages from its arrival.
public struct FreshnessMetadata: Hashable, Sendable {
  /// The server's clock when it responded.
  public var serverTime: WallTime?
  /// How much later than ``serverTime`` the server may have responded: 999 ms if it is from `Date`,
  /// which counts whole seconds (RFC 9110 5.6.7), and zero if it has milliseconds.
  public var truncation: Instant.Duration
  /// When the data was made, on the server's clock (`rtFetchedAt`).
  public var fetchedAt: WallTime?
  /// The age of the data when the server responded (`rtCacheAgeMs`).
  public var cacheAge: Instant.Duration?
  /// The time that the response spent in intermediate caches: the `Age` field (RFC 9111), or what
  /// `Date` reveals against the server's own time (R37).
  public var transit: Instant.Duration
  /// How complete the response is.
  public var mode: ResponseMode?
  /// The state of realtime data.
  public var status: RealtimeStatus?
  /// The older flag `rt.applied`, which is read if there is no status.
  public var appliedFlag: Bool?
  /// The older value `rt.reason`, which is read if neither a status nor the flag says "applied".
  public var reason: RealtimeStatus?

  /// Creates freshness metadata.
  public init(
    serverTime: WallTime? = nil,
    truncation: Instant.Duration = .zero,
    fetchedAt: WallTime? = nil,
    cacheAge: Instant.Duration? = nil,
    transit: Instant.Duration = .zero,
    mode: ResponseMode? = nil,
    status: RealtimeStatus? = nil,
    appliedFlag: Bool? = nil,
    reason: RealtimeStatus? = nil
  ) {
    self.serverTime = serverTime
    self.truncation = truncation
    self.fetchedAt = fetchedAt
    self.cacheAge = cacheAge
    self.transit = transit
    self.mode = mode
    self.status = status
    self.appliedFlag = appliedFlag
    self.reason = reason
  }

  /// Returns the metadata updated by a later response about the same body (R16).
  public func updated(by later: FreshnessMetadata) -> FreshnessMetadata {
    FreshnessMetadata(
      serverTime: later.serverTime ?? serverTime,
      truncation: later.serverTime == nil ? truncation : later.truncation,
      fetchedAt: later.fetchedAt ?? fetchedAt,
      cacheAge: later.cacheAge ?? cacheAge,
      transit: later.transit,
      mode: later.mode ?? mode,
      status: later.status ?? status,
      appliedFlag: later.appliedFlag ?? appliedFlag,
      reason: later.reason ?? reason
    )
  }

  /// The age of the data on arrival, if the server states it.
  ///
  /// R26, R27: the server's own figure first, then `serverTime − fetchedAt`; time in caches is added.
  public var ageAtArrival: Instant.Duration? {
    if let cacheAge { return max(cacheAge, .zero) + transit }
    guard let serverTime, let fetchedAt else { return nil }
    return max(serverTime - fetchedAt, .zero) + transit
  }

  /// The age on arrival, below zero where the source time is ahead of the server's clock (R31).
  var signedAge: Instant.Duration? {
    guard let age = ageAtArrival, age == transit, let serverTime, let fetchedAt else {
      return ageAtArrival
    }
    // A server's time may be cut to whole seconds.
    let ahead = fetchedAt - serverTime
    return ahead > .seconds(1) ? transit - ahead : age
  }

  /// Returns the greatest possible age on arrival, if the server states one (R37).
  ///
  /// The time of the return path is unknown, and at most as long as the request took. `Age` and
  /// `Date` count whole seconds, so the time in caches may be almost a second longer than they say,
  /// and the server may have responded almost a second later than its `Date`. Both may be true.
  ///
  /// - Parameter delay: The time from the request to the arrival of the response.
  /// - Returns: The age, or `nil` if the server does not state one.
  public func greatestAgeAtArrival(delay: Instant.Duration) -> Instant.Duration? {
    greatestAge.map { $0 + wayBack(delay) }
  }

  /// The greatest possible age when the response left the last cache.
  private var greatestAge: Instant.Duration? {
    // The server's own figure does not depend on a clock.
    guard cacheAge == nil, let serverTime, let fetchedAt else { return ageAtArrival }
    // A source time after the server's own: the two clocks differ, and the age is not known.
    guard fetchedAt - serverTime <= max(truncation, .zero) + Self.clockDifference else {
      return nil
    }
    return max(serverTime - fetchedAt + max(truncation, .zero), .zero) + transit
  }

  /// Returns the longest time since the response was made that its age does not include.
  func wayBack(_ delay: Instant.Duration) -> Instant.Duration {
    max(delay, .zero) + (transit > .zero ? Self.secondOfCaches : .zero)
  }

  /// By how much the clocks of a producer and of a server may differ so that an age can be counted from one to the other.
  static let clockDifference = Instant.Duration.seconds(1)

  /// What cache fields leave out, because they count whole seconds (RFC 9110 5.6.7, RFC 9111 5.1).
  static let secondOfCaches = Self.truncationOfDate

  /// What a time in whole seconds, such as `Date`, leaves out at most, in milliseconds.
  public static let truncationOfDate = Instant.Duration.milliseconds(999)

  /// The state of realtime data, from the first field that gives it.
  ///
  /// R26: the status, then the older flag, then the older reason (mesdeparts.md 1.1.12).
  public var effectiveStatus: RealtimeStatus? {
    if let status { return status }
    return appliedFlag == true ? .applied : reason
  }

  /// How the schedule reacts to a degraded response (R34, seed 001).
  public var degradation: Degradation {
    // R34: "disabled" overrides every reason to ask again.
    if effectiveStatus == .disabled { return .disabled }
    if mode == .staticTimeoutFallback || effectiveStatus == .guardedError { return .retried }
    let isFull = mode == nil || mode == .full
    let isApplied = effectiveStatus == nil || effectiveStatus == .applied
    return isFull && isApplied ? .none : .steady
  }
}

/// The classes of degraded responses, by their effect on the schedule (R34).
public enum Degradation: UInt8, Hashable, Sendable {
  /// The response is full.
  case none
  /// The normal cadence continues.
  case steady
  /// The backoff ladder is used once, then the normal cadence continues.
  case retried
  /// No extra requests until the context changes or the user asks.
  case disabled
}
