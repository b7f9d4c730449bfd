import Freshness

/// Mutants of R16 to R22 and R25.
extension MutantPlan {
  static let answers: [MutantPlan] = [
    MutantPlan(
      .success,
      "not modified notifies of a new copy",
      effects: { effects, _, _ in
        if effects.snapshot == .verify { effects.changes.insert(.snapshot) }
      }
    ),
    MutantPlan(
      .success,
      "an error is sticky across not modified",
      shown: { shown, memory in
        // catnip.md: the banner survives until the data changes.
        if shown.failure == nil, let old = memory.lastShown?.failure { shown.failure = old }
      }
    ),
    MutantPlan(
      .success,
      "not modified moves \"changed\"",
      shown: { shown, _ in
        if let verifiedAt = shown.snapshot?.verifiedAt { shown.snapshot?.changedAt = verifiedAt }
      }
    ),
    MutantPlan(
      .success,
      "not modified does not move \"verified\"",
      shown: { shown, _ in
        if let changedAt = shown.snapshot?.changedAt { shown.snapshot?.verifiedAt = changedAt }
      }
    ),
    MutantPlan(
      .missingBody,
      "not modified without a copy is ignored",
      event: { event, memory in
        guard case .answered(let ticket, let answer) = event, answer.outcome == .unchanged,
          memory.lastShown != nil, memory.snapshot == nil
        else { return event }
        return .answered(ticket, Answer(.cancelled))
      }
    ),
    MutantPlan(
      .missingBody,
      "the missing body is asked for conditionally",
      effects: { effects, event, _ in
        guard case .answered(_, let answer) = event, answer.outcome == .unchanged else { return }
        if effects.request?.refresh.isUnconditional == true {
          effects.request?.validator = Validator(1)
        }
      }
    ),
    MutantPlan(
      .missingBody,
      "the missing body is asked for for ever",
      effects: {
        effects,
        event,
        memory in
        guard memory.failure?.kind == .missingBody, case .answered = event else { return }
        if effects.request == nil { effects.request = memory.request }
      }
    ),
    MutantPlan(
      .unconditional,
      "a wrong validator is trusted for ever",
      policy: { policy in
        policy.unchangedLimit = nil
        policy.unchangedFor = nil
      }
    ),
    MutantPlan(
      .unconditional,
      "every third answer is full",
      policy: {
        $0.unchangedLimit = 2
      }
    ),
    MutantPlan(
      .validators,
      "the validator of a withheld response is used",
      effects: {
        effects,
        event,
        memory in
        if case .answered(_, let answer) = event, case .content(let content) = answer.outcome,
          effects.snapshot == .keep
        {
          memory.validator = content.validator
        }
        if effects.request?.validator != nil, let known = memory.validator {
          effects.request?.validator = known
        }
        if effects.snapshot == .apply { memory.validator = nil }
      }
    ),
    MutantPlan(
      .validators,
      "a validator crosses to another context",
      effects: { effects, event, memory in
        if let validator = memory.snapshot?.validator { memory.validator = validator }
        if case .contextChanged = event, effects.request?.validator == nil {
          effects.request?.validator = memory.validator
        }
      }
    ),
    MutantPlan(
      .validators,
      "requests are never conditional",
      effects: {
        effects,
        _,
        _ in
        effects.request?.validator = nil
      }
    ),
    MutantPlan(.validators, "an eviction keeps the validator", event: deaf { $0 == .evicted }),
    MutantPlan(
      .downgradeProtection,
      "a worse board replaces a better one",
      policy: { $0.downgradeProtection = nil }
    ),
    MutantPlan(
      .downgradeProtection,
      "a better board is kept for ever",
      policy: { policy in
        if policy.downgradeProtection != nil { policy.downgradeProtection = .minutes(24 * 60) }
      }
    ),
    MutantPlan(
      .downgradeProtection,
      "a kept board is not labelled",
      label: { label, _ in label.isKept = false }
    ),
    MutantPlan(
      .downgradeProtection,
      "the cap is a minute",
      policy: { policy in
        if policy.downgradeProtection != nil { policy.downgradeProtection = .seconds(60) }
      }
    ),
  ]

  static let outcomes: [MutantPlan] = [
    MutantPlan(.outcomes, "a Retry-After is ignored", policy: { $0.retryAfterCap = .zero }),
    MutantPlan(
      .outcomes,
      "a Retry-After is not capped",
      policy: { $0.retryAfterCap = .minutes(600) }
    ),
    MutantPlan(.outcomes, "a wrong question is repeated", policy: { $0.recheck = .seconds(3) }),
    MutantPlan(
      .outcomes,
      "a person breaks a Retry-After",
      effects: { effects, event, memory in
        guard case .refreshRequested(let refresh) = event, refresh.reason == .person else { return }
        guard effects.notes.contains(.deferred), var request = memory.request else { return }
        request.ticket.generation += 1
        effects.request = request
      }
    ),
    MutantPlan(
      .outcomes,
      "gone is a wrong question",
      event: { event, _ in
        guard case .answered(let ticket, var answer) = event, answer.outcome == .gone else {
          return event
        }
        answer.outcome = .refused
        return .answered(ticket, answer)
      }
    ),
    MutantPlan(
      .outcomes,
      "a wrong question counts as a transient failure",
      event: { event, _ in
        guard case .answered(let ticket, var answer) = event, answer.outcome == .refused else {
          return event
        }
        answer.outcome = .serverError
        return .answered(ticket, answer)
      }
    ),
    MutantPlan(
      .errorsErase,
      "an error erases the board",
      shown: { shown, _ in
        if shown.failure?.kind == .unreachable || shown.failure?.kind == .timedOut {
          shown.snapshot = nil
        }
      }
    ),
    MutantPlan(
      .errorsErase,
      "a cancellation is an error",
      event: { event, _ in
        guard case .answered(let ticket, let answer) = event, answer.outcome == .cancelled else {
          return event
        }
        return .answered(ticket, Answer(.unreachable))
      }
    ),
    MutantPlan(
      .loadingHint,
      "the hint is never cleared",
      shown: { shown, memory in
        if memory.lastShown?.isLoading == true { shown.isLoading = true }
      }
    ),
    MutantPlan(
      .loadingHint,
      "scheduled requests show the hint",
      shown: { shown, _ in
        if shown.outstanding != nil { shown.isLoading = true }
      }
    ),
    MutantPlan(
      .loadingHint,
      "observers are not told of the hint",
      effects: { effects, _, _ in
        effects.changes.remove(.loading)
      }
    ),
  ]
}
