@testable import Freshness

/// The numbered invariants of `RefreshMachine.swift`, as a check of one step.
struct Invariants {
  let before: RefreshMachine
  let event: Event
  let effects: Effects
  let after: RefreshMachine
  let now: Instant

  /// The invariants that the step breaks, by name.
  var broken: [String] {
    var names: [String] = []
    func expect(_ holds: Bool, _ name: String) { if !holds { names.append(name) } }
    expect(oneRequest, "I1 R1 one request at a time, cancelled or answered before the next")
    expect(alive, "I2 R8 a request out or an alarm set in the foreground")
    expect(silent, "I3 R11 R24 silence while suspended, offline or unwatched")
    expect(supersededIsInvisible, "I4 R3 a superseded answer changes nothing")
    expect(snapshotSurvives, "I5 R22 an error never erases a snapshot")
    expect(notTooFast, "I6 R10 the schedule is not faster than the cadence")
    expect(loadingIsOwned, "I7 R25 the loading hint belongs to a request that is out")
    expect(validatorFits, "I8 R19 a validator goes out only with its snapshot")
    expect(retryAfterPasses, "I9 R21 a Retry-After passes first")
    expect(after.alarm == effects.alarm, "R8 the alarm is told")
    expect(effects.alarm.map { $0 > now } ?? true, "R8 no alarm in the past, no tight loop")
    expect(verifyIsQuiet, "R16 not modified leaves changed and sends no notice of a copy")
    expect(successClears, "R16 R23 a success clears error and backoff")
    expect(timeoutIsSet, "R6 a request that is out has an end")
    return names
  }

  private var oneRequest: Bool {
    var out = before.outstanding
    if case .answered(let ticket, _) = event, ticket.generation == out?.generation { out = nil }
    if let cancelled = effects.cancel {
      guard cancelled == before.outstanding else { return false }
      out = nil
    }
    if let request = effects.request {
      guard out == nil, request.ticket.generation > before.generation else { return false }
      guard request.ticket.context == after.context else { return false }
      out = request.ticket
    }
    return out == after.outstanding
  }

  private var alive: Bool {
    guard after.isWatched, after.lifecycle == .foreground, after.connectivity != .offline else {
      return true
    }
    return after.alarm != nil
  }

  private var silent: Bool {
    if after.lifecycle == .suspended || after.connectivity == .offline {
      return after.outstanding == nil && after.alarm == nil
    }
    guard after.outstanding == nil else { return true }
    let isPaused = after.lifecycle == .background && after.policy.background == nil
    let isUnwanted = after.isWatched ? isPaused : after.deferred == nil && after.postponed == nil
    return !isUnwanted || after.alarm == nil
  }

  private var supersededIsInvisible: Bool {
    guard effects.notes.contains(.superseded), case .answered(let ticket, _) = event else {
      return true
    }
    if effects.snapshot == .keep {
      // R33: one that the stream overtook is a success that leaves the copy alone.
      return before.snapshot == after.snapshot && after.failure == nil
    }
    let isOfRequest = ticket.generation == before.outstanding?.generation
    // Every event checks the time as well, and may find that a request is due.
    let allowed: Effects.Changes = isOfRequest || effects.request != nil ? .loading : []
    guard effects.snapshot == .none else { return false }
    return effects.notes.contains(.timedOut) || effects.changes.isSubset(of: allowed)
  }

  private var snapshotSurvives: Bool {
    guard before.snapshot != nil, after.snapshot == nil else { return true }
    switch event {
    case .contextChanged, .evicted: return true
    default: return false
    }
  }

  private var notTooFast: Bool {
    guard effects.request != nil, event == .woke, let last = before.lastStart else { return true }
    guard case .waiting(let wait) = before.phase, wait.cause == .cadence else { return true }
    // R40: a refresh by the user is sent as soon as the budget covers it.
    guard before.postponed == nil else { return true }
    return now - last >= after.policy.leastInterval
  }

  private var loadingIsOwned: Bool {
    guard after.isLoading else { return true }
    guard case .requesting(let inFlight, _) = after.phase else { return false }
    return inFlight.request.refresh.showsLoading && after.lifecycle == .foreground
  }

  private var validatorFits: Bool {
    guard let validator = effects.request?.validator else { return true }
    // An eviction that comes late is handled after what was due before it.
    if event == .evicted { return validator == before.snapshot?.validator }
    return validator == after.snapshot?.validator
  }

  private var retryAfterPasses: Bool {
    guard effects.request != nil, before.context.identity == after.context.identity else {
      return true
    }
    guard let notBefore = before.notBefore else { return true }
    switch event {
    case .streamDelivered, .restrained: return true
    default: break
    }
    return now >= notBefore
  }

  private var verifyIsQuiet: Bool {
    guard effects.snapshot == .verify else { return true }
    return !effects.changes.contains(.snapshot)
      && before.snapshot?.changedAt == after.snapshot?.changedAt
      && after.snapshot?.verifiedAt == now
  }

  private var successClears: Bool {
    switch effects.snapshot {
    case .apply, .verify, .keep:
      // R21: stream events do not end a `Retry-After`, which applies to requests.
      if case .streamDelivered = event {
        return after.failure == nil && after.backoff == Backoff(notBefore: before.backoff.notBefore)
      }
      // R38: a copy from disk is not a response.
      if case .restored = event { return true }
      return after.failure == nil && after.backoff == Backoff()
    case .none, .clear: return true
    }
  }

  private var timeoutIsSet: Bool {
    guard case .requesting(let inFlight, _) = after.phase else { return true }
    return inFlight.deadline > now && (after.alarm.map { $0 <= inFlight.deadline } ?? false)
  }
}
