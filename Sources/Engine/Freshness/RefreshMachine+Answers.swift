extension RefreshMachine {
  /// Handles a response that claims to belong to a request.
  mutating func answered(_ ticket: Ticket, _ answer: Answer, in step: inout Step) -> Transition {
    // R3: only the request in flight can be answered.
    guard case .requesting(let inFlight, let then) = phase,
      inFlight.request.ticket.generation == ticket.generation
    else {
      step.effects.notes.insert(.superseded)
      return .stay
    }
    guard ticket.context == context else {
      // R3: the right request, but a response about another context. The request ends and changes
      // nothing.
      step.effects.notes.insert(.superseded)
      return requestEnded(inFlight, then: then, Answer(.cancelled), in: &step)
    }
    return requestEnded(inFlight, then: then, answer, in: &step)
  }

  /// Records that the request in flight has ended, however it ended.
  ///
  /// R25: the loading hint belongs to the request in flight, so it ends here as well.
  mutating func requestEnded(
    _ inFlight: InFlightRequest,
    then: RefreshRequest?,
    _ answer: Answer,
    in step: inout Step
  ) -> Transition {
    step.hasEnded = true
    let before = snapshot?.revision
    let delay = responseDelay(answer, of: inFlight, at: step.now)
    let (transition, verdict) = outcome(answer, of: inFlight, delay: delay, in: &step)
    // R22: a cancellation is neither an error nor a sample.
    if answer.outcome != .cancelled {
      lastEnd = step.now
      let isChange = verdict?.applies == true && snapshot?.revision != before
      step.effects.sample = sample(answer, of: inFlight, verdict, isChange: isChange, at: step.now)
    }
    guard let then else {
      return repeated(inFlight, answer, verdict, insteadOf: transition, in: step)
    }
    if answer.outcome == .cancelled {
      // R39: what was not sent waits with what follows it.
      switch transition {
      case .ask(let refresh): return .ask(refresh.merged(with: then))
      case .wait(.spread, let refresh):
        let refresh = refresh.merged(with: then)
        return refresh.reason == .person ? .ask(refresh) : .wait(.spread, refresh)
      default: break
      }
    }
    if then.isChangeNotice {
      var isRejected = false
      if case .wait(let cause, _) = transition {
        // R23: a change notice does not shorten the wait after a transient failure; after others, it keeps the interval.
        if cause.isOfTransientFailure { return transition }
        isRejected = cause == .recheck || cause == .gone
      }
      // R33: requests after stream events keep their distance however fast events come.
      if isRejected || step.policy.push != nil { return .wait(.change, then) }
    }
    // R40: a request over the budget waits along with the wait that follows this response.
    if isOverBudget(then, at: step.now) {
      postpone(then, in: &step)
      return transition
    }
    // R2: the follow-up is sent when the request ends, however it ended.
    return .insist(then)
  }

  private mutating func outcome(
    _ answer: Answer,
    of inFlight: InFlightRequest,
    delay: Instant.Duration,
    in step: inout Step
  ) -> (Transition, DowngradeProtection.Verdict?) {
    // R21: each outcome is handled differently.
    switch answer.outcome {
    case .content(let content):
      let isForced = inFlight.request.refresh.isForced
      let isOvertaken =
        isOvertaken(inFlight, by: answer, at: step.now) && snapshot?.revision != content.revision
      let (verdict, ladderStep) = receive(
        content,
        of: answer,
        delay: delay,
        isForced: isForced,
        isRequest: true,
        isOvertaken: isOvertaken,
        in: &step
      )
      return (.wait(ladderStep.map { .degraded($0) } ?? .cadence, .schedule), verdict)
    case .unchanged:
      guard snapshot != nil else { return (bodyIsMissing(answer, inFlight, in: step), nil) }
      if isOvertaken(inFlight, by: answer, at: step.now), !isOrdered(answer.metadata),
        inFlight.request.validator != snapshot?.validator
      {
        _ = noteClock(answer, delay: delay, isRequest: true, in: step)
        step.effects.notes.insert(.overtaken)
        return (.wait(.cadence, .schedule), keepNewer(answer, isRequest: true, in: &step))
      }
      verify(answer, delay: delay, isRequest: true, in: &step)
      return (.wait(.cadence, .schedule), .keepUnmodified)
    case .refused: return (rejected(.refused, answer, in: step), nil)
    case .unauthorised: return (rejected(.unauthorised, answer, in: step), nil)
    case .gone: return (rejected(.gone, answer, wait: .gone, in: step), nil)
    case .throttled(let retryAfter):
      let wait = retryAfter?.wait(
        serverTime: answer.metadata.serverTime,
        cap: step.policy.retryAfterCap
      )
      // R23: it can only lengthen the backoff; `due` takes the later of the two.
      if let wait { backoff.throttled(until: step.now + wait) }
      return (failed(.throttled, answer, inFlight, isTransient: false, in: step), nil)
    case .serverError: return (failed(.serverError, answer, inFlight, in: step), nil)
    case .timedOut: return (failed(.timedOut, answer, inFlight, in: step), nil)
    case .unreachable: return (failed(.unreachable, answer, inFlight, in: step), nil)
    case .undecodable(let reason):
      return (failed(.undecodable(reason: reason), answer, inFlight, in: step), nil)
    case .cancelled: return (cancelled(inFlight, at: step.now), nil)
    }
  }

  // MARK: Success

  /// Handles a body; returns its verdict and the backoff step it asks for (R34).
  mutating func receive(
    _ content: Content,
    of answer: Answer,
    delay: Instant.Duration,
    isForced: Bool,
    isRequest: Bool,
    isOvertaken: Bool = false,
    in step: inout Step
  ) -> (DowngradeProtection.Verdict, Int32?) {
    let now = step.now
    let reading = noteClock(answer, delay: delay, isRequest: isRequest, in: step)
    let asOf = earliest(answer, reading, isRequest: isRequest, in: step)
    let isOvertaken = isOvertaken && !isOrdered(answer.metadata)
    let isOlder =
      isOlder(answer.metadata, reading, policy: step.policy) || (isRequest && isBeforeWrite(asOf))
    if isOlder || isOvertaken, !isForced {
      if isOvertaken { step.effects.notes.insert(.overtaken) }
      unchangedRun = 0
      lastFull = now
      return (keepNewer(answer, isRequest: isRequest, in: &step), nil)
    }
    let verdict = DowngradeProtection.verdict(
      isModified: true,
      hasRealtime: content.hasRealtime,
      showsRealtime: snapshot?.hasRealtime ?? false,
      isForced: isForced,
      age: snapshot?.age.value(at: now) ?? .zero,
      cap: step.policy.downgradeProtection
    )
    succeeded(answer, isRequest: isRequest, teaches: true, in: step)
    unchangedRun = 0
    lastFull = now
    let ladderStep = degraded.answered(answer.metadata.degradation, at: now, policy: step.policy)
    let stated = statedAge(answer.metadata, reading, delay: delay, at: now)
    guard verdict.applies else {
      // R20: keep the copy, and label it from the new response. R19: its validator is never used.
      withheld = WithheldResponse(quality: Quality(answer.metadata), age: stated, arrivedAt: now)
      step.effects.snapshot = .keep
      step.effects.notes.insert(.kept)
      return (verdict, ladderStep)
    }
    let isSame = snapshot?.revision == content.revision
    step.effects.snapshot = isSame ? .verify : .apply
    step.effects.asOf = asOf
    var copy = Snapshot(
      revision: content.revision,
      validator: content.validator,
      hasRealtime: content.hasRealtime,
      hasServerAge: stated != nil && !isWayUnknown(answer.metadata, reading),
      age: Age(
        atArrival: arrivalAge(answer, reading, stated: stated, delay: delay, at: now),
        arrivedAt: now
      ),
      floor: answer.metadata.fetchedAt,
      hasSourceTime: answer.metadata.fetchedAt != nil,
      changedAt: isSame ? snapshot?.changedAt ?? now : now,
      verifiedAt: now
    )
    if isSame, !copy.hasServerAge, let kept = snapshot, keepsAge(kept, at: answer.metadata) {
      // R37: equal content that says nothing is as old as the server said before.
      copy.age = Age(atArrival: kept.age.value(at: now), arrivedAt: now)
      copy.hasServerAge = kept.hasServerAge
      if copy.floor == nil { (copy.floor, copy.hasSourceTime) = (kept.floor, kept.hasSourceTime) }
    }
    // R36: what has no source time is not older than what had one before it.
    if copy.floor == nil, !isForced { copy.floor = snapshot?.floor }
    snapshot = copy
    quality = Quality(answer.metadata)
    withheld = nil
    if content.fulfilsAction { activity.fulfilled() }
    return (verdict, ladderStep)
  }

  /// Handles a response that is older than the copy: a success that changes neither copy nor label (R36).
  @inline(never)
  private mutating func keepNewer(
    _ answer: Answer,
    isRequest: Bool,
    in step: inout Step
  ) -> DowngradeProtection.Verdict {
    succeeded(answer, isRequest: isRequest, teaches: false, in: step)
    step.effects.snapshot = .keep
    return .keepNewer
  }

  /// Handles "not modified".
  ///
  /// R16: a success that updates *verified* and leaves *changed*.
  mutating func verify(
    _ answer: Answer,
    delay: Instant.Duration,
    isRequest: Bool,
    in step: inout Step
  ) {
    let reading = noteClock(answer, delay: delay, isRequest: isRequest, in: step)
    let isOlder = isOlder(answer.metadata, reading, policy: step.policy)
    succeeded(answer, isRequest: isRequest, teaches: !isOlder, in: step)
    unchangedRun = min(unchangedRun + 1, 1_000)
    withheld = nil
    // R38: no validator was sent for a copy that the application wrote or restored, so it is not
    // confirmed.
    guard var kept = snapshot, kept.provenance == .server else { return }
    step.effects.snapshot = .verify
    kept.verifiedAt = step.now
    let stated = statedAge(answer.metadata, reading, delay: delay, at: step.now)
    if !isOlder, stated != nil || !keepsAge(kept, at: answer.metadata) {
      let age = arrivalAge(answer, reading, stated: stated, delay: delay, at: step.now)
      kept.age = Age(atArrival: age, arrivedAt: step.now)
      kept.hasServerAge = stated != nil && !isWayUnknown(answer.metadata, reading)
      if let made = answer.metadata.fetchedAt { (kept.floor, kept.hasSourceTime) = (made, true) }
    }
    snapshot = kept
    // R36: an older response neither updates the label nor confirms a mutation.
    guard !isOlder else { return }
    quality = quality.updated(by: answer.metadata)
    step.effects.asOf = earliest(answer, reading, isRequest: isRequest, in: step)
  }

  /// Returns whether a response without a figure leaves the age of equal content as it is (R37).
  private func keepsAge(_ kept: Snapshot, at metadata: FreshnessMetadata) -> Bool {
    guard kept.provenance == .server else { return false }
    return kept.hasServerAge || (kept.sourceTime != nil && metadata.fetchedAt == nil)
  }

  /// R16, R23: one success of any kind clears the error and the backoff.
  ///
  /// A response older than the current copy does not update the producer's rhythm (R31, R36).
  private mutating func succeeded(
    _ answer: Answer,
    isRequest: Bool,
    teaches: Bool,
    in step: Step
  ) {
    backoff.succeeded(isRequest: isRequest)
    failure = nil
    // R9: the next interval depends on what this response says (P4).
    if let observed = answer.activity { activity.observed(observed, at: step.now) }
    guard teaches, let alignment = step.policy.alignment else { return }
    rhythm.learn(sight(answer, isRequest: isRequest, in: step), tolerance: alignment.tolerance)
  }

  /// Returns what a response shows of the producer (R31); a stream event counts as sent when it
  /// arrived.
  private func sight(_ answer: Answer, isRequest: Bool, in step: Step) -> ProducerRhythm.Sight {
    var sight = ProducerRhythm.Sight(
      metadata: answer.metadata,
      hints: answer.hints,
      sent: step.now,
      now: step.now,
      interval: interval(at: step.now, policy: step.policy) ?? step.policy.idle,
      random: step.random
    )
    guard isRequest, case .requesting(let inFlight, _) = phase else { return sight }
    // R39: not when it was queued.
    sight.sent = sent(inFlight, of: answer, at: step.now)
    return sight
  }

  // MARK: Failure

  /// Handles a request that the host canceled.
  ///
  /// R39: under a restraint of its origin, the host has not sent it, and it waits as long as that lasts.
  private mutating func cancelled(_ inFlight: InFlightRequest, at now: Instant) -> Transition {
    let refresh = inFlight.request.refresh
    // Any limit since the machine ordered the request may be the reason.
    guard let limit = [restraint.notBefore, restraint.quietUntil].compactMap({ $0 }).max(),
      limit > inFlight.startedAt
    else { return .wait(.cadence, .schedule) }
    // What was not sent has used nothing of a share.
    lastStart = inFlight.previousStart
    // R35: a prefetch is dropped.
    guard refresh.reason != .prefetch else { return .wait(.cadence, .schedule) }
    let isQuiet = restraint.quietUntil.map { now < $0 } ?? false
    return isQuiet && !isBound(at: now) && refresh.reason != .person
      ? .wait(.spread, refresh) : .ask(refresh)
  }

  /// R17: "not modified" for a body that the client does not have leads to one unconditional
  /// request.
  private mutating func bodyIsMissing(
    _ answer: Answer,
    _ inFlight: InFlightRequest,
    in step: Step
  ) -> Transition {
    guard inFlight.request.refresh.repetition == .missingBody else {
      var refresh = inFlight.request.refresh
      refresh.isUnconditional = true
      refresh.repetition = .missingBody
      return .ask(refresh)
    }
    return failed(.missingBody, answer, inFlight, isTransient: false, in: step)
  }

  /// Repeats a request of the user or the application once, after the stream's least gap, if the response may not have what
  /// they asked for: it is older than the copy (R36), the stream overtook it (R33), or it may have been made before it was requested (R38).
  ///
  /// R40: a repetition for the user costs as much as the request.
  private mutating func repeated(
    _ inFlight: InFlightRequest,
    _ answer: Answer,
    _ verdict: DowngradeProtection.Verdict?,
    insteadOf transition: Transition,
    in step: Step
  ) -> Transition {
    let asked = inFlight.request.refresh
    guard case .wait(.cadence, _) = transition, let push = step.policy.push,
      asked.reason >= .change,
      asked.repetition == .none
    else { return transition }
    let isEarlier = step.effects.asOf.map { $0 < sent(inFlight, of: answer, at: step.now) } ?? false
    guard isEarlier || verdict == .keepNewer, !isOverBudget(asked, at: step.now)
    else { return transition }
    if asked.isImpatient { patience.spend(at: step.now + push.leastGap, step.policy) }
    var refresh = RefreshRequest.change
    refresh.repetition = .uncertain
    return .wait(.change, refresh)
  }

  /// R21: the response would stay the same, so the request is repeated only very slowly (R12).
  private mutating func rejected(
    _ kind: Failure.Kind,
    _ answer: Answer,
    wait: Cause = .recheck,
    in step: Step
  ) -> Transition {
    backoff = Backoff()
    show(kind, answer, at: step.now)
    return .wait(wait, .schedule)
  }

  private mutating func failed(
    _ kind: Failure.Kind,
    _ answer: Answer,
    _ inFlight: InFlightRequest,
    isTransient: Bool = true,
    in step: Step
  ) -> Transition {
    switch backoff.failed(isTransient: isTransient, policy: step.policy) {
    case .retry:
      // R7: once and silently, without an error or a loading hint.
      var refresh = inFlight.request.refresh
      refresh.showsLoading = false
      let limit = step.policy.driftLimit(cadence: inFlight.request.cadence)
      return .wait(.retry(isLate: step.now - inFlight.deadline >= limit), refresh)
    case .ladder(let ladderStep):
      show(kind, answer, at: step.now)
      return .wait(.backoff(ladderStep), .schedule)
    }
  }

  /// Shows a failure until the next success.
  ///
  /// R22: an error never removes a snapshot. Both are shown.
  private mutating func show(_ kind: Failure.Kind, _ answer: Answer, at now: Instant) {
    failure = Failure(kind: kind, status: answer.status, since: failure?.since ?? now)
  }

  // MARK: Diagnostics

  /// R29: the facts that a report needs about one request.
  private func sample(
    _ answer: Answer,
    of inFlight: InFlightRequest,
    _ verdict: DowngradeProtection.Verdict?,
    isChange: Bool,
    at now: Instant
  ) -> Sample {
    var skew: Instant.Duration?
    if let device = answer.deviceTime, let server = answer.metadata.serverTime {
      skew = device - server
    }
    return Sample(
      ticket: inFlight.request.ticket,
      startedAt: inFlight.startedAt,
      endedAt: now,
      status: answer.status,
      outcome: answer.outcome,
      verdict: verdict,
      metadata: answer.metadata,
      skew: skew,
      bytes: answer.bytes,
      isConditional: inFlight.request.validator != nil,
      isChange: isChange,
      changeToScreen: isChange ? answer.metadata.ageAtArrival : nil,
      cadence: inFlight.request.cadence
    )
  }
}
