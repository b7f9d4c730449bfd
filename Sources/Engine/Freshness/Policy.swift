/// Every constant of the machine, with its source.
///
/// "engine.md" is the rule book of this engine; a seed is the document the rule came from. The
/// machine contains no other length of time, count or rate.
public struct Policy: Hashable, Sendable {
  // MARK: Cadence (R9–R13)

  /// The interval while something is going on (engine.md presets; seeds 001, 003).
  public var active: Timespan
  /// The interval shortly after activity changed (seed 003).
  public var recent: Timespan
  /// How long activity counts as recent after its last change (seed 003: 120 s).
  public var recentFor: Timespan
  /// The interval while nothing happens: slow, never dead (R12).
  public var idle: Timespan
  /// The interval in the background; `nil` pauses (R11).
  public var background: Timespan?
  /// How each wait of the cadence is varied (R10).
  public var jitter: Jitter
  /// The least time between the starts of two scheduled requests (R10, seed 001: 15 s).
  ///
  /// It also bounds the pace that watchers can wish for.
  public var leastInterval: Timespan
  /// The least length of any wait (mesdeparts.md 1.1.1: 200 ms).
  public var leastWait: Timespan
  /// How long a burst after a local action lasts (R13; catnip.md 1.3: 30 s).
  public var burst: Timespan
  /// The window over which clients spread that wake up together (R14, R24).
  public var spread: Timespan
  /// The time in which repeated focus events count as one (R11: 1.5 s).
  public var focusDebounce: Timespan
  /// The most requests that people and devices may bring about in a minute (R40: 12).
  public var impatience: Int32

  // MARK: Faults (R6, R7, R14, R15, R21, R23)

  /// The time a request may take (R6).
  public var timeout: Timespan
  /// The wait before the one silent retry; `nil` does not retry (R7: 700 ms).
  public var retryDelay: Timespan?
  /// The waits after failures, in order; the last one repeats (R23).
  ///
  /// An empty ladder means the active interval.
  public var ladder: [Timespan]
  /// How each wait of the ladder is varied (engine.md presets).
  public var ladderJitter: Jitter
  /// The longest `Retry-After` that is obeyed (R21).
  public var retryAfterCap: Timespan
  /// The wait after an answer that a repetition would not change (R21).
  ///
  /// A wrong question, a missing permission, a thing that is gone: slow, never dead (R12).
  public var recheck: Timespan
  /// The least lateness of a timer that counts as drift (R14: 2 s).
  public var driftFloor: Timespan
  /// The lateness that counts as drift, in percent of the cadence (R14: 75).
  public var driftPercent: Int64
  /// The least silence that counts as a stall (R15: 45 s).
  public var stallFloor: Timespan
  /// The silence that counts as a stall, in multiples of the cadence (R15: 3).
  public var stallFactor: Int64
  /// The least time between two rescues from a stall (R15: 60 s).
  public var rescueCooldown: Timespan

  // MARK: Answers (R18, R20, R34)

  /// The number of not-modified answers after which a request is unconditional (R18: 5).
  public var unchangedLimit: Int32?
  /// The time without a full answer after which a request is unconditional (R18: 10 min).
  public var unchangedFor: Timespan?
  /// The age at which held data gives way (R20: 300 s); `nil` holds nothing.
  public var holdCap: Timespan?
  /// How far a server's clock may lie before the source time of the copy, and the two still count as
  /// one timeline (R36: 5 min).
  public var clockTolerance: Timespan
  /// The time without a degraded answer after which the ladder may be climbed again (R34).
  public var degradedRearm: Timespan
  /// The age from which a live badge is only partial (mesdeparts.md 1.1.12: 25 s).
  public var badgePartialAfter: Timespan
  /// The age from which a badge is no longer live (mesdeparts.md 1.1.12: 45 s).
  public var badgeUnavailableAfter: Timespan

  // MARK: Server hints and upgrades (R31–R33, R35)

  /// How the schedule follows the producer's rhythm; `nil` polls blindly (R31).
  public var alignment: Alignment?
  /// The wait a long poll asks for; `nil` does not long-poll (R32).
  public var longPoll: Timespan?
  /// How a stream replaces polling; `nil` never opens one (R33).
  public var push: Push?
  /// Whether a resource may be fetched before anybody watches it (R35).
  public var prefetches: Bool

  // MARK: Diagnostics (R29)

  /// The number of samples kept (engine.md presets: 20 web, 50 native).
  public var ringCapacity: Int32

  /// How requests are aligned with the producer of the data (R31).
  public struct Alignment: Hashable, Sendable {
    /// The time left to the producer after the expected moment (peers-client.md 6.1).
    public var delay: Timespan
    /// The window after that over which clients spread (peers-client.md 6.1).
    public var spread: Timespan
    /// How much earlier than the cadence an aligned request may start (R10: 1.2 s).
    public var slack: Timespan
    /// How far two moments of one copy in a cache may seem to differ.
    public var tolerance: Timespan

    /// Creates an alignment.
    public init(delay: Timespan, spread: Timespan, slack: Timespan, tolerance: Timespan) {
      self.delay = delay
      self.spread = spread
      self.slack = slack
      self.tolerance = tolerance
    }
  }

  /// How a stream of news replaces polling (R33).
  public struct Push: Hashable, Sendable {
    /// The time between two heartbeats of the stream (catnip.md 7.4: 15 s).
    public var heartbeat: Timespan
    /// The silence after which the stream counts as lost, in percent of a heartbeat (R33: 250).
    public var watchdogPercent: Int64
    /// The time an opening may take.
    public var openTimeout: Timespan
    /// The interval of polling while the stream is healthy (R33).
    public var safetyPoll: Timespan
    /// The least time between the starts of two requests that news asks for.
    public var leastGap: Timespan
    /// The age from which a stream counts as stable, so that its ladder starts afresh
    /// (peers-client.md W9: 60 s).
    public var stableAfter: Timespan

    /// Creates the constants of a stream.
    public init(
      heartbeat: Timespan = .seconds(15),
      watchdogPercent: Int64 = 250,
      openTimeout: Timespan = .seconds(10),
      safetyPoll: Timespan = .seconds(60),
      leastGap: Timespan = .seconds(1),
      stableAfter: Timespan = .seconds(60)
    ) {
      self.heartbeat = heartbeat
      self.watchdogPercent = watchdogPercent
      self.openTimeout = openTimeout
      self.safetyPoll = safetyPoll
      self.leastGap = leastGap
      self.stableAfter = stableAfter
    }

    /// The silence after which the stream counts as lost.
    public var watchdog: Timespan { heartbeat.percent(watchdogPercent) }
  }

  /// Creates a policy with one cadence and the rule book's defaults for everything else.
  ///
  /// - Parameters:
  ///   - interval: The interval in the foreground.
  ///   - jitter: How each wait is varied.
  public init(every interval: Timespan, jitter: Jitter = .none) {
    active = interval
    recent = interval
    recentFor = .seconds(120)
    idle = interval
    background = nil
    self.jitter = jitter
    leastInterval = .milliseconds(200)
    leastWait = .milliseconds(200)
    burst = .seconds(30)
    spread = .seconds(1)
    focusDebounce = .milliseconds(1_500)
    impatience = 12
    timeout = .seconds(12)
    retryDelay = .milliseconds(700)
    ladder = [.seconds(2), .seconds(5), .seconds(10), .seconds(20)]
    ladderJitter = .above(10)
    retryAfterCap = .minutes(5)
    recheck = .minutes(5)
    driftFloor = .seconds(2)
    driftPercent = 75
    stallFloor = .seconds(45)
    stallFactor = 3
    rescueCooldown = .seconds(60)
    unchangedLimit = 5
    unchangedFor = .minutes(10)
    holdCap = nil
    clockTolerance = .minutes(5)
    degradedRearm = .minutes(5)
    badgePartialAfter = .seconds(25)
    badgeUnavailableAfter = .seconds(45)
    alignment = nil
    longPoll = nil
    push = nil
    prefetches = true
    ringCapacity = 50
  }

  /// The interval of a pace; `nil` is a pause (R11, R12).
  public func interval(_ pace: Pace) -> Timespan? {
    switch pace {
    case .active: active
    case .recent: recent
    case .idle: idle
    case .background: background
    }
  }

  /// The lateness that counts as drift at a cadence (R14).
  public func driftLimit(cadence: Timespan) -> Timespan {
    max(driftFloor, cadence.percent(driftPercent))
  }

  /// The silence that counts as a stall at a cadence (R15).
  public func stallLimit(cadence: Timespan) -> Timespan {
    max(stallFloor, cadence * stallFactor)
  }
}
