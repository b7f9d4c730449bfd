import Freshness

/// Mutants of R26 to R30.
extension MutantPlan {
  static let shown: [MutantPlan] = [
    MutantPlan(
      .interpretation,
      "every board looks normal",
      label: { label, _ in
        if label.marker != .none { label.marker = .normal }
      }
    ),
    MutantPlan(
      .interpretation,
      "the mode is read before the status",
      label: { label, _ in
        guard case .reduced(.status(let status)) = label.marker, status != .disabled else { return }
        label.marker = .reduced(.mode(.degradedStatic))
      }
    ),
    MutantPlan(
      .interpretation,
      "an old board is called live",
      label: { label, _ in
        if label.badge == .partial { label.badge = .live }
      }
    ),
    MutantPlan(
      .interpretation,
      "observers are not told of another label",
      effects: {
        effects,
        _,
        _ in
        effects.changes.remove(.label)
      }
    ),
    MutantPlan(
      .age,
      "the age stands still",
      label: { label, memory in
        guard let snapshot = memory.snapshot, !label.isKept else { return }
        label.age = snapshot.age.atArrival
      }
    ),
    MutantPlan(
      .age,
      "the age follows the device's wall clock",
      label: { label, memory in
        guard let skew = memory.device else { return }
        label.age = label.age.map { $0 + skew }
      }
    ),
    MutantPlan(
      .age,
      "the age counts from arrival",
      event: { event, _ in
        guard case .answered(let ticket, var answer) = event, answer.metadata.serverTime == nil
        else {
          return event
        }
        answer.metadata.cacheAge = nil
        return .answered(ticket, answer)
      }
    ),
    MutantPlan(
      .age,
      "the age stops offline",
      label: { label, memory in
        guard memory.connectivity == .offline, let age = label.age else { return }
        label.age = min(age, .seconds(20))
      }
    ),
    MutantPlan(
      .wording,
      "minutes are spoken in seconds",
      wording: { wording in
        guard case .minutes(let count) = wording else { return wording }
        return .seconds(count * 60)
      }
    ),
    MutantPlan(
      .wording,
      "ages are rounded up",
      wording: { wording in
        guard case .minutes(let count) = wording else { return wording }
        return .minutes(count + 1)
      }
    ),
    MutantPlan(
      .wording,
      "no hours",
      wording: { wording in
        guard case .hours(let count) = wording else { return wording }
        return .minutes(count * 60)
      }
    ),
    MutantPlan(
      .samples,
      "failures leave no sample",
      effects: { effects, _, _ in
        if effects.sample?.verdict == nil { effects.sample = nil }
      }
    ),
    MutantPlan(
      .samples,
      "a sample's start is its end",
      effects: { effects, _, _ in
        if let end = effects.sample?.endedAt { effects.sample?.startedAt = end }
      }
    ),
    MutantPlan(
      .samples,
      "a sample forgets the cadence",
      effects: { effects, _, _ in
        effects.sample?.cadence = .zero
      }
    ),
    MutantPlan(
      .samples,
      "the skew has the wrong sign",
      effects: { effects, _, _ in
        if let skew = effects.sample?.skew { effects.sample?.skew = .zero - skew }
      }
    ),
    MutantPlan(
      .samples,
      "every wait is said to be the cadence",
      shown: { shown, _ in
        if shown.nextRequest.due != nil { shown.nextRequest.cause = .cadence }
      }
    ),
    MutantPlan(
      .samples,
      "the moment it says is not the one it keeps",
      shown: { shown, _ in
        if let due = shown.nextRequest.due { shown.nextRequest.due = due + .seconds(1) }
      }
    ),
    MutantPlan(.samples, "the ring is too small", policy: { $0.ringCapacity = 3 }),
    MutantPlan(
      .counters,
      "bytes are not counted",
      record: { diagnostics, effects in
        var effects = effects
        effects.sample?.bytes = 0
        diagnostics.record(effects)
      }
    ),
    MutantPlan(
      .counters,
      "requests are counted twice",
      record: { diagnostics, effects in
        diagnostics.record(effects)
        guard effects.request != nil else { return }
        var again = Effects()
        again.request = effects.request
        diagnostics.record(again)
      }
    ),
    MutantPlan(
      .counters,
      "superseded answers are not counted",
      record: { diagnostics, effects in
        var effects = effects
        effects.notes.remove(.superseded)
        diagnostics.record(effects)
      }
    ),
  ]
}
