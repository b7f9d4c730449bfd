import Freshness

/// A machine, a clock that is a number, and the host's duties.
struct Stage {
  var machine: RefreshMachine
  var now = Instant.start
  /// The random sample of the next events.
  var random = RandomSample.middle
  /// Every request that was sent, with its time.
  var requests: [(at: Instant, request: Request)] = []
  var diagnostics: Diagnostics
  /// The effects of the last event.
  var last = Effects()

  init(_ policy: Policy, context: Context = Context(question: 1)) {
    machine = RefreshMachine(policy: policy, context: context)
    diagnostics = Diagnostics(policy: policy)
  }

  /// Returns a machine that is observed and has one copy, which arrived at once.
  static func settled(_ policy: Policy, _ content: Content = .plain) -> Stage {
    var stage = Stage(policy)
    stage.send(.started)
    stage.reply(.content(content), status: 200)
    return stage
  }

  @discardableResult
  mutating func send(_ event: Event) -> Effects {
    last = machine.handle(event, at: now, random: random)
    diagnostics.record(last)
    if let request = last.request { requests.append((now, request)) }
    return last
  }

  /// Lets time pass; alarms go off when they are due.
  mutating func advance(_ span: Instant.Duration) {
    let target = now + span
    while let alarm = machine.alarm, alarm <= target {
      now = max(alarm, now)
      send(.woke)
    }
    now = target
  }

  /// Lets time pass without any alarm, as on a device that sleeps.
  mutating func skip(_ span: Instant.Duration) { now = now + span }

  /// Lets time pass until the next request is sent.
  mutating func advanceToRequest(within limit: Instant.Duration = .seconds(3_600)) -> Request? {
    let target = now + limit
    while let alarm = machine.alarm, alarm <= target {
      now = max(alarm, now)
      send(.woke)
      if let request = last.request { return request }
    }
    return nil
  }

  /// Responds to the request in flight.
  @discardableResult
  mutating func reply(
    _ outcome: Outcome,
    status: Int32 = 0,
    metadata: FreshnessMetadata = FreshnessMetadata(),
    hints: Hints = Hints(),
    activity: Activity? = nil,
    after delay: Instant.Duration = .zero
  ) -> Effects {
    if delay > .zero { advance(delay) }
    guard let ticket = machine.outstanding else { return Effects() }
    let answer = Answer(
      outcome,
      status: status,
      bytes: 100,
      metadata: metadata,
      hints: hints,
      activity: activity
    )
    return send(.answered(ticket, answer))
  }

  /// Responds to every request for a while in the same way, after a round trip.
  mutating func run(
    _ span: Instant.Duration,
    answering outcome: Outcome,
    roundTrip: Instant.Duration
  ) {
    let target = now + span
    while let alarm = machine.alarm {
      if machine.outstanding != nil {
        guard now + roundTrip <= target else { break }
        now = now + roundTrip
        reply(outcome)
      } else {
        guard alarm <= target else { break }
        now = max(alarm, now)
        send(.woke)
      }
    }
    now = target
  }

  /// The time from the last request to the next.
  mutating func nextInterval() -> Instant.Duration? {
    guard let previous = requests.last?.at, advanceToRequest() != nil else { return nil }
    return now - previous
  }
}

extension Content {
  static let plain = Content(Revision(1), validator: Validator(11))
  static let other = Content(Revision(2), validator: Validator(12))
  static let live = Content(Revision(3), validator: Validator(13), hasRealtime: true)
  static let scheduled = Content(Revision(4), validator: Validator(14))
}

extension Policy {
  /// A small policy with whole seconds and without jitter.
  static let plain = Policy(every: .seconds(10)).with { $0.ladderJitter = .none }

  func with(_ change: (inout Policy) -> Void) -> Policy {
    var policy = self
    change(&policy)
    return policy
  }
}
