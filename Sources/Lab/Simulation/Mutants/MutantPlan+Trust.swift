import Freshness

/// Mutants of R36 to R40.
extension MutantPlan {
  static let trust: [MutantPlan] = [
    MutantPlan(
      .monotonicReads,
      "any older answer is applied",
      policy: { $0.clockTolerance = .minutes(-24 * 60) }
    ),
    MutantPlan(
      .monotonicReads,
      "a clock that was set back keeps the copy for ever",
      policy: { $0.clockTolerance = .minutes(24 * 60) }
    ),
    MutantPlan(
      .monotonicReads,
      "a person's force is not enough",
      shown: { shown, memory in
        guard let old = memory.lastShown?.snapshot, let made = shown.snapshot?.sourceTime,
          let before = old.sourceTime, made < before, shown.snapshot?.provenance == .server
        else { return }
        shown.snapshot = old
      }
    ),
    MutantPlan(
      .ageInterval,
      "the response delay is left out",
      event: { event, _ in
        guard case .answered(let ticket, var answer) = event else { return event }
        answer.delay = .zero
        return .answered(ticket, answer)
      }
    ),
    MutantPlan(
      .ageInterval,
      "the time of decoding is left out",
      event: { event, _ in
        guard case .answered(let ticket, var answer) = event, answer.delay != nil else {
          return event
        }
        answer.decoding = .zero
        return .answered(ticket, answer)
      }
    ),
    MutantPlan(
      .ageInterval,
      "what only states when it was made counts as new",
      event: { event, _ in
        guard case .streamDelivered(let about, var answer) = event,
          answer.metadata.fetchedAt != nil,
          answer.metadata.ageAtArrival == nil
        else { return event }
        answer.metadata.cacheAge = .zero
        return .streamDelivered(about, answer)
      }
    ),
    MutantPlan(
      .ageInterval,
      "a Date is taken for an exact instant",
      event: { event, _ in
        guard case .answered(let ticket, var answer) = event else { return event }
        answer.metadata.truncation = .zero
        return .answered(ticket, answer)
      }
    ),
    MutantPlan(
      .ageInterval,
      "a hidden cache makes the data younger",
      shown: { shown, memory in
        guard let old = memory.lastShown?.snapshot, let new = shown.snapshot,
          let made = new.sourceTime, old.sourceTime == made, new.verifiedAt > old.verifiedAt,
          let figure = memory.figure, figure < new.age.atArrival
        else { return }
        shown.snapshot?.age.atArrival = figure
      }
    ),
    MutantPlan(
      .provenance,
      "a local write is called live",
      label: { label, _ in
        if label.provenance == .local { label.badge = .live }
      }
    ),
    MutantPlan(
      .provenance,
      "what a stream delivers was made just now",
      effects: { effects, event, memory in
        guard case .streamDelivered = event, effects.asOf != nil else { return }
        effects.asOf = memory.now
      }
    ),
    MutantPlan(
      .provenance,
      "the copy of a cache was made just now",
      effects: { effects, event, memory in
        guard case .answered(_, let answer) = event, answer.metadata.transit > .zero,
          effects.asOf != nil
        else { return }
        effects.asOf = memory.now
      }
    ),
    MutantPlan(
      .provenance,
      "a copy from disk is the server's",
      shown: { shown, _ in
        if shown.snapshot?.provenance == .disk { shown.snapshot?.provenance = .server }
      }
    ),
    MutantPlan(
      .monotonicReads,
      "a copy from disk forgets when it was made",
      event: { event, _ in
        guard case .restored(let revision, let age, _) = event else { return event }
        return .restored(revision, age: age)
      }
    ),
    MutantPlan(
      .provenance,
      "a copy from disk replaces a newer one",
      event: { event, _ in
        guard case .restored(let revision, _, _) = event else { return event }
        return .wrote(revision)
      }
    ),
    MutantPlan(
      .backPressure,
      "what the origin asks is not heard",
      event: deaf {
        if case .restrained = $0 { true } else { false }
      }
    ),
    MutantPlan(
      .backPressure,
      "a long poll that is not held counts as held",
      event: deaf {
        if case .notHeld = $0 { true } else { false }
      }
    ),
    MutantPlan(
      .backPressure,
      "time in the queue counts toward the timeout",
      event: deaf {
        if case .queued = $0 { true } else { false }
      }
    ),
    MutantPlan(
      .backPressure,
      "what waited is not held",
      event: { event, _ in
        if case .queued(let ticket) = event { .notHeld(ticket) } else { event }
      }
    ),
    MutantPlan(
      .backPressure,
      "what was not held once never long-polls again",
      effects: { effects, event, memory in
        if case .notHeld = event { memory.requests += 1 }
        guard memory.requests > 0, let request = effects.request else { return }
        effects.request = request.withoutWait
      }
    ),
    MutantPlan(
      .backPressure,
      "another context forgets a Retry-After",
      effects: { effects, event, memory in
        guard case .contextChanged = event, effects.notes.contains(.deferred),
          var request = memory.request
        else { return }
        request.ticket.generation += 1
        effects.request = request
      }
    ),
    MutantPlan(
      .backPressure,
      "a failing origin is asked all the same",
      event: { event, _ in
        guard case .restrained(var restraint) = event else { return event }
        restraint.quietUntil = nil
        return .restrained(restraint)
      }
    ),
    MutantPlan(
      .backPressure,
      "a rate limit is not shared",
      event: { event, _ in
        guard case .restrained(var restraint) = event else { return event }
        restraint.leastInterval = nil
        return .restrained(restraint)
      }
    ),
    MutantPlan(
      .backPressure,
      "a share outlives the limit",
      event: { event, _ in
        guard case .restrained(var restraint) = event else { return event }
        restraint.sharedUntil = nil
        return .restrained(restraint)
      }
    ),
    MutantPlan(
      .backPressure,
      "a share ends before the limit",
      event: { event, _ in
        guard case .restrained(var restraint) = event, let end = restraint.sharedUntil else {
          return event
        }
        restraint.sharedUntil = end - .seconds(20)
        return .restrained(restraint)
      }
    ),
    MutantPlan(
      .backPressure,
      "what is gone is asked for again after minutes",
      policy: { $0.recheckGone = $0.recheck }
    ),
    MutantPlan(
      .outcomes,
      "a Retry-After that cannot be measured is none",
      event: { event, _ in
        guard case .answered(let ticket, var answer) = event, answer.metadata.serverTime == nil,
          case .throttled(.date) = answer.outcome
        else { return event }
        answer.outcome = .throttled(.seconds(0))
        return .answered(ticket, answer)
      }
    ),
    MutantPlan(.impatience, "impatience has no budget", policy: { $0.impatience = 100_000 }),
    MutantPlan(
      .impatience,
      "what the budget does not cover is forgotten",
      event: { event, memory in
        // A key that is held down is ignored while what the budget covers at once is out or spent.
        guard event == .refreshRequested(.person) else { return event }
        if memory.now - memory.heardAt > .seconds(20) { memory.requests = 0 }
        memory.heardAt = memory.now
        return memory.requests >= Int(memory.policy.impatience) / 2 ? .woke : event
      },
      effects: { effects, _, memory in
        if effects.request?.refresh.reason == .person { memory.requests += 1 }
      }
    ),
  ]
}
