@testable import Freshness

extension Freshness {
  /// The machine as it would be if now were the start of time and no request had been counted.
  ///
  /// Two machines with equal canonical forms behave alike from here on; what lies more than a
  /// minute back is equally long ago for a policy without longer memories.
  func canonical(at now: Moment) -> Freshness {
    func shifted(_ moment: Moment) -> Moment {
      max(Moment(milliseconds: moment.milliseconds - now.milliseconds), .start - .seconds(70))
    }
    var copy = self
    copy.alarm = alarm.map(shifted)
    copy.generation = 0
    copy.lastStart = lastStart.map(shifted)
    copy.lastEnd = lastEnd.map(shifted)
    copy.lastRescue = lastRescue.map(shifted)
    copy.lastFull = lastFull.map(shifted)
    copy.failure?.since = .start
    if let since = copy.held?.arrivedAt { copy.held?.arrivedAt = shifted(since) }
    switch phase {
    case .dormant: break
    case .resting(var rest):
      rest.since = shifted(rest.since)
      copy.phase = .resting(rest)
    case .asking(var flight, let then):
      flight.startedAt = shifted(flight.startedAt)
      flight.request.ticket.generation = 0
      copy.phase = .asking(flight, then: then)
    }
    if var kept = snapshot {
      kept.age.arrivedAt = shifted(kept.age.arrivedAt)
      kept.changedAt = .start
      kept.verifiedAt = .start
      copy.snapshot = kept
    }
    copy.backoff = backoff.canonical(shifted)
    copy.activity = activity.canonical(shifted)
    copy.degraded = degraded.canonical(shifted)
    copy.link = link.canonical(shifted)
    return copy
  }
}

extension Backoff {
  fileprivate func canonical(_ shifted: (Moment) -> Moment) -> Backoff {
    var copy = Backoff()
    var policy = Policy(every: .seconds(1))
    policy.retryDelay = hasRetried ? .zero : nil
    if hasRetried { _ = copy.failed(isTransient: true, policy: policy) }
    for _ in 0..<min(failures, 3) { _ = copy.failed(isTransient: false, policy: policy) }
    if let notBefore { copy.throttled(until: shifted(notBefore)) }
    return copy
  }
}

extension ActivityHistory {
  fileprivate func canonical(_ shifted: (Moment) -> Moment) -> ActivityHistory {
    var copy = ActivityHistory()
    if let changedAt {
      if current == .quiet { copy.observed(.active, at: shifted(changedAt)) }
      copy.observed(current, at: shifted(changedAt))
    }
    if let burstEnds { copy.acted(until: shifted(burstEnds)) }
    return copy
  }
}

extension DegradedRun {
  fileprivate func canonical(_ shifted: (Moment) -> Moment) -> DegradedRun {
    var copy = DegradedRun()
    let policy = Policy(every: .seconds(1))
    if let lastAt {
      for _ in 0..<max(step, 1) { _ = copy.answered(.retried, at: shifted(lastAt), policy: policy) }
    }
    if isQuiet { _ = copy.answered(.disabled, at: .start, policy: policy) }
    return copy
  }
}

extension Link {
  fileprivate func canonical(_ shifted: (Moment) -> Moment) -> Link {
    let state: State =
      switch state {
      case .off: .off
      case .opening(let until): .opening(until: shifted(until))
      case .live(let since, let silentAt): .live(since: shifted(since), silentAt: shifted(silentAt))
      case .waiting(let until): .waiting(until: shifted(until))
      }
    return Link(state: state, attempts: min(attempts, 3))
  }
}
