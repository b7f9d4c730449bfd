/// One entry of the diagnostics ring: a request from start to end (R29).
public struct Sample: Hashable, Sendable {
  /// The request and its context.
  public var ticket: Ticket
  /// When the request started.
  public var startedAt: Instant
  /// When it ended.
  public var endedAt: Instant
  /// The HTTP status; 0 if there was no response.
  public var status: Int32
  /// The outcome of the request.
  public var outcome: Outcome
  /// The decision about the current copy.
  public var verdict: DowngradeProtection.Verdict?
  /// The freshness metadata of the response: server time, fetch time, age, mode and status.
  public var metadata: FreshnessMetadata
  /// The device's wall clock minus the server's, where both are known (R27).
  public var skew: Instant.Duration?
  /// The bytes received.
  public var bytes: Int64
  /// Whether the request carried a validator.
  public var isConditional: Bool
  /// Whether the body changed.
  public var isChange: Bool
  /// The time from the change on the server to the screen, if the server states it (R30).
  public var changeToScreen: Instant.Duration?
  /// The cadence in force when the request started; zero without one.
  public var cadence: Instant.Duration

  /// Creates a sample.
  public init(
    ticket: Ticket,
    startedAt: Instant,
    endedAt: Instant,
    status: Int32,
    outcome: Outcome,
    verdict: DowngradeProtection.Verdict? = nil,
    metadata: FreshnessMetadata = FreshnessMetadata(),
    skew: Instant.Duration? = nil,
    bytes: Int64 = 0,
    isConditional: Bool = false,
    isChange: Bool = false,
    changeToScreen: Instant.Duration? = nil,
    cadence: Instant.Duration = .zero
  ) {
    self.ticket = ticket
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.status = status
    self.outcome = outcome
    self.verdict = verdict
    self.metadata = metadata
    self.skew = skew
    self.bytes = bytes
    self.isConditional = isConditional
    self.isChange = isChange
    self.changeToScreen = changeToScreen
    self.cadence = cadence
  }

  /// The time the request took.
  public var duration: Instant.Duration { endedAt - startedAt }
}

/// The newest samples, up to a fixed number (R29).
public struct SampleRing: Hashable, Sendable {
  /// The number of samples kept.
  public let capacity: Int32
  private var slots: [Sample] = []
  private var oldest = 0

  /// Creates an empty ring.
  ///
  /// - Parameter capacity: The number of samples kept; a number below zero keeps none.
  public init(capacity: Int32) { self.capacity = max(capacity, 0) }

  /// The number of samples in the ring.
  public var count: Int { slots.count }

  /// The samples, oldest first.
  public var samples: [Sample] { Array(slots[oldest...] + slots[..<oldest]) }

  /// Adds a sample, replacing the oldest when the ring is full.
  public mutating func append(_ sample: Sample) {
    if slots.count < Int(capacity) {
      slots.append(sample)
    } else if !slots.isEmpty {
      slots[oldest] = sample
      oldest = (oldest + 1) % slots.count
    }
  }
}
