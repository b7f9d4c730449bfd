import NIOCore

/// Notices a peer that takes none of the pending output: several checks in a row without progress.
struct StallCheck {
  /// How many checks ``ServerLimits/stalledSeconds`` has.
  private static let checks: Int64 = 6

  private var progress = 0
  private var stalls: Int64 = 0

  /// Returns the time between two checks.
  static func interval(_ limits: ServerLimits) -> TimeAmount {
    .milliseconds(Int64(limits.stalledSeconds) * 1_000 / checks)
  }

  /// Begins where output is pending.
  ///
  /// - Parameter progress: A number that grows whenever the peer takes output.
  mutating func begin(_ progress: Int) { self = StallCheck(progress: progress) }

  /// Checks the progress since the check before.
  ///
  /// - Returns: Whether the peer has taken nothing for all checks.
  mutating func isStalled(_ progress: Int) -> Bool {
    stalls = progress > self.progress ? 0 : stalls + 1
    self.progress = progress
    return stalls >= Self.checks
  }
}
