import Synchronization

/// Whether somebody looks at the worktrees: what can only be polled is polled seldom for nobody.
///
/// Until ``expect()`` somebody always does, as for a watcher without a server.
package final class WatchInterest: Sendable {
  private let until = Mutex(Double.infinity)
  private let wake: @Sendable () -> Void

  /// Creates an interest that is there.
  ///
  /// - Parameter wake: Called when somebody looks again after nobody did.
  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  /// From now on somebody looks only if ``note(at:)`` says so.
  package func expect() { until.withLock { $0 = -.infinity } }

  /// Somebody looks, for ``WatchLimits/interest`` seconds at least.
  package func note(at now: Double = WatchClock.monotonic) {
    let wasThere = until.withLock { until in
      defer { if until < .infinity { until = now + WatchLimits.interest } }
      return now < until
    }
    if !wasThere { wake() }
  }

  /// Whether somebody looks.
  func isThere(at now: Double) -> Bool { until.withLock { now < $0 } }
}
