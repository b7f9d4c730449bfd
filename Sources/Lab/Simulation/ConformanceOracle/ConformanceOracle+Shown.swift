import Freshness

/// The visible state and the recorded data: R16, R25 to R30.
extension ConformanceOracle {
  mutating func compareAppearance<M: Machine>(_ machine: M) {
    let shown = withheld?.metadata ?? metadata
    let isLoading = out.map { $0.want.showsLoading && lifecycle == .foreground } ?? false
    expect(machine.isLoading == isLoading, .loadingHint, "the loading hint is \(machine.isLoading)")
    let appearance = ObservedState(
      revision: copy?.revision,
      failure: failure,
      isLoading: isLoading,
      status: Self.status(shown),
      mode: shown.mode,
      isKept: withheld != nil,
      provenance: copy?.provenance ?? .server,
      isAgeKnown: isAgeKnown
    )
    let changes = step.effects.changes
    let before = lastAppearance
    lastAppearance = appearance
    expect(
      changes.contains(.snapshot) == (appearance.revision != before.revision),
      .success,
      "observers are told of a new copy, or not told"
    )
    expect(
      changes.contains(.failure) == (appearance.failure != before.failure),
      step.failureRule,
      "observers are told of a failure, or not told"
    )
    expect(
      changes.contains(.loading) == (appearance.isLoading != before.isLoading),
      .loadingHint,
      "observers are told of the hint, or not told"
    )
    let isRelabelled =
      appearance.status != before.status || appearance.mode != before.mode
      || appearance.isKept != before.isKept
      || appearance.provenance != before.provenance || appearance.isAgeKnown != before.isAgeKnown
    expect(
      changes.contains(.label) == isRelabelled,
      step.notes.contains(.streamLost) ? .push : .interpretation,
      "observers are told of another label, or not told"
    )
    if isRelabelled || step.sample != nil || steps % 4 == 0 {
      compareLabel(machine.label(at: step.now.instant), shown, machine)
    }
  }

  private mutating func compareLabel<M: Machine>(
    _ label: FreshnessLabel,
    _ shown: FreshnessMetadata,
    _ machine: M
  ) {
    // R38: only what the server sent can be live, or reduced.
    let provenance = copy?.provenance ?? .server
    let status = provenance == .server ? Self.status(shown) : nil
    let mode = provenance == .server ? shown.mode : nil
    expect(label.provenance == provenance, .provenance, "the label says \(label.provenance)")
    if provenance != .server {
      expect(
        label.badge == .unknown,
        .provenance,
        "a copy of \(provenance) is called \(label.badge)"
      )
      expect(label.marker == .none, .provenance, "a copy of \(provenance) has a marker")
    }
    // R26: the status, then the mode; applied and full is normal, everything else is reduced.
    var marker = FreshnessLabel.Marker.normal
    if let status, status != .applied {
      marker = .reduced(.status(status))
    } else if let mode, mode != .full {
      marker = .reduced(.mode(mode))
    } else if status == nil, mode == nil {
      marker = .none
    }
    expect(label.marker == marker, .interpretation, "marker \(label.marker) instead of \(marker)")
    expect(
      label.isKept == (withheld != nil),
      .downgradeProtection,
      "the label does not say whether a better copy is kept"
    )
    // R27: the age at arrival and the device's monotonic clock since.
    var age = copy?.age(at: step.now)
    if let withheld, let atArrival = withheld.age {
      age = max(age ?? 0, Self.plus(atArrival, max(step.now - withheld.arrivedAt, 0)))
    }
    expect(
      label.age?.milliseconds == age,
      .age,
      "age \(label.age?.milliseconds ?? -1) instead of \(age ?? -1)"
    )
    expect(machine.wording(of: label) == age.map(Self.wording), .wording, "the wording is wrong")
    var badge = badge(status, age: age)
    if !isAgeKnown, badge != .unavailable { badge = .unknown }
    expect(label.badge == badge, .interpretation, "badge \(label.badge) instead of \(badge)")
    let notice: FreshnessLabel.Notice =
      switch status {
      case nil, .applied: .none
      case .missingCache, .staleCache, .guardedError: .unavailable
      case .partial, .skippedBudget, .disabled, .unknown: .mild
      }
    expect(label.notice == notice, .interpretation, "notice \(label.notice) instead of \(notice)")
  }

  /// R37: with a source time and no clock of the server, the age is unknown.
  var isAgeKnown: Bool {
    copy.map { $0.hasServerAge || !$0.isDated || $0.provenance != .server } ?? true
  }

  /// R28: seconds under a minute, minutes under an hour, then hours; rounded down.
  private static func wording(_ age: Int64) -> Age.Wording {
    let seconds = max(age, 0) / 1_000
    switch seconds {
    case ..<60: return .seconds(seconds)
    case ..<3_600: return .minutes(seconds / 60)
    default: return .hours(seconds / 3_600)
    }
  }

  /// R26: the status determines the badge, and age can only lower it (mesdeparts.md 1.1.12).
  private func badge(_ status: RealtimeStatus?, age: Int64?) -> FreshnessLabel.Badge {
    switch status {
    case .missingCache, .staleCache, .guardedError: return .unavailable
    case .partial, .applied:
      guard let age else { return status == .applied ? .live : .partial }
      if age > policy.badgeUnavailableAfter.milliseconds { return .unavailable }
      if age > policy.badgePartialAfter.milliseconds { return .partial }
      return status == .applied ? .live : .partial
    case nil, .skippedBudget, .disabled, .unknown: return .unknown
    }
  }

  // MARK: Diagnostics

  mutating func compareSample() {
    guard let sample = step.effects.sample, let due = step.sample else {
      if step.sample != nil { fail(.samples, "a request ended without a sample") }
      if step.effects.sample != nil {
        var rule: Rule = .samples
        if case .answered(_, let answer) = step.event, answer.outcome == .cancelled {
          rule = .errorsErase
        }
        fail(rule, "a sample of a request that did not end")
      }
      return
    }
    expect(sample.verdict == due.verdict, .downgradeProtection, "the sample's verdict is another")
    expect(Self.says(sample, due), .samples, "the sample of \(due.ticket.generation) is wrong")
    if tail.count >= 8 { tail.removeFirst() }
    tail.append(due)
  }

  private static func says(_ sample: Sample, _ due: ExpectedSample) -> Bool {
    guard sample.ticket == due.ticket, sample.startedAt.milliseconds == due.startedAt else {
      return false
    }
    guard sample.endedAt.milliseconds == due.endedAt, sample.status == due.answer.status,
      sample.duration.milliseconds == due.endedAt - due.startedAt
    else { return false }
    guard sample.outcome == due.answer.outcome, sample.metadata == due.answer.metadata,
      sample.bytes == due.answer.bytes
    else { return false }
    var skew: Int64?
    if let device = due.answer.deviceTime, let server = due.answer.metadata.serverTime {
      skew = device.milliseconds - server.milliseconds
    }
    guard sample.skew?.milliseconds == skew, sample.isConditional == due.isConditional else {
      return false
    }
    let delay = due.isChange ? ageAtArrival(due.answer.metadata) : nil
    return sample.isChange == due.isChange && sample.changeToScreen?.milliseconds == delay
      && sample.cadence.milliseconds == due.cadence
  }

  mutating func count<M: Machine>(_ machine: M) {
    guard !isRehearsing else { return }
    count(step.asked != nil, step.cancelled != nil, step.notes, step.sample)
    compareCounters(machine)
  }

  mutating func count(
    _ asked: Bool,
    _ cancelled: Bool,
    _ notes: Notes,
    _ sample: ExpectedSample?
  ) {
    if asked { counted.requests += 1 }
    if cancelled { counted.cancelled += 1 }
    if notes.contains(.coalesced) { counted.coalesced += 1 }
    if notes.contains(.superseded) || notes.contains(.overtaken) { counted.superseded += 1 }
    if notes.contains(.kept) { counted.kept += 1 }
    if notes.contains(.retried) { counted.retries += 1 }
    if notes.contains(.rescued) { counted.rescues += 1 }
    guard let sample else { return }
    counted.answers += 1
    counted.bytes += sample.answer.bytes
    if sample.answer.outcome == .unchanged { counted.unchanged += 1 }
    guard sample.isChange, let delay = Self.ageAtArrival(sample.answer.metadata) else { return }
    counted.measuredChanges += 1
    let span = Instant.Duration(milliseconds: delay)
    counted.changeToScreenTotal = counted.changeToScreenTotal + span
    counted.changeToScreenLongest = max(counted.changeToScreenLongest, span)
  }

  mutating func compareCounters<M: Machine>(_ machine: M) {
    expect(machine.counters == counted, .counters, "the counters do not say what happened")
  }

  /// Checks the ring: the newest samples, as many as the policy keeps, oldest first (R29).
  mutating func checkRing<M: Machine>(_ machine: M) {
    let samples = machine.samples
    let kept = min(Int(max(policy.ringCapacity, 0)), Int(counted.answers))
    expect(samples.count == kept, .samples, "the ring holds \(samples.count) instead of \(kept)")
    let recent = samples.suffix(tail.count)
    let due = tail.suffix(recent.count)
    for (sample, expected) in zip(recent, due) where !Self.says(sample, expected) {
      fail(.samples, "the ring does not hold the newest samples")
    }
  }
}
