/// What a server says of its rate limit (RateLimit header fields for HTTP).
public struct RateLimit: Hashable, Sendable {
  /// The requests that are left.
  public var remaining: Int64
  /// The time after which there are more.
  public var reset: Timespan

  /// Creates a rate limit.
  public init(remaining: Int64, reset: Timespan) {
    self.remaining = remaining
    self.reset = reset
  }
}
