public import Freshness

/// How much a client keeps at most.
public struct ClientLimits: Hashable, Sendable {
  /// The resources that are kept after their last observer left; 16 unless told.
  ///
  /// A quick return has a copy at once. The one that was left first goes first.
  public var idleResources: Int
  /// The longest reconnection time (`retry:`) that a stream may ask for.
  public static let longestReconnection = Timespan.seconds(300)

  /// The origins that are remembered; beyond them, those that serve no resource are forgotten.
  public static let mostOrigins = 256

  /// How much of one event stream is held in memory.
  public var largestEvent: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - idleResources: The resources kept without an observer; not below 0.
  ///   - largestEvent: The largest event of a stream of news, bytes; 4 MiB unless told.
  public init(idleResources: Int = 16, largestEvent: Int = 4 << 20) {
    self.idleResources = max(idleResources, 0)
    self.largestEvent = max(largestEvent, 1)
  }
}
