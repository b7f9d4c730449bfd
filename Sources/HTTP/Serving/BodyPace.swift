import NIOCore

/// The least pace of a request's content: slow is fine, as long as it progresses.
///
/// The content must arrive at a minimum rate, with some slack that grows again with what arrives. Only the time spent
/// waiting for content counts: while the server does not read, the client is not blamed.
struct BodyPace {
  private let slack: Double
  private let bytesPerSecond: Double
  private var left: Double
  private var awaitedSince: NIODeadline?

  init(_ limits: ServerLimits) {
    slack = Double(limits.bodySlackSeconds)
    bytesPerSecond = Double(limits.bodyBytesPerSecond)
    left = slack
  }

  /// Starts the clock: content is expected from now on.
  mutating func wait(now: NIODeadline) {
    if awaitedSince == nil { awaitedSince = now }
  }

  /// Handles received bytes.
  ///
  /// - Returns: Whether they arrived in time.
  mutating func record(_ bytes: Int, now: NIODeadline) -> Bool {
    if let since = awaitedSince {
      left -= Double((now - since).nanoseconds) / 1e9
      awaitedSince = nil
    }
    guard left >= 0 else { return false }
    left = min(slack, left + Double(bytes) / bytesPerSecond)
    return true
  }
}
