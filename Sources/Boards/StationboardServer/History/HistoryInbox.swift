import FreshnessServer
import GTFS
import Synchronization

/// Realtime that was put in place, to be counted.
struct HistoryPublication: Sendable {
  /// The feed whose realtime it is.
  var feed: Feed
  /// What all its sources say together; `nil` if nothing.
  var index: RealtimeIndex?
  /// What each source of trip updates says, by its number, in the order of precedence.
  var sources: [(number: Int, index: RealtimeIndex)]
  /// When it was put in place, in seconds since 1970-01-01T00:00:00Z.
  var at: Double
}

/// Publications on their way to the history.
///
/// Handing one over takes no longer than appending it to a list: the history never delays a tick. If it is far behind,
/// the publications between the first ones and the newest are left out.
package final class HistoryInbox: Sendable {
  private let waiting = Mutex<[HistoryPublication]>([])
  private let broadcaster = UpdateBroadcaster()

  /// Creates an empty inbox.
  package init() {}

  /// Hands a publication over.
  func offer(_ publication: HistoryPublication) {
    let removed = waiting.withLock { waiting -> HistoryPublication? in
      waiting.append(publication)
      guard waiting.count > HistoryLimits.waitingPublications else { return nil }
      return waiting.remove(at: waiting.count - 2)
    }
    // Freed here, not under the lock.
    withExtendedLifetime(removed) {}
    BackgroundExecutor.wake { [broadcaster] in broadcaster.send() }
  }

  /// Takes all publications that wait, in their order.
  func drain() -> [HistoryPublication] {
    waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }

  /// Waits for publications; ends when the task is cancelled.
  func arrivals() -> AsyncStream<Void> { broadcaster.changes() }
}
