/// What happened during an event besides its effects (R30).
public struct Notes: OptionSet, Hashable, Sendable {
  /// The bits of the set.
  public let rawValue: UInt16

  /// Creates a set from its bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// A refresh request joined one that was waiting, or a request in flight (R2).
  public static let coalesced = Notes(rawValue: 1)
  /// A response came too late or for another context (R3).
  public static let superseded = Notes(rawValue: 2)
  /// A better copy was kept (R20).
  public static let kept = Notes(rawValue: 4)
  /// The silent retry was sent (R7).
  public static let retried = Notes(rawValue: 8)
  /// A stall was ended by a request without a validator (R15).
  public static let rescued = Notes(rawValue: 16)
  /// A timer was late, or the device slept (R14).
  public static let drifted = Notes(rawValue: 32)
  /// A request exceeded its timeout (R6).
  public static let timedOut = Notes(rawValue: 64)
  /// A prefetch was not worth a request (R35).
  public static let prefetchDropped = Notes(rawValue: 128)
  /// A refresh request waits for the network, for a `Retry-After` or for the budget (R21, R24, R39,
  /// R40).
  public static let deferred = Notes(rawValue: 256)
  /// The stream was lost or has a gap (R33).
  public static let streamLost = Notes(rawValue: 512)
  /// A response was not applied because the stream overtook it (R33).
  public static let overtaken = Notes(rawValue: 1_024)
}

/// Totals over the life of a machine (R30).
public struct Counters: Hashable, Sendable {
  /// The requests sent.
  public var requests: Int64 = 0
  /// The requests that the machine canceled.
  public var cancelled: Int64 = 0
  /// The responses that counted, of every outcome.
  public var answers: Int64 = 0
  /// The "not modified" responses (R16).
  public var unchanged: Int64 = 0
  /// The bytes received.
  public var bytes: Int64 = 0
  /// The refresh requests that joined others (R2).
  public var coalesced: Int64 = 0
  /// The responses that came too late (R3), or that the stream overtook (R33).
  public var superseded: Int64 = 0
  /// The responses that were not applied because a better copy was kept (R20).
  public var kept: Int64 = 0
  /// The silent retries (R7).
  public var retries: Int64 = 0
  /// The stalls that were ended (R15).
  public var rescues: Int64 = 0
  /// The changes whose delay to the screen could be measured.
  public var measuredChanges: Int64 = 0
  /// The sum of the delays from change to screen, in milliseconds.
  public var changeToScreenTotal: Instant.Duration = .zero
  /// The longest delay from change to screen.
  public var changeToScreenLongest: Instant.Duration = .zero

  /// Creates counters at zero.
  public init() {}

  /// The percentage of responses that were "not modified".
  public var unchangedPercent: Int64 { answers == 0 ? 0 : unchanged * 100 / answers }
}

/// The counters and samples of one machine, which a host maintains by recording effects (R29, R30).
///
/// They are not part of the machine, because they must not influence its decisions.
public struct Diagnostics: Hashable, Sendable {
  /// The totals over the life of the machine.
  public private(set) var counters = Counters()
  /// The newest samples.
  public private(set) var ring: SampleRing

  /// Creates empty diagnostics.
  public init(policy: Policy) { ring = SampleRing(capacity: policy.ringCapacity) }

  /// Records the effects of an event.
  public mutating func record(_ effects: Effects) {
    if effects.request != nil { counters.requests += 1 }
    if effects.cancel != nil { counters.cancelled += 1 }
    let notes = effects.notes
    if notes.contains(.coalesced) { counters.coalesced += 1 }
    if !notes.isDisjoint(with: [.superseded, .overtaken]) { counters.superseded += 1 }
    if notes.contains(.kept) { counters.kept += 1 }
    if notes.contains(.retried) { counters.retries += 1 }
    if notes.contains(.rescued) { counters.rescues += 1 }
    guard let sample = effects.sample else { return }
    ring.append(sample)
    counters.answers += 1
    let (sum, isOver) = counters.bytes.addingReportingOverflow(max(sample.bytes, 0))
    counters.bytes = isOver ? .max : sum
    if case .unchanged = sample.outcome { counters.unchanged += 1 }
    guard let delay = sample.changeToScreen else { return }
    counters.measuredChanges += 1
    counters.changeToScreenTotal = counters.changeToScreenTotal + delay
    counters.changeToScreenLongest = max(counters.changeToScreenLongest, delay)
  }
}
