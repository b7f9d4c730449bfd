import Freshness

/// Turns an obligation into an expected state, and follows the machine where a rule leaves a
/// choice.
extension ConformanceOracle {
  mutating func discharge(_ obligation: Obligation) {
    switch obligation {
    case .goOn: goOn()
    case .ask(let want, let rule):
      drop()
      ask(want, rule)
    case .insist(let want, let rule): insist(want, rule)
    case .askOrFollow(let want, let rule):
      guard out != nil else { return insist(want, rule) }
      step.notes.insert(.coalesced)
      step.hush(.oneRequest)
      follow(want)
    case .askOrJoin(let want, let rule):
      guard let joined = out?.want else { return insist(want, rule) }
      step.notes.insert(.coalesced)
      out?.want = joined.and(want)
      proceed()
    case .wait(let reason, let want, let rule):
      if step.cancelRule == .oneRequest { step.cancelRule = rule }
      drop()
      begin(reason, want)
    case .catchUp:
      let want = Want(reason: .change)
      if out != nil {
        follow(want)
        proceed()
      } else if let wait, wait.reason.isOfFailure {
        review(wait)
      } else {
        begin(.resync, want.and(owed { $0.reason == .person || $0.isForced }))
      }
    case .stop(let rule):
      step.cancelRule = rule
      step.hush(rule)
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
        want.and(owed { $0.reason == .person || $0.isForced }),
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
      step.hush(connectivity == .offline ? .offline : .lifecycle)
    }
  }

  private mutating func proceed() {
    guard let out, out.request.longPoll != nil, let postponed, !isBound, !isOverBudget(postponed)
    else { return step.hush(.oneRequest) }
    // R40, R32: a refresh that the budget covers again does not wait behind a long poll.
    step.cancelRule = .impatience
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
    step.cancelled = request.request.ticket
    out = nil
  }

  private mutating func begin(_ reason: Reason, _ want: Want, since: Int64? = nil) {
    wait = nil
    guard keepsTime else {
      step.hush(connectivity == .offline ? .offline : .lifecycle)
      return
    }
    let next = Wait(reason: reason, since: since ?? step.now, want: want)
    let window = end(of: next)
    wait = next
    guard step.now >= window.least else {
      step.hush(window.rule)
      return
    }
    if step.now >= window.most || step.effects.request != nil {
      // R40: if an impatient request cuts a wait short, its spread says nothing.
      if window.rule == reason.rule { sampleLog.spread(reason, policy, step, isAtOnce: true) }
      send(next)
    } else if window.rule == reason.rule {
      sampleLog.spread(reason, policy, step, isAtOnce: false)
    }
  }

  private mutating func review(_ current: Wait) {
    guard keepsTime else {
      wait = nil
      step.hush(connectivity == .offline ? .offline : .lifecycle)
      return
    }
    let window = end(of: current)
    guard step.now >= window.least else {
      step.hush(window.rule)
      return
    }
    // A refresh delayed by the budget has the same note.
    let hasDeferred =
      step.effects.notes.contains(.deferred) && !step.notes.contains(.deferred)
    let hasActed =
      step.effects.request != nil || step.effects.notes.contains(.drifted) || hasDeferred
    guard step.now >= window.most || hasActed else { return }
    let cadence = interval(at: current.since) ?? 0
    if let lastAlarm, step.now - lastAlarm >= driftLimit(cadence), !current.reason.isSpread {
      // R14: the timer was late, so other clients may have woken at the same instant.
      step.notes.insert(.drifted)
      begin(.gap, current.want)
    } else {
      send(current)
    }
  }

  private mutating func send(_ due: Wait) {
    var want = due.want
    if let postponed, budget.allows(at: step.now, policy) {
      return ask(postponed.and(want), .impatience, pays: true)
    }
    if case .retry = due.reason { step.notes.insert(.retried) }
    if isStalled(due) {
      want.isUnconditional = true
      lastRescue = step.now
      step.rescued = true
      step.notes.insert(.rescued)
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
    guard step.now - lastEnd >= limit else { return false }
    return lastRescue.map { step.now - $0 >= policy.rescueCooldown.milliseconds } ?? true
  }

  private mutating func ask(_ refresh: Want, _ rule: Rule, pays: Bool = false) {
    var want = refresh.and(deferred)
    deferred = nil
    wait = nil
    guard mayAsk, !isBound else {
      // R21: a `Retry-After` also applies to user requests. R24, R11: until it is possible, the
      // request waits.
      deferred = want
      step.notes.insert(.deferred)
      let isOfOrigin = bound != notBefore
      let boundRule: Rule = isOfOrigin || step.isSwitched ? .backPressure : .outcomes
      step.hush(mayAsk ? boundRule : connectivity == .offline ? .offline : .lifecycle)
      if keepsTime { wait = Wait(reason: .deferred, since: step.now) }
      return
    }
    if pays, refresh.isImpatient { spend(at: step.now) }
    want = want.and(postponed)
    postponed = nil
    step.asked = want
    guard let request = step.effects.request else {
      return fail(rule, "no request went out")
    }
    check(request, for: want)
    generation = request.ticket.generation
    out = Out(
      request: request,
      want: want,
      startedAt: step.now,
      previousStart: lastStart,
      deadline: step.now + request.timeout.milliseconds
    )
    lastStart = step.now
  }

  private mutating func check(_ request: Request, for want: Want) {
    expect(request.ticket.context == context, .contextSwitch, "a request about another context")
    if request.ticket.generation <= generation {
      fail(.superseded, "request \(request.ticket.generation) follows request \(generation)")
    }
    let isWhole = want.isForced || want.isUnconditional
    if !step.rescued, step.effects.notes.contains(.rescued) {
      fail(.stall, "a rescue without a stall, or too soon after another")
    }
    if step.rescued {
      expect(request.validator == nil, .stall, "a rescue that is conditional")
    } else if want.isRecovery {
      expect(request.validator == nil, .missingBody, "a body is missing and not asked for")
    } else if isWhole {
      let rule: Rule = want.isForced ? .oneFollowUp : .unconditional
      expect(request.validator == nil, rule, "a request for a full answer went out conditional")
    } else if needsFull(at: step.now) {
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
    let mayWait = want.reason == .schedule && lifecycle == .foreground && !stream.isLive
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
      switch want.reason {
      case .person: .high
      case .prefetch: .low
      case .schedule, .catchUp, .change: .normal
      }
    expect(
      request.priority == priority,
      want.reason == .prefetch ? .prefetch : .oneFollowUp,
      "priority \(request.priority) instead of \(priority)"
    )
    expect(
      request.refresh.reason == want.reason,
      .oneFollowUp,
      "the request of \(request.refresh.reason) instead of \(want.reason)"
    )
    expect(
      request.refresh.isForced == want.isForced,
      .oneFollowUp,
      "\"forced\" was lost or invented"
    )
    expect(
      request.refresh.showsLoading == want.showsLoading,
      step.notes.contains(.retried) ? .silentRetry : .loadingHint,
      "the request's loading hint is \(request.refresh.showsLoading)"
    )
    let cadence = interval(at: step.now) ?? 0
    expect(
      request.cadence.milliseconds == cadence,
      intervalRule(at: step.now),
      "cadence \(request.cadence.milliseconds) instead of \(cadence)"
    )
  }
}
