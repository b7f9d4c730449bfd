import Freshness

/// The events of users, their devices and other parts of the application.
extension World {
  /// Returns a random event that the episode's faults allow; otherwise an observer arrives.
  mutating func act() -> Event {
    for _ in 1...4 {
      if let event = attempt() { return event }
    }
    return .started
  }

  private mutating func attempt() -> Event? {
    switch random.below(32) {
    case 0: return .started
    case 1: return faults.has(.observers) ? .stopped : nil
    case 2: return faults.has(.observers) ? .started : nil
    case 3:
      guard faults.has(.paces) else { return nil }
      return .paceRequested(
        random.oneIn(2) ? nil : Instant.Duration(milliseconds: random.between(0, 60_000))
      )
    case 4, 5: return faults.has(.prefetch) ? .prefetch : nil
    case 6: return faults.has(.earlyChecks) ? .woke : nil
    case 7:
      guard faults.has(.sleeps) else { return nil }
      now += random.scale(10, 20)
      return .slept
    case 8: return faults.has(.background) ? .lifecycle(.background) : nil
    case 9, 10: return .lifecycle(.foreground)
    case 11: return faults.has(.suspension) ? .lifecycle(.suspended) : nil
    case 12:
      guard faults.has(.focus) else { return nil }
      // Focus events come in bursts.
      nextActAt = now + 1 + random.below(300)
      return .focused
    case 13: return faults.has(.offline) ? .connectivity(.offline) : nil
    case 14, 15: return .connectivity(.online)
    case 16: return faults.has(.metered) ? .connectivity(.metered) : nil
    case 17, 18: return faults.has(.refreshes) ? refresh() : nil
    case 19:
      guard faults.has(.switches) else { return nil }
      context = Context(question: random.below(3), identity: random.oneIn(4) ? random.below(2) : 0)
      return .contextChanged(context)
    case 20: return faults.has(.activity) ? .activity(random.oneIn(2) ? .active : .quiet) : nil
    case 21, 22: return faults.has(.actions) ? .acted : nil
    case 23: return faults.has(.actions) ? .fulfilled : nil
    case 24: return faults.has(.writes) ? .wrote(Revision(900_000_000 + random.below(5))) : nil
    case 25: return faults.has(.evictions) ? .evicted : nil
    case 26:
      if faults.has(.jumps) { deviceClock += random.between(-86_400_000, 86_400_000) }
      return faults.has(.forgery) ? forged() : nil
    case 27: return faults.has(.forgery) && policy.push != nil ? stray() : nil
    case 28:
      guard faults.has(.restores) else { return nil }
      let age = Instant.Duration(milliseconds: random.scale(10, 24))
      // Some were made when the server's newest data was, some long before or by another clock.
      let made = [server.clock + server.producer.madeAt, random.scale(10, 40)][Int(random.below(2))]
      return .restored(
        Revision(800_000_000 + random.below(5)),
        age: age,
        sourceTime: random.oneIn(3) ? nil : WallTime(milliseconds: made)
      )
    case 29: return faults.has(.restraints) ? .restrained(restraint()) : nil
    case 30:
      guard faults.has(.storms) else { return nil }
      // A key that is held down, or a window that gains and loses focus.
      nextActAt = now + 1 + random.below(40)
      return random.oneIn(2) ? .refreshRequested(.person) : .lifecycle(.foreground)
    default: return faults.has(.storms) ? .refreshRequested(.person) : nil
    }
  }

  /// Returns the restraint of the origin now, which is often empty (R39).
  private mutating func restraint() -> Restraint {
    guard !random.oneIn(3) else { return Restraint() }
    var restraint = Restraint()
    if random.oneIn(2) { restraint.notBefore = (now + random.below(60_000)).instant }
    if random.oneIn(2) { restraint.quietUntil = (now + random.below(20_000)).instant }
    if random.oneIn(3) {
      restraint.leastInterval = Instant.Duration(milliseconds: random.scale(9, 16))
    }
    if random.oneIn(2) { restraint.sharedUntil = (now + random.below(40_000)).instant }
    return restraint
  }

  private mutating func refresh() -> Event {
    switch random.below(8) {
    case 0, 1: return .refreshRequested(.hardRefresh)
    case 2: return .refreshRequested(.schedule)
    case 3: return .refreshRequested(.change)
    case 4: return .refreshRequested(RefreshRequest(.person, isUnconditional: true))
    default: return .refreshRequested(.person)
    }
  }

  /// Returns a response to a request that is no longer current.
  private mutating func forged() -> Event {
    let ticket = Ticket(
      generation: max(newest.generation - random.between(1, 3), 0),
      context: random.oneIn(2) ? context : Context(question: random.below(4))
    )
    let outcomes: [Outcome] = [
      .content(Content(Revision(random.below(9)), validator: Validator(666), hasRealtime: true)),
      .unchanged, .serverError, .refused, .gone, .throttled(.seconds(90)), .cancelled,
    ]
    return .answered(ticket, Answer(outcomes[Int(random.below(7))], status: 500, bytes: 1))
  }

  /// Returns an unexpected stream event.
  private mutating func stray() -> Event {
    switch random.below(5) {
    case 0: return .streamLost
    case 1: return .streamOpened(isResumed: random.oneIn(2))
    case 2: return .streamChanged
    case 3: return .streamGap
    default: return .streamHeard
    }
  }
}
