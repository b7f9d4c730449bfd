import Freshness

/// Mutants of R8 to R13.
extension MutantPlan {
  static let schedule: [MutantPlan] = [
    MutantPlan(
      .timerOwner,
      "the timer is lost now and then",
      effects: { effects, _, memory in
        if memory.steps % 50 == 0 { effects.alarm = nil }
      }
    ),
    MutantPlan(
      .timerOwner,
      "a tight loop",
      effects: { effects, _, memory in
        if memory.steps % 50 == 0, effects.alarm != nil { effects.alarm = memory.now }
      }
    ),
    MutantPlan(
      .timerOwner,
      "the seed's lost chain: no timer after a follow-up",
      effects: {
        effects,
        event,
        _ in
        // mesdeparts.md 1.1.9: a refresh by the user during a scheduled request stops the timer.
        guard case .answered = event, effects.request?.refresh.reason == .person else { return }
        effects.alarm = nil
      }
    ),
    MutantPlan(
      .pureInterval,
      "the interval that observers request is ignored",
      event: deaf { event in
        if case .paceRequested = event { true } else { false }
      }
    ),
    MutantPlan(
      .pureInterval,
      "activity is not heard",
      event: { event, _ in
        switch event {
        case .activity: return .woke
        case .answered(let ticket, var answer):
          answer.activity = nil
          return .answered(ticket, answer)
        default: return event
        }
      }
    ),
    MutantPlan(
      .pureInterval,
      "a check moves the alarm",
      effects: { effects, event, memory in
        guard event == .woke, effects.request == nil, effects.notes.isEmpty else { return }
        guard let alarm = effects.alarm, alarm > memory.now + .milliseconds(900) else { return }
        effects.alarm = alarm - .milliseconds(1)
      }
    ),
    MutantPlan(.pureInterval, "recent is forgotten", policy: { $0.recentFor = .zero }),
    MutantPlan(
      .jitter,
      "nothing keeps it from being fast",
      policy: { policy in
        policy.leastInterval = .milliseconds(200)
        policy.jitter = .share(50)
      }
    ),
    MutantPlan(
      .jitter,
      "the period counts a third too short",
      policy: { policy in
        policy.leastInterval = policy.leastInterval.percent(66)
        policy.active = policy.active.percent(66)
        policy.recent = policy.recent.percent(66)
        policy.idle = policy.idle.percent(66)
      }
    ),
    MutantPlan(.jitter, "no jitter", policy: { $0.jitter = .none }),
    MutantPlan(
      .jitter,
      "one random number for all waits",
      random: { _ in
        RandomSample(bits: 0x6000_0000)
      }
    ),
    MutantPlan(
      .lifecycle,
      "it polls on in the background",
      event: deaf {
        $0 == .lifecycle(.background)
      }
    ),
    MutantPlan(
      .lifecycle,
      "it polls on while suspended",
      event: deaf {
        $0 == .lifecycle(.suspended)
      }
    ),
    MutantPlan(
      .lifecycle,
      "a return to the foreground waits",
      event: { event, memory in
        guard event == .lifecycle(.foreground), memory.steps % 2 == 0 else { return event }
        return .lifecycle(.background)
      }
    ),
    MutantPlan(.lifecycle, "every focus event asks", policy: { $0.focusDebounce = .zero }),
    MutantPlan(
      .neverDead,
      "idle is dead",
      policy: { policy in
        policy.idle = .minutes(24 * 60)
      }
    ),
    MutantPlan(
      .timerOwner,
      "a failure is the end",
      effects: {
        effects,
        _,
        memory in
        if memory.failure?.kind == .serverError, memory.outstanding == nil { effects.alarm = nil }
      }
    ),
    MutantPlan(.burst, "an action brings no burst", event: deaf { $0 == .acted }),
    MutantPlan(.burst, "a burst never ends", policy: { $0.burst = .minutes(24 * 60) }),
    MutantPlan(
      .burst,
      "the expected change does not end a burst",
      event: { event, _ in
        switch event {
        case .fulfilled: return .woke
        case .answered(let ticket, var answer):
          guard case .content(var content) = answer.outcome else { return event }
          content.fulfilsAction = false
          answer.outcome = .content(content)
          return .answered(ticket, answer)
        default: return event
        }
      }
    ),
  ]

  /// Mutants of R14, R15, R23 and R24.
  static let faults: [MutantPlan] = [
    MutantPlan(.drift, "a gap in time is not heard", event: deaf { $0 == .slept }),
    MutantPlan(.drift, "late timers are not noticed", policy: { $0.driftFloor = .minutes(600) }),
    MutantPlan(
      .drift,
      "all wake up together",
      policy: {
        $0.spread = .zero
      }
    ),
    MutantPlan(.stall, "a stall is not broken", policy: { $0.stallFloor = .minutes(24 * 60) }),
    MutantPlan(.stall, "a stall is broken again and again", policy: { $0.rescueCooldown = .zero }),
    MutantPlan(
      .stall,
      "a rescue trusts the validator",
      effects: { effects, _, memory in
        if effects.notes.contains(.rescued) {
          effects.request?.validator = memory.snapshot?.validator
        }
      }
    ),
    MutantPlan(
      .backoff,
      "the first step is skipped, as the seed's web client does",
      policy: {
        $0.ladder.removeFirst()
      }
    ),
    MutantPlan(
      .backoff,
      "the last step does not repeat",
      policy: { policy in
        policy.ladder += policy.ladder.suffix(1).map { $0 * 4 }
      }
    ),
    MutantPlan(.backoff, "the ladder is one step", policy: { $0.ladder = [.seconds(2)] }),
    MutantPlan(
      .backoff,
      "a success does not end it",
      shown: { shown, memory in
        if let last = memory.lastShown?.failuresInARow, last > 0, shown.failuresInARow == 0 {
          shown.failuresInARow = last
        }
      }
    ),
    MutantPlan(.offline, "it polls on offline", event: deaf { $0 == .connectivity(.offline) }),
    MutantPlan(
      .offline,
      "failures count offline",
      shown: { shown, memory in
        if memory.connectivity == .offline { shown.failuresInARow += 1 }
      }
    ),
    MutantPlan(
      .offline,
      "the network's return is not heard",
      event: deaf {
        $0 == .connectivity(.online)
      }
    ),
  ]
}
