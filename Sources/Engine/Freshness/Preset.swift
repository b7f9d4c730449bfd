extension Policy {
  /// Departures in a browser: 15 s, paused in the background (engine.md presets; seed 000).
  public static let departuresWeb: Policy = {
    var policy = Policy(
      every: .seconds(15),
      jitter: .signed(.milliseconds(300), .milliseconds(600))
    )
    policy.leastInterval = .milliseconds(13_800)
    policy.spread = .milliseconds(600)
    policy.downgradeProtection = .seconds(300)
    policy.alignment = .departures
    policy.ringCapacity = 20
    return policy
  }()

  /// Departures in an application: 20 ± 2 s, never under 15 s (engine.md presets; seed 001).
  public static let departuresNative: Policy = {
    var policy = Policy(every: .seconds(20), jitter: .within(.seconds(2)))
    policy.leastInterval = .seconds(15)
    policy.spread = .seconds(2)
    policy.downgradeProtection = .seconds(300)
    policy.alignment = .departures
    // R10: never under 15 s; the budget may be spent on this.
    policy.alignment?.slack = .seconds(5)
    return policy
  }()

  /// Departures in a browser at the newer 5 s cadence, for comparisons (mesdeparts.md 1.1.1).
  public static let departuresWeb5s: Policy = {
    var policy = departuresWeb
    policy.active = .seconds(5)
    policy.recent = .seconds(5)
    policy.idle = .seconds(5)
    policy.leastInterval = .milliseconds(3_800)
    return policy
  }()

  /// Workspaces: 1.5 s, 3 s, 10 s, and 30 s in the background (engine.md presets; seed 003).
  public static let workspaces: Policy = {
    var policy = Policy(every: .milliseconds(1_500), jitter: .share(10))
    policy.recent = .seconds(3)
    policy.idle = .seconds(10)
    policy.background = .seconds(30)
    policy.leastInterval = .milliseconds(1_350)
    policy.timeout = .seconds(10)
    policy.ladder = [.seconds(2), .seconds(5), .seconds(10), .seconds(20), .seconds(30)]
    // Seed 003 expects nearly every idle response to be a 304. Only time triggers a full one, and
    // rarely enough that 99 of 100 are a 304.
    policy.unchangedLimit = nil
    policy.unchangedFor = .minutes(20)
    return policy
  }()

  /// Jobs, where a WebSocket is not available: 2 s while running (engine.md presets).
  ///
  /// A job that is not running is polled at the background interval.
  public static let jobs: Policy = {
    var policy = Policy(every: .seconds(2), jitter: .share(10))
    policy.idle = .seconds(15)
    policy.background = .seconds(15)
    policy.leastInterval = .milliseconds(1_800)
    policy.timeout = .seconds(10)
    policy.ladder = [
      .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(16), .seconds(30),
    ]
    policy.ladderJitter = .full
    policy.unchangedLimit = nil
    return policy
  }()
}

extension Policy.Alignment {
  /// The alignment of departures: requested 0.5 to 1.1 s after the expected instant (R31).
  public static let departures = Policy.Alignment(
    delay: .milliseconds(500),
    spread: .milliseconds(600),
    slack: .milliseconds(1_200),
    tolerance: .milliseconds(1_500)
  )
}
