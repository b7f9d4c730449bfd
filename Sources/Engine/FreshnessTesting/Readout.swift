import Freshness
import StrictJSON

/// Converts effects and machine state to the terms of the grammar.
enum Readout {
  static let changeNames: [(name: String, change: Effects.Changes)] = [
    ("snapshot", .snapshot), ("failure", .failure), ("loading", .loading), ("label", .label),
  ]

  static let noteNames: [(name: String, note: Notes)] = [
    ("coalesced", .coalesced), ("superseded", .superseded), ("kept", .kept),
    ("retried", .retried), ("rescued", .rescued), ("drifted", .drifted), ("timedOut", .timedOut),
    ("prefetchDropped", .prefetchDropped), ("deferred", .deferred), ("streamLost", .streamLost),
    ("overtaken", .overtaken),
  ]

  static let failureNames = [
    "refused", "unauthorised", "gone", "throttled", "serverError", "timedOut", "unreachable",
    "undecodable", "missingBody",
  ]

  static let counterNames = [
    "requests", "cancelled", "answers", "unchanged", "bytes", "coalesced", "superseded", "kept",
    "retries", "rescues", "measuredChanges", "changeToScreenTotal", "changeToScreenLongest",
    "unchangedPercent",
  ]

  // MARK: Effects

  static func effects(_ effects: Effects) -> [String: JSONValue] {
    [
      "cancel": optional(effects.cancel?.generation),
      "request": effects.request.map { .object(request($0)) } ?? .null,
      "snapshot": name(effects.snapshot),
      "asOf": optional(effects.asOf?.milliseconds),
      "changes": .list(
        changeNames.filter { effects.changes.contains($0.change) }.map { .string($0.name) }
      ),
      "stream": effects.stream.map { name($0) } ?? .null,
      "alarm": optional(effects.alarm?.milliseconds),
      "sample": effects.sample.map { .object(sample($0)) } ?? .null,
      "notes": .list(
        noteNames.filter { effects.notes.contains($0.note) }.map { .string($0.name) }
      ),
    ]
  }

  static func request(_ request: Request) -> [String: JSONValue] {
    [
      "generation": .whole(request.ticket.generation),
      "context": context(request.ticket.context),
      "validator": optional(request.validator?.number),
      "longPoll": optional(request.longPoll?.milliseconds),
      "timeout": .whole(request.timeout.milliseconds),
      "priority": name(request.priority),
      "reason": name(request.refresh.reason),
      "isForced": .bool(request.refresh.isForced),
      "isUnconditional": .bool(request.refresh.isUnconditional),
      "showsLoading": .bool(request.refresh.showsLoading),
      "cadence": .whole(request.cadence.milliseconds),
    ]
  }

  private static func sample(_ sample: Sample) -> [String: JSONValue] {
    [
      "generation": .whole(sample.ticket.generation),
      "context": context(sample.ticket.context),
      "startedAt": .whole(sample.startedAt.milliseconds),
      "endedAt": .whole(sample.endedAt.milliseconds),
      "duration": .whole(sample.duration.milliseconds),
      "status": .whole(Int64(sample.status)),
      "outcome": .string(name(sample.outcome)),
      "verdict": sample.verdict.map { name($0) } ?? .null,
      "metadata": .object(metadata(sample.metadata)),
      "skew": optional(sample.skew?.milliseconds),
      "bytes": .whole(sample.bytes),
      "isConditional": .bool(sample.isConditional),
      "isChange": .bool(sample.isChange),
      "changeToScreen": optional(sample.changeToScreen?.milliseconds),
      "cadence": .whole(sample.cadence.milliseconds),
    ]
  }

  private static func metadata(_ metadata: FreshnessMetadata) -> [String: JSONValue] {
    [
      "serverTime": optional(metadata.serverTime?.milliseconds),
      "truncation": .whole(metadata.truncation.milliseconds),
      "fetchedAt": optional(metadata.fetchedAt?.milliseconds),
      "cacheAge": optional(metadata.cacheAge?.milliseconds),
      "transit": .whole(metadata.transit.milliseconds),
      "mode": metadata.mode.map { name($0) } ?? .null,
      "status": metadata.status.map { name($0) } ?? .null,
      "appliedFlag": metadata.appliedFlag.map { .bool($0) } ?? .null,
      "reason": metadata.reason.map { name($0) } ?? .null,
    ]
  }

  // MARK: The machine

  static func shows(_ machine: some ConformingMachine, at now: Instant) -> JSONValue {
    let snapshot = machine.snapshot
    let failure = machine.failure
    return .object([
      "revision": optional(snapshot?.revision.number),
      "validator": optional(snapshot?.validator?.number),
      "hasRealtime": snapshot.map { .bool($0.hasRealtime) } ?? .null,
      "changedAt": optional(snapshot?.changedAt.milliseconds),
      "verifiedAt": optional(snapshot?.verifiedAt.milliseconds),
      "failure": failure.map { .string(name($0.kind)) } ?? .null,
      "failureStatus": optional(failure.map { Int64($0.status) }),
      "failureReason": optional(failure.flatMap { reason($0.kind) }),
      "failureSince": optional(failure?.since.milliseconds),
      "isLoading": .bool(machine.isLoading),
      "isStreaming": .bool(machine.isStreaming),
      "hasObservers": .bool(machine.hasObservers),
      "outstanding": optional(machine.outstanding?.generation),
      "failuresInARow": .whole(Int64(machine.failuresInARow)),
      "lifecycle": name(machine.lifecycle),
      "connectivity": name(machine.connectivity),
      "context": context(machine.context),
      "pace": name(machine.pace(at: now)),
      "label": label(machine.label(at: now)),
      "nextCause": name(machine.nextRequest.cause),
      "nextDue": optional(machine.nextRequest.due?.milliseconds),
    ])
  }

  private static func label(_ label: FreshnessLabel) -> JSONValue {
    let marker: JSONValue =
      switch label.marker {
      case .none: .string("none")
      case .normal: .string("normal")
      case .reduced(.status(let status)): .object(["reduced": .object(["status": name(status)])])
      case .reduced(.mode(let mode)): .object(["reduced": .object(["mode": name(mode)])])
      }
    let wording: JSONValue =
      switch label.wording {
      case nil: .null
      case .seconds(let count): .object(["seconds": .whole(count)])
      case .minutes(let count): .object(["minutes": .whole(count)])
      case .hours(let count): .object(["hours": .whole(count)])
      }
    return .object([
      "marker": marker,
      "badge": name(label.badge),
      "notice": name(label.notice),
      "age": optional(label.age?.milliseconds),
      "isKept": .bool(label.isKept),
      "provenance": name(label.provenance),
      "wording": wording,
    ])
  }

  static func counters(_ counters: Counters) -> JSONValue {
    .object([
      "requests": .whole(counters.requests),
      "cancelled": .whole(counters.cancelled),
      "answers": .whole(counters.answers),
      "unchanged": .whole(counters.unchanged),
      "bytes": .whole(counters.bytes),
      "coalesced": .whole(counters.coalesced),
      "superseded": .whole(counters.superseded),
      "kept": .whole(counters.kept),
      "retries": .whole(counters.retries),
      "rescues": .whole(counters.rescues),
      "measuredChanges": .whole(counters.measuredChanges),
      "changeToScreenTotal": .whole(counters.changeToScreenTotal.milliseconds),
      "changeToScreenLongest": .whole(counters.changeToScreenLongest.milliseconds),
      "unchangedPercent": .whole(counters.unchangedPercent),
    ])
  }

  // MARK: Values

  private static func optional(_ number: Int64?) -> JSONValue { number.map { .whole($0) } ?? .null }

  private static func name<E: RawRepresentable<UInt8>>(_ value: E) -> JSONValue {
    .string(CaseNames.name(value))
  }

  private static func context(_ context: Context) -> JSONValue {
    .object(["question": .whole(context.question), "identity": .whole(context.identity)])
  }

  static func name(_ outcome: Outcome) -> String {
    switch outcome {
    case .content: "content"
    case .unchanged: "unchanged"
    case .refused: "refused"
    case .unauthorised: "unauthorised"
    case .gone: "gone"
    case .throttled: "throttled"
    case .serverError: "serverError"
    case .timedOut: "timedOut"
    case .unreachable: "unreachable"
    case .undecodable: "undecodable"
    case .cancelled: "cancelled"
    }
  }

  private static func name(_ kind: Failure.Kind) -> String {
    switch kind {
    case .refused: "refused"
    case .unauthorised: "unauthorised"
    case .gone: "gone"
    case .throttled: "throttled"
    case .serverError: "serverError"
    case .timedOut: "timedOut"
    case .unreachable: "unreachable"
    case .undecodable: "undecodable"
    case .missingBody: "missingBody"
    }
  }

  private static func reason(_ kind: Failure.Kind) -> Int64? {
    guard case .undecodable(let reason) = kind else { return nil }
    return Int64(reason)
  }
}
