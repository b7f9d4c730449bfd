import Freshness

/// Compares the expected with the visible state.
extension ConformanceOracle {
  mutating func compare<M: Machine>(_ machine: M) {
    compareFacts(machine)
    compareOrders(machine)
    compareCopy(machine)
    compareFailure(machine)
    compareAlarm(machine)
    compareNextRequest(machine)
    compareNotes()
    compareAppearance(machine)
    compareSample()
    let (asOf, due) = (step.effects.asOf?.milliseconds, step.asOf)
    expect(asOf == due, .provenance, "as of \(asOf ?? -1) instead of \(due ?? -1)")
    count(machine)
    if let rule = sampleLog.broken { fail(rule, "waits are not jittered") }
  }

  private mutating func compareFacts<M: Machine>(_ machine: M) {
    expect(machine.hasObservers == isWatched, .pollFirst, "observers are miscounted")
    expect(machine.lifecycle == lifecycle, .lifecycle, "the lifecycle is not known")
    expect(machine.connectivity == connectivity, .offline, "the network is not known")
    expect(machine.context == context, .contextSwitch, "the context is not known")
    expect(machine.isStreaming == stream.isLive, .push, "the stream's health is not known")
    let pace = lifecycle == .foreground ? pace(at: step.now) : .background
    let seen = machine.pace(at: step.now.instant)
    if seen != pace {
      let isBursting = activity == .quiet && burstEnds.map { step.now < $0 } ?? false
      let rule: Rule = isBursting || seen == .active ? .burst : .pureInterval
      fail(rule, "pace \(seen) instead of \(pace)")
    }
  }

  private mutating func compareOrders<M: Machine>(_ machine: M) {
    let effects = step.effects
    if step.asked == nil, effects.request != nil {
      fail(step.quietRule ?? .jitter, "a request that nothing asks for")
    }
    if effects.cancel != step.cancelled {
      let seen = effects.cancel.map { "\($0.generation)" } ?? "nothing"
      let due = step.cancelled.map { "\($0.generation)" } ?? "nothing"
      fail(step.cancelRule, "cancels \(seen) instead of \(due)")
    }
    expect(
      machine.outstanding == out?.request.ticket,
      .oneRequest,
      "what is out is not what was asked"
    )
    expect(effects.stream == step.stream, .push, "the stream is opened or closed at the wrong time")
    if effects.snapshot != step.order {
      let isKept = effects.snapshot == .keep || step.order == .keep
      let isOld = step.copyRule == .monotonicReads || step.copyRule == .provenance
      fail(
        isKept && !isOld ? .downgradeProtection : step.copyRule,
        "orders \(effects.snapshot) instead of \(step.order)"
      )
    }
  }

  private mutating func compareCopy<M: Machine>(_ machine: M) {
    let seen = machine.snapshot
    guard let copy, let seen else {
      if copy != nil { fail(step.copyRule, "the copy was removed") }
      if seen != nil { fail(step.copyRule, "a copy stays that should be gone") }
      return
    }
    expect(seen.revision == copy.revision, step.copyRule, "the copy is another")
    expect(seen.validator == copy.validator, .validators, "the validator is not the copy's")
    expect(
      seen.hasRealtime == copy.hasRealtime,
      .downgradeProtection,
      "realtime or not is not known"
    )
    expect(
      seen.changedAt.milliseconds == copy.changedAt,
      .success,
      "changed at \(seen.changedAt.milliseconds) instead of \(copy.changedAt)"
    )
    expect(
      seen.verifiedAt.milliseconds == copy.verifiedAt,
      .success,
      "verified at \(seen.verifiedAt.milliseconds) instead of \(copy.verifiedAt)"
    )
    expect(seen.provenance == copy.provenance, .provenance, "the copy is of \(seen.provenance)")
    // R37: the figure alone is too low; the return path, the known age, the time of decoding, or the
    // rest of the second that a `Date` covers, was omitted.
    let omitted = [step.figure, step.uncut, copy.ageAtArrival - step.decoding]
    let isFigure = omitted.contains(seen.age.atArrival.milliseconds)
    expect(
      seen.age.atArrival.milliseconds == copy.ageAtArrival
        && seen.age.arrivedAt.milliseconds == copy.arrivedAt
        && seen.hasServerAge == copy.hasServerAge,
      isFigure && seen.age.atArrival.milliseconds < copy.ageAtArrival ? .ageInterval : .age,
      "the age is \(seen.age.atArrival.milliseconds) on arrival instead of \(copy.ageAtArrival)"
    )
    expect(
      seen.sourceTime?.milliseconds == (copy.isDated ? copy.sourceTime : nil),
      .monotonicReads,
      "the source time is not the copy's"
    )
  }

  private mutating func compareFailure<M: Machine>(_ machine: M) {
    let seen = machine.failure.map {
      Trouble(kind: $0.kind, status: $0.status, since: $0.since.milliseconds)
    }
    if seen != failure {
      var rule = step.failureRule
      if case .answered(_, let answer) = step.event, answer.outcome == .cancelled {
        rule = .errorsErase
      }
      fail(rule, "shows \(Self.text(seen)) instead of \(Self.text(failure))")
    }
    if machine.failuresInARow != failures {
      var rule: Rule = .backoff
      if connectivity == .offline { rule = .offline }
      if case .answered(_, let answer) = step.event, answer.outcome == .cancelled {
        rule = .errorsErase
      }
      fail(rule, "counts \(machine.failuresInARow) failures instead of \(failures)")
    }
  }

  private static func text(_ trouble: Trouble?) -> String {
    trouble.map { "\($0.kind) since \($0.since)" } ?? "no failure"
  }

  // MARK: The alarm

  private mutating func compareAlarm<M: Machine>(_ machine: M) {
    let alarm = step.effects.alarm
    expect(machine.alarm == alarm, .timerOwner, "the alarm ordered is not the alarm set")
    var window: Window?
    var lateRule: Rule?
    if let out {
      var ends = out.deadline
      if postponed != nil, out.request.longPoll != nil, let allowedAt = budget.allowedAt(policy) {
        ends = min(ends, max(allowedAt, bound ?? allowedAt))
      }
      let rule: Rule = out.isNotHeld || out.isProlonged ? .backPressure : .timeout
      window = Window(least: ends, most: ends, rule: ends < out.deadline ? .impatience : rule)
    } else if let wait {
      window = end(of: wait)
      // R12: a wait of the cadence that ends too late counts as stopped.
      if wait.reason == .cadence { logCadence(wait, alarm) }
    }
    if let until = streamEnd {
      guard let other = window else {
        return expect(alarm == nil, .push, "an alarm for an unwanted stream")
      }
      window = Window(
        least: min(other.least, until.least),
        most: min(other.most, until.most),
        rule: other.rule
      )
      lateRule = until.most < other.most ? .push : nil
    }
    guard let window else {
      let rule: Rule = connectivity == .offline ? .offline : .lifecycle
      return expect(alarm == nil, rule, "an alarm though nothing is due")
    }
    guard let alarm = alarm?.milliseconds else {
      let isSpread = out == nil && wait?.reason.isSpread == true
      return fail(isSpread ? window.rule : .timerOwner, "no alarm is set")
    }
    if alarm <= step.now { fail(.timerOwner, "the alarm lies in the past: a tight loop") }
    compareWithAppearance(alarm)
    // A wait whose bounds have begun may end at any later instant within them.
    if alarm < window.least {
      var rule = window.rule
      if case .answered(_, let answer) = step.event, answer.outcome == .cancelled {
        rule = .errorsErase
      }
      fail(rule, "alarm at \(alarm), not before \(window.least)")
    } else if alarm > window.most {
      fail(lateRule ?? tooLate(window), "alarm at \(alarm), not after \(window.most)")
    }
  }

  /// R9: inspecting a wait does not change it.
  private mutating func compareWithAppearance(_ alarm: Int64) {
    if step.event == .woke, step.asked == nil, !step.hasEnded, step.notes.isEmpty,
      step.stream == nil, let lastAlarm, lastAlarm > step.now, out == nil
    {
      expect(
        alarm == lastAlarm,
        .pureInterval,
        "a check moved the alarm from \(lastAlarm) to \(alarm)"
      )
    }
  }

  private func tooLate(_ window: Window) -> Rule {
    guard window.rule == .jitter, let wait, wait.reason == .cadence else { return window.rule }
    if lifecycle == .background { return .lifecycle }
    let rule = intervalRule(at: wait.since)
    if rule == .burst { return .burst }
    return pace(at: wait.since) == .idle && paceRequested == nil ? .neverDead : rule
  }

  private var streamEnd: (least: Int64, most: Int64)? {
    switch stream {
    case .off: nil
    case .closed:
      wantsStream && postponed == nil ? budget.allowedAt(policy).map { ($0, $0) } : nil
    case .opening(let until): (until, until)
    case .live(_, let silentAt): (silentAt, silentAt)
    case .waiting(let least, let most): (max(least, step.now), most)
    }
  }

  private mutating func logCadence(_ wait: Wait, _ alarm: Instant?) {
    guard wait.since == step.now, let alarm, streamEnd == nil, let started = lastStart else {
      return
    }
    let window = end(of: wait)
    guard window.rule == .jitter else { return }
    let interval = interval(at: wait.since) ?? 0
    let bounds = Self.bounds(policy.jitter, interval)
    let floor = window.least
    let offset = alarm.milliseconds - started - interval
    guard alarm.milliseconds > floor, started + bounds.least >= floor else { return }
    sampleLog.cadence(offset: offset, width: bounds.most - bounds.least, random: step.random)
    if case .signed(let least, _) = policy.jitter, abs(offset) < least.milliseconds {
      fail(.jitter, "a wait is varied by \(offset) ms only")
    }
  }

  // MARK: Why then

  /// R9, R29: the reported next request is the actual one.
  private mutating func compareNextRequest<M: Machine>(_ machine: M) {
    let next = machine.nextRequest
    let causes = causes(wait)
    expect(causes.contains(next.cause), .samples, "says \(next.cause), not one of \(causes)")
    let isDue = out == nil && wait != nil
    expect((next.due != nil) == isDue, .samples, "says that the next request is due or not")
    guard let due = next.due, let alarm = machine.alarm else { return }
    let isAlarm = streamEnd == nil ? due == alarm : due >= alarm
    expect(isAlarm, .samples, "says \(due.milliseconds), the alarm is \(alarm.milliseconds)")
  }

  // MARK: Notes

  private mutating func compareNotes() {
    let difference = step.effects.notes.symmetricDifference(step.notes)
    guard !difference.isEmpty else { return }
    let named: [(Notes, Rule, String)] = [
      (.drifted, .drift, "drifted"), (.coalesced, .oneFollowUp, "coalesced"),
      (.superseded, .superseded, "superseded"), (.overtaken, .push, "overtaken"),
      (.kept, .downgradeProtection, "kept"), (.retried, .silentRetry, "retried"),
      (.rescued, .stall, "rescued"),
      (.timedOut, .timeout, "timed out"),
      (.prefetchDropped, .prefetch, "prefetch dropped"), (.deferred, .outcomes, "deferred"),
      (.streamLost, .push, "stream lost"),
    ]
    for (note, rule, name) in named where difference.contains(note) {
      let isMissing = step.notes.contains(note)
      return fail(rule, isMissing ? "\"\(name)\" is not noted" : "\"\(name)\" is noted wrongly")
    }
    fail(.counters, "an unknown note")
  }
}

extension Int64 {
  /// The instant a number of milliseconds after the run began.
  var instant: Instant { Instant(milliseconds: self) }
}
