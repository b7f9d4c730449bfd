/// Detects a stream that has gone quiet, as a pure machine (rule R33 of the engine).
///
/// Invariants:
/// 1. ``deadline`` exists exactly while the machine watches.
/// 2. It is the time of the last arrival plus the patience; arrivals never move it back.
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
/// Checking early or often is harmless. Time is in milliseconds of a monotonic clock.
public struct HeartbeatWatchdog: Hashable, Sendable {
  /// The state of the machine.
  public enum State: Hashable, Sendable {
    /// No stream is open.
    case resting
    /// A stream is open and must deliver bytes before the deadline, in milliseconds.
    case watching(deadline: Int64)
    /// The stream was silent for too long.
    case lost
  }

  /// The server's promised heartbeat interval in milliseconds, at least 1.
  public let interval: Int64
  /// The tolerated silence in milliseconds: 2.5 intervals by default.
  public let patience: Int64
  /// The state of the machine.
  public private(set) var state: State = .resting

  /// Creates a machine without a stream.
  ///
  /// - Parameters:
  ///   - interval: The server's promised heartbeat interval, in milliseconds.
  ///   - patience: The tolerated silence in milliseconds; 2.5 intervals by default.
  public init(interval: Int64, patience: Int64? = nil) {
    self.interval = min(max(1, interval), .max / 8)
    // Rounded up, so never less than 2.5 intervals.
    self.patience = max(1, patience ?? (self.interval * 5 + 1) / 2)
  }

  /// When to check next, in milliseconds; `nil` unless the machine watches a stream.
  public var deadline: Int64? {
    if case .watching(let deadline) = state { deadline } else { nil }
  }

  /// Starts to watch a new connection; the previous one is over.
  public mutating func start(now: Int64) {
    state = .watching(deadline: Self.sum(now, patience))
  }

  /// Records the arrival of bytes of any kind: an event, a comment, half a line.
  ///
  /// For a lost stream it comes too late and changes nothing.
  public mutating func heard(now: Int64) {
    guard case .watching(let deadline) = state else { return }
    state = .watching(deadline: max(deadline, Self.sum(now, patience)))
  }

  /// Checks whether the deadline has passed.
  ///
  /// Bytes that arrived at or after the deadline but before the check count, and the stream stays
  /// alive.
  ///
  /// - Parameter now: Milliseconds.
  /// - Returns: Whether the stream is lost, and was not lost before.
  public mutating func check(now: Int64) -> Bool {
    guard case .watching(let deadline) = state, now >= deadline else { return false }
    state = .lost
    return true
  }

  /// Records that the connection was closed on purpose.
  public mutating func stop() {
    state = .resting
  }

  private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? .max : sum
  }
}
