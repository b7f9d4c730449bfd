import Synchronization

/// The one place where the state of all worktrees is kept; everything that is answered comes from here.
package final class WorkspaceStore: Sendable {
  private struct State {
    var registry: WorkspaceRegistry
    var subscribers: [Int: AsyncStream<Void>.Continuation] = [:]
    var next = 0
    var isReady = false
  }

  private let state: Mutex<State>

  /// Starts empty.
  ///
  /// - Parameter generation: Letters and digits; `nil` makes new ones.
  package init(generation: String? = nil) {
    let generation =
      generation ?? String(WorkspaceIdentity.hex(UInt64.random(in: .min ... .max)).prefix(12))
    state = Mutex(State(registry: WorkspaceRegistry(generation: generation)))
  }

  /// The current state of all worktrees.
  package var registry: WorkspaceRegistry { state.withLock { $0.registry } }

  /// The revision with the generation, `generation-revision`: the list's entity tag.
  package var revisionText: String {
    state.withLock { "\($0.registry.generation)-\($0.registry.revision)" }
  }

  /// The revision.
  package var revision: Int64 { state.withLock { $0.registry.revision } }

  /// One worktree.
  package func record(_ id: String) -> WorkspaceRegistry.Record? {
    state.withLock { $0.registry[id] }
  }

  /// One worktree, with the generation of the registry.
  package func stamped(_ id: String) -> (generation: String, record: WorkspaceRegistry.Record?) {
    state.withLock { ($0.registry.generation, $0.registry[id]) }
  }

  /// Whether everything was scanned once.
  package var isReady: Bool { state.withLock { $0.isReady } }

  /// Announces that everything was scanned once.
  package func becomeReady() {
    state.withLock { $0.isReady = true }
    update { _ in true }
  }

  /// Changes the registry and notifies waiters if anything visible changed.
  package func update(_ change: (inout WorkspaceRegistry) -> Bool) {
    let subscribers = state.withLock { state in
      change(&state.registry) ? Array(state.subscribers.values) : []
    }
    for subscriber in subscribers { subscriber.yield() }
  }

  /// Ticks: one at once, and one after each change; unread ones are combined.
  package func ticks() -> AsyncStream<Void> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let number = state.withLock { state in
        state.next += 1
        state.subscribers[state.next] = continuation
        return state.next
      }
      continuation.onTermination = { [weak self] _ in
        _ = self?.state.withLock { $0.subscribers.removeValue(forKey: number) }
      }
      continuation.yield()
    }
  }
}
