import Freshness

/// The meaning of a response: R3, R7, R16 to R23, R34.
extension ConformanceOracle {
  mutating func answered(_ ticket: Ticket, _ answer: Answer) -> Obligation {
    guard let request = out, request.request.ticket.generation == ticket.generation else {
      // R3: a response to a request that is no longer current.
      step.notes.insert(.superseded)
      step.copyRule = .superseded
      step.failureRule = .superseded
      step.hush(.superseded)
      return .goOn
    }
    guard ticket.context == context else {
      step.notes.insert(.superseded)
      step.copyRule = .superseded
      step.failureRule = .superseded
      return land(Answer(.cancelled))
    }
    return land(answer)
  }

  /// Ends the request in flight.
  mutating func land(_ answer: Answer) -> Obligation {
    guard let request = out else { return .goOn }
    out = nil
    step.hasEnded = true
    let before = copy?.revision
    var verdict: DowngradeProtection.Verdict?
    step.delay = delay(answer, of: request)
    step.isMeasured = request.request.longPoll == nil
    step.sentAt = sentAt(request, answer)
    let obligation = read(answer, of: request, &verdict)
    if answer.outcome != .cancelled {
      lastEnd = step.now
      let applied = step.order == .apply || (step.order == .verify && verdict != .keepUnmodified)
      step.sample = ExpectedSample(
        ticket: request.request.ticket,
        startedAt: request.startedAt,
        endedAt: step.now,
        answer: answer,
        verdict: verdict,
        isConditional: request.request.validator != nil,
        isChange: applied && copy?.revision != before,
        cadence: request.request.cadence.milliseconds
      )
    }
    guard let followUp = request.followUp else { return again(request.want, verdict) ?? obligation }
    if answer.outcome == .cancelled, let want = step.unsent {
      return waitForOrigin(want.and(followUp))
    }
    if followUp.isChangeNotice {
      // R33: requests after stream events keep their distance. R23: a change notice does not shorten the wait
      // after a failure.
      var keepsInterval = policy.push != nil
      if case .wait(let reason, _, _) = obligation {
        if reason.isOfTransientFailure { return obligation }
        if reason == .recheck || reason == .gone { keepsInterval = true }
      }
      if keepsInterval { return .wait(.change, followUp, .push) }
    }
    if isOverBudget(followUp) {
      postpone(followUp)
      return obligation
    }
    // R2: the follow-up is sent when the request ends, however it ended.
    return .insist(followUp, .oneFollowUp)
  }

  /// R37: returns how long the response took; for a long poll, as long as the last that did not
  /// wait.
  private mutating func delay(_ answer: Answer, of request: Out) -> Int64 {
    step.decoding = max(answer.decoding.milliseconds, 0)
    let decoding = step.decoding
    let taken = max(answer.delay?.milliseconds ?? step.now - request.startedAt - decoding, 0)
    if request.request.longPoll != nil { return min(taken, pathDelay ?? taken) + decoding }
    if answer.status != 0 { pathDelay = taken }
    return taken + decoding
  }

  private mutating func read(
    _ answer: Answer,
    of request: Out,
    _ verdict: inout DowngradeProtection.Verdict?
  ) -> Obligation {
    switch answer.outcome {
    case .content(let content):
      step.isOvertaken = isOvertaken(request, answer) && copy?.revision != content.revision
      let backoffStep = receive(content, answer, isForced: request.want.isForced, &verdict)
      step.isReduced = backoffStep != nil
      return .wait(backoffStep.map { .degraded($0) } ?? .cadence, .schedule, .success)
    case .unchanged:
      step.copyRule = .success
      guard copy != nil else {
        step.failureRule = .missingBody
        guard request.want.isRecovery else {
          var want = request.want
          want.isUnconditional = true
          want.isRecovery = true
          return .ask(want, .missingBody)
        }
        step.hush(.missingBody)
        return failed(.missingBody, answer, isTransient: false, request)
      }
      if isOvertaken(request, answer), !isOrdered(answer),
        request.request.validator != copy?.validator
      {
        // R33: of a copy that the stream has replaced.
        noteClock(answer.metadata)
        succeeded(answer, endsWait: true, teaches: false)
        step.copyRule = .monotonicReads
        step.notes.insert(.overtaken)
        step.order = .keep
        verdict = .keepNewer
        return .wait(.cadence, .schedule, .success)
      }
      verify(answer, endsWait: true)
      verdict = .keepUnmodified
      return .wait(.cadence, .schedule, .success)
    case .refused: return rejected(.refused, answer)
    case .unauthorised: return rejected(.unauthorised, answer)
    case .gone: return rejected(.gone, answer, reason: .gone)
    case .throttled(let hint):
      if let after = retryAfter(hint, answer.metadata) {
        notBefore = max(notBefore ?? step.now, step.now + after)
      }
      return failed(.throttled, answer, isTransient: false, request)
    case .serverError: return failed(.serverError, answer, isTransient: true, request)
    case .timedOut: return failed(.timedOut, answer, isTransient: true, request)
    case .unreachable: return failed(.unreachable, answer, isTransient: true, request)
    case .undecodable(let reason):
      return failed(.undecodable(reason: reason), answer, isTransient: true, request)
    case .cancelled:
      // R39: the host has not sent it, because its origin asked for a pause or fails. R35: a prefetch is dropped.
      let limit = max(
        restraint.notBefore?.milliseconds ?? .min,
        restraint.quietUntil?.milliseconds ?? .min
      )
      guard limit > request.startedAt else { return .wait(.cadence, .schedule, .errorsErase) }
      lastStart = request.previousStart
      guard request.want.reason != .prefetch else {
        return .wait(.cadence, .schedule, .errorsErase)
      }
      step.unsent = request.want
      return waitForOrigin(request.want)
    }
  }

  /// R39: what was not sent waits as long as its origin's limit lasts.
  private func waitForOrigin(_ want: Want) -> Obligation {
    let isQuiet = restraint.quietUntil.map { $0.milliseconds > step.now } ?? false
    guard isQuiet, !isBound, want.reason != .person else { return .ask(want, .backPressure) }
    return .wait(.gap, want, .backPressure)
  }

  /// R36: whether source times show which of copy and response is newer.
  private func isOrdered(_ answer: Answer) -> Bool {
    guard let copy, copy.isDated, let before = copy.sourceTime, let made = answer.metadata.fetchedAt
    else { return false }
    return made.milliseconds != before
  }

  /// R33: whether the stream delivered other content since a request was sent.
  private func isOvertaken(_ request: Out, _ answer: Answer) -> Bool {
    guard let copy, copy.provenance == .server else { return false }
    return copy.changedAt > sentAt(request, answer)
  }

  private func sentAt(_ request: Out, _ answer: Answer) -> Int64 {
    guard let delay = answer.delay?.milliseconds else { return request.startedAt }
    let sent = step.now - max(delay, 0) - max(answer.decoding.milliseconds, 0)
    return max(request.startedAt, sent)
  }

  /// R33, R38: what a user or the app asked for, and what the response may lack, is asked for once more as soon as the stream's gap
  /// allows.
  private mutating func again(
    _ want: Want,
    _ verdict: DowngradeProtection.Verdict?
  ) -> Obligation? {
    let isAsked = want.reason == .change || want.reason == .person
    guard isAsked, !want.isRecovery, !want.isRepetition, let push = policy.push else { return nil }
    // R36: or it is older than the copy.
    var isMissing = verdict == .keepNewer
    if let asOf = step.asOf, let sentAt = step.sentAt, asOf < sentAt { isMissing = true }
    // R34: a degraded response has its own ladder.
    guard isMissing, !step.isReduced, !isOverBudget(want) else { return nil }
    if want.isImpatient { spend(at: step.now + push.leastGap.milliseconds) }
    return .wait(.change, Want(reason: .change, isRepetition: true), .push)
  }

  /// R38: whether a response was in a cache since before the application wrote its copy.
  private func isFromBeforeWrite(_ answer: Answer) -> Bool {
    guard step.sentAt != nil, let copy, copy.provenance == .local else { return false }
    return madeNoEarlier(answer).map { $0 < copy.changedAt } ?? true
  }

  /// R38: whether responses over 4 s have shown the same earlier time: the time in the copy of a cache would not advance.
  private var isOfClockBehind: Bool {
    guard let doubts, let seen = step.seenClock, let serverClock else { return false }
    let tenths = (serverClock.least - seen.most) / 100
    return doubts.count >= 2 && doubts.quarters >= 16 && tenths - doubts.nearest <= 3
  }

  /// R37: whether neither a request nor a clock that is known bounds the way of a response.
  private func isOfUnknownWay(_ metadata: FreshnessMetadata) -> Bool {
    guard serverClock?.isOpen == true else { return false }
    return metadata.serverTime == nil ? metadata.cacheAge == nil : !step.isMeasured
  }

  /// R38: when the server can have made a response at the earliest: after its request was sent, unless a cache had it.
  private func madeNoEarlier(_ answer: Answer) -> Int64? {
    let byClock = serverClock?.isOpen == true ? nil : hidden(answer.metadata).map { step.now - $0 }
    guard let sentAt = step.sentAt else {
      guard let push = policy.push else { return byClock }
      return byClock ?? step.now - push.heartbeat.milliseconds * push.watchdogPercent / 100
    }
    if contradictsClock, !isOfClockBehind { return byClock }
    guard answer.metadata.transit > .zero else { return max(sentAt, byClock ?? sentAt) }
    return byClock ?? sentAt - answer.metadata.transit.milliseconds - 999
  }

  /// R20: handles a body, or keeps a better copy; returns the backoff step it asks for (R34).
  mutating func receive(
    _ content: Content,
    _ answer: Answer,
    isForced: Bool,
    isFromStream: Bool = false,
    _ verdict: inout DowngradeProtection.Verdict?
  ) -> Int? {
    noteClock(answer.metadata)
    let isOld = isOlder(answer.metadata) || isFromBeforeWrite(answer)
    let made = madeNoEarlier(answer)
    let isUnordered = step.isOvertaken && !isOrdered(answer)
    if isOld || isUnordered, !isForced {
      if isUnordered { step.notes.insert(.overtaken) }
      // R36: a success that changes neither copy nor label.
      verdict = .keepNewer
      succeeded(answer, endsWait: !isFromStream, teaches: false)
      step.copyRule = .monotonicReads
      unchangedRun = 0
      lastFull = step.now
      step.order = .keep
      return nil
    }
    let ruling = protection(content, isForced: isForced)
    verdict = ruling
    let madeAt = answer.metadata.fetchedAt?.milliseconds
    let goesBack = madeAt.flatMap { made in copy?.sourceTime.map { made < $0 } } ?? false
    step.copyRule = goesBack ? .monotonicReads : .downgradeProtection
    succeeded(answer, endsWait: !isFromStream, teaches: true)
    unchangedRun = 0
    lastFull = step.now
    let backoffStep = reduced(answer.metadata)
    guard ruling != .keepBetter else {
      withheld = (answer.metadata, statedAge(answer.metadata), step.now)
      step.order = .keep
      step.notes.insert(.kept)
      return backoffStep
    }
    let isSame = copy?.revision == content.revision
    let isStated = statedAge(answer.metadata) != nil
    var isTold = isStated && !isOfUnknownWay(answer.metadata)
    var shown = greatestAge(answer)
    var sourceTime = answer.metadata.fetchedAt?.milliseconds
    var isDated = sourceTime != nil
    if isSame, !isTold, let copy, staysAsOld(copy, answer.metadata) {
      // R37: equal content of which nothing is said.
      (isTold, shown) = (copy.hasServerAge, copy.age(at: step.now))
      if sourceTime == nil { (sourceTime, isDated) = (copy.sourceTime, copy.isDated) }
    }
    // R36: not older than what was shown before it.
    if sourceTime == nil, !isForced { sourceTime = copy?.sourceTime }
    step.order = isSame ? .verify : .apply
    step.asOf = made
    copy = Copy(
      revision: content.revision,
      validator: content.validator,
      hasRealtime: content.hasRealtime,
      ageAtArrival: shown,
      arrivedAt: step.now,
      hasServerAge: isTold,
      sourceTime: sourceTime,
      isDated: isDated,
      changedAt: isSame ? copy?.changedAt ?? step.now : step.now,
      verifiedAt: step.now
    )
    metadata = answer.metadata
    withheld = nil
    if content.fulfilsAction { burstEnds = nil }
    return backoffStep
  }

  /// R20: the first match wins.
  private func protection(_ content: Content, isForced: Bool) -> DowngradeProtection.Verdict {
    guard let cap = policy.downgradeProtection else { return .applyAlways }
    if content.hasRealtime { return .applyRealtime }
    guard let copy, copy.hasRealtime else { return .applyNothingToLose }
    if isForced { return .applyForced }
    return copy.age(at: step.now) >= cap.milliseconds ? .applyTooOld : .keepBetter
  }

  /// R16: "not modified" updates *verified* and leaves *changed*.
  mutating func verify(_ answer: Answer, endsWait: Bool) {
    noteClock(answer.metadata)
    let isOld = isOlder(answer.metadata)
    succeeded(answer, endsWait: endsWait, teaches: !isOld)
    unchangedRun += 1
    step.copyRule = .success
    withheld = nil
    // R38: no validator was sent for such a copy, so it is not confirmed.
    guard copy?.provenance == .server else { return }
    step.order = .verify
    copy?.verifiedAt = step.now
    guard !isOld else { return }
    let isStated = statedAge(answer.metadata) != nil
    let isTold = isStated && !isOfUnknownWay(answer.metadata)
    if isStated || copy.map({ !staysAsOld($0, answer.metadata) }) == true {
      let age = greatestAge(answer)
      copy?.ageAtArrival = age
      copy?.arrivedAt = step.now
      copy?.hasServerAge = isTold
      if let made = answer.metadata.fetchedAt {
        copy?.sourceTime = made.milliseconds
        copy?.isDated = true
      }
    }
    metadata = Self.freshened(metadata, by: answer.metadata)
    step.asOf = madeNoEarlier(answer)
  }

  private func staysAsOld(_ copy: Copy, _ metadata: FreshnessMetadata) -> Bool {
    guard copy.provenance == .server else { return false }
    return copy.hasServerAge || (copy.isDated && metadata.fetchedAt == nil)
  }

  /// R27, R37: the figure plus the return path, and for the same data never less than the grown
  /// age.
  ///
  /// Without a server's clock, data with a source time is as old as the device's clock says.
  private mutating func greatestAge(_ answer: Answer) -> Int64 {
    let metadata = answer.metadata
    let figure = Self.ageAtArrival(metadata) ?? metadata.transit.milliseconds
    step.figure = figure
    step.uncut = Self.plus(figure, Self.wayBack(metadata, step.delay))
    var age = step.uncut ?? figure
    if let statedAge = statedAge(metadata) {
      age = statedAge
    } else if let made = metadata.fetchedAt?.milliseconds {
      if let device = answer.deviceTime?.milliseconds { age = max(age, device - made) }
    } else if let hidden = hidden(metadata) {
      age = max(age, hidden)
    }
    guard let copy, copy.provenance != .local, let made = metadata.fetchedAt,
      copy.isDated, copy.sourceTime == made.milliseconds, isAgeKnown
    else { return age }
    return max(age, copy.age(at: step.now))
  }

  /// R16, R23: one success clears the error and the backoff.
  ///
  /// R21: a `Retry-After` applies to requests; stream events do not end it.
  private mutating func succeeded(_ answer: Answer, endsWait: Bool, teaches: Bool) {
    step.failureRule = .success
    failure = nil
    hasRetried = false
    failures = 0
    if endsWait { notBefore = nil }
    if let observed = answer.activity { observe(observed) }
    guard teaches, policy.alignment != nil else { return }
    if Self.ageAtArrival(answer.metadata) != nil, answer.metadata.fetchedAt != nil {
      seesRhythm = true
      isDated = true
    }
    window = max(answer.hints.spread?.milliseconds ?? 0, 0)
    let next = Self.untilNextChange(answer)
    stated = next.flatMap { $0 > 0 ? step.now + $0 : nil }
    if stated != nil { seesRhythm = true }
  }

  /// R34: once through the ladder, then the cadence, until a long time has passed without degraded
  /// responses.
  private mutating func reduced(_ metadata: FreshnessMetadata) -> Int? {
    switch Self.reduction(metadata) {
    case .steady: return nil
    case .none:
      isQuiet = false
      return nil
    case .disabled:
      isQuiet = true
      return nil
    case .retried:
      guard !isQuiet else { return nil }
      if let degradedAt, step.now - degradedAt >= policy.degradedRearm.milliseconds {
        degradedStep = 0
      }
      degradedAt = step.now
      guard degradedStep < policy.ladder.count else { return nil }
      degradedStep += 1
      return degradedStep - 1
    }
  }

  /// R21: a wrong request is shown at once and repeated only very slowly.
  private mutating func rejected(
    _ kind: Failure.Kind,
    _ answer: Answer,
    reason: Reason = .recheck
  ) -> Obligation {
    step.failureRule = .outcomes
    hasRetried = false
    failures = 0
    notBefore = nil
    show(kind, answer)
    return .wait(reason, .schedule, reason.rule)
  }

  private mutating func failed(
    _ kind: Failure.Kind,
    _ answer: Answer,
    isTransient: Bool,
    _ request: Out
  ) -> Obligation {
    if isTransient, !hasRetried, failures == 0, policy.retryDelay != nil {
      // R7: once and silently.
      step.failureRule = .silentRetry
      hasRetried = true
      var want = request.want
      want.showsLoading = false
      let cadence = request.request.cadence.milliseconds
      let isLate = step.now - request.deadline >= driftLimit(cadence)
      return .wait(.retry(isLate: isLate), want, .silentRetry)
    }
    if step.failureRule == .errorsErase { step.failureRule = .outcomes }
    hasRetried = true
    failures = min(failures + 1, 1_000)
    show(kind, answer)
    return .wait(.ladder(Int(failures) - 1), .schedule, .backoff)
  }

  /// R14: returns the lateness that counts as drift.
  func driftLimit(_ cadence: Int64) -> Int64 {
    max(policy.driftFloor.milliseconds, cadence * policy.driftPercent / 100)
  }

  private mutating func show(_ kind: Failure.Kind, _ answer: Answer) {
    failure = Trouble(kind: kind, status: answer.status, since: failure?.since ?? step.now)
  }
}
