import Freshness

/// Mutants of R1 to R7.
extension MutantPlan {
  static let requests: [MutantPlan] = [
    MutantPlan(
      .oneRequest,
      "a refresh during a request sends another beside it",
      effects: { effects, event, memory in
        guard case .refreshRequested = event, effects.request == nil, memory.outstanding != nil
        else {
          return
        }
        effects.request = memory.request
      }
    ),
    MutantPlan(
      .timeout,
      "a request that timed out is not cancelled",
      effects: { effects, _, _ in effects.cancel = nil }
    ),
    MutantPlan(
      .oneRequest,
      "it forgets what is out",
      shown: { shown, memory in
        if memory.steps % 64 == 0 { shown.outstanding = nil }
      }
    ),
    MutantPlan(
      .oneFollowUp,
      "a refresh during a request is lost",
      event: { event, memory in
        guard case .refreshRequested = event, memory.outstanding != nil, !memory.isLongPolling
        else {
          return event
        }
        return .woke
      }
    ),
    MutantPlan(
      .oneFollowUp,
      "\"forced\" does not survive",
      event: { event, _ in
        guard case .refreshRequested(var refresh) = event, refresh.isForced else { return event }
        refresh.isForced = false
        refresh.isUnconditional = true
        return .refreshRequested(refresh)
      }
    ),
    MutantPlan(
      .oneFollowUp,
      "a person counts as the schedule",
      event: { event, _ in
        guard case .refreshRequested(var refresh) = event, refresh.reason == .person else {
          return event
        }
        refresh.reason = .change
        return .refreshRequested(refresh)
      }
    ),
    MutantPlan(
      .superseded,
      "any answer answers the request that is out",
      event: { event, memory in
        guard case .answered(_, let answer) = event, let out = memory.outstanding else {
          return event
        }
        return .answered(out, answer)
      }
    ),
    MutantPlan(
      .superseded,
      "an answer about another context counts",
      event: { event, memory in
        guard case .answered(var ticket, let answer) = event else { return event }
        ticket.context = memory.context
        return .answered(ticket, answer)
      }
    ),
    MutantPlan(
      .superseded,
      "generations are used twice",
      effects: { effects, _, memory in
        guard let generation = effects.request?.ticket.generation, generation % 9 == 0 else {
          return
        }
        effects.request?.ticket.generation = generation - 1
      }
    ),
    MutantPlan(
      .contextSwitch,
      "the old board stays",
      effects: { effects, _, _ in
        if effects.snapshot == .clear { effects.snapshot = .none }
      }
    ),
    MutantPlan(
      .contextSwitch,
      "it does not hear of the new context",
      event: deaf { event in
        if case .contextChanged = event { true } else { false }
      }
    ),
    MutantPlan(
      .contextSwitch,
      "the old failure stays",
      shown: { shown, memory in
        guard shown.failure == nil, let old = memory.lastShown?.failure else { return }
        if memory.snapshot == nil, memory.outstanding != nil { shown.failure = old }
      }
    ),
    MutantPlan(
      .contextSwitch,
      "the request asks the old question",
      effects: {
        effects,
        event,
        _ in
        guard case .contextChanged = event else { return }
        effects.request?.ticket.context.question += 7
      }
    ),
    MutantPlan(
      .pollFirst,
      "start sleeps first",
      event: { event, memory in
        // It starts without a request, as if none had been possible at the start.
        event == .started && memory.lastShown != nil ? .woke : event
      }
    ),
    MutantPlan(
      .pollFirst,
      "a person waits for the schedule",
      event: { event, memory in
        guard case .refreshRequested(let refresh) = event, refresh.reason == .person,
          memory.outstanding == nil
        else {
          return event
        }
        return .woke
      }
    ),
    MutantPlan(.timeout, "a request may take for ever", policy: { $0.timeout = .minutes(60) }),
    MutantPlan(.timeout, "a request ends too early", policy: { $0.timeout = .seconds(3) }),
    MutantPlan(
      .timeout,
      "a timeout is not told",
      effects: { effects, _, _ in
        effects.notes.remove(.timedOut)
      }
    ),
    MutantPlan(.silentRetry, "there is no retry", policy: { $0.retryDelay = nil }),
    MutantPlan(.silentRetry, "the retry comes late", policy: { $0.retryDelay = .seconds(7) }),
    MutantPlan(
      .silentRetry,
      "the retry shows the loading hint",
      effects: {
        effects,
        _,
        _ in
        if effects.notes.contains(.retried) { effects.request?.refresh.showsLoading = true }
      }
    ),
  ]
}
