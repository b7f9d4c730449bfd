import Synchronization

/// Whether a client observes the worktrees: without one, what can only be polled is polled rarely.
///
/// Until ``expect()`` is called, the worktrees count as observed, as for a watcher without a
/// server.
package final class WatchInterest: Sendable {
  private let until = Mutex(Double.infinity)
  private let wake: @Sendable () -> Void

  /// Creates an interest that counts as observed.
  ///
  /// - Parameter wake: Called when observation resumes.
  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  /// From now on the worktrees count as observed only after ``note(at:)``.
  package func expect() { until.withLock { $0 = -.infinity } }

  /// Records an observation, which counts for ``WatchLimits/interest`` seconds.
  package func note(at now: Double = WatchClock.monotonic) {
    let wasThere = until.withLock { until in
      defer { if until < .infinity { until = now + WatchLimits.interest } }
      return now < until
    }
    if !wasThere { wake() }
  }

  /// Whether the worktrees count as observed.
  func isThere(at now: Double) -> Bool { until.withLock { now < $0 } }
}
