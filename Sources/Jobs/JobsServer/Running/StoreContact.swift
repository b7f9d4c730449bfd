import Synchronization

/// Whether the store of the jobs answered when operators last checked, so that its silence is logged once.
final class StoreContact: Sendable {
  private let failure = Mutex<String?>(nil)

  /// Whether the last check got no answer.
  var isSilent: Bool { failure.withLock { $0 != nil } }

  /// Records the outcome of a check.
  ///
  /// - Parameter reason: Why the check failed; `nil` if it succeeded.
  /// - Returns: Whether the check before it had the other outcome.
  func noted(_ reason: String?) -> Bool {
    failure.withLock { failure in
      defer { failure = reason }
      return (failure == nil) != (reason == nil)
    }
  }
}
