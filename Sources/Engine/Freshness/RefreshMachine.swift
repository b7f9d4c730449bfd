// The refresh machine of one resource.
//
// It does no I/O, reads no clock and has no random source: an event, the instant and a random
// sample go in, effects come out. The same events give the same run, on every platform.
//
//                    started, refresh requested, prefetch, context changed
//            ┌───────────────────────────────────────────────────────────────┐
//            │                                                               ▼
//        ┌───┴─────┐   stopped, suspended, paused, offline            ┌────────────┐
//        │  idle   │◀─────────────────────────────────────────────────┤ requesting │
//        └───┬─────┘◀──────────────┐                                  │   + one    │──┐ follow-up
//            │                     │ the same                         │ follow-up  │◀─┘
//            │ back online,   ┌────┴─────┐  due, refresh requested,   └────────────┘
//            │ background     │ waiting  ├──────────returned────────────────▲ │
//            └───────────────▶│ + cause  │                                  │
//                             └──────────┘◀─────────────────────────────────┘
//                                           answered, timed out
//
// The causes of a wait: cadence · retry · backoff · degraded · recheck · gone · spread · reconnect · change
// · deferred. Each has one formula for its end, in `RefreshMachine+Timing.swift`.
//
// Invariants; the tests check them after every event:
//   I1  At most one request is in flight, and at most one follow-up waits behind it (R1, R2).
//   I2  While it is watched in the foreground and not offline, a request is in flight or an alarm
//       is set (R8, R12). A request in flight has an alarm too: its timeout (R6).
//   I3  While it is suspended or offline, no request is in flight and no alarm is set (R11, R24).
//       While it is paused or unwatched, no alarm is set either, except for a one-off request.
//   I4  Of all responses, only one with the current ticket, or from the stream for the current
//       context, changes anything visible (R3).
//   I5  Only another context or the host's own eviction removes a snapshot (R4, R22).
//   I6  Two scheduled requests start at least the least interval apart, except after failures and
//       degraded responses, which have their own ladders (R10, R34).
//   I7  The loading hint shows only while a request that may show it is in flight (R25).
//   I8  A validator is sent only with the snapshot it came with (R19).
//   I9  A `Retry-After` passes before the next request to the same origin (R21, R39).
//   I10 The source time of the copy goes back only if the user forces it, the context changes, or a
//       clock was set (R36); the age shrinks only with newer data (R37).
//   I11 In no minute do impatient requests exceed the policy's number (R40).
//
// Each event takes two steps. `decide` records facts and returns one transition. `apply` applies
// the transition: it writes the next phase once and sets the alarm once. Nothing else writes
// either.

/// Decides when to request one resource, and what to do with the responses.
///
/// ```swift
/// var machine = RefreshMachine(policy: .workspaces)
/// let effects = machine.handle(.started, at: now, random: random)
/// // Send `effects.request`, and set one timer for `effects.alarm`.
/// ```
public struct RefreshMachine: Hashable, Sendable {
  /// What the machine is doing.
  enum Phase: Hashable, Sendable {
    /// Nothing is due.
    case idle
    /// A wait is in progress; another request follows.
    case waiting(Wait)
    /// A request is in flight; a follow-up may wait behind it.
    case requesting(InFlightRequest, then: RefreshRequest?)

    /// The ticket of the request in flight.
    var ticket: Ticket? {
      guard case .requesting(let inFlight, _) = self else { return nil }
      return inFlight.request.ticket
    }
  }

  /// A wait; its end can be computed at any time (R9).
  struct Wait: Hashable, Sendable {
    /// Why the machine waits.
    var cause: Cause
    /// When the wait began.
    var since: Instant
    /// The random sample of the wait (R10).
    var random: RandomSample
    /// The refresh request to send at its end.
    var refresh: RefreshRequest = .schedule
  }

  /// The reasons to wait.
  enum Cause: Hashable, Sendable {
    /// The normal interval (R9).
    case cadence
    /// The one silent retry; `isLate` if the device slept (R7, R14).
    case retry(isLate: Bool)
    /// A backoff step after a failure (R23).
    case backoff(Int32)
    /// A backoff step after a degraded response (R34).
    case degraded(Int32)
    /// The long wait after a response that a retry would not change (R21).
    case recheck
    /// The longest wait, after a resource turned out to be gone (R39).
    case gone
    /// A short delay, so that clients that woke together do not request together (R14).
    case spread
    /// The same, after the network or the stream came back, or the stream was lost (R24, R33).
    case reconnect
    /// The minimum gap between two requests that stream events ask for (R33).
    case change
    /// A refresh request delayed by the server's `Retry-After` (R21).
    case deferred
  }

  /// A request in flight.
  struct InFlightRequest: Hashable, Sendable {
    /// The request.
    var request: Request
    /// When it was sent.
    var startedAt: Instant
    /// When the one before was, in case this one is not.
    var previousStart: Instant?

    /// When the request times out (R6).
    var deadline: Instant { startedAt + request.timeout }
  }

  /// The transition that an event asks for.
  enum Transition: Hashable, Sendable {
    /// Continue, as far as the facts still allow.
    case stay
    /// Send a request now, replacing one in flight.
    case ask(RefreshRequest)
    /// Send a request now, replacing one in flight, if the budget covers it (R40).
    case insist(RefreshRequest)
    /// Send a request now, or right after the one in flight (R2).
    case queue(RefreshRequest)
    /// Send a request now, unless one is in flight.
    case join(RefreshRequest)
    /// Wait.
    case wait(Cause, RefreshRequest)
    /// Request after a short delay, unless a failure's wait is in progress; follow a request in
    /// flight (R33).
    case resync
    /// Stop.
    case sleep
  }

  /// One event being handled.
  struct Step {
    let now: Instant
    let random: RandomSample
    let policy: Policy
    var effects = Effects()
    /// Whether the request in flight has ended, so that it need not be canceled.
    var hasEnded = false
  }

  let shared: SharedPolicy

  // What the host reported.
  // Small values follow larger ones that do not end at the alignment: the machine stays under 700 bytes.
  var paceRequested: Instant.Duration?
  var unchangedRun: Int32 = 0
  var activity = ActivityHistory()
  var isWatched = false
  /// Whether the origin lets the server hold long polls, as far as the last one shows (R39).
  var isHeldByServer = true
  /// The lifecycle state of the application.
  public internal(set) var lifecycle: Lifecycle = .foreground
  /// What the device knows about its network.
  public internal(set) var connectivity: Connectivity = .online
  /// What is watched, and with which identity.
  public internal(set) var context: Context

  // What the machine does. Only `apply` writes the phase and the alarm.
  var phase: Phase = .idle
  /// The alarm that is set, if any (R8).
  public internal(set) var alarm: Instant?
  var deferred: RefreshRequest?
  /// The refresh request that waits for the budget; the next request answers it (R40).
  var postponed: RefreshRequest?
  var patience = Patience()
  var restraint = Restraint()
  var serverClock = ServerClock()
  var generation: Int64 = 0
  var lastStart: Instant?
  /// When a response last showed the server's clock, in quarters of a second, modulo 34 years (R37).
  var clockShownAt: UInt32 = 0
  var lastEnd: Instant?
  /// Until when the drift of the clocks is counted, likewise.
  var driftCountedUntil: UInt32 = 0
  var lastRescue: Instant?
  /// The duration of the last request that did not wait at the server, in milliseconds; below zero
  /// if absent (R37).
  var pathDelay: Int32 = -1
  var connection = PushConnection()

  // What the responses said.
  /// The current copy (R22).
  public internal(set) var snapshot: Snapshot?
  /// The most recent failure, until the next success (R16, R22).
  public internal(set) var failure: Failure?
  var quality = Quality()
  var withheld: WithheldResponse?
  var backoff = Backoff()
  var degraded = DegradedRun()
  var rhythm = ProducerRhythm()
  var lastFull: Instant?

  /// A response that was not applied but determines the label (R20).
  struct WithheldResponse: Hashable, Sendable {
    var quality: Quality
    /// Its greatest age on arrival, if it has one (R37).
    var age: Instant.Duration?
    var arrivedAt: Instant
  }

  /// Creates a machine without observers.
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
  /// The host may be late or early with its alarm, and may drop it: every event checks the time
  /// first (R8).
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - now: When it happened; not before the previous event.
  ///   - random: A new random sample.
  /// - Returns: The effects to carry out.
  public mutating func handle(_ event: Event, at now: Instant, random: RandomSample) -> Effects {
    guard isOverdue(at: now), !event.checksTime else { return step(event, at: now, random: random) }
    var effects = step(.woke, at: now, random: random)
    effects.append(step(event, at: now, random: random))
    return effects
  }

  private mutating func step(_ event: Event, at now: Instant, random: RandomSample) -> Effects {
    let before = appearance
    var step = Step(now: now, random: random, policy: policy)
    let transition = decide(event, in: &step)
    apply(transition, in: &step)
    step.effects.changes = appearance.changes(since: before)
    return step.effects
  }

  private func isOverdue(at now: Instant) -> Bool {
    if case .requesting(let inFlight, _) = phase, inFlight.deadline <= now { return true }
    return connection.isOverdue(at: now)
  }
}

/// One immutable copy of a policy, shared by all machines that were copied from one.
///
/// A box that keeps a machine small: a process may hold a hundred thousand of them.
indirect enum SharedPolicy: Hashable, Sendable {
  case copy(Policy)
}
