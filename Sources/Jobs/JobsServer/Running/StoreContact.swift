import Synchronization

/// Whether the store of the jobs answered when operators last looked, so that its silence is logged once.
final class StoreContact: Sendable {
  private let failure = Mutex<String?>(nil)

  /// Whether the last check got no answer.
  var isSilent: Bool { failure.withLock { $0 != nil } }

  /// Notes an answer, or why there is none.
  ///
  /// - Parameter reason: Why there is none; `nil` for an answer.
  /// - Returns: Whether that is new.
  func noted(_ reason: String?) -> Bool {
    failure.withLock { failure in
      defer { failure = reason }
      return (failure == nil) != (reason == nil)
    }
  }
}
