/// The wait that a server asks for with `429` or `503`, in either form of RFC 9110 10.2.3 (R21).
public enum RetryHint: Hashable, Sendable {
  /// A number of seconds from the response.
  case seconds(Int64)
  /// A date on the server's clock.
  case date(WallTime)

  /// The wait for a date that cannot be measured (R39: a minute).
  public static let unmeasuredWait = Instant.Duration.seconds(60)

  /// Returns the wait from the arrival of the response, on the monotonic clock.
  ///
  /// A date in the past means no wait. Without a server's time a date cannot be measured: the server
  /// asked for some wait, so ``unmeasuredWait`` applies. The device's own clock is never used,
  /// because it may be wrong (R27, R39).
  ///
  /// - Parameters:
  ///   - serverTime: The server's clock when it responded.
  ///   - cap: The longest wait that is honored.
  /// - Returns: The wait, from zero to the cap.
  public func wait(serverTime: WallTime?, cap: Instant.Duration) -> Instant.Duration {
    switch self {
    case .seconds(let count): return min(max(.seconds(count), .zero), cap)
    case .date(let date):
      guard let serverTime else { return min(Self.unmeasuredWait, cap) }
      return min(max(date - serverTime, .zero), cap)
    }
  }
}
