import Freshness

/// The facts that the rules refer to, computed from the policy alone.
extension ConformanceOracle {
  var mayAsk: Bool { lifecycle != .suspended && connectivity != .offline }

  var scheduleMayRun: Bool {
    switch lifecycle {
    case .foreground: true
    case .background: policy.background != nil
    case .suspended: false
    }
  }

  /// Whether any wait is possible now; without observers, only for a deferred request.
  var keepsTime: Bool { mayAsk && (isWatched ? scheduleMayRun : hasDebt) }

  var hasDebt: Bool { deferred != nil || postponed != nil }

  /// R21, R39: whether all requests are blocked, whatever their reason.
  var isBound: Bool { bound.map { step.now < $0 } ?? false }

  /// R40: returns whether a request exceeds its budget.
  func isOverBudget(_ want: Want) -> Bool {
    want.isImpatient && !isBound && !budget.allows(at: step.now, policy)
  }

  /// R40: keeps a request until the budget covers it, or another request answers it.
  mutating func postpone(_ want: Want) {
    postponed = want.and(postponed)
    step.notes.insert(.deferred)
    step.hush(.impatience)
  }

  /// R40: spends one request of the budget, and counts those of the last minute.
  mutating func spend(at instant: Int64) {
    budget.spend(at: instant, policy)
    let count = budget.spent.count
    expect(count <= policy.impatience, .impatience, "\(count) impatient requests in a minute")
  }

  /// R36: returns whether a response has older data than the copy, on one timeline.
  func isOlder(_ metadata: FreshnessMetadata) -> Bool {
    guard let copy = copy?.sourceTime, let made = metadata.fetchedAt, made.milliseconds < copy
    else {
      return false
    }
    guard let served = metadata.serverTime else { return true }
    let left = served.milliseconds + max(metadata.transit.milliseconds, 0)
    return left >= copy - policy.clockTolerance.milliseconds || contradictsClock
  }

  /// R37: whether the response shows an earlier time than the server's clock can have.
  var contradictsClock: Bool {
    guard let seen = step.seenClock, let serverClock else { return false }
    return seen.most < serverClock.least
  }

  /// R9, R13: work or a burst first, then the time since the last change.
  func pace(at instant: Int64) -> Pace {
    if activity == .active { return .active }
    if let burstEnds, instant < burstEnds { return .active }
    if let activityChangedAt, instant - activityChangedAt < policy.recentFor.milliseconds {
      return .recent
    }
    return .idle
  }

  /// R9: lifecycle, then the observers' interval, then the pace.
  func interval(at instant: Int64) -> Int64? {
    switch lifecycle {
    case .suspended: return nil
    case .background: return policy.background?.milliseconds
    case .foreground:
      if let paceRequested { return max(paceRequested, policy.leastInterval.milliseconds) }
      switch pace(at: instant) {
      case .active: return policy.active.milliseconds
      case .recent: return policy.recent.milliseconds
      case .idle, .background: return policy.idle.milliseconds
      }
    }
  }

  /// The rule that explains the interval in force.
  func intervalRule(at instant: Int64) -> Rule {
    if lifecycle == .background { return .lifecycle }
    if let burstEnds, instant < burstEnds, activity == .quiet, paceRequested == nil {
      return .burst
    }
    return .pureInterval
  }

  /// R18: returns whether the time or the count requires a full response.
  func needsFull(at instant: Int64) -> Bool {
    if let limit = policy.unchangedLimit, unchangedRun >= limit { return true }
    guard let span = policy.unchangedFor, let lastFull else { return false }
    return instant - lastFull >= span.milliseconds
  }

  /// R26, R27: returns the server's own figure, else the difference of its two times, plus time in
  /// caches.
  static func ageAtArrival(_ metadata: FreshnessMetadata) -> Int64? {
    if let age = metadata.cacheAge {
      return plus(max(age.milliseconds, 0), metadata.transit.milliseconds)
    }
    guard let served = metadata.serverTime, let made = metadata.fetchedAt else { return nil }
    return plus(max(served.milliseconds - made.milliseconds, 0), metadata.transit.milliseconds)
  }

  /// R37: returns the same at its greatest, if a whole second may be any instant in it.
  static func greatestFigure(_ metadata: FreshnessMetadata) -> Int64? {
    guard metadata.cacheAge == nil, let served = metadata.serverTime, let made = metadata.fetchedAt
    else {
      return ageAtArrival(metadata)
    }
    let latest = plus(served.milliseconds, max(metadata.truncation.milliseconds, 0))
    // A source time that is ahead by more than two clocks differ: the age is not known.
    guard made.milliseconds - latest <= 1_000 else { return nil }
    return plus(max(latest - made.milliseconds, 0), metadata.transit.milliseconds)
  }

  /// R37: returns what the age on arrival omits: the return path, and the rounding to whole
  /// seconds.
  static func wayBack(_ metadata: FreshnessMetadata, _ delay: Int64) -> Int64 {
    max(delay, 0) + (metadata.transit > .zero ? 999 : 0)
  }

  /// R26: the status, else the older flag, else the older word.
  static func status(_ metadata: FreshnessMetadata) -> RealtimeStatus? {
    if let status = metadata.status { return status }
    if metadata.appliedFlag == true { return .applied }
    return metadata.reason
  }

  /// R34: the effect of a response on the schedule.
  enum Reduction { case none, steady, retried, disabled }

  static func reduction(_ metadata: FreshnessMetadata) -> Reduction {
    let status = status(metadata)
    if status == .disabled { return .disabled }
    if status == .guardedError || metadata.mode == .staticTimeoutFallback { return .retried }
    if let status, status != .applied { return .steady }
    if let mode = metadata.mode, mode != .full { return .steady }
    return .none
  }

  /// R16: returns the metadata with the fields of a later response about the same body.
  static func freshened(
    _ metadata: FreshnessMetadata,
    by later: FreshnessMetadata
  ) -> FreshnessMetadata {
    var fresh = metadata
    if let value = later.serverTime {
      fresh.serverTime = value
      fresh.truncation = later.truncation
    }
    if let value = later.fetchedAt { fresh.fetchedAt = value }
    if let value = later.cacheAge { fresh.cacheAge = value }
    if let value = later.mode { fresh.mode = value }
    if let value = later.status { fresh.status = value }
    if let value = later.appliedFlag { fresh.appliedFlag = value }
    if let value = later.reason { fresh.reason = value }
    fresh.transit = later.transit
    return fresh
  }

  /// R31: returns the time from the arrival of a response to the next change its server expects.
  static func untilNextChange(_ answer: Answer) -> Int64? {
    let metadata = answer.metadata
    if let next = answer.hints.nextExpectedAt, let served = metadata.serverTime {
      return next.milliseconds - served.milliseconds - metadata.transit.milliseconds
    }
    return answer.hints.maxAge.map { $0.milliseconds - metadata.transit.milliseconds }
  }

  /// R21: seconds or a date on the server's clock, never negative, capped.
  ///
  /// R39: a minute if the date cannot be measured.
  func retryAfter(_ hint: RetryHint?, _ metadata: FreshnessMetadata) -> Int64? {
    guard let hint else { return nil }
    let cap = policy.retryAfterCap.milliseconds
    switch hint {
    case .seconds(let count):
      guard count > 0 else { return 0 }
      return count > cap / 1_000 ? cap : min(count * 1_000, cap)
    case .date(let date):
      guard let served = metadata.serverTime else { return min(60_000, cap) }
      return min(max(date.milliseconds - served.milliseconds, 0), cap)
    }
  }

  static func plus(_ first: Int64, _ second: Int64) -> Int64 {
    let (sum, overflow) = first.addingReportingOverflow(second)
    return overflow ? (second < 0 ? .min : .max) : sum
  }
}
