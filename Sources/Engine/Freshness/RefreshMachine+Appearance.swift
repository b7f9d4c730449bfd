extension RefreshMachine {
  /// Whether a request is out that a person may be told about (R25).
  ///
  /// A property of the request that is out: it cannot be left behind on any path.
  public var isLoading: Bool {
    guard case .asking(let flight, _) = phase else { return false }
    return flight.request.wish.showsLoading && lifecycle == .foreground
  }

  /// The ticket of the request that is out.
  public var outstanding: Ticket? { phase.ticket }

  /// Whether the first observer came and the last has not left.
  public var hasObservers: Bool { isWatched }

  /// Whether a healthy stream stands in for polling (R33).
  public var isStreaming: Bool { link.isLive }

  /// The failures in a row that count for the ladder (R23).
  public var failuresInARow: Int32 { backoff.failures }

  /// Names the pace of a wait that would begin now (R9).
  public func pace(at now: Moment) -> Pace {
    lifecycle == .foreground ? activity.pace(at: now, recentFor: policy.recentFor) : .background
  }

  /// Says how fresh the copy at hand is (R26, R27, R28).
  public func label(at now: Moment) -> FreshnessLabel {
    let quality = held?.quality ?? quality
    var age = snapshot?.age.value(at: now)
    if let held, let ageAtArrival = held.age {
      // R20: a kept board is labelled from the answer that was not applied.
      // R37: and never as younger than it is.
      let shown = Age(atArrival: ageAtArrival, arrivedAt: held.arrivedAt).value(at: now)
      age = max(age ?? .zero, shown)
    }
    return FreshnessLabel(
      marks: quality.marks,
      age: age,
      isHeld: held != nil,
      provenance: snapshot?.provenance ?? .server,
      policy: policy
    )
  }
}

/// What observers can tell apart, to know whether to tell them (R16).
struct Appearance: Hashable, Sendable {
  private let revision: Revision?
  private let failure: Failure?
  private let isLoading: Bool
  private let status: RealtimeStatus?
  private let mode: ResponseMode?
  private let isHeld: Bool
  private let provenance: Provenance?

  /// Looks at a machine.
  init(_ machine: RefreshMachine) {
    let quality = machine.held?.quality ?? machine.quality
    revision = machine.snapshot?.revision
    failure = machine.failure
    isLoading = machine.isLoading
    status = quality.effectiveStatus
    mode = quality.mode
    isHeld = machine.held != nil
    provenance = machine.snapshot?.provenance
  }

  /// Names what differs from an earlier look.
  func changes(since earlier: Appearance) -> Effects.Changes {
    var changes: Effects.Changes = []
    if revision != earlier.revision { changes.insert(.snapshot) }
    if failure != earlier.failure { changes.insert(.failure) }
    if isLoading != earlier.isLoading { changes.insert(.loading) }
    if status != earlier.status || mode != earlier.mode || isHeld != earlier.isHeld
      || (provenance ?? .server) != (earlier.provenance ?? .server)
    {
      changes.insert(.label)
    }
    return changes
  }
}
