/// The pauses between attempts to connect: each may be twice as long as the one before, with a random part, so that
/// clients do not return to a server at the same instant.
struct ReconnectDelay: Hashable, Sendable {
  /// The consecutive failures.
  private(set) var failures = 0
  private let least: Double
  private let most: Double

  /// Creates the state after no failures.
  init(_ limits: PostgresClientLimits) {
    least = limits.leastReconnectSeconds
    most = limits.mostReconnectSeconds
  }

  /// Records a failure.
  ///
  /// - Parameter sample: A random number of 0 to 1.
  /// - Returns: The pause before the next attempt, between half of the longest pause and all of it.
  mutating func failed(sample: Double) -> Duration {
    let longest = min(most, least * Double(1 << min(failures, 30)))
    failures += 1
    return .seconds(longest * (0.5 + sample / 2))
  }

  /// Records a success.
  mutating func succeeded() { failures = 0 }
}
