extension RefreshMachine {
  /// Records the facts of an event and returns the transition that follows.
  mutating func decide(_ event: Event, in turn: inout Step) -> Transition {
    switch event {
    case .started: started()
    case .stopped: stopped()
    case .paceWished(let interval): paceChanged(interval)
    case .prefetch: prefetch(in: &turn)
    case .woke: woke(in: &turn)
    case .slept: slept(in: &turn)
    case .lifecycle(let next): moved(to: next)
    case .focused: focused(in: turn)
    case .connectivity(let next): connectivityChanged(to: next, in: &turn)
    case .wished(let wish): wished(wish, in: turn)
    case .contextChanged(let next): contextChanged(to: next, in: &turn)
    case .activity(let current): activityObserved(current, in: turn)
    case .acted: acted(in: turn)
    case .fulfilled: fulfilled()
    case .wrote(let revision): wrote(revision, in: &turn)
    case .restored(let revision, let age, let made):
      restored(revision, age: age, sourceTime: made, in: &turn)
    case .evicted: evicted()
    case .restrained(let next): restrained(next)
    case .queued(let ticket): queued(ticket, in: &turn)
    case .notHeld(let ticket): notHeld(ticket, in: turn)
    case .answered(let ticket, let answer): answered(ticket, answer, in: &turn)
    case .linkOpened, .linkHeard, .linkChanged, .linkDelivered, .linkGap, .linkLost:
      linkReported(event, in: &turn)
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
    paceWished = nil
    activity.fulfilled()
    return .sleep
  }

  private mutating func paceChanged(_ interval: Timespan?) -> Transition {
    paceWished = interval
    return .stay
  }

  private mutating func prefetch(in turn: inout Step) -> Transition {
    // R35: before the resource has observers, at low priority, on an unmetered network, within the
    // budget of the cadence.
    let gap = interval(at: turn.now, policy: turn.policy) ?? .longest
    let isInBudget = lastStart.map { turn.now - $0 >= gap } ?? true
    let isFree = connectivity == .online && lifecycle == .foreground
    let isAllowed = !isBound(at: turn.now) && (restraint.quietUntil.map { $0 <= turn.now } ?? true)
    guard turn.policy.prefetches, !isWatched, phase == .dormant, isFree, isInBudget, isAllowed
    else {
      turn.effects.notes.insert(.prefetchDropped)
      return .stay
    }
    return .ask(RefreshRequest(.prefetch))
  }

  // MARK: Time

  private mutating func woke(in turn: inout Step) -> Transition {
    var needsResync = false
    if link.isOverdue(at: turn.now) {
      needsResync = linkWasLost(in: &turn) == .resync
      turn.effects.link = .close
    }
    guard case .asking(let flight, let then) = phase, flight.deadline <= turn.now else {
      return needsResync ? .resync : .stay
    }
    // R6: timed out: canceled, and a transient failure.
    turn.effects.cancel = flight.request.ticket
    turn.effects.notes.insert(.timedOut)
    return landed(flight, then: then, Answer(.timedOut), in: &turn)
  }

  private mutating func slept(in turn: inout Step) -> Transition {
    if link.isLive {
      // R33: a stream that slept has a gap.
      _ = linkWasLost(in: &turn)
      turn.effects.link = .close
    }
    guard isWatched, mayRunSchedule else { return .stay }
    turn.effects.notes.insert(.drifted)
    // R14: a request in flight died with the connection. One request, spread.
    guard case .asking(let flight, let then) = phase else {
      return .rest(.spread, insistence ?? .schedule)
    }
    return .rest(.spread, then.map { flight.request.wish.merged(with: $0) } ?? flight.request.wish)
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
      if case .asking(let flight, let then) = phase, flight.request.longPoll != nil {
        return then.map { .ask($0) } ?? .rest(.cadence, .schedule)
      }
      return .stay
    case .suspended: return .sleep
    }
  }

  private func focused(in turn: Step) -> Transition {
    guard isWatched, lifecycle == .foreground else { return .stay }
    // R11: focus events come in bursts.
    if let lastStart, turn.now - lastStart < turn.policy.focusDebounce { return .stay }
    // R39: one that was taken back is requested as soon as the origin allows it.
    if let quietUntil = restraint.quietUntil, turn.now < quietUntil,
      case .resting(let rest) = phase, rest.wish.origin == .catchUp
    {
      return .stay
    }
    return .join(RefreshRequest(.catchUp))
  }

  private mutating func connectivityChanged(
    to next: Connectivity,
    in turn: inout Step
  ) -> Transition {
    let previous = connectivity
    connectivity = next
    switch (previous, next) {
    case (.offline, .offline): return .stay
    case (_, .offline):
      // R24: no requests, no failures counted. A refresh that the user requested is kept.
      if case .asking(let flight, let then) = phase {
        let wish = then.map { flight.request.wish.merged(with: $0) } ?? flight.request.wish
        if wish.origin == .person { deferred = deferred.map { $0.merged(with: wish) } ?? wish }
      } else if let wish = insistence, wish.origin == .person {
        deferred = deferred.map { $0.merged(with: wish) } ?? wish
      }
      return .sleep
    case (.offline, _):
      // R24: one immediate request after reconnecting, jittered.
      let wish = RefreshRequest(.catchUp)
      if isOverBudget(wish, at: turn.now) {
        postpone(wish, in: &turn)
        return .stay
      }
      if isWatched || hasDebt, !isBound(at: turn.now) {
        // Charged to the latest instant at which the spread lets it be sent.
        patience.spend(at: turn.now + max(turn.policy.spread, .zero), turn.policy)
      }
      return .rest(.reconnect, wish)
    case (_, .metered):
      // R35: a prefetch is canceled on a metered network.
      guard case .asking(let flight, nil) = phase, flight.request.wish.origin == .prefetch else {
        return .stay
      }
      return .sleep
    case (_, .online): return .stay
    }
  }

  // MARK: The application

  private mutating func wished(_ wish: RefreshRequest, in turn: Step) -> Transition {
    // R34: a request by the user ends the silence that "disabled" caused.
    if wish.origin == .person { degraded.personSpoke() }
    if wish.isNews, case .resting(let rest) = phase, rest.cause.isOfFailure || rest.cause == .news {
      // R23: news does not shorten the wait after a transient failure; after others, it keeps the interval.
      // R33: a repetition that waits becomes a request for this news, with a repetition of its own.
      let mayHelp = (rest.cause == .recheck || rest.cause == .gone) && !isBound(at: turn.now)
      return mayHelp || rest.cause == .news ? .rest(.news, rest.wish.merged(with: wish)) : .stay
    }
    // R32: no refresh waits behind a long poll. The long poll ends now, and the refresh is sent
    // instead.
    if case .asking(let flight, _) = phase, flight.request.longPoll != nil { return .insist(wish) }
    return .queue(wish)
  }

  private mutating func contextChanged(to next: Context, in turn: inout Step) -> Transition {
    let wish = RefreshRequest(.person, showsLoading: true)
    guard next != context else {
      return isWatched && mayRunSchedule ? wished(wish, in: turn) : .stay
    }
    // R4: the snapshot is removed at once, and with it downgrade protection, validators (R19) and
    // failures. R39: another query goes to the same origin, whose `Retry-After` still applies.
    let notBefore = next.identity == context.identity ? backoff.notBefore : nil
    context = next
    if snapshot != nil { turn.effects.snapshot = .clear }
    snapshot = nil
    quality = Quality()
    held = nil
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
    return isWatched && mayRunSchedule ? .ask(wish) : .sleep
  }

  private mutating func activityObserved(_ current: Activity, in turn: Step) -> Transition {
    activity.observed(current, at: turn.now)
    return .stay
  }

  private mutating func acted(in turn: Step) -> Transition {
    // R13: the active interval until the effect is seen or the deadline passes.
    activity.acted(until: turn.now + turn.policy.burst)
    return .stay
  }

  private mutating func fulfilled() -> Transition {
    activity.fulfilled()
    return .stay
  }

  private mutating func wrote(_ revision: Revision, in turn: inout Step) -> Transition {
    snapshot = Snapshot(
      revision: revision,
      validator: nil,
      hasRealtime: snapshot?.hasRealtime ?? false,
      hasServerAge: false,
      age: Age(atArrival: .zero, arrivedAt: turn.now),
      // R36: the response to it must not be older than the copy it replaced.
      floor: snapshot?.floor,
      hasSourceTime: snapshot?.hasSourceTime ?? false,
      // R38: only the application vouches for it.
      provenance: .local,
      changedAt: turn.now,
      verifiedAt: snapshot?.verifiedAt ?? turn.now
    )
    held = nil
    return replaced(in: &turn)
  }

  private mutating func restored(
    _ revision: Revision,
    age: Timespan,
    sourceTime: WallTime?,
    in turn: inout Step
  ) -> Transition {
    // R38: a restored copy fills a gap and never replaces another.
    guard snapshot == nil else {
      turn.effects.snapshot = .hold
      return .stay
    }
    turn.effects.snapshot = .apply
    snapshot = Snapshot(
      revision: revision,
      validator: nil,
      hasRealtime: false,
      hasServerAge: false,
      age: Age(atArrival: max(age, .zero), arrivedAt: turn.now),
      // R36, R37: the order and the age of what the server sends next.
      floor: sourceTime,
      hasSourceTime: sourceTime != nil,
      provenance: .disk,
      changedAt: turn.now,
      verifiedAt: turn.now
    )
    quality = Quality()
    held = nil
    return .stay
  }

  private mutating func restrained(_ next: Restraint) -> Transition {
    restraint = next
    return .stay
  }

  private mutating func queued(_ ticket: Ticket, in turn: inout Step) -> Transition {
    prolong(ticket, at: turn.now)
    // R8: whatever else is due.
    return woke(in: &turn)
  }

  private mutating func notHeld(_ ticket: Ticket, in turn: Step) -> Transition {
    guard case .asking(var flight, let then) = phase, flight.request.ticket == ticket,
      flight.request.longPoll != nil
    else { return .stay }
    // R39: an ordinary request: its timeout (R6), its delay (R37), and a normal wait after it (R9).
    flight.request.longPoll = nil
    isHeldByServer = false
    phase = .asking(flight, then: then)
    prolong(ticket, at: turn.now)
    return .stay
  }

  /// Begins the timeout (R6) of a request that was not sent before (R39).
  private mutating func prolong(_ ticket: Ticket, at now: Moment) {
    guard case .asking(var flight, let then) = phase, flight.request.ticket == ticket else {
      return
    }
    let timeout = policy.timeout + (flight.request.longPoll ?? .zero)
    flight.request.timeout = timeout + (now - flight.startedAt)
    phase = .asking(flight, then: then)
  }

  private mutating func evicted() -> Transition {
    // R19: a validator is removed with the snapshot it validates.
    snapshot = nil
    held = nil
    return .stay
  }

  /// Records the application's own copy, which makes the pending response outdated.
  private mutating func replaced(in turn: inout Step) -> Transition {
    switch phase {
    case .dormant: return .stay
    case .resting(let rest):
      // R12: it moves the next request by an interval at most, however often the application writes.
      guard rest.cause == .cadence, let lastStart,
        turn.now - lastStart <= interval(at: turn.now, policy: turn.policy) ?? .zero
      else { return .stay }
      return .rest(.cadence, rest.wish)
    case .asking(let flight, let then):
      // A forced refresh, or a request that waits behind, is sent again.
      if flight.request.wish.isForced {
        return .ask(then.map { flight.request.wish.merged(with: $0) } ?? flight.request.wish)
      }
      guard let then else { return .rest(.cadence, .schedule) }
      guard isOverBudget(then, at: turn.now) else { return .insist(then) }
      postpone(then, in: &turn)
      return .rest(.cadence, .schedule)
    }
  }
}
