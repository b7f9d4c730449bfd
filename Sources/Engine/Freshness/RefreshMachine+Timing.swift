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
  mutating func settle(_ move: Transition, in turn: inout Step) {
    // R33: the stream first, because it determines the length of the waits.
    // R39: what is gone has no stream.
    let isGone = failure?.kind == .gone
    let wantsLink = isWatched && lifecycle == .foreground && mayAsk && !isGone
    let order = link.settle(
      isWanted: wantsLink,
      notBefore: noStreamBefore,
      at: turn.now,
      push: turn.policy.push
    )
    if let order { turn.effects.link = order }
    let next = next(after: move, in: &turn)
    if let old = phase.ticket, old != next.ticket, !turn.hasLanded {
      // R1: a request that is no longer current is canceled. Not an error (R22).
      turn.effects.cancel = old
    }
    phase = next
    alarm = deadline(of: next, policy: turn.policy)
    // R40: requests that wait for the budget come before the stream.
    var attention = link.deadline
    if wantsLink, link.state == .closed, postponed == nil, let push = turn.policy.push {
      if !patience.allows(at: turn.now, turn.policy) {
        attention = patience.allowedAt(turn.policy)
      } else {
        let order = link.open(notBefore: noStreamBefore, at: turn.now, push: push)
        if order == .open {
          turn.effects.link = .open
          patience.spend(at: turn.now, turn.policy)
        }
        attention = link.deadline
      }
    }
    if let attention { alarm = min(alarm ?? attention, attention) }
    turn.effects.alarm = alarm
  }

  private mutating func next(after move: Transition, in turn: inout Step) -> Phase {
    let current: Phase = turn.hasLanded ? .dormant : phase
    switch (move, current) {
    case (.sleep, _): return .dormant
    case (.ask(let wish), _): return ask(wish, isFree: true, in: &turn)
    case (.insist(let wish), _): return ask(wish, after: current, in: &turn)
    case (.queue(let wish), .asking(let flight, let then)):
      // R2: exactly one follow-up; requests merge.
      turn.effects.notes.insert(.coalesced)
      return .asking(flight, then: then.map { $0.merged(with: wish) } ?? wish)
    case (.queue(let wish), _): return ask(wish, after: current, in: &turn)
    case (.join(let wish), .asking(var flight, let then)):
      flight.request.wish = flight.request.wish.merged(with: wish)
      turn.effects.notes.insert(.coalesced)
      return proceed(flight, then: then, in: &turn)
    case (.join(let wish), _): return ask(wish, after: current, in: &turn)
    case (.resync, .asking(let flight, let then)):
      return proceed(flight, then: then.map { $0.merged(with: .change) } ?? .change, in: &turn)
    case (.resync, .resting(let rest)) where rest.cause.isOfFailure: return review(rest, in: &turn)
    case (.resync, _):
      let wish = insistence.map { $0.merged(with: .change) } ?? .change
      return rest(.reconnect, wish, in: &turn)
    case (.rest(.news, let wish), _):
      return rest(.news, insistence.map { $0.merged(with: wish) } ?? wish, in: &turn)
    case (.rest(let cause, let wish), _): return rest(cause, wish, in: &turn)
    case (.stay, .asking(let flight, let then)):
      guard mayAsk else { return .dormant }
      return proceed(flight, then: then, in: &turn)
    case (.stay, .resting(let rest)): return review(rest, in: &turn)
    case (.stay, .dormant): return resume(in: &turn)
    }
  }

  /// Continues a request in flight.
  ///
  /// R40: a refresh that the budget covers again does not wait behind a long poll (R32). It replaces
  /// the long poll after whatever event comes first, so that no alarm stays in the past (R8).
  @inline(never)
  private mutating func proceed(
    _ flight: InFlightRequest,
    then: RefreshRequest?,
    in turn: inout Step
  ) -> Phase {
    let current = Phase.asking(flight, then: then)
    guard flight.request.longPoll != nil, let postponed, !isBound(at: turn.now),
      !isOverBudget(postponed, at: turn.now)
    else { return current }
    return ask(postponed.merged(with: flight.request.wish), after: current, in: &turn)
  }

  // MARK: Resting

  /// The user's request that a wait still owes (R2); a wait that replaces it inherits it.
  var insistence: RefreshRequest? {
    guard case .resting(let rest) = phase else { return nil }
    return rest.wish.origin == .person || rest.wish.isForced ? rest.wish : nil
  }

  /// Waits for the cadence, in the foreground as after the last request: what comes and goes does not put it off (R12, R40).
  @inline(never)
  private mutating func resume(in turn: inout Step) -> Phase {
    rest(.cadence, .schedule, since: lifecycle == .foreground ? lastEnd : nil, in: &turn)
  }

  @inline(never)
  private mutating func rest(
    _ cause: Cause,
    _ wish: RefreshRequest,
    since: Moment? = nil,
    in turn: inout Step
  ) -> Phase {
    let rest = Rest(cause: cause, since: since ?? turn.now, draw: turn.draw, wish: wish)
    guard keepsTime else { return .dormant }
    let due = due(rest, policy: turn.policy).moment
    return due <= turn.now ? send(rest, in: &turn) : .resting(rest)
  }

  /// Reviews a wait: new facts may make it longer, shorter or unnecessary (R9, L5, P5).
  @inline(never)
  private mutating func review(_ rest: Rest, in turn: inout Step) -> Phase {
    guard keepsTime else { return .dormant }
    guard due(rest, policy: turn.policy).moment <= turn.now else { return .resting(rest) }
    let cadence = interval(at: rest.since, policy: turn.policy) ?? .zero
    let limit = turn.policy.driftLimit(cadence: cadence)
    guard let alarm, turn.now - alarm >= limit, !rest.cause.isSpread else {
      return send(rest, in: &turn)
    }
    // R14: the timer was late, so other clients may have woken at the same instant.
    turn.effects.notes.insert(.drifted)
    return self.rest(.spread, rest.wish, in: &turn)
  }

  @inline(never)
  private mutating func send(_ rest: Rest, in turn: inout Step) -> Phase {
    var wish = rest.wish
    if let postponed, patience.allows(at: turn.now, turn.policy) {
      // R40: the budget allows a request again.
      return ask(postponed.merged(with: wish), after: .resting(rest), in: &turn)
    }
    if case .retry = rest.cause { turn.effects.notes.insert(.retried) }
    if isStalled(rest, in: turn) {
      // R15: a forced request, at most one per cooldown. It requests a full body but does not make
      // the copy worse.
      wish.isUnconditional = true
      lastRescue = turn.now
      turn.effects.notes.insert(.rescued)
    }
    if rest.cause == .cadence {
      let facts = facts(rest, policy: turn.policy)
      if Cadence.isAligned(facts) { rhythm.spend(facts, at: turn.now, policy: turn.policy) }
    }
    // R40: the request of a wait was charged when the wait began.
    return ask(wish, isFree: true, in: &turn)
  }

  /// R15: no completed request in the foreground for a long time, though none was prevented.
  private func isStalled(_ rest: Rest, in turn: Step) -> Bool {
    guard lifecycle == .foreground, !link.isLive, let lastEnd else { return false }
    guard rest.cause == .cadence || rest.cause == .spread else { return false }
    if let notBefore, notBefore > lastEnd { return false }
    if let quietUntil = restraint.quietUntil, quietUntil > lastEnd { return false }
    let cadence = interval(at: rest.since, policy: turn.policy) ?? .zero
    guard turn.now - lastEnd >= turn.policy.stallLimit(cadence: cadence) else { return false }
    return lastRescue.map { turn.now - $0 >= turn.policy.rescueCooldown } ?? true
  }

  // MARK: Asking

  /// Sends a request, or keeps the refresh request until sending is possible.
  ///
  /// R40: the budget of impatient requests decides, unless the request is exempt. Without budget,
  /// the current activity continues.
  @inline(never)
  private mutating func ask(
    _ wanted: RefreshRequest,
    isFree: Bool = false,
    after current: Phase = .dormant,
    in turn: inout Step
  ) -> Phase {
    let isBound = isBound(at: turn.now)
    if mayAsk, !isBound, !isFree, isOverBudget(wanted, at: turn.now) {
      // R40: kept, and answered by the next request of any kind.
      postpone(wanted, in: &turn)
      switch current {
      case .asking: return current
      case .resting(let rest): return review(rest, in: &turn)
      case .dormant: return resume(in: &turn)
      }
    }
    let isPaid = wanted.isImpatient && !isFree
    var wanted = wanted
    if case .resting(let rest) = current, rest.wish.origin == .person || rest.wish.isForced {
      // R2: what the wait still owes.
      wanted = wanted.merged(with: rest.wish)
    }
    var wish = deferred.map { $0.merged(with: wanted) } ?? wanted
    deferred = nil
    guard mayAsk, !isBound else {
      // R21, R39: a `Retry-After` also applies to user requests. R24: offline, requests wait.
      deferred = wish
      turn.effects.notes.insert(.deferred)
      return rest(.deferred, .schedule, in: &turn)
    }
    if isPaid { patience.spend(at: turn.now, turn.policy) }
    if let postponed { wish = postponed.merged(with: wish) }
    postponed = nil
    generation += 1
    let previousStart = lastStart
    lastStart = turn.now
    let isUnconditional = wish.isForced || wish.isUnconditional || needsFull(at: turn.now)
    let validator = isUnconditional ? nil : snapshot?.validator
    // R32: the schedule may long-poll; users and catch-ups need a response now.
    let mayWait = wish.origin == .schedule && lifecycle == .foreground && !link.isLive
    let longPoll =
      mayWait && validator != nil && !measuresWay(generation) ? turn.policy.longPoll : nil
    if longPoll != nil { isHeldByServer = true }
    let request = Request(
      ticket: Ticket(generation: generation, context: context),
      validator: validator,
      priority: wish.origin == .person ? .high : wish.origin == .prefetch ? .low : .normal,
      wish: wish,
      longPoll: longPoll,
      timeout: turn.policy.timeout + (longPoll ?? .zero),
      cadence: interval(at: turn.now, policy: turn.policy) ?? .zero
    )
    turn.effects.request = request
    let flight = InFlightRequest(
      request: request,
      startedAt: turn.now,
      previousStart: previousStart
    )
    return .asking(flight, then: nil)
  }

  /// R18: a wrong validator would be answered with "not modified" forever.
  private func needsFull(at moment: Moment) -> Bool {
    if let limit = policy.unchangedLimit, unchangedRun >= limit { return true }
    guard let span = policy.unchangedFor, let lastFull else { return false }
    return moment - lastFull >= span
  }

  /// Returns whether a request is not a long poll, so that its duration bounds the way of its response (R37).
  private func measuresWay(_ generation: Int64) -> Bool {
    serverClock.isKnown && generation % Self.longPollsInARow == 0
  }

  /// How many requests include one that is not a long poll.
  private static let longPollsInARow: Int64 = 32

  // MARK: Deadlines

  /// Returns the interval in force for a wait that began at an instant (R9).
  func interval(at moment: Moment, policy: Policy) -> Timespan? {
    Cadence.interval(
      lifecycle: lifecycle,
      pace: activity.pace(at: moment, recentFor: policy.recentFor),
      wished: paceWished,
      policy: policy
    )
  }

  private func deadline(of phase: Phase, policy: Policy) -> Moment? {
    switch phase {
    case .dormant: nil
    case .resting(let rest): due(rest, policy: policy).moment
    case .asking(let flight, _):
      // R40: a refresh that waits for the budget does not wait behind a long poll as well.
      min(flight.deadline, interruption(of: flight, policy: policy) ?? flight.deadline)
    }
  }

  /// Returns when a long poll yields to a refresh that waits for the budget (R32, R40).
  private func interruption(of flight: InFlightRequest, policy: Policy) -> Moment? {
    guard postponed != nil, flight.request.longPoll != nil else { return nil }
    guard let allowedAt = patience.allowedAt(policy) else { return nil }
    return notBefore.map { max($0, allowedAt) } ?? allowedAt
  }

  /// Returns the end of a wait and its cause, a pure function of the wait and of known facts (R9).
  private func due(_ rest: Rest, policy: Policy) -> (moment: Moment, cause: NextRequest.Cause) {
    var due = naturalDue(rest, policy: policy)
    // R40: a refresh that waits for the budget is sent as soon as the budget allows it.
    if postponed != nil, let allowedAt = patience.allowedAt(policy), allowedAt < due.moment {
      due = (max(allowedAt, rest.since), .patience)
    }
    // R21, R23, R39: a `Retry-After` can only lengthen a wait.
    guard let notBefore, notBefore > due.moment else { return due }
    return (notBefore, .retryAfter)
  }

  /// Returns the end of a wait without the effects of a `Retry-After` or of an impatient refresh.
  private func naturalDue(
    _ rest: Rest,
    policy: Policy
  ) -> (moment: Moment, cause: NextRequest.Cause) {
    let due: (moment: Moment, cause: NextRequest.Cause)
    switch rest.cause {
    case .cadence: due = cadenceDue(rest, policy: policy)
    case .retry(let isLate):
      let spread = isLate ? rest.draw.upTo(policy.spread) : .zero
      due = (rest.since + (policy.retryDelay ?? .zero) + spread, .retry)
    case .backoff(let step):
      due = (rest.since + Backoff.wait(step: step, draw: rest.draw, policy: policy), .backoff)
    case .degraded(let step):
      due = (rest.since + Backoff.wait(step: step, draw: rest.draw, policy: policy), .degraded)
    case .recheck:
      due = (rest.since + policy.recheck + rest.draw.upTo(policy.spread), .recheck)
    case .gone:
      due = (rest.since + policy.recheckGone + rest.draw.upTo(policy.spread), .recheck)
    case .spread: due = (rest.since + rest.draw.upTo(policy.spread), .spread)
    case .reconnect: due = (rest.since + rest.draw.upTo(policy.spread), .reconnect)
    case .news:
      // Without a stream it is news from the application, which keeps the interval.
      let gap = policy.push?.leastGap ?? interval(at: rest.since, policy: policy) ?? policy.idle
      due = (max(rest.since, lastStart.map { $0 + gap } ?? rest.since), .news)
    case .deferred: due = (rest.since, .retryAfter)
    }
    guard let restrained = restrainedUntil(rest), restrained > due.moment else { return due }
    return (restrained, .origin)
  }

  /// Returns the instant before which the origin accepts no scheduled requests (R39); user requests
  /// do not wait for it.
  private func restrainedUntil(_ rest: Rest) -> Moment? {
    guard rest.wish.origin != .person, deferred?.origin != .person else { return nil }
    let shared = isBeyondShare(rest) ? nil : restraint.turn(after: lastStart, rest.draw)
    guard let quietUntil = restraint.quietUntil else { return shared }
    return shared.map { max($0, quietUntil) } ?? quietUntil
  }

  /// Returns whether the resource does not wait for its share of a rate limit: a catch-up that was delayed, as it would not
  /// have been without the delay, and a first load that a `Retry-After` delays, as those that have not begun do not.
  private func isBeyondShare(_ rest: Rest) -> Bool {
    switch rest.cause {
    case .spread, .reconnect: rest.wish.origin == .catchUp
    case .deferred: deferred?.origin == .catchUp
    case .backoff: snapshot == nil && backoff.notBefore != nil
    case .cadence, .retry, .degraded, .recheck, .gone, .news: false
    }
  }

  /// When the next request is sent, and why.
  public var nextRequest: NextRequest {
    switch phase {
    case .asking: return NextRequest(.outstanding)
    case .resting(let rest):
      let due = due(rest, policy: policy)
      return NextRequest(due.cause, due: due.moment)
    case .dormant:
      guard isWatched else { return NextRequest(.unwatched) }
      return NextRequest(connectivity == .offline ? .offline : .paused)
    }
  }

  private func cadenceDue(
    _ rest: Rest,
    policy: Policy
  ) -> (moment: Moment, cause: NextRequest.Cause) {
    Cadence.due(facts(rest, policy: policy), rhythm: rhythm, policy: policy)
  }

  private func facts(_ rest: Rest, policy: Policy) -> Cadence.Facts {
    // A pause has no interval, but a paused machine has no waits either.
    let interval = interval(at: rest.since, policy: policy) ?? policy.idle
    let isForeground = lifecycle == .foreground
    return Cadence.Facts(
      started: lastStart ?? rest.since,
      ended: rest.since,
      draw: rest.draw,
      interval: interval,
      isForeground: isForeground,
      isLongPoll: policy.longPoll != nil && isHeldByServer && isForeground
        && snapshot?.validator != nil && !needsFull(at: rest.since) && !measuresWay(generation + 1),
      isStreaming: link.isLive
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
    case .cadence, .degraded, .spread, .reconnect, .news: false
    }
  }
}
