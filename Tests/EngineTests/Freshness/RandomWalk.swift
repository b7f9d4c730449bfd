import Hashing
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
    var generator = SplitMix64(seed: UInt64(index) + 7)
    var machine = RefreshMachine(policy: policy, context: Context(question: 1))
    var now = Instant.start
    for count in 1...35_000 {
      // Mostly good hosts that obey the alarm; sometimes hosts that are late or check early.
      let event = Self.event(for: machine, &generator)
      if event == .woke, let alarm = machine.alarm {
        now =
          max(now, alarm)
          + (generator.below(20) == 0 ? .seconds(Int64(generator.below(200))) : .zero)
      } else {
        now = now + .milliseconds(Int64(generator.below(generator.below(10) == 0 ? 20_000 : 600)))
      }
      let before = machine
      let effects = machine.handle(event, at: now, random: generator.randomSample())
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
    var generator = SplitMix64(seed: 3)
    var now = Instant.start
    for _ in 1...2_000 {
      let event = Self.event(for: first, &generator)
      let random = generator.randomSample()
      now = max(now + .milliseconds(50), event == .woke ? first.alarm ?? now : now)
      #expect(
        first.handle(event, at: now, random: random)
          == second.handle(event, at: now, random: random)
      )
    }
    #expect(first == second)
  }

  static func event(for machine: RefreshMachine, _ generator: inout SplitMix64) -> Event {
    if let ticket = machine.outstanding, generator.below(3) != 0 {
      return .answered(ticket, answer(&generator))
    }
    switch generator.below(44) {
    case 0: return .started
    case 1: return generator.below(4) == 0 ? .stopped : .started
    case 2:
      return .paceRequested(generator.below(2) == 0 ? nil : .seconds(Int64(generator.below(40))))
    case 3: return .prefetch
    case 4: return .slept
    case 5: return .lifecycle(.background)
    case 6, 7: return .lifecycle(.foreground)
    case 8: return .lifecycle(generator.below(3) == 0 ? .suspended : .foreground)
    case 9: return .focused
    case 10: return .connectivity(.offline)
    case 11, 12: return .connectivity(.online)
    case 13: return .connectivity(.metered)
    case 14: return .refreshRequested(.person)
    case 15: return .refreshRequested(.hardRefresh)
    case 16: return .refreshRequested(.schedule)
    case 17: return .contextChanged(Context(question: Int64(generator.below(3))))
    case 18: return .activity(generator.below(2) == 0 ? .active : .quiet)
    case 19: return .acted
    case 20: return .fulfilled
    case 21: return .wrote(Revision(Int64(generator.below(3))))
    case 22: return .evicted
    case 23: return .streamOpened(isResumed: generator.below(2) == 0)
    case 24: return .streamHeard
    case 25: return .streamChanged
    case 26: return .streamDelivered(machine.context, answer(&generator))
    case 27: return .streamGap
    case 28: return .streamLost
    case 29:
      let generation = machine.generation - Int64(generator.below(3))
      let context = Context(question: Int64(generator.below(3)))
      return .answered(Ticket(generation: generation, context: context), answer(&generator))
    default: return .woke
    }
  }

  static func answer(_ generator: inout SplitMix64) -> Answer {
    let outcome: Outcome
    switch generator.below(16) {
    case 0: outcome = .serverError
    case 1: outcome = .unreachable
    case 2: outcome = .throttled(.seconds(Int64(generator.below(30))))
    case 3: outcome = .refused
    case 4: outcome = .undecodable(reason: 1)
    case 5: outcome = .cancelled
    case 6: outcome = .gone
    case 7...10: outcome = .unchanged
    default:
      let revision = Revision(Int64(generator.below(5)))
      let validator = generator.below(4) == 0 ? nil : Validator(revision.number)
      let isLive = generator.below(2) == 0
      outcome = .content(Content(revision, validator: validator, hasRealtime: isLive))
    }
    let modes: [ResponseMode?] = [nil, .full, .degradedStatic, .staticTimeoutFallback]
    let states: [RealtimeStatus?] = [nil, .applied, .guardedError, .disabled]
    let serverTime = WallTime(milliseconds: 1_000_000)
    let age = Instant.Duration.milliseconds(Int64(generator.below(40_000)))
    let metadata = FreshnessMetadata(
      serverTime: serverTime,
      fetchedAt: WallTime(milliseconds: 1_000_000 - age.milliseconds),
      mode: modes[generator.below(4)],
      status: states[generator.below(4)]
    )
    let next = WallTime(milliseconds: 1_000_000 + Int64(generator.below(60_000)))
    return Answer(outcome, metadata: metadata, hints: Hints(nextExpectedAt: next))
  }
}
