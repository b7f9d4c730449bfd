import Freshness

/// A policy in the grammar of Documentation/conformance-vectors.md.
enum PolicyJSON {
  /// Returns a policy as its differences from a preset.
  ///
  /// - Parameters:
  ///   - policy: The policy.
  ///   - name: The closest preset; any other name means `departuresWeb`.
  /// - Returns: An object with `preset` and every field that differs.
  static func overrides(_ policy: Policy, preset name: String) -> JSONText {
    let presets = NamedPolicy.presets
    guard let base = presets.first(where: { $0.name == name }) ?? presets.first else {
      return .null
    }
    let theirs = fields(base.policy)
    let changed = zip(fields(policy), theirs).filter { $0.1.line != $1.1.line }.map { $0.0 }
    return .object([("preset", .string(base.name))] + changed)
  }

  private static func span(_ span: Instant.Duration?) -> JSONText {
    span.map { .integer($0.milliseconds) } ?? .null
  }

  private static func jitter(_ jitter: Jitter) -> JSONText {
    switch jitter {
    case .none: .string("none")
    case .full: .string("full")
    case .within(let bound): .object([("within", span(bound))])
    case .signed(let least, let most): .object([("signed", .array([span(least), span(most)]))])
    case .share(let share): .object([("share", .integer(share))])
    case .above(let share): .object([("above", .integer(share))])
    }
  }

  private static func fields(_ policy: Policy) -> [(String, JSONText)] {
    cadence(policy) + faults(policy) + answers(policy) + upgrades(policy)
  }

  private static func cadence(_ policy: Policy) -> [(String, JSONText)] {
    [
      ("active", span(policy.active)), ("recent", span(policy.recent)),
      ("recentFor", span(policy.recentFor)), ("idle", span(policy.idle)),
      ("background", span(policy.background)), ("jitter", jitter(policy.jitter)),
      ("leastInterval", span(policy.leastInterval)), ("leastWait", span(policy.leastWait)),
      ("burst", span(policy.burst)), ("spread", span(policy.spread)),
      ("focusDebounce", span(policy.focusDebounce)),
      ("impatience", .integer(Int64(policy.impatience))),
    ]
  }

  private static func faults(_ policy: Policy) -> [(String, JSONText)] {
    [
      ("timeout", span(policy.timeout)), ("retryDelay", span(policy.retryDelay)),
      ("ladder", .array(policy.ladder.map { span($0) })),
      ("ladderJitter", jitter(policy.ladderJitter)),
      ("retryAfterCap", span(policy.retryAfterCap)), ("recheck", span(policy.recheck)),
      ("recheckGone", span(policy.recheckGone)),
      ("driftFloor", span(policy.driftFloor)), ("driftPercent", .integer(policy.driftPercent)),
      ("stallFloor", span(policy.stallFloor)), ("stallFactor", .integer(policy.stallFactor)),
      ("rescueCooldown", span(policy.rescueCooldown)),
    ]
  }

  private static func answers(_ policy: Policy) -> [(String, JSONText)] {
    [
      ("unchangedLimit", policy.unchangedLimit.map { .integer(Int64($0)) } ?? .null),
      ("unchangedFor", span(policy.unchangedFor)),
      ("downgradeProtection", span(policy.downgradeProtection)),
      ("clockTolerance", span(policy.clockTolerance)),
      ("degradedRearm", span(policy.degradedRearm)),
      ("badgePartialAfter", span(policy.badgePartialAfter)),
      ("badgeUnavailableAfter", span(policy.badgeUnavailableAfter)),
      ("ringCapacity", .integer(Int64(policy.ringCapacity))),
    ]
  }

  private static func upgrades(_ policy: Policy) -> [(String, JSONText)] {
    let alignment = policy.alignment.map { alignment -> JSONText in
      .object([
        ("delay", span(alignment.delay)), ("spread", span(alignment.spread)),
        ("slack", span(alignment.slack)), ("tolerance", span(alignment.tolerance)),
      ])
    }
    let push = policy.push.map { push -> JSONText in
      .object([
        ("heartbeat", span(push.heartbeat)), ("watchdogPercent", .integer(push.watchdogPercent)),
        ("openTimeout", span(push.openTimeout)), ("safetyPoll", span(push.safetyPoll)),
        ("leastGap", span(push.leastGap)), ("stableAfter", span(push.stableAfter)),
      ])
    }
    return [
      ("alignment", alignment ?? .null), ("longPoll", span(policy.longPoll)),
      ("push", push ?? .null), ("prefetches", .bool(policy.prefetches)),
    ]
  }
}
