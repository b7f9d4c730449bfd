import Git
import Synchronization
import Workspaces

/// Notifies waiters that a worktree was scanned.
package final class ScanTicks: Sendable {
  private struct State {
    var subscribers: NameTable<[Int: AsyncStream<Void>.Continuation]> = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// Ticks: one at once, and one after each scan; unread ones are combined.
  package func ticks(of path: String) -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let number = state.withLock { state in
        state.next += 1
        state.subscribers[path, default: [:]][state.next] = continuation
        return state.next
      }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { state in
          state.subscribers[path]?[number] = nil
          if state.subscribers[path]?.isEmpty == true { state.subscribers[path] = nil }
        }
      }
      continuation.yield()
    }
  }

  /// Announces that a worktree was scanned, or is gone.
  func tick(_ path: String) {
    let subscribers = state.withLock { $0.subscribers[path].map { Array($0.values) } ?? [] }
    for subscriber in subscribers { subscriber.yield() }
  }
}
