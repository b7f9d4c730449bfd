import Freshness

/// The origins of a client, and the machine that each request belongs to (R39).
struct OriginRegistry: Sendable {
  private struct Entry: Sendable {
    var origin: Origin
    /// The restraint that its machines received last.
    var reported = Restraint()
    /// The resources it serves.
    var resources = 0
    /// When its last resource was removed, counted in such events.
    var left: Int64 = 0
  }

  private let limits: Origin.Limits
  private var entries: [String: Entry] = [:]
  /// The machines of queued requests and of those in flight, by request number.
  private var keys: [Int64: MachineSchedule.Key] = [:]
  private var numbers: Int64 = 0
  /// How many resources were removed.
  private var departures: Int64 = 0
  /// The origins that changed.
  private var touched: [String] = []

  /// Creates an empty registry.
  ///
  /// - Parameter policy: The client's policy; origins use its cap and its ladder.
  init(policy: Policy) {
    limits = Origin.Limits(policy: policy)
  }

  /// Returns the restraint for a new machine of an origin.
  func restraint(of name: String) -> Restraint { entries[name]?.origin.restraint ?? Restraint() }

  /// Records another resource of an origin.
  mutating func opened(_ name: String) {
    if entries[name] == nil { makeRoom() }
    entries[name, default: Entry(origin: Origin(limits: limits))].resources += 1
  }

  /// Records that a resource of an origin was removed.
  mutating func closed(_ name: String) {
    departures += 1
    entries[name]?.resources -= 1
    entries[name]?.left = departures
  }

  /// The number of origins that are remembered.
  var count: Int { entries.count }

  /// Forgets origins until another one has room: those whose last resource left first, and those
  /// under a restraint last (R39).
  ///
  /// An origin with resources or requests is never forgotten, so there are at most as many more as
  /// the application has resources.
  private mutating func makeRoom() {
    let excess = entries.count - Origin.mostRemembered + 1
    guard excess > 0 else { return }
    let unused = entries.filter {
      $0.value.resources <= 0 && $0.value.origin.requests == 0 && $0.value.origin.queue == 0
    }
    let order = unused.sorted {
      let isFree = $0.value.origin.restraint == Restraint()
      guard isFree == ($1.value.origin.restraint == Restraint()) else { return isFree }
      return $0.value.left < $1.value.left
    }
    for (name, _) in order.prefix(excess) { entries[name] = nil }
  }

  /// Adds a request that a machine ordered, and numbers it.
  mutating func ask(_ name: String, _ request: Request, for key: MachineSchedule.Key) -> Int64 {
    numbers += 1
    keys[numbers] = key
    entries[name, default: Entry(origin: Origin(limits: limits))].origin.ask(
      numbers,
      priority: request.priority,
      isLongPoll: request.longPoll != nil
    )
    touched.append(name)
    return numbers
  }

  /// Gives a request that waits a priority, if that is higher than its own.
  mutating func hurry(_ number: Int64, of name: String, priority: Request.Priority) {
    guard keys[number] != nil else { return }
    entries[name]?.origin.ask(number, priority: priority)
    touched.append(name)
  }

  /// Records the end of a request; without an outcome it was canceled, sent or not.
  mutating func ended(
    _ number: Int64,
    of name: String,
    _ outcome: Outcome?,
    serverTime: WallTime? = nil,
    rateLimit: RateLimit? = nil,
    resources: Int32,
    at now: Instant
  ) {
    guard keys.removeValue(forKey: number) != nil else { return }
    entries[name]?.origin.ended(
      number,
      outcome ?? .cancelled,
      serverTime: serverTime,
      rateLimit: rateLimit,
      resources: resources,
      at: now
    )
    touched.append(name)
  }

  /// Records that a server refused to open a stream; it was not among the requests.
  mutating func streamRefused(of name: String, _ outcome: Outcome, at now: Instant) {
    // No request has this number.
    entries[name]?.origin.ended(0, outcome, at: now)
    touched.append(name)
  }

  /// Removes and returns the next origin that changed, with the restraint for its machines if that
  /// is new.
  mutating func takeTouched() -> (name: String, restraint: Restraint?)? {
    guard let name = touched.popLast() else { return nil }
    guard let entry = entries[name], entry.origin.restraint != entry.reported else {
      return (name, nil)
    }
    entries[name]?.reported = entry.origin.restraint
    return (name, entry.origin.restraint)
  }

  /// Returns a request to send now, with its machine.
  mutating func admit(
    _ name: String,
    at now: Instant
  ) -> (admission: Origin.Admission, key: MachineSchedule.Key)? {
    while let admission = entries[name]?.origin.admit(at: now) {
      if let key = keys[admission.number] { return (admission, key) }
      entries[name]?.origin.withdraw(admission.number)
    }
    return nil
  }

  /// Removes the requests that wait and that the restraint delays, and returns them with their machines.
  mutating func takeBack(
    _ name: String,
    at now: Instant
  ) -> [(number: Int64, key: MachineSchedule.Key)] {
    let numbers = entries[name]?.origin.takeBack(at: now) ?? []
    return numbers.compactMap { number in
      keys.removeValue(forKey: number).map { (number, $0) }
    }
  }
}

extension Event {
  /// The priority that a request which waits has from this event on: the user asked for it too, or observers watch what
  /// was only prefetched (R35, R39).
  var priorityOfWaiting: Request.Priority? {
    switch self {
    case .refreshRequested(let refresh) where refresh.reason == .person: .high
    case .started: .normal
    default: nil
    }
  }
}
