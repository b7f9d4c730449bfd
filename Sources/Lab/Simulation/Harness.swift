import Freshness

/// A machine and its oracle, which take steps together.
struct Harness<M: Machine>: Sendable {
  var machine: M
  var oracle: ConformanceOracle

  init(_ machine: M, policy: Policy, context: Context) {
    self.machine = machine
    oracle = ConformanceOracle(policy: policy, context: context)
  }

  /// The first violation, if any.
  var violation: Violation? { oracle.violation }

  /// Passes an event to the machine and checks the results.
  mutating func step(_ event: Event, at now: Instant, random: RandomSample) -> Effects {
    guard !checksTime(event), oracle.isOverdue(at: now) else {
      let effects = machine.handle(event, at: now, random: random)
      _ = oracle.check(event, at: now, random: random, effects, machine)
      return effects
    }
    return overdueStep(event, at: now, random: random)
  }

  /// Whether an event is about the time: the alarm, also for a request that was not sent (R39).
  private func checksTime(_ event: Event) -> Bool {
    if case .queued = event { return true }
    return event == .woke
  }

  /// R8: an event after a missed alarm first does what the alarm would have done.
  ///
  /// A copy of the machine takes both steps one after the other, checked by the oracle; the machine
  /// itself must end in the same state.
  private mutating func overdueStep(
    _ event: Event,
    at now: Instant,
    random: RandomSample
  ) -> Effects {
    var copy = machine
    let counted = oracle.counted
    oracle.isRehearsing = true
    let first = copy.handle(.woke, at: now, random: random)
    _ = oracle.check(.woke, at: now, random: random, first, copy)
    let woken = oracle.step
    let second = copy.handle(event, at: now, random: random)
    _ = oracle.check(event, at: now, random: random, second, copy)
    let heard = oracle.step
    oracle.isRehearsing = false
    let effects = machine.handle(event, at: now, random: random)
    let due = Self.together(first, second)
    oracle.expect(effects == due, .timerOwner, "an event forgets what was due before it")
    oracle.expect(
      machine.outstanding == copy.outstanding && machine.alarm == copy.alarm
        && machine.snapshot == copy.snapshot && machine.failure == copy.failure,
      .timerOwner,
      "an event after a lost alarm leads elsewhere than the alarm would have"
    )
    oracle.counted = counted
    oracle.count(
      due.request != nil,
      due.cancel != nil,
      woken.notes.union(heard.notes),
      heard.sample ?? woken.sample
    )
    oracle.compareCounters(machine)
    return effects
  }

  /// Returns the effects of two steps at one instant: a request that was never sent is not canceled
  /// either.
  private static func together(_ first: Effects, _ second: Effects) -> Effects {
    var both = second
    both.cancel = first.cancel
    both.request = first.request
    if let cancelled = second.cancel {
      if both.request?.ticket == cancelled { both.request = nil } else { both.cancel = cancelled }
    }
    if let request = second.request { both.request = request }
    if second.snapshot == .none { both.snapshot = first.snapshot }
    both.changes.formUnion(first.changes)
    if second.stream == nil { both.stream = first.stream }
    if second.sample == nil { both.sample = first.sample }
    both.notes.formUnion(first.notes)
    return both
  }
}
