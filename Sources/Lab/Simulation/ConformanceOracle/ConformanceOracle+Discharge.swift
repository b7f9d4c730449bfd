import Freshness

/// Turns an obligation into an expected state, and follows the machine where a rule leaves a
/// choice.
extension ConformanceOracle {
  mutating func discharge(_ duty: Obligation) {
    switch duty {
    case .goOn: goOn()
    case .ask(let want, let rule):
      drop()
      ask(want, rule)
    case .insist(let want, let rule): insist(want, rule)
    case .askOrFollow(let want, let rule):
      guard out != nil else { return insist(want, rule) }
      turn.notes.insert(.coalesced)
      turn.hush(.oneRequest)
      follow(want)
    case .askOrJoin(let want, let rule):
      guard let joined = out?.want else { return insist(want, rule) }
      turn.notes.insert(.coalesced)
      out?.want = joined.and(want)
      proceed()
    case .wait(let reason, let want, let rule):
      if turn.cancelRule == .oneRequest { turn.cancelRule = rule }
      drop()
      begin(reason, want)
    case .catchUp:
      let want = Want(origin: .change)
      if out != nil {
        follow(want)
        proceed()
      } else if let wait, wait.reason.isOfFailure {
        review(wait)
      } else {
        begin(.resync, want.and(owed { $0.origin == .person || $0.isForced }))
      }
    case .stop(let rule):
      turn.cancelRule = rule
      turn.hush(rule)
      drop()
      wait = nil
    }
  }

  /// R40: requests if the budget covers it; otherwise the request is kept and the current activity
  /// continues.
  private mutating func insist(_ want: Want, _ rule: Rule) {
    guard mayAsk, isOverBudget(want) else {
      drop()
      // R2: with what a wait still owes.
      return ask(
        want.and(owed { $0.origin == .person || $0.isForced }),
        rule,
        pays: want.isImpatient
      )
    }
    postpone(want)
    guard out == nil else { return }
    if let wait {
      review(wait)
    } else {
      begin(.cadence, .schedule, since: lifecycle == .foreground ? lastEnd : nil)
    }
  }

  private mutating func goOn() {
    if out != nil {
      proceed()
    } else if let wait {
      review(wait)
    } else if keepsTime {
      // R8, R12: a machine that may keep an alarm and has nothing else to wait for waits for the
      // cadence.
      begin(.cadence, .schedule, since: lifecycle == .foreground ? lastEnd : nil)
    } else {
      turn.hush(connectivity == .offline ? .offline : .lifecycle)
    }
  }

  private mutating func proceed() {
    guard let out, out.request.longPoll != nil, let postponed, !isBound, !isOverBudget(postponed)
    else { return turn.hush(.oneRequest) }
    // R40, R32: a refresh that the budget covers again does not wait behind a long poll.
    turn.cancelRule = .impatience
    drop()
    ask(postponed.and(out.want), .impatience, pays: true)
  }

  private mutating func follow(_ want: Want) {
    let behind = out?.followUp
    out?.followUp = want.and(behind)
  }

  /// R1: a request that is no longer current is canceled.
  private mutating func drop() {
    guard let request = out else { return }
    turn.cancelled = request.request.ticket
    out = nil
  }

  private mutating func begin(_ reason: Reason, _ want: Want, since: Int64? = nil) {
    wait = nil
    guard keepsTime else {
      turn.hush(connectivity == .offline ? .offline : .lifecycle)
      return
    }
    let next = Wait(reason: reason, since: since ?? turn.now, want: want)
    let window = end(of: next)
    wait = next
    guard turn.now >= window.least else {
      turn.hush(window.rule)
      return
    }
    if turn.now >= window.most || turn.effects.request != nil {
      // R40: if an impatient request cuts a wait short, its spread says nothing.
      if window.rule == reason.rule { chance.spread(reason, policy, turn, isAtOnce: true) }
      send(next)
    } else if window.rule == reason.rule {
      chance.spread(reason, policy, turn, isAtOnce: false)
    }
  }

  private mutating func review(_ current: Wait) {
    guard keepsTime else {
      wait = nil
      turn.hush(connectivity == .offline ? .offline : .lifecycle)
      return
    }
    let window = end(of: current)
    guard turn.now >= window.least else {
      turn.hush(window.rule)
      return
    }
    // A refresh delayed by the budget has the same note.
    let hasDeferred =
      turn.effects.notes.contains(.deferred) && !turn.notes.contains(.deferred)
    let hasActed =
      turn.effects.request != nil || turn.effects.notes.contains(.drifted) || hasDeferred
    guard turn.now >= window.most || hasActed else { return }
    let cadence = interval(at: current.since) ?? 0
    if let lastAlarm, turn.now - lastAlarm >= driftLimit(cadence), !current.reason.isSpread {
      // R14: the timer was late, so other clients may have woken at the same instant.
      turn.notes.insert(.drifted)
      begin(.gap, current.want)
    } else {
      send(current)
    }
  }

  private mutating func send(_ due: Wait) {
    var want = due.want
    if let postponed, budget.allows(at: turn.now, policy) {
      return ask(postponed.and(want), .impatience, pays: true)
    }
    if case .retry = due.reason { turn.notes.insert(.retried) }
    if isStalled(due) {
      want.isUnconditional = true
      lastRescue = turn.now
      turn.rescued = true
      turn.notes.insert(.rescued)
    }
    ask(want, due.reason == .cadence && lifecycle != .foreground ? .neverDead : due.reason.rule)
  }

  /// R15: no completed request in the foreground for a long time, though none was prevented.
  private func isStalled(_ due: Wait) -> Bool {
    guard lifecycle == .foreground, !stream.isLive, let lastEnd else { return false }
    guard due.reason == .cadence || due.reason == .gap else { return false }
    if let bound, bound > lastEnd { return false }
    if let quietUntil = restraint.quietUntil, quietUntil.milliseconds > lastEnd { return false }
    let cadence = interval(at: due.since) ?? 0
    let limit = max(policy.stallFloor.milliseconds, cadence * policy.stallFactor)
    guard turn.now - lastEnd >= limit else { return false }
    return lastRescue.map { turn.now - $0 >= policy.rescueCooldown.milliseconds } ?? true
  }

  private mutating func ask(_ wish: Want, _ rule: Rule, pays: Bool = false) {
    var want = wish.and(deferred)
    deferred = nil
    wait = nil
    guard mayAsk, !isBound else {
      // R21: a `Retry-After` also applies to user requests. R24, R11: until it is possible, the
      // request waits.
      deferred = want
      turn.notes.insert(.deferred)
      let isOfOrigin = bound != notBefore
      let boundRule: Rule = isOfOrigin || turn.isSwitched ? .backPressure : .outcomes
      turn.hush(mayAsk ? boundRule : connectivity == .offline ? .offline : .lifecycle)
      if keepsTime { wait = Wait(reason: .deferred, since: turn.now) }
      return
    }
    if pays, wish.isImpatient { spend(at: turn.now) }
    want = want.and(postponed)
    postponed = nil
    turn.asked = want
    guard let request = turn.effects.request else {
      return fail(rule, "no request went out")
    }
    check(request, for: want)
    generation = request.ticket.generation
    out = Out(
      request: request,
      want: want,
      startedAt: turn.now,
      previousStart: lastStart,
      deadline: turn.now + request.timeout.milliseconds
    )
    lastStart = turn.now
  }

  private mutating func check(_ request: Request, for want: Want) {
    expect(request.ticket.context == context, .contextSwitch, "a request about another context")
    if request.ticket.generation <= generation {
      fail(.superseded, "request \(request.ticket.generation) follows request \(generation)")
    }
    let isWhole = want.isForced || want.isUnconditional
    if !turn.rescued, turn.effects.notes.contains(.rescued) {
      fail(.stall, "a rescue without a stall, or too soon after another")
    }
    if turn.rescued {
      expect(request.validator == nil, .stall, "a rescue that is conditional")
    } else if want.isRecovery {
      expect(request.validator == nil, .missingBody, "a body is missing and not asked for")
    } else if isWhole {
      let rule: Rule = want.isForced ? .oneFollowUp : .unconditional
      expect(request.validator == nil, rule, "a wish for a full answer went out conditional")
    } else if needsFull(at: turn.now) {
      if request.validator != nil, request.validator == copy?.validator {
        let full = lastFull ?? -1
        fail(.unconditional, "\(unchangedRun) times not modified, last full answer at \(full)")
      }
    } else if request.validator == nil, copy?.validator != nil {
      // After "not modified" a full request needs a reason; without one, the validator was lost.
      fail(unchangedRun > 0 ? .unconditional : .validators, "the copy's validator is not sent")
    }
    expect(
      request.validator == nil || request.validator == copy?.validator,
      .validators,
      "validator \(request.validator?.number ?? 0) is not the copy's"
    )
    let mayWait = want.origin == .schedule && lifecycle == .foreground && !stream.isLive
    let mayBeHeld = mayWait && request.validator != nil && !measuresWay(request.ticket.generation)
    let longPoll = mayBeHeld ? policy.longPoll : nil
    let isMissed = !isHeld && request.longPoll == nil
    expect(
      request.longPoll == longPoll,
      isMissed ? .backPressure : .longPoll,
      "a long poll where none belongs, or none"
    )
    if longPoll != nil { isHeld = true }
    let timeout = policy.timeout.milliseconds + (longPoll?.milliseconds ?? 0)
    expect(
      request.timeout.milliseconds == timeout,
      longPoll != nil && request.timeout == policy.timeout ? .longPoll : .timeout,
      "timeout \(request.timeout.milliseconds) instead of \(timeout)"
    )
    let priority: Request.Priority =
      switch want.origin {
      case .person: .high
      case .prefetch: .low
      case .schedule, .catchUp, .change: .normal
      }
    expect(
      request.priority == priority,
      want.origin == .prefetch ? .prefetch : .oneFollowUp,
      "priority \(request.priority) instead of \(priority)"
    )
    expect(
      request.wish.origin == want.origin,
      .oneFollowUp,
      "the wish of \(request.wish.origin) instead of \(want.origin)"
    )
    expect(request.wish.isForced == want.isForced, .oneFollowUp, "\"forced\" was lost or invented")
    expect(
      request.wish.showsLoading == want.showsLoading,
      turn.notes.contains(.retried) ? .silentRetry : .loadingHint,
      "the request's loading hint is \(request.wish.showsLoading)"
    )
    let cadence = interval(at: turn.now) ?? 0
    expect(
      request.cadence.milliseconds == cadence,
      intervalRule(at: turn.now),
      "cadence \(request.cadence.milliseconds) instead of \(cadence)"
    )
  }
}
