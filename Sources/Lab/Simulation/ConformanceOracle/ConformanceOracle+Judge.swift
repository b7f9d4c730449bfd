import Freshness

/// Evaluates an event by the rules: facts first, then the obligation.
extension ConformanceOracle {
  mutating func judge(_ event: Event) -> Obligation {
    switch event {
    case .started: return started()
    case .stopped:
      isWatched = false
      deferred = nil
      postponed = nil
      paceRequested = nil
      burstEnds = nil
      return .stop(.pollFirst)
    case .paceRequested(let refresh):
      paceRequested = refresh?.milliseconds
      return .goOn
    case .prefetch: return prefetch()
    case .woke: return woke()
    case .slept: return slept()
    case .lifecycle(let next): return moved(to: next)
    case .focused: return focused()
    case .connectivity(let next): return connected(next)
    case .refreshRequested(let refresh): return refreshRequested(Want(refresh))
    case .contextChanged(let next): return switched(to: next)
    case .activity(let current):
      observe(current)
      return .goOn
    case .acted:
      // R13: a deadline, and the later one counts.
      let ends = step.now + policy.burst.milliseconds
      burstEnds = max(burstEnds ?? ends, ends)
      return .goOn
    case .fulfilled:
      burstEnds = nil
      return .goOn
    case .wrote(let revision): return wrote(revision)
    case .restored(let revision, let age, let made):
      return restored(revision, age.milliseconds, made?.milliseconds)
    case .restrained(let next):
      restraint = next
      return .goOn
    case .queued(let ticket):
      // R39: not sent so far, so its time begins now.
      if let waiting = out?.request, waiting.ticket == ticket {
        out?.isProlonged = true
        out?.deadline = Self.plus(
          step.now,
          Self.plus(policy.timeout.milliseconds, waiting.longPoll?.milliseconds ?? 0)
        )
      }
      return woke()
    case .notHeld(let ticket):
      // R39: an ordinary request after all.
      guard let sent = out, sent.request.ticket == ticket, sent.request.longPoll != nil else {
        return .goOn
      }
      out?.isNotHeld = true
      out?.request.longPoll = nil
      out?.request.timeout = policy.timeout
      out?.deadline = Self.plus(step.now, policy.timeout.milliseconds)
      isHeld = false
      return .goOn
    case .evicted:
      copy = nil
      withheld = nil
      step.copyRule = .validators
      return .goOn
    case .answered(let ticket, let answer): return answered(ticket, answer)
    case .streamOpened, .streamHeard, .streamChanged, .streamDelivered, .streamGap, .streamLost:
      return streamed(event)
    }
  }

  mutating func observe(_ current: Activity) {
    guard current != activity else { return }
    activity = current
    activityChangedAt = step.now
    if current == .active { burstEnds = nil }
  }

  private mutating func started() -> Obligation {
    guard !isWatched else { return .goOn }
    isWatched = true
    // R5: poll first. A prefetch in flight will do.
    return scheduleMayRun
      ? .askOrJoin(Want(reason: .catchUp, showsLoading: true), .pollFirst) : .goOn
  }

  private mutating func prefetch() -> Obligation {
    // R35: before the resource has observers, on an unmetered network, within the request budget.
    let isFree = connectivity == .online && lifecycle == .foreground
    let isIdle = !isWatched && out == nil && wait == nil
    let gap = interval(at: step.now) ?? .max
    let isInBudget = lastStart.map { step.now - $0 >= gap } ?? true
    let isQuiet = restraint.quietUntil.map { $0.milliseconds > step.now } ?? false
    let isAllowed = !isBound && !isQuiet
    guard policy.prefetches, isFree, isIdle, isInBudget, isAllowed else {
      step.notes.insert(.prefetchDropped)
      step.hush(.prefetch)
      return .goOn
    }
    return .ask(Want(reason: .prefetch), .prefetch)
  }

  private mutating func woke() -> Obligation {
    var missed = false
    if stream.isOverdue(at: step.now) {
      missed = loseStream()
      step.stream = .close
    }
    guard let request = out, request.deadline <= step.now else {
      return missed ? .catchUp : .goOn
    }
    // R6: timed out: canceled, and a transient failure.
    step.cancelled = request.request.ticket
    step.cancelRule = .timeout
    step.notes.insert(.timedOut)
    step.failureRule = .timeout
    return land(Answer(.timedOut))
  }

  private mutating func slept() -> Obligation {
    if stream.isLive {
      _ = loseStream()
      step.stream = .close
    }
    guard isWatched, scheduleMayRun else { return .goOn }
    step.notes.insert(.drifted)
    step.cancelRule = .drift
    // R14: one request, spread. R2: the requested refresh is still owed.
    if let out { return .wait(.gap, out.want.and(out.followUp), .drift) }
    return .wait(.gap, Want.schedule.and(owed { $0.reason == .person || $0.isForced }), .drift)
  }

  private mutating func moved(to next: Lifecycle) -> Obligation {
    guard lifecycle != next else { return .goOn }
    lifecycle = next
    switch next {
    case .foreground:
      guard isWatched else { return .goOn }
      return .askOrJoin(Want(reason: .catchUp, showsLoading: copy == nil), .lifecycle)
    case .background:
      guard policy.background != nil else { return .stop(.lifecycle) }
      guard let out, out.request.longPoll != nil else { return .goOn }
      // R32: a long poll is for the foreground.
      step.cancelRule = .longPoll
      return out.followUp.map { .ask($0, .oneFollowUp) } ?? .wait(.cadence, .schedule, .longPoll)
    case .suspended: return .stop(.lifecycle)
    }
  }

  private mutating func focused() -> Obligation {
    guard isWatched, lifecycle == .foreground else { return .goOn }
    if let lastStart, step.now - lastStart < policy.focusDebounce.milliseconds {
      step.hush(.lifecycle)
      return .goOn
    }
    // R39: one waits already, as long as the origin fails.
    if let quietUntil = restraint.quietUntil, step.now < quietUntil.milliseconds,
      wait?.want.reason == .catchUp
    {
      step.hush(.backPressure)
      return .goOn
    }
    return .askOrJoin(Want(reason: .catchUp), .lifecycle)
  }

  private mutating func connected(_ next: Connectivity) -> Obligation {
    let previous = connectivity
    connectivity = next
    if next == .offline {
      guard previous != .offline else { return .goOn }
      // R24: no requests. R2: a refresh by the user is owed until requests are possible again.
      if let out {
        let want = out.want.and(out.followUp)
        if want.reason == .person { deferred = want.and(deferred) }
      } else if let want = owed({ $0.reason == .person }) {
        deferred = want.and(deferred)
      }
      return .stop(.offline)
    }
    if previous == .offline {
      let want = Want(reason: .catchUp)
      if isOverBudget(want) {
        postpone(want)
        return .goOn
      }
      if isWatched || hasDebt, !isBound { spend(at: step.now + max(policy.spread.milliseconds, 0)) }
      return .wait(.reconnect, want, .offline)
    }
    if next == .metered, let out, out.followUp == nil, out.want.reason == .prefetch {
      return .stop(.prefetch)
    }
    return .goOn
  }

  private mutating func refreshRequested(_ want: Want) -> Obligation {
    if want.reason == .person { isQuiet = false }
    if want.isChangeNotice, let wait, wait.reason.isOfFailure || wait.reason == .change {
      // R33: of what waits already, it makes a request with a repetition of its own.
      if wait.reason == .change { return .wait(.change, want.and(wait.want), .push) }
      // R23: it waits for the ladder; where a retry may help, it keeps the interval.
      guard wait.reason == .recheck || wait.reason == .gone, !isBound else { return .goOn }
      return .wait(.change, want.and(wait.want), .push)
    }
    let rule: Rule = want.reason == .person ? .pollFirst : .oneFollowUp
    if out?.request.longPoll != nil {
      step.cancelRule = .longPoll
      return .insist(want, .longPoll)
    }
    return .askOrFollow(want, rule)
  }

  private mutating func switched(to next: Context) -> Obligation {
    let want = Want(reason: .person, showsLoading: true)
    guard next != context else {
      return isWatched && scheduleMayRun ? refreshRequested(want) : .goOn
    }
    // R4: nothing carries over.
    step.isSwitched = true
    // R39: another query goes to the same origin; another identity may be another origin.
    if next.identity != context.identity { notBefore = nil }
    context = next
    if copy != nil { step.order = .clear }
    step.copyRule = .contextSwitch
    step.failureRule = .contextSwitch
    step.cancelRule = .contextSwitch
    copy = nil
    metadata = FreshnessMetadata()
    withheld = nil
    failure = nil
    hasRetried = false
    failures = 0
    degradedStep = 0
    degradedAt = nil
    isQuiet = false
    stated = nil
    window = 0
    seesRhythm = false
    isDated = false
    activity = .quiet
    activityChangedAt = nil
    burstEnds = nil
    unchangedRun = 0
    lastFull = nil
    deferred = nil
    postponed = nil
    pathDelay = nil
    (serverClock, doubts) = (nil, nil)
    lastRescue = nil
    wait = nil
    return isWatched && scheduleMayRun ? .ask(want, .contextSwitch) : .stop(.contextSwitch)
  }

  private mutating func wrote(_ revision: Revision) -> Obligation {
    copy = Copy(
      revision: revision,
      validator: nil,
      hasRealtime: copy?.hasRealtime ?? false,
      ageAtArrival: 0,
      arrivedAt: step.now,
      hasServerAge: false,
      sourceTime: copy?.sourceTime,
      isDated: copy?.isDated ?? false,
      provenance: .local,
      changedAt: step.now,
      verifiedAt: copy?.verifiedAt ?? step.now
    )
    withheld = nil
    step.copyRule = .provenance
    step.order = .none
    return outdated()
  }

  /// R38: a restored copy fills a gap and never replaces another.
  private mutating func restored(_ revision: Revision, _ age: Int64, _ made: Int64?) -> Obligation {
    step.copyRule = .provenance
    guard copy == nil else {
      step.order = .keep
      return .goOn
    }
    step.order = .apply
    copy = Copy(
      revision: revision,
      validator: nil,
      hasRealtime: false,
      ageAtArrival: max(age, 0),
      arrivedAt: step.now,
      hasServerAge: false,
      sourceTime: made,
      isDated: made != nil,
      provenance: .disk,
      changedAt: step.now,
      verifiedAt: step.now
    )
    metadata = FreshnessMetadata()
    withheld = nil
    return .goOn
  }

  /// Records the application's own copy, which makes the request in flight outdated.
  private mutating func outdated() -> Obligation {
    if let out {
      step.cancelRule = .oneFollowUp
      if out.want.isForced { return .ask(out.want.and(out.followUp), .oneFollowUp) }
      guard let followUp = out.followUp else { return .wait(.cadence, .schedule, .oneFollowUp) }
      guard isOverBudget(followUp) else { return .insist(followUp, .oneFollowUp) }
      postpone(followUp)
      return .wait(.cadence, .schedule, .oneFollowUp)
    }
    // R12: it moves the next request by an interval at most.
    guard let wait, wait.reason == .cadence, let lastStart,
      step.now - lastStart <= interval(at: step.now) ?? 0
    else { return .goOn }
    return .wait(.cadence, wait.want, .oneFollowUp)
  }

  /// R2: returns what is queued and must not be lost.
  func owed(_ isOwed: (Want) -> Bool) -> Want? {
    guard let want = wait?.want, isOwed(want) else { return nil }
    return want
  }
}
