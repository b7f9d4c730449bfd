import Freshness

/// The events of an episode in a form that still makes sense when some of them are taken out.
///
/// Moments are distances, the alarm is named rather than its moment, and an answer names its
/// request by how many requests ago it was sent.
struct Trace: Sendable {
  struct Step: Sendable {
    var event: Event
    var draw: RandomSample
    /// The time since the step before; or, where there is an alarm, the time since the alarm.
    var after: Int64
    var followsAlarm: Bool
    /// For an answer: how many requests were sent since the one it names.
    var ago: Int64?
    /// For an answer or a delivery: whether it is about the context of its request.
    var isAboutOwnContext = true
  }

  var policy: Policy
  var steps: [Step]
  /// Whether the breach shows only in the recovery at the end.
  var recovers = false
  var seed: UInt64

  /// A step as it was taken.
  struct Taken: Sendable {
    var event: Event
    var at: Int64
    var draw: RandomSample
  }

  /// What a replay came to.
  struct Replay: Sendable {
    var breach: Violation?
    var taken: [Taken] = []
  }

  /// Tells the trace to a fresh machine under a fresh referee, up to the first breach.
  func replay<M: Machine>(_ make: (Policy, Context) -> M) -> Replay {
    var arena = Harness(
      make(policy, Episode.context),
      policy: policy,
      context: Episode.context
    )
    var replay = Replay()
    var now: Int64 = 0
    var contexts: [Int64: Context] = [:]
    var newest: Int64 = 0
    for step in steps {
      let alarm = step.followsAlarm ? arena.machine.alarm?.milliseconds : nil
      now = max(now, (alarm ?? now) + step.after)
      let event = bound(step, newest: newest, contexts, arena.machine.context)
      let effects = arena.step(event, at: now.moment, draw: step.draw)
      replay.taken.append(Taken(event: event, at: now, draw: step.draw))
      if let request = effects.request {
        newest = request.ticket.generation
        contexts[newest] = request.ticket.context
      }
      if let breach = arena.breach {
        replay.breach = breach
        return replay
      }
    }
    arena.referee.checkRing(arena.machine)
    if arena.breach == nil, recovers { _ = Recovery.run(&arena, from: now, seed: seed) }
    replay.breach = arena.breach
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
    case .linkDelivered(let about, let answer):
      return .linkDelivered(step.isAboutOwnContext ? current : about, answer)
    default: return step.event
    }
  }

  /// Tells an episode again and writes down what happens.
  init<M: Machine>(recording episode: Episode, _ make: (Policy, Context) -> M) {
    var steps: [Step] = []
    var last: Int64 = 0
    var newest: Int64 = 0
    var contexts: [Int64: Context] = [:]
    let outcome = episode.run(make) { event, moment, draw, machine in
      if let ticket = machine.outstanding, ticket.generation > newest {
        newest = ticket.generation
        contexts[newest] = ticket.context
      }
      let now = moment.milliseconds
      let alarm = machine.alarm?.milliseconds
      let followsAlarm = event == .woke && alarm.map { $0 <= now } ?? false
      var step = Step(
        event: event,
        draw: draw,
        after: now - (followsAlarm ? alarm ?? last : last),
        followsAlarm: followsAlarm
      )
      switch event {
      case .answered(let ticket, _):
        step.ago = newest - ticket.generation
        step.isAboutOwnContext = ticket.context == contexts[ticket.generation]
      case .linkDelivered(let about, _): step.isAboutOwnContext = about == machine.context
      default: break
      }
      steps.append(step)
      last = now
    }
    self.steps = steps
    policy = episode.policy
    seed = episode.seed
    recovers = outcome.events > steps.count || outcome.breach == nil
  }

  /// Makes a trace of given steps.
  init(policy: Policy, steps: [Step], recovers: Bool = false, seed: UInt64 = 0) {
    self.policy = policy
    self.steps = steps
    self.recovers = recovers
    self.seed = seed
  }
}
