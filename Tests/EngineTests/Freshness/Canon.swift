@testable import Freshness

/// A state of the machine, reduced to what can still make a difference and packed exactly.
///
/// Two machines with equal canonical states behave alike from here on: they give the same orders, a
/// shift in time and in the numbers of requests and contexts apart, and go to equal canonical states.
/// So a search looks at one of them only. Why what is left out makes no difference:
///
/// - Times are taken relative to now, because the machine only compares instants and measures from
///   one to another. An instant that lies so far back that every rule which reads it has already
///   decided is cut to that age; the rule is beside each cut.
/// - The number of the last request is only counted up, and answers name requests relative to it.
/// - Contexts are only compared for equality, everything kept belongs to the present one, and the
///   search switches between two that are otherwise alike.
/// - The alarm is worked out from the rest at the end of every event.
/// - The kind, status and instant of a failure, the instants at which a copy was changed and verified, and the
///   markers of the label are shown and read by no rule; whether there is a failure and whether an
///   answer is held are kept.
/// - A request's validator, priority and number are read when it is ordered, and by its sample.
/// - The rhythm of the producer, wall clocks and the random sample do not vary in these searches. No answer tells
///   its source time (R36), a rate limit (R39) or how long its way is (R37).
/// - A budget of a thousand impatient requests (R40) is never used up in a search.
///
/// `Exploration` does not only believe this: it picks states, and compares every machine that was
/// merged into one of them with the one that was kept, step by step.
struct CanonicalState: Hashable {
  private var words = Words()
  private var word: UInt64 = 0
  private var bits: UInt64 = 0
  private var count = 0

  /// Room for the state; the packing stops the test should it ever be too small.
  private struct Words: Hashable {
    var first: UInt64 = 0
    var second: UInt64 = 0
    var third: UInt64 = 0
    var fourth: UInt64 = 0
    var fifth: UInt64 = 0
    var sixth: UInt64 = 0
    var seventh: UInt64 = 0
  }

  static func == (lhs: Self, rhs: Self) -> Bool { lhs.words == rhs.words }

  func hash(into hasher: inout Hasher) { hasher.combine(words) }

  /// A number that is the same in every run; distributed enough to select states.
  var lot: UInt64 {
    let folded = words.first ^ words.second &* 3 ^ words.third &* 5 ^ words.fourth &* 7
    return ((folded ^ words.fifth ^ words.sixth ^ words.seventh) &* 0x9E37_79B9_7F4A_7C15) >> 32
  }

  /// Reduces a machine; every length in its policy is a multiple of 100 ms.
  init(_ machine: RefreshMachine, at now: Instant) {
    let policy = machine.policy
    put(machine.isWatched)
    put(UInt64(machine.lifecycle.rawValue), width: 2)
    put(UInt64(machine.connectivity.rawValue), width: 2)
    put(machine.paceRequested != nil)
    put(machine.deferred)
    put(machine.postponed)
    put(machine.isHeldByServer)
    put(machine.failure != nil)
    put(machine.withheld != nil)
    putSnapshot(of: machine, at: now)
    putBackoff(of: machine, at: now)
    let since = putPhase(of: machine, at: now)
    // R15 compares the silence with the stall limit, and the last rescue with its cooldown. R12: in the foreground, a wait
    // that begins again counts from the end of the last request.
    put(machine.lastEnd, at: now, horizon: .seconds(200))
    put(machine.lastRescue, at: now, horizon: policy.rescueCooldown)
    putActivity(of: machine, waitingSince: since, at: now)
    putStream(of: machine, at: now)
    flush()
  }

  // MARK: Parts

  private mutating func putSnapshot(of machine: RefreshMachine, at now: Instant) {
    let snapshot = machine.snapshot
    put(UInt64(snapshot?.revision.number ?? 0), width: 4)
    put(snapshot?.validator != nil)
    put(snapshot?.hasRealtime ?? false)
    // R20 reads the age of realtime data only, and compares it with the cap.
    let realtime = snapshot?.hasRealtime == true ? snapshot : nil
    let better = realtime.map { $0.age.arrivedAt - $0.age.atArrival }
    put(UInt64(snapshot?.provenance.rawValue ?? 0), width: 2)
    put(better, at: now, horizon: machine.policy.downgradeProtection ?? .zero)
    // R18: at the limit, one more not-modified answer changes nothing.
    put(UInt64(min(machine.unchangedRun, machine.policy.unchangedLimit ?? 0)), width: 4)
  }

  private mutating func putBackoff(of machine: RefreshMachine, at now: Instant) {
    let policy = machine.policy
    put(machine.backoff.hasRetried)
    // R23: the last step of the ladder repeats.
    put(UInt64(min(Int(machine.backoff.failures), policy.ladder.count - 1)), width: 4)
    let isBudgeted = policy.impatience < 1_000
    put(isBudgeted ? machine.patience.wholeAt : nil, at: now, horizon: .zero)
    put(relevant(machine.restraint.notBefore, machine, at: now), at: now, horizon: .zero)
    put(relevant(machine.restraint.quietUntil, machine, at: now), at: now, horizon: .zero)
    var notBefore = machine.backoff.notBefore
    if let until = notBefore, until <= now {
      // A Retry-After that has passed only excuses a silence since the last answer (R15).
      notBefore = machine.lastEnd.map { until > $0 } ?? false ? now : nil
    }
    put(notBefore, at: now, horizon: .zero)
    // R34: after the rearm the run starts afresh, as if there had been none.
    var degradedAt = machine.degraded.lastAt
    if let last = degradedAt, now - last >= policy.degradedRearm { degradedAt = nil }
    put(degradedAt, at: now, horizon: policy.degradedRearm)
    put(degradedAt == nil ? 0 : UInt64(machine.degraded.step), width: 4)
    put(machine.degraded.isQuiet)
  }

  /// The part of a restraint that has passed only excuses a silence since the last response (R15).
  private func relevant(_ until: Instant?, _ machine: RefreshMachine, at now: Instant) -> Instant? {
    guard let until, until <= now else { return until }
    return machine.lastEnd.map { until > $0 } ?? false ? now : nil
  }

  /// Packs the phase; returns since when the machine waits.
  private mutating func putPhase(of machine: RefreshMachine, at now: Instant) -> Instant {
    // The start of the last request holds the next one back by one interval at most, and an answer
    // that took longer than an interval counts as one (R10, R11, R35, P9).
    let policy = machine.policy
    let intervals = [
      policy.active, policy.recent, policy.idle, policy.background ?? .zero,
      policy.push?.safetyPoll ?? .zero,
    ]
    let horizon = intervals.max() ?? .zero
    // R12: a wait that begins again in the foreground lasts as long as the last request took.
    let silence = machine.lastEnd.map { min(now - $0, .seconds(200)) } ?? .zero
    switch machine.phase {
    case .idle:
      put(0, width: 2)
      put(machine.lastStart, at: now, horizon: silence + horizon)
      return now
    case .waiting(let wait):
      put(1, width: 2)
      put(wait.cause, policy)
      put(wait.since, at: now, horizon: .seconds(60))
      put(wait.refresh)
      put(machine.lastStart, at: now, horizon: max(now - wait.since, silence) + horizon)
      return wait.since
    case .requesting(let inFlight, let then):
      // The request in flight started last. R33: other content may have overtaken its response. A copy from disk is the
      // server's once the stream delivers the same.
      let copy = machine.snapshot
      let isNewer = copy.map { $0.changedAt > inFlight.startedAt } ?? false
      put(isNewer ? 3 : 2, width: 2)
      put(UInt64(inFlight.request.validator?.number ?? 0), width: 8)
      if isNewer {
        put(copy?.changedAt, at: now, horizon: .seconds(200))
        put(inFlight.request.validator == copy?.validator)
      }
      // R39: a limit since then may be why it is canceled.
      let limits = [machine.restraint.notBefore, machine.restraint.quietUntil]
      put(limits.contains { limit in limit.map { $0 > inFlight.startedAt } ?? false })
      // R39: one that is queued may be older than any timeout.
      put(inFlight.startedAt, at: now, horizon: .seconds(200))
      put(inFlight.previousStart, at: now, horizon: silence + horizon)
      put(inFlight.request.refresh)
      put(then)
      put(inFlight.request.longPoll != nil)
      // R39: one that is not held after all, or was queued, has a timeout of its own.
      put(UInt64(inFlight.request.timeout.milliseconds / 100), width: 12)
      put(UInt64(inFlight.request.cadence.milliseconds / 100), width: 8)
      return now
    }
  }

  private mutating func put(_ cause: RefreshMachine.Cause, _ policy: Policy) {
    let last = policy.ladder.count - 1
    let number: Int =
      switch cause {
      case .cadence: 0
      case .recheck: 1
      case .spread: 2
      case .reconnect: 3
      case .change: 4
      case .deferred: 5
      case .retry(let isLate): isLate ? 6 : 7
      case .backoff(let step): 8 + min(Int(step), last)
      case .degraded(let step): 20 + min(Int(step), last)
      case .gone: 31
      }
    put(UInt64(number), width: 5)
  }

  private mutating func putActivity(
    of machine: RefreshMachine,
    waitingSince since: Instant,
    at now: Instant
  ) {
    // R9: the pace is looked up at the beginning of the present wait, or of a later one.
    let earliest = min(since, now)
    let activity = machine.activity
    put(activity.current == .active)
    put(activity.burstEnds.flatMap { $0 <= earliest ? nil : $0 }, at: now, horizon: .seconds(60))
    let recentFor = machine.policy.recentFor
    let changedAt = activity.changedAt.flatMap { earliest - $0 >= recentFor ? nil : $0 }
    put(changedAt, at: now, horizon: .seconds(60))
  }

  private mutating func putStream(of machine: RefreshMachine, at now: Instant) {
    switch machine.connection.state {
    case .off:
      put(0, width: 2)
      put(false)
    case .closed:
      put(0, width: 2)
      put(true)
    case .opening(let until):
      put(1, width: 2)
      put(until, at: now, horizon: .zero)
    case .live(let since, let silentAt):
      put(2, width: 2)
      // W9: a stream is stable from an age on.
      put(since, at: now, horizon: machine.policy.push?.stableAfter ?? .zero)
      put(silentAt, at: now, horizon: .zero)
    case .waiting(let until):
      put(3, width: 2)
      put(until, at: now, horizon: .zero)
    }
    put(UInt64(min(Int(machine.connection.attempts), machine.policy.ladder.count - 1)), width: 4)
  }

  // MARK: Packing

  private mutating func put(_ flag: Bool) { put(flag ? 1 : 0, width: 1) }

  private mutating func put(_ refresh: RefreshRequest?) {
    guard let refresh else { return put(0, width: 8) }
    let flags: UInt64 =
      (refresh.isForced ? 1 : 0) + (refresh.isUnconditional ? 2 : 0)
      + (refresh.showsLoading ? 4 : 0)
      + (refresh.repetition == .missingBody ? 8 : 0) + (refresh.repetition == .uncertain ? 128 : 0)
    put(16 * (1 + UInt64(refresh.reason.rawValue)) + flags, width: 8)
  }

  /// Packs an instant relative to now, in steps of 100 ms; one before the horizon counts as the
  /// horizon.
  private mutating func put(_ instant: Instant?, at now: Instant, horizon: Instant.Duration) {
    guard let instant else { return put(0, width: 13) }
    let distance = max((instant - now).milliseconds, -horizon.milliseconds)
    precondition(distance % 100 == 0, "an instant off the grid")
    put(UInt64(distance / 100 + 2_048), width: 13)
  }

  private mutating func put(_ value: UInt64, width: UInt64) {
    precondition(value < 1 << width, "a value that is too wide")
    if bits + width > 64 { flush() }
    word |= value << bits
    bits += width
  }

  private mutating func flush() {
    switch count {
    case 0: words.first = word
    case 1: words.second = word
    case 2: words.third = word
    case 3: words.fourth = word
    case 4: words.fifth = word
    case 5: words.sixth = word
    case 6: words.seventh = word
    default: preconditionFailure("a state that is too wide")
    }
    count += 1
    word = 0
    bits = 0
  }
}

/// The effects of a machine, without the numbers that differ between equivalent states.
struct CanonicalOrders: Hashable {
  private let cancels: Bool
  private let snapshot: Effects.SnapshotOrder
  private let changes: Effects.Changes
  private let request: Request?
  private let stream: PushCommand?
  private let alarm: Instant.Duration?
  private let verdict: DowngradeProtection.Verdict?
  private let hasSample: Bool
  private let notes: Notes

  /// Reduces the effects of a machine.
  ///
  /// Changes of a failure or a label are omitted, like their contents.
  init(_ effects: Effects, of before: RefreshMachine, at now: Instant) {
    cancels = effects.cancel != nil
    snapshot = effects.snapshot
    changes = effects.changes.subtracting([.failure, .label])
    var asked = effects.request
    asked?.ticket.generation -= before.generation
    asked?.ticket.context.question = 0
    request = asked
    stream = effects.stream
    alarm = effects.alarm.map { $0 - now }
    verdict = effects.sample?.verdict
    hasSample = effects.sample != nil
    notes = effects.notes
  }
}
