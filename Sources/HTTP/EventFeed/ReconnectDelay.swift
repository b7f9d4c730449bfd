/// The wait before reconnecting, as a pure machine (WHATWG HTML, "reestablish the connection").
///
/// The first wait is the stream's own reconnection time. Each consecutive failure doubles it, up to
/// a limit. A random share on top spreads the clients of a server that restarts. It is never
/// shorter than what the server asked for, unless that exceeds the limit.
public struct ReconnectDelay: Hashable, Sendable {
  /// The constants.
  public struct Policy: Hashable, Sendable {
    /// The reconnection time of a stream that sets none, in milliseconds.
    public var initial: Int64 = 3_000
    /// The minimum wait, in milliseconds, even if a stream asks for 0.
    public var least: Int64 = 250
    /// The maximum wait before the random share is added, in milliseconds.
    public var limit: Int64 = 30_000
    /// The largest random share, as a part of the wait.
    public var spread = 0.5

    /// Creates the default constants.
    public init() {}
  }

  /// The constants.
  public let policy: Policy
  /// The consecutive connections that failed or delivered nothing.
  public private(set) var failures = 0
  private var reconnectionTime: Int64?

  /// Creates a machine.
  public init(policy: Policy = .init()) {
    self.policy = policy
  }

  /// Records the stream's reconnection time, in milliseconds.
  public mutating func retry(_ milliseconds: Int64) {
    reconnectionTime = milliseconds
  }

  /// Records that the connection delivered something.
  public mutating func delivered() {
    failures = 0
  }

  /// Records that the connection was lost or failed.
  ///
  /// - Parameter draw: A random number from 0 up to but not including 1.
  /// - Returns: The wait, in milliseconds.
  public mutating func lost(draw: Double) -> Int64 {
    let least = max(0, policy.least)
    let limit = min(max(least, policy.limit), .max / 4)
    var wait = min(max(least, reconnectionTime ?? policy.initial), limit)
    for _ in 0..<failures where wait < limit { wait = min(wait * 2, limit) }
    // Doubling 64 times exceeds any limit.
    failures = min(failures + 1, 64)
    let share = min(max(0, policy.spread), 1) * min(max(0, draw), 1)
    return wait + Int64(Double(wait) * share)
  }
}
