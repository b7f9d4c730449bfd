/// Decides when something that cannot be fully watched is scanned again, as a pure machine.
///
/// While it can be read, scans have a steady pace. While it cannot, because its folder or its repository is gone, the
/// pause doubles with every failure up to a limit, so that a missing folder costs next to nothing. That limit is also
/// the pace while it is not observed.
public struct PollSchedule: Hashable, Sendable {
  /// The seconds between two scans while they succeed.
  public let every: Double
  /// The seconds before the first scan after a failure.
  public let retry: Double
  /// The longest pause after a failure, and the pause while it is not observed, in seconds.
  public let longest: Double
  /// The number of failed scans since the last success.
  public private(set) var failures = 0
  /// When the next scan is due; initially at once.
  public private(set) var dueAt = -Double.infinity

  /// Creates a schedule whose first scan is due at once.
  public init(every: Double, retry: Double, longest: Double) {
    self.every = every
    self.retry = retry
    self.longest = max(longest, every)
  }

  /// Returns the seconds until the next scan.
  ///
  /// - Parameter isWanted: Whether it is observed; if not, the pause after a success is the longest.
  /// - Returns: The seconds.
  public func pause(isWanted: Bool = true) -> Double {
    guard failures > 0 else { return isWanted ? every : longest }
    var pause = retry
    for _ in 1..<min(failures, 17) { pause = min(pause * 2, longest) }
    return min(pause, longest)
  }

  /// Begins a scan that is due.
  ///
  /// - Parameters:
  ///   - now: The current instant.
  ///   - isWanted: Whether it is observed.
  /// - Returns: Whether one was due; if so, the next one is a pause away.
  public mutating func begin(at now: Double, isWanted: Bool = true) -> Bool {
    guard now >= dueAt else { return false }
    dueAt = now + pause(isWanted: isWanted)
    return true
  }

  /// Records the end of a scan.
  ///
  /// - Parameters:
  ///   - now: The current instant.
  ///   - failed: Whether nothing could be read.
  ///   - isWanted: Whether it is observed.
  public mutating func scanned(at now: Double, failed: Bool, isWanted: Bool = true) {
    failures = failed ? failures + 1 : 0
    dueAt = now + pause(isWanted: isWanted)
  }

  /// Makes the next scan due at once when observation resumes, unless the last one failed.
  public mutating func hurry(at now: Double) {
    if failures == 0 { dueAt = min(dueAt, now) }
  }
}
