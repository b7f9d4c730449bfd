import Testing

@testable import Freshness

@Suite("Random walks")
struct RandomWalk {
  static let policies: [Policy] = [
    .departuresWeb, .departuresNative, .departuresWeb5s, .workspaces, .jobs,
    Policy.workspaces.with { policy in
      policy.longPoll = .seconds(25)
      policy.push = Policy.Push()
    },
  ]

  @Test(arguments: policies.indices)
  func `I1 to I9: thirty-five thousand random events break no invariant`(index: Int) {
    let policy = Self.policies[index]
    var dice = SplitMix64(seed: UInt64(index) + 7)
    var machine = RefreshMachine(policy: policy, context: Context(question: 1))
    var now = Moment.start
    for count in 1...35_000 {
      // Mostly good hosts that obey the alarm; sometimes hosts that are late or check early.
      let event = Self.event(for: machine, &dice)
      if event == .woke, let alarm = machine.alarm {
        now = max(now, alarm) + (dice.below(20) == 0 ? .seconds(Int64(dice.below(200))) : .zero)
      } else {
        now = now + .milliseconds(Int64(dice.below(dice.below(10) == 0 ? 20_000 : 600)))
      }
      let before = machine
      let effects = machine.handle(event, at: now, draw: dice.draw())
      let check = Invariants(
        before: before,
        event: event,
        effects: effects,
        after: machine,
        now: now
      )
      let broken = check.broken
      guard broken.isEmpty else {
        Issue.record("event \(count): \(event) in \(before.phase): \(broken)")
        return
      }
    }
    #expect(machine.generation > 1_000)
  }

  @Test
  func `The same events give the same run`() {
    var first = RefreshMachine(policy: .workspaces)
    var second = first
    var dice = SplitMix64(seed: 3)
    var now = Moment.start
    for _ in 1...2_000 {
      let event = Self.event(for: first, &dice)
      let draw = dice.draw()
      now = max(now + .milliseconds(50), event == .woke ? first.alarm ?? now : now)
      #expect(first.handle(event, at: now, draw: draw) == second.handle(event, at: now, draw: draw))
    }
    #expect(first == second)
  }

  static func event(for machine: RefreshMachine, _ dice: inout SplitMix64) -> Event {
    if let ticket = machine.outstanding, dice.below(3) != 0 {
      return .answered(ticket, answer(&dice))
    }
    switch dice.below(44) {
    case 0: return .started
    case 1: return dice.below(4) == 0 ? .stopped : .started
    case 2: return .paceWished(dice.below(2) == 0 ? nil : .seconds(Int64(dice.below(40))))
    case 3: return .prefetch
    case 4: return .slept
    case 5: return .lifecycle(.background)
    case 6, 7: return .lifecycle(.foreground)
    case 8: return .lifecycle(dice.below(3) == 0 ? .suspended : .foreground)
    case 9: return .focused
    case 10: return .connectivity(.offline)
    case 11, 12: return .connectivity(.online)
    case 13: return .connectivity(.metered)
    case 14: return .wished(.person)
    case 15: return .wished(.hardRefresh)
    case 16: return .wished(.schedule)
    case 17: return .contextChanged(Context(question: Int64(dice.below(3))))
    case 18: return .activity(dice.below(2) == 0 ? .active : .quiet)
    case 19: return .acted
    case 20: return .fulfilled
    case 21: return .wrote(Revision(Int64(dice.below(3))))
    case 22: return .evicted
    case 23: return .linkOpened(isResumed: dice.below(2) == 0)
    case 24: return .linkHeard
    case 25: return .linkChanged
    case 26: return .linkDelivered(machine.context, answer(&dice))
    case 27: return .linkGap
    case 28: return .linkLost
    case 29:
      let generation = machine.generation - Int64(dice.below(3))
      let context = Context(question: Int64(dice.below(3)))
      return .answered(Ticket(generation: generation, context: context), answer(&dice))
    default: return .woke
    }
  }

  static func answer(_ dice: inout SplitMix64) -> Answer {
    let outcome: Outcome
    switch dice.below(16) {
    case 0: outcome = .serverError
    case 1: outcome = .unreachable
    case 2: outcome = .throttled(.seconds(Int64(dice.below(30))))
    case 3: outcome = .refused
    case 4: outcome = .undecodable(reason: 1)
    case 5: outcome = .cancelled
    case 6: outcome = .gone
    case 7...10: outcome = .unchanged
    default:
      let revision = Revision(Int64(dice.below(5)))
      let validator = dice.below(4) == 0 ? nil : Validator(revision.number)
      let isLive = dice.below(2) == 0
      outcome = .content(Content(revision, validator: validator, hasRealtime: isLive))
    }
    let modes: [ResponseMode?] = [nil, .full, .degradedStatic, .staticTimeoutFallback]
    let states: [RealtimeStatus?] = [nil, .applied, .guardedError, .disabled]
    let serverTime = WallTime(milliseconds: 1_000_000)
    let age = Timespan.milliseconds(Int64(dice.below(40_000)))
    let marks = FreshnessMetadata(
      serverTime: serverTime,
      fetchedAt: WallTime(milliseconds: 1_000_000 - age.milliseconds),
      mode: modes[dice.below(4)],
      status: states[dice.below(4)]
    )
    let next = WallTime(milliseconds: 1_000_000 + Int64(dice.below(60_000)))
    return Answer(outcome, marks: marks, hints: Hints(nextExpectedAt: next))
  }
}
