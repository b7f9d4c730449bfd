import Freshness

extension ExpectedShape {
  /// The members of `expect`.
  static func of(wait: Bool) -> ExpectedShape { .members(wait ? afterWait : afterEvent) }

  private static let afterWait: [String: ExpectedShape] = afterEvent.merging([
    "requests": .list(.members(request.merging(["at": .whole]) { first, _ in first })),
    "requestCount": .range,
  ]) { first, _ in first }

  private static let afterEvent: [String: ExpectedShape] = [
    "cancel": .optional(.whole),
    "request": .optional(.members(request)),
    "snapshot": .name(CaseNames.of(Effects.SnapshotOrder.self)),
    "asOf": .optional(.whole),
    "changes": .set(Readout.changeNames.map(\.name)),
    "stream": .optional(.name(CaseNames.of(PushCommand.self))),
    "alarm": .optional(.range),
    "sample": .optional(.members(sample)),
    "notes": .set(Readout.noteNames.map(\.name)),
    "shows": .members(shows),
    "counters": .members(
      Dictionary(uniqueKeysWithValues: Readout.counterNames.map { ($0, .whole) })
    ),
    "ring": .list(.whole),
  ]

  private static let request: [String: ExpectedShape] = [
    "generation": .whole,
    "context": .context,
    "validator": .optional(.whole),
    "longPoll": .optional(.whole),
    "timeout": .whole,
    "priority": .name(CaseNames.of(Request.Priority.self)),
    "reason": .name(CaseNames.of(RefreshRequest.Reason.self)),
    "isForced": .flag,
    "isUnconditional": .flag,
    "showsLoading": .flag,
    "cadence": .whole,
  ]

  private static let sample: [String: ExpectedShape] = [
    "generation": .whole,
    "context": .context,
    "startedAt": .whole,
    "endedAt": .whole,
    "duration": .whole,
    "status": .whole,
    "outcome": .name(AnswerReader.outcomeNames),
    "verdict": .optional(.name(CaseNames.of(DowngradeProtection.Verdict.self))),
    "metadata": .members(metadata),
    "skew": .optional(.whole),
    "bytes": .whole,
    "isConditional": .flag,
    "isChange": .flag,
    "changeToScreen": .optional(.whole),
    "cadence": .whole,
  ]

  private static let metadata: [String: ExpectedShape] = [
    "serverTime": .optional(.whole),
    "truncation": .whole,
    "fetchedAt": .optional(.whole),
    "cacheAge": .optional(.whole),
    "transit": .whole,
    "mode": .optional(.name(CaseNames.of(ResponseMode.self))),
    "status": .optional(.name(CaseNames.of(RealtimeStatus.self))),
    "appliedFlag": .optional(.flag),
    "reason": .optional(.name(CaseNames.of(RealtimeStatus.self))),
  ]

  private static let shows: [String: ExpectedShape] = [
    "revision": .optional(.whole),
    "validator": .optional(.whole),
    "hasRealtime": .optional(.flag),
    "changedAt": .optional(.whole),
    "verifiedAt": .optional(.whole),
    "failure": .optional(.name(Readout.failureNames)),
    "failureStatus": .optional(.whole),
    "failureReason": .optional(.whole),
    "failureSince": .optional(.whole),
    "isLoading": .flag,
    "isStreaming": .flag,
    "hasObservers": .flag,
    "outstanding": .optional(.whole),
    "failuresInARow": .whole,
    "lifecycle": .name(CaseNames.of(Lifecycle.self)),
    "connectivity": .name(CaseNames.of(Connectivity.self)),
    "context": .context,
    "pace": .name(CaseNames.of(Pace.self)),
    "label": .members(label),
    "nextCause": .name(CaseNames.of(NextRequest.Cause.self)),
    "nextDue": .optional(.range),
  ]

  private static let label: [String: ExpectedShape] = [
    "marker": .either(
      .name(["none", "normal"]),
      .oneOf([
        "reduced": .oneOf([
          "status": .name(CaseNames.of(RealtimeStatus.self)),
          "mode": .name(CaseNames.of(ResponseMode.self)),
        ])
      ])
    ),
    "badge": .name(CaseNames.of(FreshnessLabel.Badge.self)),
    "notice": .name(CaseNames.of(FreshnessLabel.Notice.self)),
    "age": .optional(.whole),
    "isKept": .flag,
    "provenance": .name(CaseNames.of(Provenance.self)),
    "wording": .optional(.oneOf(["seconds": .whole, "minutes": .whole, "hours": .whole])),
  ]
}
