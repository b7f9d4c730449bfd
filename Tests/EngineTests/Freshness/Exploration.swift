@testable import Freshness

/// Every sequence of events up to a depth.
///
/// The policies are small and their lengths are whole seconds, so that different paths often lead
/// to one state. Of equivalent states one is followed; see `CanonicalState`.
///
/// `make test` runs small searches (`ExplorationTests`), `make test-long` also the whole alphabet to depth 8 in an
/// optimized build (`Scripts/explore-engine`).
enum Exploration {
  struct State {
    var machine: RefreshMachine
    var now: Instant
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
    policy.downgradeProtection = .seconds(16)
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
  struct Search {
    var name: String
    var policy: Policy
    var steps: [ExplorationStep]
    var depth: Int
    /// The minimum number of different states to be found.
    var atLeast: Int

    /// Follows every sequence of events up to the depth, and stops at the first fault.
    ///
    /// - Parameter report: Receives the findings after each depth.
    /// - Returns: The findings, of all depths or until the first fault.
    func run(_ report: (Int, Findings) -> Void = { _, _ in }) -> Findings {
      let machine = RefreshMachine(policy: policy, context: Context(question: 1))
      var findings = Findings()
      var seen: Set<CanonicalState> = [CanonicalState(machine, at: .start)]
      var picked: [CanonicalState: State] = [:]
      var frontier = [State(machine: machine, now: .start)]
      for depth in 1...self.depth {
        var next: [State] = []
        for state in frontier {
          for step in steps {
            guard let turn = Turn(step, in: state) else { continue }
            findings.turns += 1
            if !turn.broken.isEmpty {
              findings.fault = "\(turn.broken) at depth \(depth), \(step) in \(state.machine.phase)"
              return findings
            }
            let key = CanonicalState(turn.after.machine, at: turn.after.now)
            let isPicked = key.lot.isMultiple(of: Exploration.pickedOneIn)
            if seen.insert(key).inserted {
              // States at the greatest depth are checked and not followed.
              if depth < self.depth { next.append(turn.after) }
              if isPicked { picked[key] = turn.after }
            } else if isPicked, let kept = picked[key] {
              findings.comparisons += 1
              if let difference = Exploration.difference(kept, turn.after, steps: steps) {
                findings.fault = "merged, but different: \(difference)"
                return findings
              }
            }
          }
        }
        frontier = next
        findings.states = seen.count
        report(depth, findings)
      }
      return findings
    }
  }

  /// The result of a search.
  struct Findings {
    /// The different states, with the first.
    var states = 1
    /// The events that were handled and checked.
    var turns = 0
    /// The states that were compared with an equivalent one, step by step.
    var comparisons = 0
    /// The first fault; `nil` if absent.
    var fault: String?
  }

  /// One in this many states is selected to be compared with those that are merged into it.
  static let pickedOneIn: UInt64 = 512

  /// One event handled in one state, with its violations.
  struct Turn {
    var after: State
    var effects: Effects
    var broken: [String]

    init?(_ step: ExplorationStep, in state: State) {
      guard let (event, now) = step.event(in: state) else { return nil }
      after = State(machine: state.machine, now: now)
      effects = after.machine.handle(event, at: now, random: .middle)
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
