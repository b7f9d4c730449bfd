package import Hummingbird
package import Workspaces
import WorktreeWatch

/// The views for the APIs of other systems.
extension WorkspacesService {
  /// All worktrees, ordered by path.
  package func worktrees() async -> [Workspace] {
    await reads(nil).firstScan()
    return watcher.store.registry.all.map(\.workspace)
  }

  /// One worktree.
  ///
  /// - Parameter name: Its id, or its absolute path.
  /// - Returns: The worktree; `nil` if it does not exist.
  package func worktree(_ name: String) async -> Workspace? {
    await reads(nil).firstScan()
    return watcher.store.record(WorkspaceReader.id(name))?.workspace
  }

  /// The newest agent session of a worktree, as native JSON.
  ///
  /// - Parameter id: The worktree's id.
  /// - Returns: The session; `nil` without one.
  package func session(of id: String) -> [UInt8]? { watcher.store.record(id)?.session }

  /// Answers the newest agent session of a worktree, or 304.
  ///
  /// - Parameters:
  ///   - name: The worktree's id, or its absolute path.
  ///   - request: The request.
  ///   - dialect: How the client expects the answer.
  /// - Returns: The answer.
  /// - Throws: ``Problem`` 404.
  package func answer(
    sessionOf name: String,
    _ request: Request,
    in dialect: any WorkspaceDialect
  ) async throws -> Response {
    try await reads(dialect).answer(.session(name), request)
  }

  private func reads(_ dialect: (any WorkspaceDialect)?) -> ReadEndpoints {
    ReadEndpoints(watcher: watcher, serving: serving, dialect: dialect)
  }
}
