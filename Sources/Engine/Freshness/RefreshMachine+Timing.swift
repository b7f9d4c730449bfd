extension RefreshMachine {
  // MARK: Permission

  /// Whether requests are possible at all (R11, R24).
  var mayAsk: Bool { lifecycle != .suspended && connectivity != .offline }

  /// Whether the lifecycle lets the schedule run (R11).
  var mayRunSchedule: Bool {
    switch lifecycle {
    case .foreground: true
    case .background: policy.background != nil
    case .suspended: false
    }
  }

  /// Whether the machine keeps an alarm now.
  ///
  /// Without observers, only for a deferred refresh request.
  private var keepsTime: Bool { mayAsk && (isWatched ? mayRunSchedule : hasDebt) }

  /// Whether a refresh request is deferred that has no observers.
  var hasDebt: Bool { deferred != nil || postponed != nil }

  // MARK: The one place that writes the phase and the alarm

  /// Applies a transition and sets the alarm.
  ///
  /// R8: the timer has one owner, and is set here after every event.
  mutating func apply(_ transition: Transition, in step: inout Step) {
    // R33: the stream first, because it determines the length of the waits.
    // R39: what is gone has no stream.
    let isGone = failure?.kind == .gone
    let wantsStream = isWatched && lifecycle == .foreground && mayAsk && !isGone
    let order = connection.apply(
      isWanted: wantsStream,
      notBefore: noStreamBefore,
      at: step.now,
      push: step.policy.push
    )
    if let order { step.effects.stream = order }
    let next = next(after: transition, in: &step)
    if let old = phase.ticket, old != next.ticket, !step.hasEnded {
      // R1: a request that is no longer current is canceled. Not an error (R22).
      step.effects.cancel = old
    }
    phase = next
    alarm = deadline(of: next, policy: step.policy)
    // R40: requests that wait for the budget come before the stream.
    var attention = connection.deadline
    if wantsStream, connection.state == .closed, postponed == nil, let push = step.policy.push {
      if !patience.allows(at: step.now, step.policy) {
        attention = patience.allowedAt(step.policy)
      } else {
        let order = connection.open(notBefore: noStreamBefore, at: step.now, push: push)
        if order == .open {
          step.effects.stream = .open
          patience.spend(at: step.now, step.policy)
        }
        attention = connection.deadline
      }
    }
    if let attention { alarm = min(alarm ?? attention, attention) }
    step.effects.alarm = alarm
  }

  private mutating func next(after transition: Transition, in step: inout Step) -> Phase {
    let current: Phase = step.hasEnded ? .idle : phase
    switch (transition, current) {
    case (.sleep, _): return .idle
    case (.ask(let refresh), _): return ask(refresh, isFree: true, in: &step)
    case (.insist(let refresh), _): return ask(refresh, after: current, in: &step)
    case (.queue(let refresh), .requesting(let inFlight, let then)):
      // R2: exactly one follow-up; requests merge.
      step.effects.notes.insert(.coalesced)
      return .requesting(inFlight, then: then.map { $0.merged(with: refresh) } ?? refresh)
    case (.queue(let refresh), _): return ask(refresh, after: current, in: &step)
    case (.join(let refresh), .requesting(var inFlight, let then)):
      inFlight.request.refresh = inFlight.request.refresh.merged(with: refresh)
      step.effects.notes.insert(.coalesced)
      return proceed(inFlight, then: then, in: &step)
    case (.join(let refresh), _): return ask(refresh, after: current, in: &step)
    case (.resync, .requesting(let inFlight, let then)):
      return proceed(inFlight, then: then.map { $0.merged(with: .change) } ?? .change, in: &step)
    case (.resync, .waiting(let wait)) where wait.cause.isOfFailure: return review(wait, in: &step)
    case (.resync, _):
      let refresh = insistence.map { $0.merged(with: .change) } ?? .change
      return wait(.reconnect, refresh, in: &step)
    case (.wait(.change, let refresh), _):
      return wait(.change, insistence.map { $0.merged(with: refresh) } ?? refresh, in: &step)
    case (.wait(let cause, let refresh), _): return wait(cause, refresh, in: &step)
    case (.stay, .requesting(let inFlight, let then)):
      guard mayAsk else { return .idle }
      return proceed(inFlight, then: then, in: &step)
    case (.stay, .waiting(let wait)): return review(wait, in: &step)
    case (.stay, .idle): return resume(in: &step)
    }
  }

  /// Continues a request in flight.
  ///
  /// R40: a refresh that the budget covers again does not wait behind a long poll (R32). It replaces
  /// the long poll after whatever event comes first, so that no alarm stays in the past (R8).
  @inline(never)
  private mutating func proceed(
    _ inFlight: InFlightRequest,
    then: RefreshRequest?,
    in step: inout Step
  ) -> Phase {
    let current = Phase.requesting(inFlight, then: then)
    guard inFlight.request.longPoll != nil, let postponed, !isBound(at: step.now),
      !isOverBudget(postponed, at: step.now)
    else { return current }
    return ask(postponed.merged(with: inFlight.request.refresh), after: current, in: &step)
  }

  // MARK: Waiting

  /// The user's request that a wait still owes (R2); a wait that replaces it inherits it.
  var insistence: RefreshRequest? {
    guard case .waiting(let wait) = phase else { return nil }
    return wait.refresh.reason == .person || wait.refresh.isForced ? wait.refresh : nil
  }

  /// Waits for the cadence, in the foreground as after the last request: what comes and goes does not put it off (R12, R40).
  @inline(never)
  private mutating func resume(in step: inout Step) -> Phase {
    wait(.cadence, .schedule, since: lifecycle == .foreground ? lastEnd : nil, in: &step)
  }

  @inline(never)
  private mutating func wait(
    _ cause: Cause,
    _ refresh: RefreshRequest,
    since: Instant? = nil,
    in step: inout Step
  ) -> Phase {
    let wait = Wait(cause: cause, since: since ?? step.now, random: step.random, refresh: refresh)
    guard keepsTime else { return .idle }
    let due = due(wait, policy: step.policy).instant
    return due <= step.now ? send(wait, in: &step) : .waiting(wait)
  }

  /// Reviews a wait: new facts may make it longer, shorter or unnecessary (R9, L5, P5).
  @inline(never)
  private mutating func review(_ wait: Wait, in step: inout Step) -> Phase {
    guard keepsTime else { return .idle }
    guard due(wait, policy: step.policy).instant <= step.now else { return .waiting(wait) }
    let cadence = interval(at: wait.since, policy: step.policy) ?? .zero
    let limit = step.policy.driftLimit(cadence: cadence)
    guard let alarm, step.now - alarm >= limit, !wait.cause.isSpread else {
      return send(wait, in: &step)
    }
    // R14: the timer was late, so other clients may have woken at the same instant.
    step.effects.notes.insert(.drifted)
    return self.wait(.spread, wait.refresh, in: &step)
  }

  @inline(never)
  private mutating func send(_ wait: Wait, in step: inout Step) -> Phase {
    var refresh = wait.refresh
    if let postponed, patience.allows(at: step.now, step.policy) {
      // R40: the budget allows a request again.
      return ask(postponed.merged(with: refresh), after: .waiting(wait), in: &step)
    }
    if case .retry = wait.cause { step.effects.notes.insert(.retried) }
    if isStalled(wait, in: step) {
      // R15: a forced request, at most one per cooldown. It requests a full body but does not make
      // the copy worse.
      refresh.isUnconditional = true
      lastRescue = step.now
      step.effects.notes.insert(.rescued)
    }
    if wait.cause == .cadence {
      let facts = facts(wait, policy: step.policy)
      if Cadence.isAligned(facts) { rhythm.spend(facts, at: step.now, policy: step.policy) }
    }
    // R40: the request of a wait was charged when the wait began.
    return ask(refresh, isFree: true, in: &step)
  }

  /// R15: no completed request in the foreground for a long time, though none was prevented.
  private func isStalled(_ wait: Wait, in step: Step) -> Bool {
    guard lifecycle == .foreground, !connection.isLive, let lastEnd else { return false }
    guard wait.cause == .cadence || wait.cause == .spread else { return false }
    if let notBefore, notBefore > lastEnd { return false }
    if let quietUntil = restraint.quietUntil, quietUntil > lastEnd { return false }
    let cadence = interval(at: wait.since, policy: step.policy) ?? .zero
    guard step.now - lastEnd >= step.policy.stallLimit(cadence: cadence) else { return false }
    return lastRescue.map { step.now - $0 >= step.policy.rescueCooldown } ?? true
  }

  // MARK: Requesting

  /// Sends a request, or keeps the refresh request until sending is possible.
  ///
  /// R40: the budget of impatient requests decides, unless the request is exempt. Without budget,
  /// the current activity continues.
  @inline(never)
  private mutating func ask(
    _ wanted: RefreshRequest,
    isFree: Bool = false,
    after current: Phase = .idle,
    in step: inout Step
  ) -> Phase {
    let isBound = isBound(at: step.now)
    if mayAsk, !isBound, !isFree, isOverBudget(wanted, at: step.now) {
      // R40: kept, and answered by the next request of any kind.
      postpone(wanted, in: &step)
      switch current {
      case .requesting: return current
      case .waiting(let wait): return review(wait, in: &step)
      case .idle: return resume(in: &step)
      }
    }
    let isPaid = wanted.isImpatient && !isFree
    var wanted = wanted
    if case .waiting(let wait) = current, wait.refresh.reason == .person || wait.refresh.isForced {
      // R2: what the wait still owes.
      wanted = wanted.merged(with: wait.refresh)
    }
    var refresh = deferred.map { $0.merged(with: wanted) } ?? wanted
    deferred = nil
    guard mayAsk, !isBound else {
      // R21, R39: a `Retry-After` also applies to user requests. R24: offline, requests wait.
      deferred = refresh
      step.effects.notes.insert(.deferred)
      return wait(.deferred, .schedule, in: &step)
    }
    if isPaid { patience.spend(at: step.now, step.policy) }
    if let postponed { refresh = postponed.merged(with: refresh) }
    postponed = nil
    generation += 1
    let previousStart = lastStart
    lastStart = step.now
    let isUnconditional = refresh.isForced || refresh.isUnconditional || needsFull(at: step.now)
    let validator = isUnconditional ? nil : snapshot?.validator
    // R32: the schedule may long-poll; users and catch-ups need a response now.
    let mayWait = refresh.reason == .schedule && lifecycle == .foreground && !connection.isLive
    let longPoll =
      mayWait && validator != nil && !measuresWay(generation) ? step.policy.longPoll : nil
    if longPoll != nil { isHeldByServer = true }
    let request = Request(
      ticket: Ticket(generation: generation, context: context),
      validator: validator,
      priority: refresh.reason == .person ? .high : refresh.reason == .prefetch ? .low : .normal,
      refresh: refresh,
      longPoll: longPoll,
      timeout: step.policy.timeout + (longPoll ?? .zero),
      cadence: interval(at: step.now, policy: step.policy) ?? .zero
    )
    step.effects.request = request
    let inFlight = InFlightRequest(
      request: request,
      startedAt: step.now,
      previousStart: previousStart
    )
    return .requesting(inFlight, then: nil)
  }

  /// R18: a wrong validator would be answered with "not modified" forever.
  private func needsFull(at instant: Instant) -> Bool {
    if let limit = policy.unchangedLimit, unchangedRun >= limit { return true }
    guard let span = policy.unchangedFor, let lastFull else { return false }
    return instant - lastFull >= span
  }

  /// Returns whether a request is not a long poll, so that its duration bounds the way of its response (R37).
  private func measuresWay(_ generation: Int64) -> Bool {
    serverClock.isKnown && generation % Self.longPollsInARow == 0
  }

  /// How many requests include one that is not a long poll.
  private static let longPollsInARow: Int64 = 32

  // MARK: Deadlines

  /// Returns the interval in force for a wait that began at an instant (R9).
  func interval(at instant: Instant, policy: Policy) -> Instant.Duration? {
    Cadence.interval(
      lifecycle: lifecycle,
      pace: activity.pace(at: instant, recentFor: policy.recentFor),
      refreshRequested: paceRequested,
      policy: policy
    )
  }

  private func deadline(of phase: Phase, policy: Policy) -> Instant? {
    switch phase {
    case .idle: nil
    case .waiting(let wait): due(wait, policy: policy).instant
    case .requesting(let inFlight, _):
      // R40: a refresh that waits for the budget does not wait behind a long poll as well.
      min(inFlight.deadline, interruption(of: inFlight, policy: policy) ?? inFlight.deadline)
    }
  }

  /// Returns when a long poll yields to a refresh that waits for the budget (R32, R40).
  private func interruption(of inFlight: InFlightRequest, policy: Policy) -> Instant? {
    guard postponed != nil, inFlight.request.longPoll != nil else { return nil }
    guard let allowedAt = patience.allowedAt(policy) else { return nil }
    return notBefore.map { max($0, allowedAt) } ?? allowedAt
  }

  /// Returns the end of a wait and its cause, a pure function of the wait and of known facts (R9).
  private func due(_ wait: Wait, policy: Policy) -> (instant: Instant, cause: NextRequest.Cause) {
    var due = naturalDue(wait, policy: policy)
    // R40: a refresh that waits for the budget is sent as soon as the budget allows it.
    if postponed != nil, let allowedAt = patience.allowedAt(policy), allowedAt < due.instant {
      due = (max(allowedAt, wait.since), .patience)
    }
    // R21, R23, R39: a `Retry-After` can only lengthen a wait.
    guard let notBefore, notBefore > due.instant else { return due }
    return (notBefore, .retryAfter)
  }

  /// Returns the end of a wait without the effects of a `Retry-After` or of an impatient refresh.
  private func naturalDue(
    _ wait: Wait,
    policy: Policy
  ) -> (instant: Instant, cause: NextRequest.Cause) {
    let due: (instant: Instant, cause: NextRequest.Cause)
    switch wait.cause {
    case .cadence: due = cadenceDue(wait, policy: policy)
    case .retry(let isLate):
      let spread = isLate ? wait.random.upTo(policy.spread) : .zero
      due = (wait.since + (policy.retryDelay ?? .zero) + spread, .retry)
    case .backoff(let step):
      due = (wait.since + Backoff.wait(step: step, random: wait.random, policy: policy), .backoff)
    case .degraded(let step):
      due = (wait.since + Backoff.wait(step: step, random: wait.random, policy: policy), .degraded)
    case .recheck:
      due = (wait.since + policy.recheck + wait.random.upTo(policy.spread), .recheck)
    case .gone:
      due = (wait.since + policy.recheckGone + wait.random.upTo(policy.spread), .recheck)
    case .spread: due = (wait.since + wait.random.upTo(policy.spread), .spread)
    case .reconnect: due = (wait.since + wait.random.upTo(policy.spread), .reconnect)
    case .change:
      // Without a stream, the notice is from the application, which keeps the interval.
      let gap = policy.push?.leastGap ?? interval(at: wait.since, policy: policy) ?? policy.idle
      due = (max(wait.since, lastStart.map { $0 + gap } ?? wait.since), .change)
    case .deferred: due = (wait.since, .retryAfter)
    }
    guard let restrained = restrainedUntil(wait), restrained > due.instant else { return due }
    return (restrained, .origin)
  }

  /// Returns the instant before which the origin accepts no scheduled requests (R39); user requests
  /// do not wait for it.
  private func restrainedUntil(_ wait: Wait) -> Instant? {
    guard wait.refresh.reason != .person, deferred?.reason != .person else { return nil }
    let shared = isBeyondShare(wait) ? nil : restraint.slot(after: lastStart, wait.random)
    guard let quietUntil = restraint.quietUntil else { return shared }
    return shared.map { max($0, quietUntil) } ?? quietUntil
  }

  /// Returns whether the resource does not wait for its share of a rate limit: a catch-up that was delayed, as it would not
  /// have been without the delay, and a first load that a `Retry-After` delays, as those that have not begun do not.
  private func isBeyondShare(_ wait: Wait) -> Bool {
    switch wait.cause {
    case .spread, .reconnect: wait.refresh.reason == .catchUp
    case .deferred: deferred?.reason == .catchUp
    case .backoff: snapshot == nil && backoff.notBefore != nil
    case .cadence, .retry, .degraded, .recheck, .gone, .change: false
    }
  }

  /// When the next request is sent, and why.
  public var nextRequest: NextRequest {
    switch phase {
    case .requesting: return NextRequest(.outstanding)
    case .waiting(let wait):
      let due = due(wait, policy: policy)
      return NextRequest(due.cause, due: due.instant)
    case .idle:
      guard isWatched else { return NextRequest(.unwatched) }
      return NextRequest(connectivity == .offline ? .offline : .paused)
    }
  }

  private func cadenceDue(
    _ wait: Wait,
    policy: Policy
  ) -> (instant: Instant, cause: NextRequest.Cause) {
    Cadence.due(facts(wait, policy: policy), rhythm: rhythm, policy: policy)
  }

  private func facts(_ wait: Wait, policy: Policy) -> Cadence.Facts {
    // A pause has no interval, but a paused machine has no waits either.
    let interval = interval(at: wait.since, policy: policy) ?? policy.idle
    let isForeground = lifecycle == .foreground
    return Cadence.Facts(
      started: lastStart ?? wait.since,
      ended: wait.since,
      random: wait.random,
      interval: interval,
      isForeground: isForeground,
      isLongPoll: policy.longPoll != nil && isHeldByServer && isForeground
        && snapshot?.validator != nil && !needsFull(at: wait.since) && !measuresWay(generation + 1),
      isStreaming: connection.isLive
    )
  }
}

extension RefreshMachine.Cause {
  /// Whether the wait follows a transient failure.
  var isOfTransientFailure: Bool {
    switch self {
    case .retry, .backoff: true
    default: false
    }
  }

  /// Whether the wait already spreads clients that woke together.
  fileprivate var isSpread: Bool { self == .spread || self == .reconnect }

  /// Whether the wait follows a failure; losing a stream does not shorten it.
  var isOfFailure: Bool {
    switch self {
    case .retry, .backoff, .recheck, .gone, .deferred: true
    case .cadence, .degraded, .spread, .reconnect, .change: false
    }
  }
}
