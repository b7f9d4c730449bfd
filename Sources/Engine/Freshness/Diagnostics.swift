/// What happened during an event besides its orders (R30).
public struct Notes: OptionSet, Hashable, Sendable {
  /// The bits of the set.
  public let rawValue: UInt16

  /// Creates a set from its bits.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// A wish joined one that was waiting, or a request that was out (R2).
  public static let coalesced = Notes(rawValue: 1)
  /// An answer came too late or for another context (R3).
  public static let superseded = Notes(rawValue: 2)
  /// A better copy was kept (R20).
  public static let held = Notes(rawValue: 4)
  /// The silent retry went out (R7).
  public static let retried = Notes(rawValue: 8)
  /// A stall was broken by a request without a validator (R15).
  public static let rescued = Notes(rawValue: 16)
  /// A timer was late, or the device slept (R14).
  public static let drifted = Notes(rawValue: 32)
  /// A request outlived its timeout (R6).
  public static let timedOut = Notes(rawValue: 64)
  /// A prefetch was not worth a request (R35).
  public static let prefetchDropped = Notes(rawValue: 128)
  /// A wish waits for the network, for a `Retry-After` or for the budget (R21, R24, R39, R40).
  public static let deferred = Notes(rawValue: 256)
  /// The stream was lost or has a gap (R33).
  public static let linkLost = Notes(rawValue: 512)
}

/// What a machine did over its life (R30).
public struct Counters: Hashable, Sendable {
  /// The requests sent.
  public var requests: Int64 = 0
  /// The requests that were cancelled by the machine.
  public var cancelled: Int64 = 0
  /// The answers that counted, of every outcome.
  public var answers: Int64 = 0
  /// The answers that said "not modified" (R16).
  public var unchanged: Int64 = 0
  /// The bytes received.
  public var bytes: Int64 = 0
  /// The wishes that joined others (R2).
  public var coalesced: Int64 = 0
  /// The answers that came too late (R3).
  public var superseded: Int64 = 0
  /// The answers that were not applied because a better copy was kept (R20).
  public var held: Int64 = 0
  /// The silent retries (R7).
  public var retries: Int64 = 0
  /// The stalls that were broken (R15).
  public var rescues: Int64 = 0
  /// The changes whose way to the screen could be measured.
  public var measuredChanges: Int64 = 0
  /// The sum of the times from change to screen, in milliseconds.
  public var changeToScreenTotal: Timespan = .zero
  /// The longest time from change to screen.
  public var changeToScreenLongest: Timespan = .zero

  /// Creates counters at zero.
  public init() {}

  /// The share of not-modified answers among all answers, in percent.
  public var unchangedPercent: Int64 { answers == 0 ? 0 : unchanged * 100 / answers }
}

/// The counters and the ring of one machine: everything a host keeps by folding effects (R29, R30).
///
/// They are no part of the machine, because nothing in them may decide anything.
public struct Diagnostics: Hashable, Sendable {
  /// What the machine did over its life.
  public private(set) var counters = Counters()
  /// Its newest samples.
  public private(set) var ring: SampleRing

  /// Creates empty diagnostics.
  public init(policy: Policy) { ring = SampleRing(capacity: policy.ringCapacity) }

  /// Records what the machine ordered.
  public mutating func record(_ effects: Effects) {
    if effects.request != nil { counters.requests += 1 }
    if effects.cancel != nil { counters.cancelled += 1 }
    let notes = effects.notes
    if notes.contains(.coalesced) { counters.coalesced += 1 }
    if notes.contains(.superseded) { counters.superseded += 1 }
    if notes.contains(.held) { counters.held += 1 }
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
