/// The wait a server asks for with `429` or `503`, in either form RFC 9110 10.2.3 allows (R21).
public enum RetryHint: Hashable, Sendable {
  /// A number of seconds from the answer.
  case seconds(Int64)
  /// A date on the server's clock.
  case date(WallTime)

  /// Works out the wait from the arrival of the answer.
  ///
  /// A date in the past is no wait. Without a server's time a date cannot be measured and counts as
  /// no wait; the device's own clock is never asked (R27).
  ///
  /// - Parameters:
  ///   - serverTime: The server's clock when it answered.
  ///   - cap: The longest wait that is obeyed.
  /// - Returns: The wait, from nothing to the cap.
  public func wait(serverTime: WallTime?, cap: Timespan) -> Timespan {
    switch self {
    case .seconds(let count): return min(max(.seconds(count), .zero), cap)
    case .date(let date):
      guard let serverTime else { return .zero }
      return min(max(date - serverTime, .zero), cap)
    }
  }
}
