import Freshness

/// The end of a wait: bounds from the policy, for any random sample (R10).
extension ConformanceOracle {
  /// Returns the bounds of a jittered wait.
  static func bounds(_ jitter: Jitter, _ wait: Int64) -> (least: Int64, most: Int64) {
    switch jitter {
    case .none: (wait, wait)
    case .signed(_, let most): (wait - most.milliseconds, wait + most.milliseconds)
    case .within(let bound): (wait - bound.milliseconds, wait + bound.milliseconds)
    case .share(let share): (wait - wait * share / 100, wait + wait * share / 100)
    case .above(let share): (wait, wait + wait * share / 100)
    case .full: (0, wait)
    }
  }

  /// Returns the bounds of a backoff step; the last step repeats (R23).
  func ladder(_ step: Int) -> (least: Int64, most: Int64) {
    guard !policy.ladder.isEmpty else {
      return (policy.active.milliseconds, policy.active.milliseconds)
    }
    let base = policy.ladder[min(step, policy.ladder.count - 1)].milliseconds
    let bounds = Self.bounds(policy.ladderJitter, base)
    let floor = policy.leastWait.milliseconds
    return (max(bounds.least, floor), max(bounds.most, floor))
  }

  /// Returns the bounds of the end of a wait, including external limits.
  func end(of wait: Wait) -> Window {
    var window = naturalEnd(of: wait)
    if wait.want.reason != .person, deferred?.reason != .person {
      // R39: a failing origin, and a shared rate limit, slow the schedule down.
      window = window.notBefore(restraint.quietUntil?.milliseconds, .backPressure)
      if let share, !isBeyondShare(wait) {
        window = window.notBefore(share.least, atMost: share.most, .backPressure)
      }
    }
    if postponed != nil, let allowedAt = budget.allowedAt(policy) {
      let due = max(allowedAt, wait.since)
      let rule: Rule = due < window.most ? .impatience : window.rule
      window = Window(least: min(window.least, due), most: min(window.most, due), rule: rule)
    }
    return window.notBefore(bound, bound == notBefore ? .outcomes : .backPressure)
  }

  /// R39: whether the wait is not for a share: a catch-up that was delayed, and a first load that got a time to come back at.
  private func isBeyondShare(_ wait: Wait) -> Bool {
    switch wait.reason {
    case .gap, .reconnect, .resync: wait.want.reason == .catchUp
    case .deferred: deferred?.reason == .catchUp
    case .ladder: copy == nil && notBefore != nil
    case .cadence, .retry, .degraded, .recheck, .gone, .change: false
    }
  }

  /// R39: when the resource may use its share of a rate limit again, which it does some time after the limit has reset.
  private var share: (least: Int64, most: Int64)? {
    guard let gap = restraint.leastInterval?.milliseconds, let lastStart else { return nil }
    guard let reset = restraint.sharedUntil?.milliseconds else {
      return (lastStart + gap, lastStart + gap)
    }
    return (min(lastStart + gap, reset), min(lastStart + gap, reset + gap))
  }

  /// Returns the bounds of the end of a wait without external limits.
  private func naturalEnd(of wait: Wait) -> Window {
    let since = wait.since
    let spread = max(policy.spread.milliseconds, 0)
    let bounds: (least: Int64, most: Int64)
    switch wait.reason {
    case .cadence: return cadenceEnd(since)
    case .retry(let isLate):
      let delay = policy.retryDelay?.milliseconds ?? 0
      bounds = (delay, delay + (isLate ? spread : 0))
    case .ladder(let step), .degraded(let step): bounds = ladder(step)
    case .recheck:
      bounds = (policy.recheck.milliseconds, policy.recheck.milliseconds + spread)
    case .gone:
      bounds = (policy.recheckGone.milliseconds, policy.recheckGone.milliseconds + spread)
    case .gap, .reconnect, .resync: bounds = (0, spread)
    case .change:
      let gap =
        policy.push?.leastGap.milliseconds ?? interval(at: since) ?? policy.idle.milliseconds
      let due = max(since, lastStart.map { $0 + gap } ?? since)
      bounds = (due - since, due - since)
    case .deferred: bounds = (0, 0)
    }
    return Window(
      least: Self.plus(since, bounds.least),
      most: Self.plus(since, bounds.most),
      rule: wait.reason.rule
    )
  }

  /// R10, R12, R31 to R33: returns the end of a wait of the cadence.
  func cadenceEnd(_ since: Int64) -> Window {
    let interval = interval(at: since) ?? policy.idle.milliseconds
    let started = lastStart ?? since
    if stream.isLive, let push = policy.push {
      let bounds = Self.bounds(policy.jitter, push.safetyPoll.milliseconds)
      return Window(least: started + bounds.least, most: started + bounds.most, rule: .push)
    }
    if waitsAtServer(since) {
      let least = max(Self.plus(started, interval), since)
      let spread = max(min(policy.spread.milliseconds, interval), 0)
      let most = max(Self.plus(started, interval), since + spread)
      return Window(least: least, most: most, rule: .longPoll)
    }
    let blind = blindEnd(since, started: started, interval: interval)
    guard lifecycle == .foreground, seesRhythm, policy.alignment != nil else { return blind }
    return alignedEnd(since, started: started, interval: interval, blind: blind)
  }

  /// R32, R39: returns whether the wait is the short one before a long poll.
  func waitsAtServer(_ instant: Int64) -> Bool {
    policy.longPoll != nil && isHeld && lifecycle == .foreground && copy?.validator != nil
      && !needsFull(at: instant) && !measuresWay(generation + 1)
  }

  /// R37: returns whether a request is not a long poll, so that its duration bounds the way of a response.
  func measuresWay(_ generation: Int64) -> Bool { serverClock != nil && generation % 32 == 0 }

  /// R10: from start to start, never under the minimum interval, and after a slow response as long
  /// as it took.
  func blindEnd(_ since: Int64, started: Int64, interval: Int64) -> Window {
    let bounds = Self.bounds(policy.jitter, interval)
    let rest = max(min(since - started, interval), 0)
    let floor = max(Self.plus(started, policy.leastInterval.milliseconds), since + rest)
    return Window(
      least: max(Self.plus(started, bounds.least), floor),
      most: max(Self.plus(started, bounds.most), floor),
      rule: .jitter
    )
  }

  /// R31: shortly after the expected change, within the budget of the cadence.
  private func alignedEnd(
    _ since: Int64,
    started: Int64,
    interval: Int64,
    blind: Window
  ) -> Window {
    guard let alignment = policy.alignment else { return blind }
    let least = Self.plus(started, policy.leastInterval.milliseconds)
    let rest = max(min(since - started, interval), 0)
    let budget = Self.plus(started, max(interval - alignment.slack.milliseconds, 0))
    let earliest = max(budget, least, since + rest)
    let latest = Self.plus(started, Self.plus(interval, interval))
    let delay = alignment.delay.milliseconds
    let spread = alignment.spread.milliseconds
    // Without source times there is nothing to learn: the announcement alone decides. A change may
    // be a quarter of the interval old when it is requested. The position in the server's window is
    // added to that, and only the machine knows it.
    let late = max(delay + spread, interval / 4)
    if !isDated {
      guard let stated else { return blind }
      // Once the budget is spent, requests come no earlier than by blind polling.
      let unpaid = max(Self.plus(started, interval), earliest)
      let first = max(stated + delay, earliest)
      let last = max(stated + delay + window, unpaid) + spread
      if first > latest || stated + window < earliest - late { return blind }
      if last <= latest, stated >= unpaid - late {
        return Window(least: first, most: last, rule: .producerPhase)
      }
    }
    // A learned rhythm: anywhere between the least interval and two cadences.
    return Window(
      least: min(blind.least, earliest),
      most: max(blind.most, latest),
      rule: .producerPhase
    )
  }

  // MARK: Why then

  /// Returns the causes that a machine may report for its next request.
  func causes(_ wait: Wait?) -> Set<NextRequest.Cause> {
    if out != nil { return [.outstanding] }
    guard let wait else {
      if !isWatched { return [.unwatched] }
      return [connectivity == .offline ? .offline : .paused]
    }
    var causes: Set<NextRequest.Cause>
    switch wait.reason {
    case .cadence: causes = cadenceCauses(wait.since)
    case .retry: causes = [.retry]
    case .ladder: causes = [.backoff]
    case .degraded: causes = [.degraded]
    case .recheck, .gone: causes = [.recheck]
    case .gap: causes = [.spread]
    case .reconnect, .resync: causes = [.reconnect]
    case .change: causes = [.change]
    case .deferred: causes = [.retryAfter]
    }
    // R21: a `Retry-After` is the cause if it ends later than the wait would.
    if let bound, bound >= end(of: wait).least { causes.insert(.retryAfter) }
    if postponed != nil { causes.insert(.patience) }
    if restraint.quietUntil != nil || restraint.leastInterval != nil { causes.insert(.origin) }
    return causes
  }

  private func cadenceCauses(_ since: Int64) -> Set<NextRequest.Cause> {
    if stream.isLive, policy.push != nil { return [.safetyPoll] }
    if waitsAtServer(since) { return [.longPoll] }
    guard lifecycle == .foreground, seesRhythm, policy.alignment != nil else { return [.cadence] }
    var causes: Set<NextRequest.Cause> = [.cadence, .learned]
    if stated != nil { causes.insert(.stated) }
    return causes
  }
}
