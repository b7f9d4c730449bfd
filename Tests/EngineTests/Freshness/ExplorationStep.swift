@testable import Freshness

/// A step of a search: an event, after some time.
enum ExplorationStep: CaseIterable {
  case started, stopped, onTime, late, focused, background, foreground, suspended
  case offline, online, person, hardRefresh, scheduled, context, evicted, acted
  case full, reduced, unchanged, transient, throttled, refused, stale, wrongContext
  case opened, changed, gap, lost
  // The rarer ones, which complete the alphabet.
  case slept, paced, unpaced, prefetch, metered, active, quiet, fulfilled, wrote
  case cancelled, fallback, disabled, awaited, resumed, heard, delivered
  case restored, bound, calmed, freed, notHeld, queued

  /// The steps whose order decides most.
  static let common = Array(allCases.prefix { $0 != .slept })

  /// The events of users, devices and the origin, against a small budget (R39, R40).
  static let impatient: [ExplorationStep] = [
    .started, .stopped, .onTime, .late, .background, .foreground, .offline, .online, .person,
    .hardRefresh, .focused, .context, .full, .unchanged, .transient, .throttled, .opened,
    .delivered,
    .wrote, .restored, .bound, .calmed, .freed, .notHeld, .queued,
  ]

  private enum Kind {
    case answer, stream, other
  }

  private var kind: Kind {
    switch self {
    case .full, .reduced, .unchanged, .transient, .throttled, .refused, .wrongContext, .cancelled,
      .fallback, .disabled, .awaited:
      .answer
    case .opened, .changed, .gap, .lost, .resumed, .heard, .delivered: .stream
    default: .other
    }
  }

  /// Returns the event in a state, with its time, or `nil` if it cannot happen there.
  func event(in state: Exploration.State) -> (Event, Instant)? {
    let machine = state.machine
    let now = state.now
    switch kind {
    case .answer: return machine.outstanding.map { (.answered(ticket(for: $0), answer), now) }
    case .stream: return machine.policy.push == nil ? nil : (streamEvent(in: machine), now)
    case .other: break
    }
    switch self {
    case .onTime: return machine.alarm.map { (.woke, $0) }
    case .late: return machine.alarm.map { (.woke, $0 + .seconds(30)) }
    case .focused: return (.focused, now + .seconds(1))
    case .slept: return (.slept, now + .seconds(30))
    case .notHeld:
      // R39: only a long poll may be held.
      guard machine.policy.longPoll != nil else { return nil }
      return machine.outstanding.map { (.notHeld($0), now) }
    case .queued:
      // R39: told when the timeout has passed, or before.
      return machine.outstanding.map { (.queued($0), machine.alarm ?? now) }
    case .bound: return (.restrained(Restraint(notBefore: now + .seconds(8))), now)
    case .calmed: return (.restrained(Restraint(quietUntil: now + .seconds(4))), now)
    default: return (untimed(in: machine), now)
    }
  }

  private func untimed(in machine: RefreshMachine) -> Event {
    switch self {
    case .started: .started
    case .stopped: .stopped
    case .background: .lifecycle(.background)
    case .foreground: .lifecycle(.foreground)
    case .suspended: .lifecycle(.suspended)
    case .offline: .connectivity(.offline)
    case .online: .connectivity(.online)
    case .metered: .connectivity(.metered)
    case .person: .refreshRequested(.person)
    case .hardRefresh: .refreshRequested(.hardRefresh)
    case .scheduled: .refreshRequested(.schedule)
    case .context: .contextChanged(Context(question: 3 - machine.context.question))
    case .evicted: .evicted
    case .acted: .acted
    case .paced: .paceRequested(.seconds(3))
    case .unpaced: .paceRequested(nil)
    case .prefetch: .prefetch
    case .active: .activity(.active)
    case .quiet: .activity(.quiet)
    case .fulfilled: .fulfilled
    case .wrote: .wrote(Revision(5))
    case .restored: .restored(Revision(6), age: .seconds(9))
    case .freed: .restrained(Restraint())
    case .stale: .answered(staleTicket(of: machine), Answer(.content(.other)))
    default: .woke
    }
  }

  private func streamEvent(in machine: RefreshMachine) -> Event {
    switch self {
    case .opened: .streamOpened(isResumed: false)
    case .resumed: .streamOpened(isResumed: true)
    case .changed: .streamChanged
    case .gap: .streamGap
    case .lost: .streamLost
    case .delivered: .streamDelivered(machine.context, Answer(.content(.scheduled)))
    default: .streamHeard
    }
  }

  private func staleTicket(of machine: RefreshMachine) -> Ticket {
    Ticket(generation: machine.generation - 1, context: machine.context)
  }

  private func ticket(for ticket: Ticket) -> Ticket {
    guard self == .wrongContext else { return ticket }
    var wrong = ticket
    wrong.context.question += 10
    return wrong
  }

  private var answer: Answer {
    switch self {
    case .full: Answer(.content(.live))
    case .reduced: Answer(.content(.scheduled))
    case .unchanged: Answer(.unchanged)
    case .throttled: Answer(.throttled(.seconds(8)))
    case .refused: Answer(.refused)
    case .wrongContext: Answer(.content(.other))
    case .cancelled: Answer(.cancelled)
    case .fallback:
      Answer(.content(.scheduled), metadata: FreshnessMetadata(mode: .staticTimeoutFallback))
    case .disabled: Answer(.content(.scheduled), metadata: FreshnessMetadata(status: .disabled))
    case .awaited:
      Answer(
        .content(
          Content(Revision(3), validator: Validator(13), hasRealtime: true, fulfilsAction: true)
        )
      )
    default: Answer(.unreachable)
    }
  }
}
