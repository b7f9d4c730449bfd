extension RefreshMachine {
  /// Records the facts of an event and returns the transition that follows.
  mutating func decide(_ event: Event, in step: inout Step) -> Transition {
    switch event {
    case .started: started()
    case .stopped: stopped()
    case .paceRequested(let interval): paceChanged(interval)
    case .prefetch: prefetch(in: &step)
    case .woke: woke(in: &step)
    case .slept: slept(in: &step)
    case .lifecycle(let next): moved(to: next)
    case .focused: focused(in: step)
    case .connectivity(let next): connectivityChanged(to: next, in: &step)
    case .refreshRequested(let refresh): refreshRequested(refresh, in: step)
    case .contextChanged(let next): contextChanged(to: next, in: &step)
    case .activity(let current): activityObserved(current, in: step)
    case .acted: acted(in: step)
    case .fulfilled: fulfilled()
    case .wrote(let revision): wrote(revision, in: &step)
    case .restored(let revision, let age, let made):
      restored(revision, age: age, sourceTime: made, in: &step)
    case .evicted: evicted()
    case .restrained(let next): restrained(next)
    case .queued(let ticket): queued(ticket, in: &step)
    case .notHeld(let ticket): notHeld(ticket, in: step)
    case .answered(let ticket, let answer): answered(ticket, answer, in: &step)
    case .streamOpened, .streamHeard, .streamChanged, .streamDelivered, .streamGap, .streamLost:
      streamReported(event, in: &step)
    }
  }

  // MARK: Watching

  private mutating func started() -> Transition {
    guard !isWatched else { return .stay }
    isWatched = true
    guard mayRunSchedule else { return .stay }
    // R5: poll first, then sleep. A prefetch in flight will do.
    return .join(RefreshRequest(.catchUp, showsLoading: true))
  }

  private mutating func stopped() -> Transition {
    isWatched = false
    deferred = nil
    postponed = nil
    paceRequested = nil
    activity.fulfilled()
    return .sleep
  }

  private mutating func paceChanged(_ interval: Instant.Duration?) -> Transition {
    paceRequested = interval
    return .stay
  }

  private mutating func prefetch(in step: inout Step) -> Transition {
    // R35: before the resource has observers, at low priority, on an unmetered network, within the
    // budget of the cadence.
    let gap = interval(at: step.now, policy: step.policy) ?? .longest
    let isInBudget = lastStart.map { step.now - $0 >= gap } ?? true
    let isFree = connectivity == .online && lifecycle == .foreground
    let isAllowed = !isBound(at: step.now) && (restraint.quietUntil.map { $0 <= step.now } ?? true)
    guard step.policy.prefetches, !isWatched, phase == .idle, isFree, isInBudget, isAllowed
    else {
      step.effects.notes.insert(.prefetchDropped)
      return .stay
    }
    return .ask(RefreshRequest(.prefetch))
  }

  // MARK: Time

  private mutating func woke(in step: inout Step) -> Transition {
    var needsResync = false
    if connection.isOverdue(at: step.now) {
      needsResync = streamWasLost(in: &step) == .resync
      step.effects.stream = .close
    }
    guard case .requesting(let inFlight, let then) = phase, inFlight.deadline <= step.now else {
      return needsResync ? .resync : .stay
    }
    // R6: timed out: canceled, and a transient failure.
    step.effects.cancel = inFlight.request.ticket
    step.effects.notes.insert(.timedOut)
    return requestEnded(inFlight, then: then, Answer(.timedOut), in: &step)
  }

  private mutating func slept(in step: inout Step) -> Transition {
    if connection.isLive {
      // R33: a stream that slept has a gap.
      _ = streamWasLost(in: &step)
      step.effects.stream = .close
    }
    guard isWatched, mayRunSchedule else { return .stay }
    step.effects.notes.insert(.drifted)
    // R14: a request in flight died with the connection. One request, spread.
    guard case .requesting(let inFlight, let then) = phase else {
      return .wait(.spread, insistence ?? .schedule)
    }
    return .wait(
      .spread,
      then.map { inFlight.request.refresh.merged(with: $0) } ?? inFlight.request.refresh
    )
  }

  // MARK: The device

  private mutating func moved(to next: Lifecycle) -> Transition {
    let previous = lifecycle
    lifecycle = next
    guard previous != next else { return .stay }
    switch next {
    case .foreground:
      // R11: one immediate request; one in flight will do, so that no loop doubles.
      return isWatched ? .join(RefreshRequest(.catchUp, showsLoading: snapshot == nil)) : .stay
    case .background:
      // R11: the slow interval or a pause. A long poll is for the foreground only (R32).
      guard policy.background != nil else { return .sleep }
      if case .requesting(let inFlight, let then) = phase, inFlight.request.longPoll != nil {
        return then.map { .ask($0) } ?? .wait(.cadence, .schedule)
      }
      return .stay
    case .suspended: return .sleep
    }
  }

  private func focused(in step: Step) -> Transition {
    guard isWatched, lifecycle == .foreground else { return .stay }
    // R11: focus events come in bursts.
    if let lastStart, step.now - lastStart < step.policy.focusDebounce { return .stay }
    // R39: one that was taken back is requested as soon as the origin allows it.
    if let quietUntil = restraint.quietUntil, step.now < quietUntil,
      case .waiting(let wait) = phase, wait.refresh.reason == .catchUp
    {
      return .stay
    }
    return .join(RefreshRequest(.catchUp))
  }

  private mutating func connectivityChanged(
    to next: Connectivity,
    in step: inout Step
  ) -> Transition {
    let previous = connectivity
    connectivity = next
    switch (previous, next) {
    case (.offline, .offline): return .stay
    case (_, .offline):
      // R24: no requests, no failures counted. A refresh that the user requested is kept.
      if case .requesting(let inFlight, let then) = phase {
        let refresh =
          then.map { inFlight.request.refresh.merged(with: $0) } ?? inFlight.request.refresh
        if refresh.reason == .person {
          deferred = deferred.map { $0.merged(with: refresh) } ?? refresh
        }
      } else if let refresh = insistence, refresh.reason == .person {
        deferred = deferred.map { $0.merged(with: refresh) } ?? refresh
      }
      return .sleep
    case (.offline, _):
      // R24: one immediate request after reconnecting, jittered.
      let refresh = RefreshRequest(.catchUp)
      if isOverBudget(refresh, at: step.now) {
        postpone(refresh, in: &step)
        return .stay
      }
      if isWatched || hasDebt, !isBound(at: step.now) {
        // Charged to the latest instant at which the spread lets it be sent.
        patience.spend(at: step.now + max(step.policy.spread, .zero), step.policy)
      }
      return .wait(.reconnect, refresh)
    case (_, .metered):
      // R35: a prefetch is canceled on a metered network.
      guard case .requesting(let inFlight, nil) = phase,
        inFlight.request.refresh.reason == .prefetch
      else {
        return .stay
      }
      return .sleep
    case (_, .online): return .stay
    }
  }

  // MARK: The application

  private mutating func refreshRequested(_ refresh: RefreshRequest, in step: Step) -> Transition {
    // R34: a request by the user ends the silence that "disabled" caused.
    if refresh.reason == .person { degraded.personSpoke() }
    if refresh.isChangeNotice, case .waiting(let wait) = phase,
      wait.cause.isOfFailure || wait.cause == .change
    {
      // R23: a change notice does not shorten the wait after a transient failure; after others, it keeps the interval.
      // R33: a repetition that waits becomes a request for this change, with a repetition of its own.
      let mayHelp = (wait.cause == .recheck || wait.cause == .gone) && !isBound(at: step.now)
      return mayHelp || wait.cause == .change
        ? .wait(.change, wait.refresh.merged(with: refresh)) : .stay
    }
    // R32: no refresh waits behind a long poll. The long poll ends now, and the refresh is sent
    // instead.
    if case .requesting(let inFlight, _) = phase, inFlight.request.longPoll != nil {
      return .insist(refresh)
    }
    return .queue(refresh)
  }

  private mutating func contextChanged(to next: Context, in step: inout Step) -> Transition {
    let refresh = RefreshRequest(.person, showsLoading: true)
    guard next != context else {
      return isWatched && mayRunSchedule ? refreshRequested(refresh, in: step) : .stay
    }
    // R4: the snapshot is removed at once, and with it downgrade protection, validators (R19) and
    // failures. R39: another query goes to the same origin, whose `Retry-After` still applies.
    let notBefore = next.identity == context.identity ? backoff.notBefore : nil
    context = next
    if snapshot != nil { step.effects.snapshot = .clear }
    snapshot = nil
    quality = Quality()
    withheld = nil
    failure = nil
    backoff = Backoff(notBefore: notBefore)
    degraded = DegradedRun()
    rhythm = ProducerRhythm()
    activity = ActivityHistory()
    unchangedRun = 0
    lastFull = nil
    deferred = nil
    postponed = nil
    pathDelay = -1
    serverClock = ServerClock()
    lastRescue = nil
    return isWatched && mayRunSchedule ? .ask(refresh) : .sleep
  }

  private mutating func activityObserved(_ current: Activity, in step: Step) -> Transition {
    activity.observed(current, at: step.now)
    return .stay
  }

  private mutating func acted(in step: Step) -> Transition {
    // R13: the active interval until the effect is seen or the deadline passes.
    activity.acted(until: step.now + step.policy.burst)
    return .stay
  }

  private mutating func fulfilled() -> Transition {
    activity.fulfilled()
    return .stay
  }

  private mutating func wrote(_ revision: Revision, in step: inout Step) -> Transition {
    snapshot = Snapshot(
      revision: revision,
      validator: nil,
      hasRealtime: snapshot?.hasRealtime ?? false,
      hasServerAge: false,
      age: Age(atArrival: .zero, arrivedAt: step.now),
      // R36: the response to it must not be older than the copy it replaced.
      floor: snapshot?.floor,
      hasSourceTime: snapshot?.hasSourceTime ?? false,
      // R38: only the application vouches for it.
      provenance: .local,
      changedAt: step.now,
      verifiedAt: snapshot?.verifiedAt ?? step.now
    )
    withheld = nil
    return replaced(in: &step)
  }

  private mutating func restored(
    _ revision: Revision,
    age: Instant.Duration,
    sourceTime: WallTime?,
    in step: inout Step
  ) -> Transition {
    // R38: a restored copy fills a gap and never replaces another.
    guard snapshot == nil else {
      step.effects.snapshot = .keep
      return .stay
    }
    step.effects.snapshot = .apply
    snapshot = Snapshot(
      revision: revision,
      validator: nil,
      hasRealtime: false,
      hasServerAge: false,
      age: Age(atArrival: max(age, .zero), arrivedAt: step.now),
      // R36, R37: the order and the age of what the server sends next.
      floor: sourceTime,
      hasSourceTime: sourceTime != nil,
      provenance: .disk,
      changedAt: step.now,
      verifiedAt: step.now
    )
    quality = Quality()
    withheld = nil
    return .stay
  }

  private mutating func restrained(_ next: Restraint) -> Transition {
    restraint = next
    return .stay
  }

  private mutating func queued(_ ticket: Ticket, in step: inout Step) -> Transition {
    prolong(ticket, at: step.now)
    // R8: whatever else is due.
    return woke(in: &step)
  }

  private mutating func notHeld(_ ticket: Ticket, in step: Step) -> Transition {
    guard case .requesting(var inFlight, let then) = phase, inFlight.request.ticket == ticket,
      inFlight.request.longPoll != nil
    else { return .stay }
    // R39: an ordinary request: its timeout (R6), its delay (R37), and a normal wait after it (R9).
    inFlight.request.longPoll = nil
    isHeldByServer = false
    phase = .requesting(inFlight, then: then)
    prolong(ticket, at: step.now)
    return .stay
  }

  /// Begins the timeout (R6) of a request that was not sent before (R39).
  private mutating func prolong(_ ticket: Ticket, at now: Instant) {
    guard case .requesting(var inFlight, let then) = phase, inFlight.request.ticket == ticket else {
      return
    }
    let timeout = policy.timeout + (inFlight.request.longPoll ?? .zero)
    inFlight.request.timeout = timeout + (now - inFlight.startedAt)
    phase = .requesting(inFlight, then: then)
  }

  private mutating func evicted() -> Transition {
    // R19: a validator is removed with the snapshot it validates.
    snapshot = nil
    withheld = nil
    return .stay
  }

  /// Records the application's own copy, which makes the pending response outdated.
  private mutating func replaced(in step: inout Step) -> Transition {
    switch phase {
    case .idle: return .stay
    case .waiting(let wait):
      // R12: it moves the next request by an interval at most, however often the application writes.
      guard wait.cause == .cadence, let lastStart,
        step.now - lastStart <= interval(at: step.now, policy: step.policy) ?? .zero
      else { return .stay }
      return .wait(.cadence, wait.refresh)
    case .requesting(let inFlight, let then):
      // A forced refresh, or a request that waits behind, is sent again.
      if inFlight.request.refresh.isForced {
        return .ask(
          then.map { inFlight.request.refresh.merged(with: $0) } ?? inFlight.request.refresh
        )
      }
      guard let then else { return .wait(.cadence, .schedule) }
      guard isOverBudget(then, at: step.now) else { return .insist(then) }
      postpone(then, in: &step)
      return .wait(.cadence, .schedule)
    }
  }
}
