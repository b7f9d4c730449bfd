/// The rate limit that a server reports (RateLimit header fields for HTTP).
public struct RateLimit: Hashable, Sendable {
  /// The remaining requests.
  public var remaining: Int64
  /// The time until the limit resets.
  public var reset: Instant.Duration

  /// Creates a rate limit.
  public init(remaining: Int64, reset: Instant.Duration) {
    self.remaining = remaining
    self.reset = reset
  }
}
