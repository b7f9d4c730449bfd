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
    "snapshot": .word(CaseNames.names(Effects.SnapshotOrder.self)),
    "asOf": .optional(.whole),
    "changes": .set(Readout.changeNames.map(\.name)),
    "link": .optional(.word(CaseNames.names(PushCommand.self))),
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
    "priority": .word(CaseNames.names(Request.Priority.self)),
    "reason": .word(CaseNames.names(RefreshRequest.Reason.self)),
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
    "outcome": .word(AnswerReader.outcomeNames),
    "verdict": .optional(.word(CaseNames.names(DowngradeProtection.Verdict.self))),
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
    "mode": .optional(.word(CaseNames.names(ResponseMode.self))),
    "status": .optional(.word(CaseNames.names(RealtimeStatus.self))),
    "appliedFlag": .optional(.flag),
    "reason": .optional(.word(CaseNames.names(RealtimeStatus.self))),
  ]

  private static let shows: [String: ExpectedShape] = [
    "revision": .optional(.whole),
    "validator": .optional(.whole),
    "hasRealtime": .optional(.flag),
    "changedAt": .optional(.whole),
    "verifiedAt": .optional(.whole),
    "failure": .optional(.word(Readout.failureNames)),
    "failureStatus": .optional(.whole),
    "failureReason": .optional(.whole),
    "failureSince": .optional(.whole),
    "isLoading": .flag,
    "isStreaming": .flag,
    "hasObservers": .flag,
    "outstanding": .optional(.whole),
    "failuresInARow": .whole,
    "lifecycle": .word(CaseNames.names(Lifecycle.self)),
    "connectivity": .word(CaseNames.names(Connectivity.self)),
    "context": .context,
    "pace": .word(CaseNames.names(Pace.self)),
    "label": .members(label),
    "nextCause": .word(CaseNames.names(NextRequest.Cause.self)),
    "nextDue": .optional(.range),
  ]

  private static let label: [String: ExpectedShape] = [
    "marker": .either(
      .word(["none", "normal"]),
      .oneOf([
        "reduced": .oneOf([
          "status": .word(CaseNames.names(RealtimeStatus.self)),
          "mode": .word(CaseNames.names(ResponseMode.self)),
        ])
      ])
    ),
    "badge": .word(CaseNames.names(FreshnessLabel.Badge.self)),
    "notice": .word(CaseNames.names(FreshnessLabel.Notice.self)),
    "age": .optional(.whole),
    "isHeld": .flag,
    "provenance": .word(CaseNames.names(Provenance.self)),
    "wording": .optional(.oneOf(["seconds": .whole, "minutes": .whole, "hours": .whole])),
  ]
}
