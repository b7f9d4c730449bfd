/// Notices that a stream has gone quiet, as a pure machine (rule R33 of the engine).
///
/// Invariants:
/// 1. ``deadline`` exists exactly while the machine watches.
/// 2. It is the time of the last sign of life and the patience; it never goes back by hearing.
/// 3. A stream is reported lost once.
///
/// ```
///              start                 check, deadline reached
///   resting ──────────▶ watching ─────────────────────────────▶ lost
///      ▲                │  ▲ │ heard: deadline moves             │
///      └──── stop ──────┘  └─┘                                   │
///      └──────────────────────── stop ──────────── start ────────┘
/// ```
///
/// Checking early or often is harmless. Time is milliseconds of a clock that only goes forward.
public struct HeartbeatWatchdog: Hashable, Sendable {
  /// What the machine does.
  public enum State: Hashable, Sendable {
    /// There is no stream.
    case resting
    /// There is one; it has to be heard before the deadline, milliseconds.
    case watching(deadline: Int64)
    /// It was not heard in time.
    case lost
  }

  /// How often the server promises a sign of life, milliseconds, at least 1.
  public let interval: Int64
  /// How long silence is borne, milliseconds: 2.5 intervals unless told.
  public let patience: Int64
  /// What the machine does.
  public private(set) var state: State = .resting

  /// Creates a machine that rests.
  ///
  /// - Parameters:
  ///   - interval: How often the server promises a sign of life, milliseconds.
  ///   - patience: How long silence is borne, milliseconds; 2.5 intervals unless told.
  public init(interval: Int64, patience: Int64? = nil) {
    self.interval = min(max(1, interval), .max / 8)
    // Rounded up: never less than 2.5 intervals.
    self.patience = max(1, patience ?? (self.interval * 5 + 1) / 2)
  }

  /// When to check next, milliseconds; nothing unless the machine watches.
  public var deadline: Int64? {
    if case .watching(let deadline) = state { deadline } else { nil }
  }

  /// A connection was opened; whatever was before is over.
  public mutating func start(now: Int64) {
    state = .watching(deadline: Self.sum(now, patience))
  }

  /// Bytes arrived, of any kind: an event, a comment, half a line.
  ///
  /// It comes too late for a lost stream and changes nothing then.
  public mutating func heard(now: Int64) {
    guard case .watching(let deadline) = state else { return }
    state = .watching(deadline: max(deadline, Self.sum(now, patience)))
  }

  /// Looks whether the deadline has passed.
  ///
  /// Bytes that were heard at or after the deadline but before the check count: the stream lives.
  ///
  /// - Parameter now: Milliseconds.
  /// - Returns: Whether the stream is lost, and was not before.
  public mutating func check(now: Int64) -> Bool {
    guard case .watching(let deadline) = state, now >= deadline else { return false }
    state = .lost
    return true
  }

  /// The connection was closed on purpose.
  public mutating func stop() {
    state = .resting
  }

  private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? .max : sum
  }
}
