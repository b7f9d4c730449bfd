import Git
import Synchronization
import Workspaces

/// Tells those who wait that a worktree was looked at.
package final class ScanTicks: Sendable {
  private struct State {
    var listeners: NameTable<[Int: AsyncStream<Void>.Continuation]> = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// Ticks: one at once, and one after each look; those that nobody took are one.
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

  /// A worktree was looked at, or is gone.
  func tick(_ path: String) {
    let listeners = state.withLock { $0.listeners[path].map { Array($0.values) } ?? [] }
    for listener in listeners { listener.yield() }
  }
}
