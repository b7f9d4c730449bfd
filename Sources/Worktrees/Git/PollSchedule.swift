/// When something that is not watched whole is looked at again, as a pure machine.
///
/// While it can be read, at a steady pace. While it cannot, because its folder or its repository is gone, after a pause that
/// doubles with every failure up to a limit: what is not there costs next to nothing, however long it stays away. That limit is
/// the pace too while nobody looks.
public struct PollSchedule: Hashable, Sendable {
  /// The seconds between two looks while they succeed.
  public let every: Double
  /// The seconds before the first look after a failure.
  public let retry: Double
  /// The longest pause after a failure, and the pause while nobody looks, in seconds.
  public let longest: Double
  /// How many looks have failed since the last one that did not.
  public private(set) var failures = 0
  /// When the next look is due; before the first one, at once.
  public private(set) var dueAt = -Double.infinity

  /// Creates a schedule of which a look is due at once.
  public init(every: Double, retry: Double, longest: Double) {
    self.every = every
    self.retry = retry
    self.longest = max(longest, every)
  }

  /// The seconds until the next look.
  ///
  /// - Parameter isWanted: Whether somebody looks; for nobody the longest pause is short enough.
  /// - Returns: The seconds.
  public func pause(isWanted: Bool = true) -> Double {
    guard failures > 0 else { return isWanted ? every : longest }
    var pause = retry
    for _ in 1..<min(failures, 17) { pause = min(pause * 2, longest) }
    return min(pause, longest)
  }

  /// Takes a look that is due.
  ///
  /// - Parameters:
  ///   - now: The moment.
  ///   - isWanted: Whether somebody looks.
  /// - Returns: Whether one is; then the next one is a pause away.
  public mutating func take(at now: Double, isWanted: Bool = true) -> Bool {
    guard now >= dueAt else { return false }
    dueAt = now + pause(isWanted: isWanted)
    return true
  }

  /// A look has ended.
  ///
  /// - Parameters:
  ///   - now: The moment.
  ///   - failed: Whether nothing could be read.
  ///   - isWanted: Whether somebody looks.
  public mutating func looked(at now: Double, failed: Bool, isWanted: Bool = true) {
    failures = failed ? failures + 1 : 0
    dueAt = now + pause(isWanted: isWanted)
  }

  /// Somebody looks again: what can be read is due at once.
  public mutating func hurry(at now: Double) {
    if failures == 0 { dueAt = min(dueAt, now) }
  }
}
