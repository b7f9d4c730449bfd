import Freshness

/// A host that sends random events, mostly those that make sense.
struct Walk {
  var generator: RandomSource
  private(set) var now = Instant.start

  init(seed: UInt64) { generator = RandomSource(seed: seed) }

  static let policies: [Policy] = {
    var pushed = Policy.workspaces
    pushed.longPoll = .seconds(25)
    pushed.push = Policy.Push()
    return [.departuresWeb, .departuresNative, .departuresWeb5s, .workspaces, .jobs, pushed]
  }()

  /// Picks the next event, and lets time pass until it.
  mutating func step(
    _ machine: RefreshMachine
  ) -> (event: Event, now: Instant, random: RandomSample) {
    let event = event(machine)
    if event == .woke, let alarm = machine.alarm, alarm.milliseconds < 1 << 50 {
      now =
        max(now, alarm)
        + (generator.chance(1, in: 20) ? .seconds(Int64(generator.below(200))) : .zero)
    } else {
      now = now + .milliseconds(Int64(generator.below(generator.chance(1, in: 10) ? 20_000 : 600)))
    }
    return (event, now, generator.randomSample())
  }

  private mutating func event(_ machine: RefreshMachine) -> Event {
    if let ticket = machine.outstanding, generator.chance(2, in: 3) {
      return .answered(ticket, answer())
    }
    if generator.chance(1, in: 3) { return .woke }
    switch generator.below(12) {
    case 0: return .started
    case 1: return .lifecycle(.foreground)
    case 2: return .connectivity(.online)
    case 3: return .refreshRequested(.person)
    case 4: return .streamOpened(isResumed: generator.flag())
    case 5: return .streamDelivered(machine.context, answer())
    case 6: return .contextChanged(Context(question: Int64(generator.below(3))))
    case 7: return .wrote(Revision(Int64(generator.below(3))))
    default: return generator.event(kind: generator.below(RandomSource.eventKinds))
    }
  }

  /// Returns a plausible response; occasionally any response at all.
  private mutating func answer() -> Answer {
    if generator.chance(1, in: 6) { return generator.answer() }
    var answer = Answer(.unchanged, status: 304, bytes: Int64(generator.below(5_000)))
    if generator.chance(2, in: 3) {
      let revision = Int64(generator.below(5))
      answer.outcome = .content(
        Content(
          Revision(revision),
          validator: Validator(revision + 10),
          hasRealtime: generator.flag()
        )
      )
      answer.status = 200
    }
    let server = 1_000_000 + now.milliseconds
    answer.metadata.serverTime = WallTime(milliseconds: server)
    answer.metadata.fetchedAt = WallTime(milliseconds: server - Int64(generator.below(40_000)))
    answer.metadata.status = generator.maybe { $0.pick(RandomSource.statuses) }
    answer.metadata.mode = generator.maybe { $0.pick(RandomSource.modes) }
    answer.hints.nextExpectedAt = WallTime(milliseconds: server + Int64(generator.below(60_000)))
    return answer
  }
}
