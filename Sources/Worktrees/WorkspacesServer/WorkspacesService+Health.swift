package import Serving
import WorktreeWatch

extension WorkspacesService {
  /// Whether the worktrees were scanned, and all folders exist.
  package func dependency() async -> DependencyReading {
    guard watcher.store.isReady else {
      return DependencyReading(
        "worktrees",
        .down,
        detail: "the worktrees are being looked at for the first time",
        isRequired: true
      )
    }
    let missing = await watcher.metrics.missingRoots
    let problem =
      missing.isEmpty ? hub?.fault : "not there: \(missing.joined(separator: ", "))"
    guard let problem else { return DependencyReading("worktrees", .ok, isRequired: true) }
    return DependencyReading("worktrees", .degraded, detail: problem, isRequired: true)
  }
}
