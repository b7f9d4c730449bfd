/// What served resources give to one client and to all of them.
public struct ServingLimits: Hashable, Sendable {
  /// The most long polls and event streams at a time.
  public var waiters = 1_024
  /// The longest wait of one request, in seconds.
  public var longestWait: Int64 = 60
  /// How long a request waits for a state that the client already has and this server does not, in milliseconds.
  public var catchUpMilliseconds: Int64 = 1_000
  /// The time between two heartbeats of an event stream, in seconds.
  public var heartbeatSeconds: Int64 = 15
  /// The reconnection time that streams announce, in milliseconds.
  public var streamRetryMilliseconds: Int64 = 1_000
  /// The most changes that a stream sends instead of a snapshot.
  public var replayedChanges = 256
  /// When a client that is refused may come back, in seconds.
  public var retryAfterSeconds: Int64 = 5
  /// The most bytes of a body that is written.
  public var writtenBytes = 1 << 20
  /// The most routes that metrics tell apart; all others are one.
  public var measuredRoutes = 64

  /// The usual limits.
  public init() {}
}
