import Git
import Synchronization
import Workspaces

/// Lets actions on a repository wait for each other: one at a time for each common directory.
final class ActionQueue: Sendable {
  private let gates = Mutex<NameTable<AsyncSemaphore>>([:])

  /// Runs an action when it is its turn.
  ///
  /// - Parameters:
  ///   - common: The common directory of the repository.
  ///   - body: The action.
  /// - Returns: What the action returns.
  /// - Throws: `CancellationError` if the task is cancelled while it waits; what the action throws.
  func take<Result>(_ common: String, _ body: () async throws -> Result) async throws -> Result {
    let gate = gates.withLock { gates in
      if let gate = gates[common] { return gate }
      let gate = AsyncSemaphore(1)
      gates[common] = gate
      return gate
    }
    try await gate.enter()
    defer { gate.leave() }
    return try await body()
  }
}
