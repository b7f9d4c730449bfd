import Freshness

/// States every rule a second time and checks a machine against it after every step.
///
/// The oracle sees events, instants, effects and the visible state of a machine. It keeps the facts
/// that the rules refer to, computes every bound from the policy itself, and follows the machine
/// only where a rule leaves a choice: within the bounds of a jittered wait.
///
/// Times are whole milliseconds. A step has three parts: `judge` evaluates the event by the rules
/// and returns the obligation; `discharge` turns the obligation into an expected state; `compare`
/// compares it with the actual one.
struct ConformanceOracle: Sendable {
  let policy: Policy

  // What the host reported.
  var isWatched = false
  var paceRequested: Int64?
  var lifecycle: Lifecycle = .foreground
  var connectivity: Connectivity = .online
  var context: Context
  var activity: Activity = .quiet
  var activityChangedAt: Int64?
  var burstEnds: Int64?

  // What is in flight and what is due.
  var out: Out?
  var wait: Wait?
  var deferred: Want?
  /// R40: the request that waits for the budget, and the requests of the last minute.
  var postponed: Want?
  var budget = Budget()
  /// R39: the restraint of the origin.
  var restraint = Restraint()
  /// R39: whether the origin let the server hold the last long poll.
  var isHeld = true
  /// R37: how long the last response took that did not wait at the server.
  var pathDelay: Int64?
  /// R37: the server's clock minus the device's timeline, at least and at most.
  var serverClock: ClockSpan?
  /// R37: when a response last showed it, and until when drift is counted, in quarters of a second.
  var clockShownAt: Int64 = 0
  var driftCounted: Int64 = 0
  /// R37: the last responses that agree on an earlier time.
  var doubts: ClockDoubts?
  var generation: Int64 = 0
  var lastStart: Int64?
  var lastEnd: Int64?
  var lastRescue: Int64?
  var stream: Stream = .off
  var streamAttempts = 0

  // What the responses said.
  var copy: Copy?
  var failure: Trouble?
  var metadata = FreshnessMetadata()
  var withheld: (metadata: FreshnessMetadata, age: Int64?, arrivedAt: Int64)?
  var hasRetried = false
  var failures: Int32 = 0
  var notBefore: Int64?
  var degradedStep = 0
  var degradedAt: Int64?
  var isQuiet = false
  var unchangedRun: Int32 = 0
  var lastFull: Int64?
  var stated: Int64?
  var window: Int64 = 0
  var seesRhythm = false
  /// Whether a response had a source time, so that there is a rhythm to learn.
  var isDated = false

  // What was seen.
  var counted = Counters()
  var tail: [ExpectedSample] = []
  var lastAlarm: Int64?
  var lastLoading = false
  var lastAppearance: ObservedState
  var sampleLog = SampleLog()
  var steps = 0
  var step: CheckedStep
  var violation: Violation?
  /// Whether counters are ignored for a while, because steps are taken twice.
  var isRehearsing = false

  init(policy: Policy, context: Context) {
    self.policy = policy
    self.context = context
    lastAppearance = ObservedState()
    step = CheckedStep()
  }

  /// Checks one step.
  ///
  /// - Returns: The first violated rule, if any.
  mutating func check<M: Machine>(
    _ event: Event,
    at now: Instant,
    random: RandomSample,
    _ effects: Effects,
    _ machine: M
  ) -> Violation? {
    step = CheckedStep(event: event, now: now.milliseconds, random: random, effects: effects)
    let obligation = judge(event)
    updateStream()
    discharge(obligation)
    if stream == .closed { updateStream(isAfterRequests: true) }
    compare(machine)
    lastAlarm = effects.alarm?.milliseconds
    steps += 1
    return violation
  }

  /// R21, R39: the later of this resource's `Retry-After` and its origin's.
  var bound: Int64? {
    [notBefore, restraint.notBefore?.milliseconds].compactMap { $0 }.max()
  }

  /// Returns whether a deadline has passed, so that any event checks the time first (R6, R33).
  func isOverdue(at now: Instant) -> Bool {
    if let out, out.deadline <= now.milliseconds { return true }
    return stream.isOverdue(at: now.milliseconds)
  }

  /// Records a violation, unless an earlier one explains it.
  mutating func fail(_ rule: Rule, _ reason: String) {
    guard violation == nil else { return }
    violation = Violation(rule: rule, instant: step.now, reason: reason)
  }

  mutating func expect(_ holds: Bool, _ rule: Rule, _ reason: @autoclosure () -> String) {
    if !holds { fail(rule, reason()) }
  }
}
