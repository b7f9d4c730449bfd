extension RefreshMachine {
  /// Handles a response that claims to belong to a request.
  mutating func answered(_ ticket: Ticket, _ answer: Answer, in turn: inout Step) -> Transition {
    // R3: only the request in flight can be answered.
    guard case .asking(let flight, let then) = phase,
      flight.request.ticket.generation == ticket.generation
    else {
      turn.effects.notes.insert(.superseded)
      return .stay
    }
    guard ticket.context == context else {
      // R3: the right request, but a response about another context. The request ends and changes
      // nothing.
      turn.effects.notes.insert(.superseded)
      return landed(flight, then: then, Answer(.cancelled), in: &turn)
    }
    return landed(flight, then: then, answer, in: &turn)
  }

  /// Records that the request in flight has ended, however it ended.
  ///
  /// R25: the loading hint belongs to the request in flight, so it ends here as well.
  mutating func landed(
    _ flight: InFlightRequest,
    then: RefreshRequest?,
    _ answer: Answer,
    in turn: inout Step
  ) -> Transition {
    turn.hasLanded = true
    let before = snapshot?.revision
    let delay = responseDelay(answer, of: flight, at: turn.now)
    let (move, verdict) = outcome(answer, of: flight, delay: delay, in: &turn)
    // R22: a cancellation is neither an error nor a sample.
    if answer.outcome != .cancelled {
      lastEnd = turn.now
      let isChange = verdict?.applies == true && snapshot?.revision != before
      turn.effects.sample = sample(answer, of: flight, verdict, isChange: isChange, at: turn.now)
    }
    guard let then else { return repeated(flight, answer, verdict, insteadOf: move, in: turn) }
    if answer.outcome == .cancelled {
      // R39: what was not sent waits with what follows it.
      switch move {
      case .ask(let wish): return .ask(wish.merged(with: then))
      case .rest(.spread, let wish):
        let wish = wish.merged(with: then)
        return wish.origin == .person ? .ask(wish) : .rest(.spread, wish)
      default: break
      }
    }
    if then.isNews {
      var isRejected = false
      if case .rest(let cause, _) = move {
        // R23: news does not shorten the wait after a transient failure; after others, it keeps the interval.
        if cause.isOfTransientFailure { return move }
        isRejected = cause == .recheck || cause == .gone
      }
      // R33: requests after stream events keep their distance however fast events come.
      if isRejected || turn.policy.push != nil { return .rest(.news, then) }
    }
    // R40: a request over the budget waits along with the wait that follows this response.
    if isOverBudget(then, at: turn.now) {
      postpone(then, in: &turn)
      return move
    }
    // R2: the follow-up is sent when the request ends, however it ended.
    return .insist(then)
  }

  private mutating func outcome(
    _ answer: Answer,
    of flight: InFlightRequest,
    delay: Timespan,
    in turn: inout Step
  ) -> (Transition, DowngradeProtection.Verdict?) {
    // R21: each outcome is handled differently.
    switch answer.outcome {
    case .content(let content):
      let isForced = flight.request.wish.isForced
      let isOvertaken =
        isOvertaken(flight, by: answer, at: turn.now) && snapshot?.revision != content.revision
      let (verdict, step) = receive(
        content,
        of: answer,
        delay: delay,
        isForced: isForced,
        isRequest: true,
        isOvertaken: isOvertaken,
        in: &turn
      )
      return (.rest(step.map { .degraded($0) } ?? .cadence, .schedule), verdict)
    case .unchanged:
      guard snapshot != nil else { return (bodyIsMissing(answer, flight, in: turn), nil) }
      if isOvertaken(flight, by: answer, at: turn.now), !isOrdered(answer.marks),
        flight.request.validator != snapshot?.validator
      {
        _ = noteClock(answer, delay: delay, isRequest: true, in: turn)
        turn.effects.notes.insert(.overtaken)
        return (.rest(.cadence, .schedule), keepNewer(answer, isRequest: true, in: &turn))
      }
      verify(answer, delay: delay, isRequest: true, in: &turn)
      return (.rest(.cadence, .schedule), .keepUnmodified)
    case .refused: return (rejected(.refused, answer, in: turn), nil)
    case .unauthorised: return (rejected(.unauthorised, answer, in: turn), nil)
    case .gone: return (rejected(.gone, answer, wait: .gone, in: turn), nil)
    case .throttled(let retryAfter):
      let wait = retryAfter?.wait(
        serverTime: answer.marks.serverTime,
        cap: turn.policy.retryAfterCap
      )
      // R23: it can only lengthen the backoff; `due` takes the later of the two.
      if let wait { backoff.throttled(until: turn.now + wait) }
      return (failed(.throttled, answer, flight, isTransient: false, in: turn), nil)
    case .serverError: return (failed(.serverError, answer, flight, in: turn), nil)
    case .timedOut: return (failed(.timedOut, answer, flight, in: turn), nil)
    case .unreachable: return (failed(.unreachable, answer, flight, in: turn), nil)
    case .undecodable(let reason):
      return (failed(.undecodable(reason: reason), answer, flight, in: turn), nil)
    case .cancelled: return (cancelled(flight, at: turn.now), nil)
    }
  }

  // MARK: Success

  /// Handles a body; returns its verdict and the backoff step it asks for (R34).
  mutating func receive(
    _ content: Content,
    of answer: Answer,
    delay: Timespan,
    isForced: Bool,
    isRequest: Bool,
    isOvertaken: Bool = false,
    in turn: inout Step
  ) -> (DowngradeProtection.Verdict, Int32?) {
    let now = turn.now
    let reading = noteClock(answer, delay: delay, isRequest: isRequest, in: turn)
    let asOf = earliest(answer, reading, isRequest: isRequest, in: turn)
    let isOvertaken = isOvertaken && !isOrdered(answer.marks)
    let isOlder =
      isOlder(answer.marks, reading, policy: turn.policy) || (isRequest && isBeforeWrite(asOf))
    if isOlder || isOvertaken, !isForced {
      if isOvertaken { turn.effects.notes.insert(.overtaken) }
      unchangedRun = 0
      lastFull = now
      return (keepNewer(answer, isRequest: isRequest, in: &turn), nil)
    }
    let verdict = DowngradeProtection.verdict(
      isModified: true,
      hasRealtime: content.hasRealtime,
      showsRealtime: snapshot?.hasRealtime ?? false,
      isForced: isForced,
      age: snapshot?.age.value(at: now) ?? .zero,
      cap: turn.policy.holdCap
    )
    succeeded(answer, isRequest: isRequest, teaches: true, in: turn)
    unchangedRun = 0
    lastFull = now
    let step = degraded.answered(answer.marks.degradation, at: now, policy: turn.policy)
    let stated = statedAge(answer.marks, reading, delay: delay, at: now)
    guard verdict.applies else {
      // R20: keep the copy, and label it from the new response. R19: its validator is never used.
      held = WithheldResponse(quality: Quality(answer.marks), age: stated, arrivedAt: now)
      turn.effects.snapshot = .hold
      turn.effects.notes.insert(.held)
      return (verdict, step)
    }
    let isSame = snapshot?.revision == content.revision
    turn.effects.snapshot = isSame ? .verify : .apply
    turn.effects.asOf = asOf
    var copy = Snapshot(
      revision: content.revision,
      validator: content.validator,
      hasRealtime: content.hasRealtime,
      hasServerAge: stated != nil && !isWayUnknown(answer.marks, reading),
      age: Age(
        atArrival: arrivalAge(answer, reading, stated: stated, delay: delay, at: now),
        arrivedAt: now
      ),
      floor: answer.marks.fetchedAt,
      hasSourceTime: answer.marks.fetchedAt != nil,
      changedAt: isSame ? snapshot?.changedAt ?? now : now,
      verifiedAt: now
    )
    if isSame, !copy.hasServerAge, let kept = snapshot, keepsAge(kept, at: answer.marks) {
      // R37: equal content that says nothing is as old as the server said before.
      copy.age = Age(atArrival: kept.age.value(at: now), arrivedAt: now)
      copy.hasServerAge = kept.hasServerAge
      if copy.floor == nil { (copy.floor, copy.hasSourceTime) = (kept.floor, kept.hasSourceTime) }
    }
    // R36: what has no source time is not older than what had one before it.
    if copy.floor == nil, !isForced { copy.floor = snapshot?.floor }
    snapshot = copy
    quality = Quality(answer.marks)
    held = nil
    if content.fulfilsAction { activity.fulfilled() }
    return (verdict, step)
  }

  /// Handles a response that is older than the copy: a success that changes neither copy nor label (R36).
  @inline(never)
  private mutating func keepNewer(
    _ answer: Answer,
    isRequest: Bool,
    in turn: inout Step
  ) -> DowngradeProtection.Verdict {
    succeeded(answer, isRequest: isRequest, teaches: false, in: turn)
    turn.effects.snapshot = .hold
    return .keepNewer
  }

  /// Handles "not modified".
  ///
  /// R16: a success that updates *verified* and leaves *changed*.
  mutating func verify(
    _ answer: Answer,
    delay: Timespan,
    isRequest: Bool,
    in turn: inout Step
  ) {
    let reading = noteClock(answer, delay: delay, isRequest: isRequest, in: turn)
    let isOlder = isOlder(answer.marks, reading, policy: turn.policy)
    succeeded(answer, isRequest: isRequest, teaches: !isOlder, in: turn)
    unchangedRun = min(unchangedRun + 1, 1_000)
    held = nil
    // R38: no validator was sent for a copy that the application wrote or restored, so it is not
    // confirmed.
    guard var kept = snapshot, kept.provenance == .server else { return }
    turn.effects.snapshot = .verify
    kept.verifiedAt = turn.now
    let stated = statedAge(answer.marks, reading, delay: delay, at: turn.now)
    if !isOlder, stated != nil || !keepsAge(kept, at: answer.marks) {
      let age = arrivalAge(answer, reading, stated: stated, delay: delay, at: turn.now)
      kept.age = Age(atArrival: age, arrivedAt: turn.now)
      kept.hasServerAge = stated != nil && !isWayUnknown(answer.marks, reading)
      if let made = answer.marks.fetchedAt { (kept.floor, kept.hasSourceTime) = (made, true) }
    }
    snapshot = kept
    // R36: an older response neither updates the label nor confirms a mutation.
    guard !isOlder else { return }
    quality = quality.updated(by: answer.marks)
    turn.effects.asOf = earliest(answer, reading, isRequest: isRequest, in: turn)
  }

  /// Returns whether a response without a figure leaves the age of equal content as it is (R37).
  private func keepsAge(_ kept: Snapshot, at marks: FreshnessMetadata) -> Bool {
    guard kept.provenance == .server else { return false }
    return kept.hasServerAge || (kept.sourceTime != nil && marks.fetchedAt == nil)
  }

  /// R16, R23: one success of any kind clears the error and the backoff.
  ///
  /// A response older than the current copy does not update the producer's rhythm (R31, R36).
  private mutating func succeeded(
    _ answer: Answer,
    isRequest: Bool,
    teaches: Bool,
    in turn: Step
  ) {
    backoff.succeeded(isRequest: isRequest)
    failure = nil
    // R9: the next interval depends on what this response says (P4).
    if let observed = answer.activity { activity.observed(observed, at: turn.now) }
    guard teaches, let alignment = turn.policy.alignment else { return }
    rhythm.learn(sight(answer, isRequest: isRequest, in: turn), tolerance: alignment.tolerance)
  }

  /// Returns what a response shows of the producer (R31); a stream event counts as sent when it
  /// arrived.
  private func sight(_ answer: Answer, isRequest: Bool, in turn: Step) -> ProducerRhythm.Sight {
    var sight = ProducerRhythm.Sight(
      marks: answer.marks,
      hints: answer.hints,
      sent: turn.now,
      now: turn.now,
      interval: interval(at: turn.now, policy: turn.policy) ?? turn.policy.idle,
      draw: turn.draw
    )
    guard isRequest, case .asking(let flight, _) = phase else { return sight }
    // R39: not when it was queued.
    sight.sent = sent(flight, of: answer, at: turn.now)
    return sight
  }

  // MARK: Failure

  /// Handles a request that the host canceled.
  ///
  /// R39: under a restraint of its origin, the host has not sent it, and it waits as long as that lasts.
  private mutating func cancelled(_ flight: InFlightRequest, at now: Moment) -> Transition {
    let wish = flight.request.wish
    // Any limit since the machine ordered the request may be the reason.
    guard let limit = [restraint.notBefore, restraint.quietUntil].compactMap({ $0 }).max(),
      limit > flight.startedAt
    else { return .rest(.cadence, .schedule) }
    // What was not sent has used nothing of a share.
    lastStart = flight.previousStart
    // R35: a prefetch is dropped.
    guard wish.origin != .prefetch else { return .rest(.cadence, .schedule) }
    let isQuiet = restraint.quietUntil.map { now < $0 } ?? false
    return isQuiet && !isBound(at: now) && wish.origin != .person
      ? .rest(.spread, wish) : .ask(wish)
  }

  /// R17: "not modified" for a body that the client does not have leads to one unconditional
  /// request.
  private mutating func bodyIsMissing(
    _ answer: Answer,
    _ flight: InFlightRequest,
    in turn: Step
  ) -> Transition {
    guard flight.request.wish.repetition == .missingBody else {
      var wish = flight.request.wish
      wish.isUnconditional = true
      wish.repetition = .missingBody
      return .ask(wish)
    }
    return failed(.missingBody, answer, flight, isTransient: false, in: turn)
  }

  /// Repeats a request of the user or the application once, after the stream's least gap, if the response may not have what
  /// they asked for: it is older than the copy (R36), the stream overtook it (R33), or it may have been made before it was requested (R38).
  ///
  /// R40: a repetition for the user costs as much as the request.
  private mutating func repeated(
    _ flight: InFlightRequest,
    _ answer: Answer,
    _ verdict: DowngradeProtection.Verdict?,
    insteadOf move: Transition,
    in turn: Step
  ) -> Transition {
    let asked = flight.request.wish
    guard case .rest(.cadence, _) = move, let push = turn.policy.push, asked.origin >= .change,
      asked.repetition == .none
    else { return move }
    let isEarlier = turn.effects.asOf.map { $0 < sent(flight, of: answer, at: turn.now) } ?? false
    guard isEarlier || verdict == .keepNewer, !isOverBudget(asked, at: turn.now)
    else { return move }
    if asked.isImpatient { patience.spend(at: turn.now + push.leastGap, turn.policy) }
    var wish = RefreshRequest.change
    wish.repetition = .uncertain
    return .rest(.news, wish)
  }

  /// R21: the response would stay the same, so the request is repeated only very slowly (R12).
  private mutating func rejected(
    _ kind: Failure.Kind,
    _ answer: Answer,
    wait: Cause = .recheck,
    in turn: Step
  ) -> Transition {
    backoff = Backoff()
    show(kind, answer, at: turn.now)
    return .rest(wait, .schedule)
  }

  private mutating func failed(
    _ kind: Failure.Kind,
    _ answer: Answer,
    _ flight: InFlightRequest,
    isTransient: Bool = true,
    in turn: Step
  ) -> Transition {
    switch backoff.failed(isTransient: isTransient, policy: turn.policy) {
    case .retry:
      // R7: once and silently, without an error or a loading hint.
      var wish = flight.request.wish
      wish.showsLoading = false
      let limit = turn.policy.driftLimit(cadence: flight.request.cadence)
      return .rest(.retry(isLate: turn.now - flight.deadline >= limit), wish)
    case .ladder(let step):
      show(kind, answer, at: turn.now)
      return .rest(.backoff(step), .schedule)
    }
  }

  /// Shows a failure until the next success.
  ///
  /// R22: an error never removes a snapshot. Both are shown.
  private mutating func show(_ kind: Failure.Kind, _ answer: Answer, at now: Moment) {
    failure = Failure(kind: kind, status: answer.status, since: failure?.since ?? now)
  }

  // MARK: Diagnostics

  /// R29: the facts that a report needs about one request.
  private func sample(
    _ answer: Answer,
    of flight: InFlightRequest,
    _ verdict: DowngradeProtection.Verdict?,
    isChange: Bool,
    at now: Moment
  ) -> Sample {
    var skew: Timespan?
    if let device = answer.deviceTime, let server = answer.marks.serverTime {
      skew = device - server
    }
    return Sample(
      ticket: flight.request.ticket,
      startedAt: flight.startedAt,
      endedAt: now,
      status: answer.status,
      outcome: answer.outcome,
      verdict: verdict,
      marks: answer.marks,
      skew: skew,
      bytes: answer.bytes,
      isConditional: flight.request.validator != nil,
      isChange: isChange,
      changeToScreen: isChange ? answer.marks.ageAtArrival : nil,
      cadence: flight.request.cadence
    )
  }
}
