internal import Freshness

// What a machine shows, with the members of the wire form.

/// The visible state of a machine at an instant.
struct WireAppearance {
  let machine: RefreshMachine
  let now: Instant

  var lifecycle: Lifecycle { machine.lifecycle }
  var connectivity: Connectivity { machine.connectivity }
  var context: Context { machine.context }
  var alarm: Instant? { machine.alarm }
  var snapshot: Snapshot? { machine.snapshot }
  var failure: Failure? { machine.failure }
  var isLoading: Bool { machine.isLoading }
  var outstanding: Ticket? { machine.outstanding }
  var hasObservers: Bool { machine.hasObservers }
  var isStreaming: Bool { machine.isStreaming }
  var failuresInARow: Int32 { machine.failuresInARow }
  var pace: Pace { machine.pace(at: now) }
  var label: FreshnessLabel { machine.label(at: now) }
  var nextCause: NextRequest.Cause { machine.nextRequest.cause }
  var nextDue: Instant? { machine.nextRequest.due }
}

extension Snapshot {
  var ageAtArrival: Instant.Duration { age.atArrival }
  var arrivedAt: Instant { age.arrivedAt }
}

extension Failure {
  var failure: FailureKind {
    switch kind {
    case .refused: .refused
    case .unauthorised: .unauthorised
    case .gone: .gone
    case .throttled: .throttled
    case .serverError: .serverError
    case .timedOut: .timedOut
    case .unreachable: .unreachable
    case .undecodable: .undecodable
    case .missingBody: .missingBody
    }
  }

  /// The reason of an undecodable body.
  var failureReason: Int32? {
    if case .undecodable(let reason) = kind { reason } else { nil }
  }

  var failureStatus: Int32 { status }
  var failureSince: Instant { since }
}

extension FreshnessLabel {
  var markerKind: MarkerKind {
    switch marker {
    case .none: .none
    case .normal: .normal
    case .reduced(.status): .reducedByStatus
    case .reduced(.mode): .reducedByMode
    }
  }

  /// The number of the status or of the mode, depending on the kind of the marker.
  var markerReason: Int64? {
    switch marker {
    case .none, .normal: nil
    case .reduced(.status(let status)): status.wireNumber
    case .reduced(.mode(let mode)): mode.wireNumber
    }
  }

  /// The unit of the wording.
  var unit: WordingKind? {
    switch wording {
    case nil: nil
    case .seconds: .seconds
    case .minutes: .minutes
    case .hours: .hours
    }
  }

  /// The number of the wording.
  var count: Int64? {
    switch wording {
    case nil: nil
    case .seconds(let count), .minutes(let count), .hours(let count): count
    }
  }
}
