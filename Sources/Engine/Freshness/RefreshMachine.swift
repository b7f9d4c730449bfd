// The refresh machine of one resource.
//
// It does no I/O, reads no clock and rolls no dice: an event, the moment and a draw go in, orders
// come out. The same events give the same run, on every platform.
//
//                         started, wished, prefetch, context changed
//            ┌───────────────────────────────────────────────────────────────┐
//            │                                                               ▼
//        ┌───┴─────┐   stopped, suspended, paused, offline             ┌───────────┐
//        │ dormant │◀──────────────────────────────────────────────────┤  asking   │
//        └───┬─────┘◀──────────────┐                                   │ + one     │──┐ follow-up
//            │                     │ the same                          │ follow-up │◀─┘
//            │ back online,   ┌────┴─────┐  due, wished, returned      └───────────┘
//            │ background     │ resting  ├─────────────────────────────────▲ │
//            └───────────────▶│ + cause  │                                   │
//                             └──────────┘◀──────────────────────────────────┘
//                                           answered, timed out
//
// The causes to rest: cadence · retry · backoff · degraded · recheck · spread · reconnect · news ·
// deferred. Each has one formula for its end, in `RefreshMachine+Timing.swift`.
//
// Invariants; the tests check them after every event:
//   I1  At most one request is out, and at most one follow-up waits behind it (R1, R2).
//   I2  While it is watched in the foreground and not offline, a request is out or an alarm is set
//       (R8, R12). A request that is out has an alarm too: its timeout (R6).
//   I3  While it is suspended or offline, no request is out and no alarm is set (R11, R24). While
//       it is paused or unwatched, no alarm is set either, except for a one-off wish.
//   I4  Of all answers, only one that bears the current ticket, or comes from the stream about the
//       current context, changes anything a person can see (R3).
//   I5  Only another context or the host's own eviction removes a snapshot (R4, R22).
//   I6  Two scheduled requests start at least the least interval apart, failures and degraded
//       answers with their ladders apart (R10, R34).
//   I7  The loading hint shows only while a request that may show it is out (R25).
//   I8  A validator goes out only with the snapshot it came with (R19).
//   I9  A `Retry-After` passes before the next request to the same origin (R21, R39).
//   I10 The source time of the copy goes back only where a person forces it, the context changes, or a
//       clock was set (R36); the age shrinks only with newer data (R37).
//   I11 In no minute do impatient wishes cost more requests than the policy's number (R40).
//
// How a turn goes: `decide` notes facts and names one move; `settle` turns the move into the next
// phase, writes it once, and sets the alarm once. Nothing else writes either.

/// Decides when one resource is asked for again, and what becomes of the answers.
///
/// ```swift
/// var machine = Freshness(policy: .workspaces)
/// let effects = machine.handle(.started, at: now, draw: draw)
/// // Send `effects.request`, and set one timer for `effects.alarm`.
/// ```
public struct RefreshMachine: Hashable, Sendable {
  /// What the machine is doing.
  enum Phase: Hashable, Sendable {
    /// Nothing is due.
    case dormant
    /// A wait is on; another request follows.
    case resting(Rest)
    /// A request is out; a wish may wait behind it.
    case asking(InFlightRequest, then: RefreshRequest?)

    /// The name of the request that is out.
    var ticket: Ticket? {
      guard case .asking(let flight, _) = self else { return nil }
      return flight.request.ticket
    }
  }

  /// A wait, from which its end can be worked out at any time (R9).
  struct Rest: Hashable, Sendable {
    /// Why the machine waits.
    var cause: Cause
    /// When the wait began.
    var since: Moment
    /// The draw of the wait (R10).
    var draw: RandomSample
    /// The wish that goes out at its end.
    var wish: RefreshRequest = .schedule
  }

  /// The reasons to wait.
  enum Cause: Hashable, Sendable {
    /// The normal interval (R9).
    case cadence
    /// The one silent retry; `isLate` when the device slept meanwhile (R7, R14).
    case retry(isLate: Bool)
    /// A step of the ladder after a failure (R23).
    case backoff(Int32)
    /// A step of the ladder after a degraded answer (R34).
    case degraded(Int32)
    /// The long wait after an answer that a repetition would not change (R21).
    case recheck
    /// A moment, so that clients that woke together do not ask together (R14).
    case spread
    /// The same, after the network or the stream came back, or the stream was lost (R24, R33).
    case reconnect
    /// The least gap between two requests that news asks for (R33).
    case news
    /// A wish that the server's `Retry-After` keeps waiting (R21).
    case deferred
  }

  /// A request that is out.
  struct InFlightRequest: Hashable, Sendable {
    /// The request.
    var request: Request
    /// When it was sent.
    var startedAt: Moment

    /// The moment at which it is over (R6).
    var deadline: Moment { startedAt + request.timeout }
  }

  /// What one event wants to happen next.
  enum Transition: Hashable, Sendable {
    /// Go on, as far as the facts still allow.
    case stay
    /// Send a request now, in place of any that is out.
    case ask(RefreshRequest)
    /// Send a request now, in place of any that is out, if the budget covers it (R40).
    case insist(RefreshRequest)
    /// Send a request now, or right after the one that is out (R2).
    case queue(RefreshRequest)
    /// Send a request now; one that is out will do.
    case join(RefreshRequest)
    /// Wait.
    case rest(Cause, RefreshRequest)
    /// Wait a moment and ask, unless a failure's wait is on; follow a request that is out (R33).
    case resync
    /// Stop.
    case sleep
  }

  /// One event being handled.
  struct Step {
    let now: Moment
    let draw: RandomSample
    let policy: Policy
    var effects = Effects()
    /// Whether the request that was out has ended, so that it needs no cancelling.
    var hasLanded = false
  }

  let shared: SharedPolicy

  // What the host reported.
  var isWatched = false
  var paceWished: Timespan?
  var activity = ActivityHistory()
  /// Where the application stands.
  public internal(set) var lifecycle: Lifecycle = .foreground
  /// What the device knows about its network.
  public internal(set) var connectivity: Connectivity = .online
  /// What is watched, and on whose behalf.
  public internal(set) var context: Context

  // What the machine does. Only `settle` writes the phase and the alarm.
  var phase: Phase = .dormant
  /// The alarm that is set, if any (R8).
  public internal(set) var alarm: Moment?
  var deferred: RefreshRequest?
  /// What the budget of impatient requests keeps waiting; the next request answers it (R40).
  var postponed: RefreshRequest?
  var patience = Patience()
  var restraint = Restraint()
  /// How long the last request took whose answer did not wait at the server (R37).
  var delay: Timespan?
  var generation: Int64 = 0
  var lastStart: Moment?
  var lastEnd: Moment?
  var lastRescue: Moment?
  var link = PushConnection()

  // What the answers said.
  /// The copy at hand (R22).
  public internal(set) var snapshot: Snapshot?
  /// What went wrong last, until something goes right (R16, R22).
  public internal(set) var failure: Failure?
  var quality = Quality()
  var held: WithheldResponse?
  var backoff = Backoff()
  var degraded = DegradedRun()
  var rhythm = ProducerRhythm()
  var unchangedRun: Int32 = 0
  var lastFull: Moment?

  /// An answer that was not applied, but labels the board (R20).
  struct WithheldResponse: Hashable, Sendable {
    var quality: Quality
    /// Its greatest age on arrival, if it tells (R37).
    var age: Timespan?
    var arrivedAt: Moment
  }

  /// Creates a machine that nobody watches yet.
  ///
  /// - Parameters:
  ///   - policy: The constants.
  ///   - context: What will be watched.
  public init(policy: Policy, context: Context = Context(question: 0)) {
    shared = .copy(policy)
    self.context = context
  }

  /// The constants.
  public var policy: Policy {
    switch shared {
    case .copy(let policy): policy
    }
  }

  /// Handles one event.
  ///
  /// The host may be late or early with its alarm, and may forget it: every event looks at the time
  /// first (R8).
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - now: When it happened; not before the last event.
  ///   - draw: A fresh draw of chance.
  /// - Returns: What the host does now.
  public mutating func handle(_ event: Event, at now: Moment, draw: RandomSample) -> Effects {
    guard isOverdue(at: now), event != .woke else { return turn(event, at: now, draw: draw) }
    var effects = turn(.woke, at: now, draw: draw)
    effects.append(turn(event, at: now, draw: draw))
    return effects
  }

  private mutating func turn(_ event: Event, at now: Moment, draw: RandomSample) -> Effects {
    let before = Appearance(self)
    var turn = Step(now: now, draw: draw, policy: policy)
    let move = decide(event, in: &turn)
    settle(move, in: &turn)
    turn.effects.changes = Appearance(self).changes(since: before)
    return turn.effects
  }

  private func isOverdue(at now: Moment) -> Bool {
    if case .asking(let flight, _) = phase, flight.deadline <= now { return true }
    return link.isOverdue(at: now)
  }
}

/// One immutable copy of a policy, shared by all machines that were copied from one.
///
/// A box, so that a machine stays small: a process may hold a hundred thousand of them.
indirect enum SharedPolicy: Hashable, Sendable {
  case copy(Policy)
}
