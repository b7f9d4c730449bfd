import Git
import Synchronization
import Workspaces

/// Notifies waiters that a worktree was scanned.
package final class ScanTicks: Sendable {
  private struct State {
    var listeners: NameTable<[Int: AsyncStream<Void>.Continuation]> = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// Ticks: one at once, and one after each scan; unread ones are combined.
  package func ticks(of path: String) -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let number = state.withLock { state in
        state.next += 1
        state.listeners[path, default: [:]][state.next] = continuation
        return state.next
      }
      continuation.onTermination = { [weak self] _ in
        self?.state.withLock { state in
          state.listeners[path]?[number] = nil
          if state.listeners[path]?.isEmpty == true { state.listeners[path] = nil }
        }
      }
      continuation.yield()
    }
  }

  /// Announces that a worktree was scanned, or is gone.
  func tick(_ path: String) {
    let listeners = state.withLock { $0.listeners[path].map { Array($0.values) } ?? [] }
    for listener in listeners { listener.yield() }
  }
}
