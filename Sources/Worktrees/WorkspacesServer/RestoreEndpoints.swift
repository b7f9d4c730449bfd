import HTTPTypes
import Hummingbird
import Serving
import Workspaces
import WorktreeWatch

/// Answers what can be taken back, and takes it back: `/v1/git/restore`.
struct RestoreEndpoints: Sendable {
  let watcher: WorktreeWatcher
  let reads: ReadEndpoints

  private var actions: WorktreeActions { WorktreeActions(watcher: watcher) }

  private struct Restoring: Decodable {
    var processes: [Int32]?
  }

  /// `GET /v1/git/restore`: everything that can be taken back, the newest first.
  func list() async throws -> Response {
    await reads.firstScan()
    return ReadEndpoints.json(WorkspaceJSON.bytes(await actions.restorePoints()))
  }

  /// Returns what is not shown and why, including restore points that cannot be used.
  func omissions() async -> [Omission] {
    let all = await watcher.omissions() + actions.unusablePoints()
    return Array(
      all.sorted { ($0.path, $0.reason.rawValue) < ($1.path, $1.reason.rawValue) }
        .prefix(WatchLimits.omissions)
    )
  }

  /// `POST /v1/git/restore/{id}`.
  func restore(_ id: String, _ request: Request) async throws -> Response {
    let asked = try await RequestBodies.decode(Restoring.self, request)
    await reads.firstScan()
    return try await ActionEndpoints.refusing {
      let done = try await actions.restore(id, processes: Set(asked.processes ?? []))
      let (path, branch) = (done.worktree.path, done.worktree.branch)
      var message =
        done.point.kind == .delete
        ? "\(path) is there again, as it was"
        : "\(branch) in \(path) is where it was before the \(done.point.kind.rawValue)"
      if let remark = done.remark { message += "; \(remark)" }
      return ActionEndpoints.done(message, done.worktree.id, reads, restore: done.undo)
    }
  }

  /// `DELETE /v1/git/restore/{id}`: removes it for good.
  func forget(_ id: String) async throws -> Response {
    await reads.firstScan()
    return try await ActionEndpoints.refusing {
      let point = try await actions.forget(id)
      return ReadEndpoints.json(WorkspaceJSON.bytes(Self.forgotten(point)))
    }
  }

  /// The answer about a point that was removed: `Forgotten`.
  static func forgotten(_ point: RestorePoint) -> [String: String] {
    [
      "message": "\(point.path) of \(point.createdAt) cannot be restored any more",
      "id": point.id,
    ]
  }
}
