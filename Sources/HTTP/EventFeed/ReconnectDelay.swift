/// How long to wait before connecting anew, as a pure machine (WHATWG HTML, "reestablish the
/// connection").
///
/// The first wait is the stream's own reconnection time; each failure in a row doubles it, up to a
/// limit; a random share on top spreads the clients of a server that restarts. It is never shorter
/// than what the server asked for, unless that is over the limit.
public struct ReconnectDelay: Hashable, Sendable {
  /// The constants.
  public struct Policy: Hashable, Sendable {
    /// The reconnection time of a stream that names none, milliseconds.
    public var initial: Int64 = 3_000
    /// The shortest wait, milliseconds: a stream that asks for 0 is not hammered.
    public var least: Int64 = 250
    /// The longest wait before the random share is added, milliseconds.
    public var limit: Int64 = 30_000
    /// The largest random share, as a part of the wait.
    public var spread = 0.5

    /// Creates the constants; change what differs.
    public init() {}
  }

  /// The constants.
  public let policy: Policy
  /// How often in a row no connection came about, or none that delivered anything.
  public private(set) var failures = 0
  private var reconnectionTime: Int64?

  /// Creates a machine.
  public init(policy: Policy = .init()) {
    self.policy = policy
  }

  /// The stream named its reconnection time, milliseconds.
  public mutating func retry(_ milliseconds: Int64) {
    reconnectionTime = milliseconds
  }

  /// The connection delivered something: it works.
  public mutating func delivered() {
    failures = 0
  }

  /// The connection is lost, or did not come about.
  ///
  /// - Parameter draw: A random number, 0 up to but not 1.
  /// - Returns: How long to wait, milliseconds.
  public mutating func lost(draw: Double) -> Int64 {
    let least = max(0, policy.least)
    let limit = min(max(least, policy.limit), .max / 4)
    var wait = min(max(least, reconnectionTime ?? policy.initial), limit)
    for _ in 0..<failures where wait < limit { wait = min(wait * 2, limit) }
    // Doubling 64 times reaches any limit there is.
    failures = min(failures + 1, 64)
    let share = min(max(0, policy.spread), 1) * min(max(0, draw), 1)
    return wait + Int64(Double(wait) * share)
  }
}
