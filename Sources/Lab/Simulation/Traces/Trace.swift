import Freshness

/// The events of an episode in a form that stays valid when some of them are removed.
///
/// Times are relative, alarms are referred to by name rather than by time, and a response refers to
/// its request by how many requests ago it was sent.
struct Trace: Sendable {
  struct Step: Sendable {
    var event: Event
    var random: RandomSample
    /// The time since the previous step or, with an alarm, since the alarm.
    var after: Int64
    var followsAlarm: Bool
    /// For a response: the number of requests since the one it belongs to.
    var ago: Int64?
    /// For a response or a delivery: whether it is about the context of its request.
    var isAboutOwnContext = true
  }

  var policy: Policy
  var steps: [Step]
  /// Whether the violation shows only in the recovery at the end.
  var recovers = false
  var seed: UInt64

  /// A step as it was taken.
  struct Taken: Sendable {
    var event: Event
    var at: Int64
    var random: RandomSample
  }

  /// The result of a replay.
  struct Replay: Sendable {
    var violation: Violation?
    var taken: [Taken] = []
  }

  /// Replays the trace on a new machine with a new oracle, up to the first violation.
  func replay<M: Machine>(_ make: (Policy, Context) -> M) -> Replay {
    var harness = Harness(
      make(policy, Episode.context),
      policy: policy,
      context: Episode.context
    )
    var replay = Replay()
    var now: Int64 = 0
    var contexts: [Int64: Context] = [:]
    var newest: Int64 = 0
    for step in steps {
      let alarm = step.followsAlarm ? harness.machine.alarm?.milliseconds : nil
      now = max(now, (alarm ?? now) + step.after)
      let event = bound(step, newest: newest, contexts, harness.machine.context)
      let effects = harness.step(event, at: now.instant, random: step.random)
      replay.taken.append(Taken(event: event, at: now, random: step.random))
      if let request = effects.request {
        newest = request.ticket.generation
        contexts[newest] = request.ticket.context
      }
      if let violation = harness.violation {
        replay.violation = violation
        return replay
      }
    }
    harness.oracle.checkRing(harness.machine)
    if harness.violation == nil, recovers { _ = Recovery.run(&harness, from: now, seed: seed) }
    replay.violation = harness.violation
    return replay
  }

  private func bound(
    _ step: Step,
    newest: Int64,
    _ contexts: [Int64: Context],
    _ current: Context
  ) -> Event {
    switch step.event {
    case .answered(let ticket, let answer):
      let generation = max(newest - (step.ago ?? 0), 0)
      let own = contexts[generation] ?? current
      let context = step.isAboutOwnContext ? own : ticket.context
      return .answered(Ticket(generation: generation, context: context), answer)
    case .streamDelivered(let about, let answer):
      return .streamDelivered(step.isAboutOwnContext ? current : about, answer)
    default: return step.event
    }
  }

  /// Repeats an episode and records its events.
  init<M: Machine>(recording episode: Episode, _ make: (Policy, Context) -> M) {
    var steps: [Step] = []
    var last: Int64 = 0
    var newest: Int64 = 0
    var contexts: [Int64: Context] = [:]
    let outcome = episode.run(make) { event, instant, random, machine in
      if let ticket = machine.outstanding, ticket.generation > newest {
        newest = ticket.generation
        contexts[newest] = ticket.context
      }
      let now = instant.milliseconds
      let alarm = machine.alarm?.milliseconds
      let followsAlarm = event == .woke && alarm.map { $0 <= now } ?? false
      var step = Step(
        event: event,
        random: random,
        after: now - (followsAlarm ? alarm ?? last : last),
        followsAlarm: followsAlarm
      )
      switch event {
      case .answered(let ticket, _):
        step.ago = newest - ticket.generation
        step.isAboutOwnContext = ticket.context == contexts[ticket.generation]
      case .streamDelivered(let about, _): step.isAboutOwnContext = about == machine.context
      default: break
      }
      steps.append(step)
      last = now
    }
    self.steps = steps
    policy = episode.policy
    seed = episode.seed
    recovers = outcome.events > steps.count || outcome.violation == nil
  }

  /// Creates a trace from steps.
  init(policy: Policy, steps: [Step], recovers: Bool = false, seed: UInt64 = 0) {
    self.policy = policy
    self.steps = steps
    self.recovers = recovers
    self.seed = seed
  }
}
