import Freshness

/// A host that sends random events, mostly those that make sense.
struct Walk {
  var dice: RandomSource
  private(set) var now = Moment.start

  init(seed: UInt64) { dice = RandomSource(seed: seed) }

  static let policies: [Policy] = {
    var pushed = Policy.workspaces
    pushed.longPoll = .seconds(25)
    pushed.push = Policy.Push()
    return [.departuresWeb, .departuresNative, .departuresWeb5s, .workspaces, .jobs, pushed]
  }()

  /// Picks the next event, and lets time pass until it.
  mutating func step(_ machine: RefreshMachine) -> (event: Event, now: Moment, draw: RandomSample) {
    let event = event(machine)
    if event == .woke, let alarm = machine.alarm, alarm.milliseconds < 1 << 50 {
      now = max(now, alarm) + (dice.chance(1, in: 20) ? .seconds(Int64(dice.below(200))) : .zero)
    } else {
      now = now + .milliseconds(Int64(dice.below(dice.chance(1, in: 10) ? 20_000 : 600)))
    }
    return (event, now, dice.draw())
  }

  private mutating func event(_ machine: RefreshMachine) -> Event {
    if let ticket = machine.outstanding, dice.chance(2, in: 3) {
      return .answered(ticket, answer())
    }
    if dice.chance(1, in: 3) { return .woke }
    switch dice.below(12) {
    case 0: return .started
    case 1: return .lifecycle(.foreground)
    case 2: return .connectivity(.online)
    case 3: return .wished(.person)
    case 4: return .linkOpened(isResumed: dice.flag())
    case 5: return .linkDelivered(machine.context, answer())
    case 6: return .contextChanged(Context(question: Int64(dice.below(3))))
    case 7: return .wrote(Revision(Int64(dice.below(3))))
    default: return dice.event(kind: dice.below(RandomSource.eventKinds))
    }
  }

  /// Returns a plausible response; occasionally any response at all.
  private mutating func answer() -> Answer {
    if dice.chance(1, in: 6) { return dice.answer() }
    var answer = Answer(.unchanged, status: 304, bytes: Int64(dice.below(5_000)))
    if dice.chance(2, in: 3) {
      let revision = Int64(dice.below(5))
      answer.outcome = .content(
        Content(Revision(revision), validator: Validator(revision + 10), hasRealtime: dice.flag())
      )
      answer.status = 200
    }
    let server = 1_000_000 + now.milliseconds
    answer.marks.serverTime = WallTime(milliseconds: server)
    answer.marks.fetchedAt = WallTime(milliseconds: server - Int64(dice.below(40_000)))
    answer.marks.status = dice.maybe { $0.pick(RandomSource.statuses) }
    answer.marks.mode = dice.maybe { $0.pick(RandomSource.modes) }
    answer.hints.nextExpectedAt = WallTime(milliseconds: server + Int64(dice.below(60_000)))
    return answer
  }
}
