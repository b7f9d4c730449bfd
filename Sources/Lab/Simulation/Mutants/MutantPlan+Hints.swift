import Freshness

/// Mutants of R31 to R35.
extension MutantPlan {
  static let hints: [MutantPlan] = [
    MutantPlan(.producerPhase, "hints are ignored", policy: { $0.alignment = nil }),
    MutantPlan(
      .producerPhase,
      "it asks before the expected change",
      policy: {
        $0.alignment?.delay = .seconds(-2)
      }
    ),
    MutantPlan(
      .producerPhase,
      "hints buy requests beyond the budget",
      policy: {
        $0.alignment?.slack = .seconds(30)
      }
    ),
    MutantPlan(
      .producerPhase,
      "it asks long after the expected change",
      policy: {
        $0.alignment?.delay = .seconds(4)
      }
    ),
    MutantPlan(
      .producerPhase,
      "a change that comes a moment too early is left out",
      effects: { effects, event, memory in
        guard case .answered(_, let answer) = event, effects.request == nil,
          let next = answer.hints.nextExpectedAt, let served = answer.metadata.serverTime,
          let alarm = effects.alarm, memory.policy.alignment != nil
        else { return }
        let change = memory.now + (next - served - answer.metadata.transit)
        // It is requested at the earliest instant, more than the usual delay after it.
        if alarm - change > .milliseconds(1_200), alarm - change < .milliseconds(3_700) {
          effects.alarm = alarm + .seconds(13)
        }
      }
    ),
    MutantPlan(.longPoll, "it never waits at the server", policy: { $0.longPoll = nil }),
    MutantPlan(
      .longPoll,
      "everybody waits at the server",
      effects: { effects, _, memory in
        guard let wait = memory.policy.longPoll else { return }
        effects.request?.longPoll = wait
      }
    ),
    MutantPlan(
      .longPoll,
      "people wait behind a long poll",
      event: { event, memory in
        guard case .refreshRequested = event, memory.isLongPolling, memory.outstanding != nil else {
          return event
        }
        return .woke
      }
    ),
    MutantPlan(
      .longPoll,
      "a long poll does not lengthen the timeout",
      effects: {
        effects,
        _,
        _ in
        if let wait = effects.request?.longPoll, let timeout = effects.request?.timeout {
          effects.request?.timeout = timeout - wait
        }
      }
    ),
    MutantPlan(
      .push,
      "a silent stream is trusted",
      policy: {
        $0.push?.watchdogPercent = 9_000
      }
    ),
    MutantPlan(.push, "a gap is ignored", event: deaf { $0 == .streamGap }),
    MutantPlan(.push, "a lost stream is ignored", event: deaf { $0 == .streamLost }),
    MutantPlan(
      .push,
      "polling stays fast beside a healthy stream",
      policy: {
        $0.push?.safetyPoll = .seconds(5)
      }
    ),
    MutantPlan(.push, "every change notice is a request", policy: { $0.push?.leastGap = .zero }),
    MutantPlan(
      .push,
      "the loss of a stream is shown",
      effects: { effects, _, _ in
        if effects.notes.contains(.streamLost) { effects.changes.insert(.label) }
      }
    ),
    MutantPlan(
      .push,
      "no stream is opened",
      effects: { effects, _, _ in
        if effects.stream == .open { effects.stream = nil }
      }
    ),
    MutantPlan(
      .push,
      "a change notice does not lead to a request",
      event: deaf { $0 == .streamChanged }
    ),
    MutantPlan(.degraded, "the ladder is climbed for ever", policy: { $0.degradedRearm = .zero }),
    MutantPlan(
      .degraded,
      "fallbacks never climb the ladder",
      event: { event, _ in
        guard case .answered(let ticket, var answer) = event else { return event }
        guard answer.metadata.mode == .staticTimeoutFallback, answer.metadata.status == nil else {
          return event
        }
        // The label would reveal it; so the fault loses the class, not the value.
        answer.metadata.status = .disabled
        return .answered(ticket, answer)
      }
    ),
    MutantPlan(
      .degraded,
      "the fallback is asked for at once, again and again",
      effects: {
        effects,
        event,
        memory in
        guard case .answered(_, let answer) = event, answer.metadata.status == .guardedError else {
          return
        }
        guard effects.request == nil, effects.snapshot == .apply || effects.snapshot == .keep,
          let alarm = effects.alarm
        else { return }
        effects.alarm = min(alarm, memory.now + .milliseconds(300))
      }
    ),
    MutantPlan(
      .prefetch,
      "it prefetches on a metered network",
      event: { event, _ in
        event == .connectivity(.metered) ? .connectivity(.online) : event
      }
    ),
    MutantPlan(
      .prefetch,
      "a prefetch is a request like any other",
      event: {
        event,
        _ in
        event == .prefetch ? .refreshRequested(RefreshRequest(.prefetch)) : event
      }
    ),
    MutantPlan(
      .prefetch,
      "a prefetch has the schedule's priority",
      effects: { effects, _, _ in
        if effects.request?.priority == .low { effects.request?.priority = .normal }
      }
    ),
    MutantPlan(
      .prefetch,
      "prefetches are off though the policy has them on",
      policy: {
        $0.prefetches = false
      }
    ),
  ]
}
