public import Freshness

/// The limits of a client.
public struct ClientLimits: Hashable, Sendable {
  /// The resources that are kept after their last observer left; 16 by default.
  ///
  /// An observer that returns soon has a copy at once. The resource left first is removed first.
  public var idleResources: Int
  /// The longest reconnection time (`retry:`) that a stream may ask for.
  public static let longestReconnection = Instant.Duration.seconds(300)

  /// The maximum size of one event of a stream, in bytes.
  public var largestEvent: Int

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - idleResources: The resources kept without an observer; not below 0.
  ///   - largestEvent: The largest event of a stream, in bytes; 4 MiB by default.
  public init(idleResources: Int = 16, largestEvent: Int = 4 << 20) {
    self.idleResources = max(idleResources, 0)
    self.largestEvent = max(largestEvent, 1)
  }
}
