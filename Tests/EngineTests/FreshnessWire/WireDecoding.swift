@testable public import Freshness
@testable public import FreshnessWire

// What comes out of the machine, read back. Hosts in Swift hold the values themselves and never need
// this; the tests do, to see that nothing is lost on the way.
//
// One field does not travel: `RefreshRequest.repetition`, which is the machine's own.

extension Request: WireReadable {
  /// Reads what `write(to:)` wrote.
  public init(from reader: inout WireReader) throws(WireError) {
    // In the order of the wire form.
    let ticket = try Ticket(from: &reader)
    let validator = try reader.optionalValidator()
    let longPoll = try reader.optionalSpan()
    let timeout = try reader.span()
    self.init(
      ticket: ticket,
      validator: validator,
      priority: try reader.numbered(Priority.self),
      refresh: try RefreshRequest(from: &reader),
      longPoll: longPoll,
      timeout: timeout,
      cadence: try reader.span()
    )
  }
}

extension Sample: WireReadable {
  /// Reads what `write(to:)` wrote.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init(
      ticket: try Ticket(from: &reader),
      startedAt: try reader.instant(),
      endedAt: try reader.instant(),
      status: try reader.short(),
      outcome: try Outcome(from: &reader),
      verdict: try reader.optionalNumbered(DowngradeProtection.Verdict.self),
      metadata: try FreshnessMetadata(from: &reader),
      skew: try reader.optionalToldSpan(),
      bytes: try reader.integer(in: 0...Wire.limit),
      isConditional: try reader.flag(),
      isChange: try reader.flag(),
      changeToScreen: try reader.optionalToldSpan(),
      cadence: try reader.span()
    )
  }
}

extension Effects: WireReadable {
  /// Reads what `write(to:)` wrote.
  public init(from reader: inout WireReader) throws(WireError) {
    self.init()
    cancel = try Ticket.optional(from: &reader)
    snapshot = try reader.numbered(SnapshotOrder.self)
    asOf = try reader.optionalInstant()
    changes = Changes(rawValue: UInt8(try reader.integer(in: 0...255)))
    request = try Request.optional(from: &reader)
    stream = try reader.optionalNumbered(PushCommand.self)
    alarm = try reader.optionalInstant()
    sample = try Sample.optional(from: &reader)
    notes = Notes(rawValue: UInt16(try reader.integer(in: 0...65_535)))
  }
}

extension Snapshot: WireReadable {
  /// Reads what `write(to:)` wrote.
  public init(from reader: inout WireReader) throws(WireError) {
    // In the order of the wire form.
    let revision = try reader.revision()
    let validator = try reader.optionalValidator()
    let hasRealtime = try reader.flag()
    let age = Age(atArrival: try reader.toldSpan(), arrivedAt: try reader.instant())
    let hasServerAge = try reader.flag()
    let sourceTime = try reader.optionalWallTime()
    self.init(
      revision: revision,
      validator: validator,
      hasRealtime: hasRealtime,
      hasServerAge: hasServerAge,
      age: age,
      floor: sourceTime,
      hasSourceTime: sourceTime != nil,
      provenance: try reader.numbered(Provenance.self),
      changedAt: try reader.instant(),
      verifiedAt: try reader.instant()
    )
  }
}

extension Failure: WireReadable {
  /// Reads what `write(to:)` wrote.
  public init(from reader: inout WireReader) throws(WireError) {
    let number = try reader.numbered(FailureKind.self)
    let reason = try reader.optional(in: Int64(Int32.min)...Int64(Int32.max))
    let kind: Kind =
      switch number {
      case .refused: .refused
      case .unauthorised: .unauthorised
      case .gone: .gone
      case .throttled: .throttled
      case .serverError: .serverError
      case .timedOut: .timedOut
      case .unreachable: .unreachable
      case .undecodable: .undecodable(reason: Int32(reason ?? 0))
      case .missingBody: .missingBody
      }
    guard (reason != nil) == (number == .undecodable) else { throw reader.refused(.outOfRange) }
    self.init(kind: kind, status: try reader.short(), since: try reader.instant())
  }
}

/// A label as the wire carries it, its wording included.
struct WireLabel: Hashable, WireReadable {
  let marker: FreshnessLabel.Marker
  let badge: FreshnessLabel.Badge
  let notice: FreshnessLabel.Notice
  let age: Instant.Duration?
  let isKept: Bool
  let provenance: Provenance
  let wording: Age.Wording?

  init(_ label: FreshnessLabel) {
    marker = label.marker
    badge = label.badge
    notice = label.notice
    age = label.age?.carried
    isKept = label.isKept
    provenance = label.provenance
    wording = label.wording
  }

  init(from reader: inout WireReader) throws(WireError) {
    switch try reader.numbered(MarkerKind.self) {
    case .none:
      marker = .none
      guard try reader.optional(in: 0...0) == nil else { throw reader.refused(.outOfRange) }
    case .normal:
      marker = .normal
      guard try reader.optional(in: 0...0) == nil else { throw reader.refused(.outOfRange) }
    case .reducedByStatus: marker = .reduced(.status(try reader.numbered(RealtimeStatus.self)))
    case .reducedByMode: marker = .reduced(.mode(try reader.numbered(ResponseMode.self)))
    }
    badge = try reader.numbered(FreshnessLabel.Badge.self)
    notice = try reader.numbered(FreshnessLabel.Notice.self)
    age = try reader.optionalToldSpan()
    isKept = try reader.flag()
    provenance = try reader.numbered(Provenance.self)
    let unit = try reader.optionalNumbered(WordingKind.self)
    let count = try reader.optional(in: .wire)
    wording =
      switch (unit, count) {
      case (.seconds?, let count?): .seconds(count)
      case (.minutes?, let count?): .minutes(count)
      case (.hours?, let count?): .hours(count)
      default: nil
      }
    guard (unit == nil) == (count == nil) else { throw reader.refused(.outOfRange) }
  }
}

extension WireLabel {
  /// The label as the machine's hosts know it.
  var label: FreshnessLabel {
    var label = FreshnessLabel(
      metadata: FreshnessMetadata(),
      age: age,
      isKept: isKept,
      provenance: provenance,
      policy: Policy(every: .seconds(1))
    )
    label.marker = marker
    label.badge = badge
    label.notice = notice
    return label
  }
}

/// Everything a machine shows, read back.
struct WireState: Hashable, WireReadable {
  let lifecycle: Lifecycle
  let connectivity: Connectivity
  let context: Context
  let alarm: Instant?
  let snapshot: Snapshot?
  let failure: Failure?
  let isLoading: Bool
  let outstanding: Ticket?
  let hasObservers: Bool
  let isStreaming: Bool
  let failuresInARow: Int32
  let pace: Pace
  let label: WireLabel
  let nextRequest: NextRequest

  init(_ machine: RefreshMachine, at now: Instant) {
    lifecycle = machine.lifecycle
    connectivity = machine.connectivity
    context = machine.context
    alarm = machine.alarm?.carried
    snapshot = machine.snapshot?.carried
    failure = machine.failure
    isLoading = machine.isLoading
    outstanding = machine.outstanding
    hasObservers = machine.hasObservers
    isStreaming = machine.isStreaming
    failuresInARow = machine.failuresInARow
    pace = machine.pace(at: now)
    label = WireLabel(machine.label(at: now))
    nextRequest = machine.nextRequest.carried
  }

  init(from reader: inout WireReader) throws(WireError) {
    lifecycle = try reader.numbered(Lifecycle.self)
    connectivity = try reader.numbered(Connectivity.self)
    context = try Context(from: &reader)
    alarm = try reader.optionalInstant()
    snapshot = try Snapshot.optional(from: &reader)
    failure = try Failure.optional(from: &reader)
    isLoading = try reader.flag()
    outstanding = try Ticket.optional(from: &reader)
    hasObservers = try reader.flag()
    isStreaming = try reader.flag()
    failuresInARow = try reader.short()
    pace = try reader.numbered(Pace.self)
    label = try WireLabel(from: &reader)
    nextRequest = NextRequest(
      try reader.numbered(NextRequest.Cause.self),
      due: try reader.optionalInstant()
    )
  }
}
