/// What a client holds, for leak checks.
public struct ClientCounters: Hashable, Sendable {
  /// The resources that are observed.
  public var observed: Int
  /// The resources that are kept without an observer.
  public var idle: Int
  /// The observers.
  public var observers: Int
  /// The requests in flight.
  public var requests: Int
  /// The streams that are open or opening.
  public var streams: Int
  /// Whether a task sleeps until the next alarm.
  public var isWaiting: Bool
}
