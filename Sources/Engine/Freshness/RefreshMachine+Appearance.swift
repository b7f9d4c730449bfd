extension RefreshMachine {
  /// Whether a request is in flight that shows the loading hint (R25).
  ///
  /// Derived from the request in flight, so it cannot outlive it on any path.
  public var isLoading: Bool {
    guard case .requesting(let inFlight, _) = phase else { return false }
    return inFlight.request.refresh.showsLoading && lifecycle == .foreground
  }

  /// The ticket of the request in flight.
  public var outstanding: Ticket? { phase.ticket }

  /// Whether the resource has observers.
  public var hasObservers: Bool { isWatched }

  /// Whether a healthy stream replaces polling (R33).
  public var isStreaming: Bool { connection.isLive }

  /// The consecutive failures that count for the backoff (R23).
  public var failuresInARow: Int32 { backoff.failures }

  /// Returns the pace of a wait that would begin now (R9).
  public func pace(at now: Instant) -> Pace {
    lifecycle == .foreground ? activity.pace(at: now, recentFor: policy.recentFor) : .background
  }

  /// Returns how fresh the current copy is (R26, R27, R28).
  public func label(at now: Instant) -> FreshnessLabel {
    let quality = withheld?.quality ?? quality
    var age = snapshot?.age.value(at: now)
    if let withheld, let ageAtArrival = withheld.age {
      // R20: a protected copy is labeled from the response that was not applied. R37: and never as
      // younger than it is.
      let shown = Age(atArrival: ageAtArrival, arrivedAt: withheld.arrivedAt).value(at: now)
      age = max(age ?? .zero, shown)
    }
    return FreshnessLabel(
      metadata: quality.metadata,
      age: age,
      isKept: withheld != nil,
      provenance: snapshot?.provenance ?? .server,
      isAgeKnown: isAgeKnown,
      policy: policy
    )
  }
}

extension RefreshMachine {
  /// What observers can distinguish now; a member, as an initializer would copy the machine.
  var appearance: Appearance {
    let quality = withheld?.quality ?? quality
    return Appearance(
      revision: snapshot?.revision,
      failure: failure,
      isLoading: isLoading,
      status: quality.effectiveStatus,
      mode: quality.mode,
      isKept: withheld != nil,
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
  fileprivate let isKept: Bool
  fileprivate let provenance: Provenance?
  fileprivate let isAgeKnown: Bool

  /// Returns the differences from an earlier appearance.
  func changes(since earlier: Appearance) -> Effects.Changes {
    var changes: Effects.Changes = []
    if revision != earlier.revision { changes.insert(.snapshot) }
    if failure != earlier.failure { changes.insert(.failure) }
    if isLoading != earlier.isLoading { changes.insert(.loading) }
    if status != earlier.status || mode != earlier.mode || isKept != earlier.isKept
      || (provenance ?? .server) != (earlier.provenance ?? .server)
      || isAgeKnown != earlier.isAgeKnown
    {
      changes.insert(.label)
    }
    return changes
  }
}
