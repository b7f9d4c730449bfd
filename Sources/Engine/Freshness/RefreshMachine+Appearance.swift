extension RefreshMachine {
  /// Whether a request is in flight that shows the loading hint (R25).
  ///
  /// Derived from the request in flight, so it cannot outlive it on any path.
  public var isLoading: Bool {
    guard case .asking(let flight, _) = phase else { return false }
    return flight.request.wish.showsLoading && lifecycle == .foreground
  }

  /// The ticket of the request in flight.
  public var outstanding: Ticket? { phase.ticket }

  /// Whether the resource has observers.
  public var hasObservers: Bool { isWatched }

  /// Whether a healthy stream replaces polling (R33).
  public var isStreaming: Bool { link.isLive }

  /// The consecutive failures that count for the backoff (R23).
  public var failuresInARow: Int32 { backoff.failures }

  /// Returns the pace of a wait that would begin now (R9).
  public func pace(at now: Moment) -> Pace {
    lifecycle == .foreground ? activity.pace(at: now, recentFor: policy.recentFor) : .background
  }

  /// Returns how fresh the current copy is (R26, R27, R28).
  public func label(at now: Moment) -> FreshnessLabel {
    let quality = held?.quality ?? quality
    var age = snapshot?.age.value(at: now)
    if let held, let ageAtArrival = held.age {
      // R20: a protected copy is labeled from the response that was not applied. R37: and never as
      // younger than it is.
      let shown = Age(atArrival: ageAtArrival, arrivedAt: held.arrivedAt).value(at: now)
      age = max(age ?? .zero, shown)
    }
    return FreshnessLabel(
      marks: quality.marks,
      age: age,
      isHeld: held != nil,
      provenance: snapshot?.provenance ?? .server,
      isAgeKnown: isAgeKnown,
      policy: policy
    )
  }
}

extension RefreshMachine {
  /// What observers can distinguish now; a member, as an initializer would copy the machine.
  var appearance: Appearance {
    let quality = held?.quality ?? quality
    return Appearance(
      revision: snapshot?.revision,
      failure: failure,
      isLoading: isLoading,
      status: quality.effectiveStatus,
      mode: quality.mode,
      isHeld: held != nil,
      provenance: snapshot?.provenance,
      isAgeKnown: isAgeKnown
    )
  }
}

/// What observers can distinguish, to decide whether to notify them (R16).
struct Appearance: Hashable, Sendable {
  fileprivate let revision: Revision?
  fileprivate let failure: Failure?
  fileprivate let isLoading: Bool
  fileprivate let status: RealtimeStatus?
  fileprivate let mode: ResponseMode?
  fileprivate let isHeld: Bool
  fileprivate let provenance: Provenance?
  fileprivate let isAgeKnown: Bool

  /// Returns the differences from an earlier appearance.
  func changes(since earlier: Appearance) -> Effects.Changes {
    var changes: Effects.Changes = []
    if revision != earlier.revision { changes.insert(.snapshot) }
    if failure != earlier.failure { changes.insert(.failure) }
    if isLoading != earlier.isLoading { changes.insert(.loading) }
    if status != earlier.status || mode != earlier.mode || isHeld != earlier.isHeld
      || (provenance ?? .server) != (earlier.provenance ?? .server)
      || isAgeKnown != earlier.isAgeKnown
    {
      changes.insert(.label)
    }
    return changes
  }
}
