import TestScale
import Testing

@testable import Freshness

/// Every sequence of events up to a depth.
///
/// The policies are small and their lengths are whole seconds, so that different paths often lead
/// to one state. Of equivalent states one is followed; see `CanonicalState`.
@Suite("Exhaustive: every sequence of events")
struct Exploration {
  struct State {
    var machine: RefreshMachine
    var now: Moment
  }

  static let small: Policy = {
    var policy = Policy(every: .seconds(4), jitter: .within(.seconds(1)))
    policy.recent = .seconds(5)
    policy.recentFor = .seconds(8)
    policy.idle = .seconds(6)
    policy.background = .seconds(12)
    policy.leastInterval = .seconds(3)
    policy.leastWait = .seconds(1)
    policy.burst = .seconds(8)
    policy.spread = .seconds(2)
    policy.focusDebounce = .seconds(2)
    policy.timeout = .seconds(4)
    policy.retryDelay = .seconds(1)
    policy.ladder = [.seconds(2), .seconds(4)]
    policy.ladderJitter = .none
    policy.recheck = .seconds(16)
    policy.recheckGone = .seconds(40)
    policy.stallFloor = .seconds(18)
    policy.rescueCooldown = .seconds(24)
    policy.holdCap = .seconds(16)
    policy.retryAfterCap = .seconds(8)
    policy.unchangedLimit = 2
    policy.unchangedFor = nil
    policy.degradedRearm = .seconds(12)
    policy.impatience = 1_000
    return policy
  }()

  static let streaming: Policy = {
    var policy = small
    policy.background = nil
    policy.longPoll = .seconds(8)
    policy.push = Policy.Push(
      heartbeat: .seconds(4),
      openTimeout: .seconds(4),
      safetyPoll: .seconds(16),
      stableAfter: .seconds(12)
    )
    return policy
  }()

  static let patient: Policy = {
    var policy = streaming
    policy.impatience = 2
    return policy
  }()

  /// A search: a policy, the events that may happen, and their maximum number.
  struct Search: CustomTestStringConvertible {
    var name: String
    var policy: Policy
    var steps: [ExplorationStep]
    var depth: Int
    /// The minimum number of different states to be found.
    var atLeast: Int
    var testDescription: String { name }
  }

  static let searches = [
    Search(
      name: "common events, polling",
      policy: small,
      steps: ExplorationStep.common,
      depth: TestScale.sized(7, long: 8),
      atLeast: TestScale.sized(1, long: 200_000)
    ),
    Search(
      name: "common events, streaming",
      policy: streaming,
      steps: ExplorationStep.common,
      depth: TestScale.sized(6, long: 8),
      atLeast: TestScale.sized(1, long: 450_000)
    ),
    Search(
      name: "all events, polling",
      policy: small,
      steps: ExplorationStep.allCases,
      depth: TestScale.sized(5, long: 6),
      atLeast: TestScale.sized(1, long: 150_000)
    ),
    Search(
      name: "all events, streaming",
      policy: streaming,
      steps: ExplorationStep.allCases,
      depth: TestScale.sized(4, long: 5),
      atLeast: TestScale.sized(1, long: 40_000)
    ),
    Search(
      name: "impatience and restraint",
      policy: patient,
      steps: ExplorationStep.impatient,
      depth: TestScale.sized(5, long: 7),
      atLeast: TestScale.sized(1, long: 20_000)
    ),
  ]

  /// One in this many states is selected to be compared with those that are merged into it.
  static let pickedOneIn: UInt64 = 512

  @Test(arguments: searches)
  func `I1 to I11: no sequence of events breaks an invariant`(search: Search) {
    let machine = RefreshMachine(policy: search.policy, context: Context(question: 1))
    let start = State(machine: machine, now: .start)
    var seen: Set<CanonicalState> = [CanonicalState(machine, at: .start)]
    var picked: [CanonicalState: State] = [:]
    var comparisons = 0
    var frontier = [start]
    for depth in 1...search.depth {
      var next: [State] = []
      for state in frontier {
        for step in search.steps {
          guard let turn = Turn(step, in: state) else { continue }
          if !turn.broken.isEmpty {
            Issue.record("\(turn.broken) at depth \(depth), \(step) in \(state.machine.phase)")
            return
          }
          let key = CanonicalState(turn.after.machine, at: turn.after.now)
          let isPicked = key.lot.isMultiple(of: Self.pickedOneIn)
          if seen.insert(key).inserted {
            // States at the greatest depth are checked and not followed.
            if depth < search.depth { next.append(turn.after) }
            if isPicked { picked[key] = turn.after }
          } else if isPicked, let kept = picked[key] {
            comparisons += 1
            if let difference = Self.difference(kept, turn.after, steps: search.steps) {
              Issue.record("merged, but different: \(difference)")
              return
            }
          }
        }
      }
      frontier = next
    }
    #expect(seen.count >= search.atLeast)
    #expect(comparisons >= TestScale.sized(20, long: 100))
  }

  /// One event handled in one state, with its violations.
  struct Turn {
    var after: State
    var effects: Effects
    var broken: [String]

    init?(_ step: ExplorationStep, in state: State) {
      guard let (event, now) = step.event(in: state) else { return nil }
      after = State(machine: state.machine, now: now)
      effects = after.machine.handle(event, at: now, draw: .middle)
      let invariants = Invariants(
        before: state.machine,
        event: event,
        effects: effects,
        after: after.machine,
        now: now
      )
      broken = invariants.broken
    }
  }

  /// Returns the first step at which two equal states differ.
  static func difference(_ one: State, _ other: State, steps: [ExplorationStep]) -> String? {
    for step in steps {
      guard let first = Turn(step, in: one), let second = Turn(step, in: other) else {
        if (step.event(in: one) == nil) == (step.event(in: other) == nil) { continue }
        return "\(step) is possible in one only"
      }
      let orders = CanonicalOrders(first.effects, of: one.machine, at: first.after.now)
      let others = CanonicalOrders(second.effects, of: other.machine, at: second.after.now)
      guard orders == others, first.broken == second.broken else {
        return "\(step): \(orders) and \(others)"
      }
      let key = CanonicalState(first.after.machine, at: first.after.now)
      guard key == CanonicalState(second.after.machine, at: second.after.now) else {
        return "\(step) leads to \(first.after.machine) and \(second.after.machine)"
      }
    }
    return nil
  }
}
