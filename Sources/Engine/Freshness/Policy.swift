/// The constants of the machine, each with its source.
///
/// "engine.md" is the specification of this engine; a seed is the document that a rule came from.
/// The limits of an origin and the estimator of R31 have constants of their own.
public struct Policy: Hashable, Sendable {
  // MARK: Cadence (R9–R13)

  /// The interval while work is in progress (engine.md presets; seeds 001, 003).
  public var active: Instant.Duration
  /// The interval shortly after activity changed (seed 003).
  public var recent: Instant.Duration
  /// How long activity counts as recent after its last change (seed 003: 120 s).
  public var recentFor: Instant.Duration
  /// The interval without activity: slow, but never stopped (R12).
  public var idle: Instant.Duration
  /// The interval in the background; `nil` pauses (R11).
  public var background: Instant.Duration?
  /// How each wait of the cadence is varied (R10).
  public var jitter: Jitter
  /// The minimum time between the starts of two scheduled requests (R10, seed 001: 15 s).
  ///
  /// It also limits the pace that observers can request.
  public var leastInterval: Instant.Duration
  /// The minimum length of any wait (mesdeparts.md 1.1.1: 200 ms).
  public var leastWait: Instant.Duration
  /// How long a burst after a local action lasts (R13; catnip.md 1.3: 30 s).
  public var burst: Instant.Duration
  /// The window over which clients that wake together are spread (R14, R24).
  public var spread: Instant.Duration
  /// The time within which repeated focus events count as one (R11: 1.5 s).
  public var focusDebounce: Instant.Duration
  /// The maximum number of requests per minute that users and devices may cause (R40: 12).
  public var impatience: Int32

  // MARK: Faults (R6, R7, R14, R15, R21, R23)

  /// The time a request may take (R6).
  public var timeout: Instant.Duration
  /// The wait before the one silent retry; `nil` disables it (R7: 700 ms).
  public var retryDelay: Instant.Duration?
  /// The waits after failures, in order; the last one repeats (R23).
  ///
  /// An empty ladder means the active interval.
  public var ladder: [Instant.Duration]
  /// How each backoff wait is varied (engine.md presets).
  public var ladderJitter: Jitter
  /// The longest `Retry-After` that is honored (R21).
  public var retryAfterCap: Instant.Duration
  /// The wait after a response that a retry would not change (R21).
  ///
  /// A wrong request or a missing permission: slow, but never stopped (R12).
  public var recheck: Instant.Duration
  /// The wait after `410`, which says that the resource is gone for good (R39: a day).
  ///
  /// Even then polling never stops: some servers bring a resource back (R12).
  public var recheckGone: Instant.Duration
  /// The minimum lateness of a timer that counts as drift (R14: 2 s).
  public var driftFloor: Instant.Duration
  /// The lateness that counts as drift, in percent of the cadence (R14: 75).
  public var driftPercent: Int64
  /// The minimum silence that counts as a stall (R15: 45 s).
  public var stallFloor: Instant.Duration
  /// The silence that counts as a stall, in multiples of the cadence (R15: 3).
  public var stallFactor: Int64
  /// The minimum time between two rescues from a stall (R15: 60 s).
  public var rescueCooldown: Instant.Duration

  // MARK: Answers (R18, R20, R34)

  /// The number of "not modified" responses after which a request is unconditional (R18: 5).
  public var unchangedLimit: Int32?
  /// The time without a full response after which a request is unconditional (R18: 10 min).
  public var unchangedFor: Instant.Duration?
  /// The age up to which data is protected from a downgrade (R20: 300 s); `nil` disables
  /// protection.
  public var downgradeProtection: Instant.Duration?
  /// How far a server's clock may be behind the source time of the copy and still count as the same
  /// timeline (R36: 5 min).
  public var clockTolerance: Instant.Duration
  /// The time without a degraded response after which the ladder may be used again (R34).
  public var degradedRearm: Instant.Duration
  /// The age from which a live badge is only partial (mesdeparts.md 1.1.12: 25 s).
  public var badgePartialAfter: Instant.Duration
  /// The age from which a badge is no longer live (mesdeparts.md 1.1.12: 45 s).
  public var badgeUnavailableAfter: Instant.Duration

  // MARK: Server hints and upgrades (R31–R33, R35)

  /// How the schedule follows the producer's rhythm; `nil` polls blindly (R31).
  public var alignment: Alignment?
  /// The wait that a long poll requests; `nil` disables long polling (R32).
  public var longPoll: Instant.Duration?
  /// How a stream replaces polling; `nil` disables streams (R33).
  public var push: Push?
  /// Whether a resource may be fetched before it has observers (R35).
  public var prefetches: Bool

  // MARK: Diagnostics (R29)

  /// The number of samples kept (engine.md presets: 20 web, 50 native).
  public var ringCapacity: Int32

  /// How requests are aligned with the producer of the data (R31).
  public struct Alignment: Hashable, Sendable {
    /// The time granted to the producer after the expected instant (peers-client.md 6.1).
    public var delay: Instant.Duration
    /// The window after that over which clients are spread (peers-client.md 6.1).
    public var spread: Instant.Duration
    /// How much earlier than the cadence an aligned request may start (R10: 1.2 s).
    public var slack: Instant.Duration
    /// How far two instants of one cached copy may seem to differ.
    public var tolerance: Instant.Duration

    /// Creates an alignment.
    public init(
      delay: Instant.Duration,
      spread: Instant.Duration,
      slack: Instant.Duration,
      tolerance: Instant.Duration
    ) {
      self.delay = delay
      self.spread = spread
      self.slack = slack
      self.tolerance = tolerance
    }
  }

  /// How an event stream replaces polling (R33).
  public struct Push: Hashable, Sendable {
    /// The time between two heartbeats of the stream (catnip.md 7.4: 15 s).
    public var heartbeat: Instant.Duration
    /// The silence after which the stream counts as lost, in percent of a heartbeat (R33: 250).
    public var watchdogPercent: Int64
    /// The time limit for opening a stream.
    public var openTimeout: Instant.Duration
    /// The interval of polling while the stream is healthy (R33).
    public var safetyPoll: Instant.Duration
    /// The minimum time between the starts of two requests that stream events ask for.
    public var leastGap: Instant.Duration
    /// The age from which a stream counts as stable, so that its backoff is reset (peers-client.md
    /// W9: 60 s).
    public var stableAfter: Instant.Duration

    /// Creates the constants of a stream.
    public init(
      heartbeat: Instant.Duration = .seconds(15),
      watchdogPercent: Int64 = 250,
      openTimeout: Instant.Duration = .seconds(10),
      safetyPoll: Instant.Duration = .seconds(60),
      leastGap: Instant.Duration = .seconds(1),
      stableAfter: Instant.Duration = .seconds(60)
    ) {
      self.heartbeat = heartbeat
      self.watchdogPercent = watchdogPercent
      self.openTimeout = openTimeout
      self.safetyPoll = safetyPoll
      self.leastGap = leastGap
      self.stableAfter = stableAfter
    }

    /// The silence after which the stream counts as lost.
    public var watchdog: Instant.Duration { heartbeat.percent(watchdogPercent) }
  }

  /// Creates a policy with one cadence and the default for every other constant.
  ///
  /// - Parameters:
  ///   - interval: The interval in the foreground.
  ///   - jitter: How each wait is varied.
  public init(every interval: Instant.Duration, jitter: Jitter = .none) {
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
    recheckGone = .minutes(24 * 60)
    driftFloor = .seconds(2)
    driftPercent = 75
    stallFloor = .seconds(45)
    stallFactor = 3
    rescueCooldown = .seconds(60)
    unchangedLimit = 5
    unchangedFor = .minutes(10)
    downgradeProtection = nil
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

  /// Returns the interval of a pace; `nil` pauses (R11, R12).
  public func interval(_ pace: Pace) -> Instant.Duration? {
    switch pace {
    case .active: active
    case .recent: recent
    case .idle: idle
    case .background: background
    }
  }

  /// Returns the lateness that counts as drift at a cadence (R14).
  public func driftLimit(cadence: Instant.Duration) -> Instant.Duration {
    max(driftFloor, cadence.percent(driftPercent))
  }

  /// Returns the silence that counts as a stall at a cadence (R15).
  public func stallLimit(cadence: Instant.Duration) -> Instant.Duration {
    max(stallFloor, cadence * stallFactor)
  }
}
