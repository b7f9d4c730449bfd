import Testing

@testable import Freshness

@Suite("Exhaustive: every sequence of events")
struct Exploration {
  /// Something that may happen: an event, after some time.
  enum Step: CaseIterable {
    case started, stopped, onTime, late, looked, background, foreground, suspended
    case offline, online, person, hardRefresh, scheduled, context, evicted, acted
    case full, reduced, unchanged, transient, throttled, refused, stale, wrongContext
    case opened, changed, gap, lost

    static let answers: Set<Step> = [
      .full, .reduced, .unchanged, .transient, .throttled, .refused, .wrongContext,
    ]
    static let news: Set<Step> = [.opened, .changed, .gap, .lost]
  }

  struct State: Hashable {
    var machine: Freshness
    var now: Moment
  }

  static let small: Policy = {
    var policy = Policy(every: .seconds(4), jitter: .within(.seconds(1)))
    policy.idle = .seconds(6)
    policy.background = .seconds(20)
    policy.leastInterval = .seconds(3)
    policy.timeout = .seconds(5)
    policy.ladder = [.seconds(2), .seconds(5)]
    policy.holdCap = .seconds(30)
    policy.retryAfterCap = .seconds(20)
    policy.unchangedLimit = 2
    policy.unchangedFor = nil
    return policy
  }()

  static let streaming: Policy = {
    var policy = small
    policy.background = nil
    policy.longPoll = .seconds(8)
    policy.push = Policy.Push(heartbeat: .seconds(4), safetyPoll: .seconds(15))
    return policy
  }()

  /// One search: a policy, the events that may happen, and how many of them in a row.
  struct Search: CustomTestStringConvertible {
    var name: String
    var policy: Policy
    var steps: [Step]
    var depth: Int
    var testDescription: String { name }
  }

  static let searches = [
    Search(name: "all, polling", policy: small, steps: Step.allCases, depth: 6),
    Search(name: "all, streaming", policy: streaming, steps: Step.allCases, depth: 5),
    Search(
      name: "requests and answers",
      policy: small,
      steps: [
        .started, .onTime, .late, .person, .hardRefresh, .context, .evicted, .full, .reduced,
        .unchanged, .transient, .throttled, .stale, .wrongContext,
      ],
      depth: 9
    ),
    Search(
      name: "the device",
      policy: small,
      steps: [
        .started, .stopped, .onTime, .late, .looked, .background, .foreground, .suspended, .offline,
        .online, .person, .full, .transient,
      ],
      depth: 9
    ),
    Search(
      name: "the stream",
      policy: streaming,
      steps: [
        .started, .onTime, .late, .person, .background, .foreground, .full, .unchanged, .transient,
        .opened, .changed, .gap, .lost,
      ],
      depth: 9
    ),
  ]

  @Test(arguments: searches)
  func `I1 to I9: no sequence of events breaks an invariant`(search: Search) {
    let policy = search.policy
    let machine = Freshness(policy: policy, context: Context(question: 1))
    var seen: Set<Freshness> = [machine]
    var frontier = [State(machine: machine, now: .start)]
    for depth in 1...search.depth {
      var next: [State] = []
      for state in frontier {
        for step in search.steps {
          guard let (event, now) = Self.event(step, of: state) else { continue }
          var after = state.machine
          let effects = after.handle(event, at: now, draw: .middle)
          let check = Invariants(
            before: state.machine,
            event: event,
            effects: effects,
            after: after,
            now: now
          )
          let broken = check.broken
          #expect(broken.isEmpty, "depth \(depth), \(step) in \(state.machine.phase)")
          guard broken.isEmpty else { return }
          let key = after.canonical(at: now)
          if seen.insert(key).inserted { next.append(State(machine: after, now: now)) }
        }
      }
      frontier = next
    }
    #expect(seen.count > 10_000)
  }

  static func event(_ step: Step, of state: State) -> (Event, Moment)? {
    let machine = state.machine
    let now = state.now
    if Step.news.contains(step), machine.policy.push == nil { return nil }
    if Step.answers.contains(step) {
      guard let ticket = machine.outstanding else { return nil }
      return (answer(step, to: ticket), now)
    }
    switch step {
    case .onTime: return machine.alarm.map { (.woke, $0) }
    case .late: return machine.alarm.map { (.woke, $0 + .seconds(70)) }
    case .looked: return (.focused, now + .seconds(1))
    case .stale:
      let old = Ticket(generation: machine.generation - 1, context: machine.context)
      return (.answered(old, Answer(.content(.other))), now)
    case .started: return (.started, now)
    case .stopped: return (.stopped, now)
    case .background: return (.lifecycle(.background), now)
    case .foreground: return (.lifecycle(.foreground), now)
    case .suspended: return (.lifecycle(.suspended), now)
    case .offline: return (.connectivity(.offline), now)
    case .online: return (.connectivity(.online), now)
    case .person: return (.wished(.person), now)
    case .hardRefresh: return (.wished(.hardRefresh), now)
    case .scheduled: return (.wished(.schedule), now)
    case .context: return (.contextChanged(Context(question: 3 - machine.context.question)), now)
    case .evicted: return (.evicted, now)
    case .acted: return (.acted, now)
    case .opened: return (.linkOpened(isResumed: false), now)
    case .changed: return (.linkChanged, now)
    case .gap: return (.linkGap, now)
    case .lost: return (.linkLost, now)
    case .full, .reduced, .unchanged, .transient, .throttled, .refused, .wrongContext: return nil
    }
  }

  private static func answer(_ step: Step, to ticket: Ticket) -> Event {
    var ticket = ticket
    let outcome: Outcome
    switch step {
    case .full: outcome = .content(.live)
    case .reduced: outcome = .content(.scheduled)
    case .unchanged: outcome = .unchanged
    case .throttled: outcome = .throttled(.seconds(12))
    case .refused: outcome = .refused
    case .wrongContext:
      ticket.context.question += 10
      outcome = .content(.other)
    default: outcome = .unreachable
    }
    return .answered(ticket, Answer(outcome))
  }
}
