extension FollowMachine {
  /// Waits and limits, in milliseconds.
  public struct Policy: Hashable, Sendable {
    /// The longest waits before the first attempts after a failure; the last one counts for all later.
    public var backoff: [Int64] = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000]
    /// How often a transport may fail to open before the next one is tried.
    public var failuresBeforeFallback = 2
    /// After how long on a lesser transport the best one is tried again.
    public var retryBestAfter: Int64 = 60_000
    /// How often to ask when polling.
    public var pollInterval: Int64 = 2_000
    /// How long before its end a token is renewed.
    public var tokenMargin: Int64 = 60_000
    /// After how long without a sign of life a stream counts as lost.
    public var silence: Int64 = 62_500
    /// The longest reconnection time of a stream that is kept.
    public var longestReconnection: Int64 = 300_000
    /// How often what comes next may be missing or not to be read before it is passed over.
    public var attemptsBeforeSkipping = 2

    /// The usual waits.
    public init() {}
  }
}
