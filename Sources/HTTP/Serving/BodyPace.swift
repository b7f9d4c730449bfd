import NIOCore

/// How slowly the content of a request may come: slow is fine, as long as it goes on.
///
/// What comes has to come at a least rate; who falls behind has some slack, which grows again with what comes. Only
/// the time counts for which something is waited for: a server that does not read accuses nobody.
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

  /// From now on something is waited for.
  mutating func wait(now: NIODeadline) {
    if awaitedSince == nil { awaitedSince = now }
  }

  /// Some bytes came.
  ///
  /// - Returns: Whether they came in time.
  mutating func take(_ bytes: Int, now: NIODeadline) -> Bool {
    if let since = awaitedSince {
      left -= Double((now - since).nanoseconds) / 1e9
      awaitedSince = nil
    }
    guard left >= 0 else { return false }
    left = min(slack, left + Double(bytes) / bytesPerSecond)
    return true
  }
}
