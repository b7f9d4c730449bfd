import Freshness

/// The origins of a client, and the machine that each request belongs to (R39).
struct OriginRegistry: Sendable {
  private struct Entry: Sendable {
    var origin: Origin
    /// The restraint that its machines received last.
    var told = Restraint()
    /// The resources it serves.
    var resources = 0
  }

  private let limits: Origin.Limits
  private var entries: [String: Entry] = [:]
  /// The machines of queued requests and of those in flight, by request number.
  private var keys: [Int64: MachineSchedule.Key] = [:]
  private var numbers: Int64 = 0
  /// The origins that changed.
  private var touched: [String] = []

  /// Creates an empty registry.
  ///
  /// - Parameter policy: The client's policy; origins use its cap and its ladder.
  init(policy: Policy) {
    var limits = Origin.Limits()
    limits.retryAfterCap = policy.retryAfterCap
    limits.ladder = policy.ladder
    self.limits = limits
  }

  /// Returns the restraint for a new machine of an origin.
  func restraint(of name: String) -> Restraint { entries[name]?.origin.restraint ?? Restraint() }

  /// Records another resource of an origin.
  mutating func opened(_ name: String) {
    if entries[name] == nil, entries.count >= ClientLimits.mostOrigins {
      entries = entries.filter { $0.value.resources > 0 }
    }
    entries[name, default: Entry(origin: Origin(limits: limits))].resources += 1
  }

  /// Records that a resource of an origin was removed.
  mutating func closed(_ name: String) { entries[name]?.resources -= 1 }

  /// Adds a request that a machine ordered, and numbers it.
  mutating func ask(_ name: String, _ request: Request, for key: MachineSchedule.Key) -> Int64 {
    numbers += 1
    keys[numbers] = key
    entries[name, default: Entry(origin: Origin(limits: limits))].origin.ask(
      numbers,
      priority: request.priority
    )
    touched.append(name)
    return numbers
  }

  /// Records the end of a request; without an outcome it was canceled, sent or not.
  mutating func ended(
    _ number: Int64,
    of name: String,
    _ outcome: Outcome?,
    serverTime: WallTime? = nil,
    rateLimit: RateLimit? = nil,
    resources: Int32,
    at now: Moment
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

  /// Removes and returns the next origin that changed, with the restraint for its machines if that
  /// is new.
  mutating func takeTouched() -> (name: String, news: Restraint?)? {
    guard let name = touched.popLast() else { return nil }
    guard let entry = entries[name], entry.origin.restraint != entry.told else {
      return (name, nil)
    }
    entries[name]?.told = entry.origin.restraint
    return (name, entry.origin.restraint)
  }

  /// Returns a request to send now, with its machine.
  mutating func admit(_ name: String) -> (number: Int64, key: MachineSchedule.Key)? {
    while let number = entries[name]?.origin.admit() {
      if let key = keys[number] { return (number, key) }
      entries[name]?.origin.withdraw(number)
    }
    return nil
  }
}
