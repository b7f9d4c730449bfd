package import Git
import Synchronization

/// Finds the folders that are watched for a worktree or a repository.
package enum WatchFolders {
  /// Where refs are, in any depth; bounded as content is.
  package static func repository(_ common: String) -> [String: WatchPlan.Place] {
    // Of `refs` itself only `stash` counts, which all worktrees share.
    var folders: [String: WatchPlan.Place] = [
      common: .commonDirectory, HostFile.join(common, "refs"): .refs,
    ]
    var open = WatchPlan.commonFolders.map { HostFile.join(common, $0) }
    while let folder = open.popLast(), folders.count < GitLimits.watchedFolders {
      guard HostFile.kindOfItself(folder) == .folder else { continue }
      folders[folder] = .refs
      // The git directories of worktrees are theirs to watch.
      if folder == HostFile.join(common, "worktrees") { continue }
      for name in HostFile.names(in: folder, most: GitLimits.watchedFolders) {
        let path = HostFile.join(folder, name)
        if HostFile.kindOfItself(path) == .folder { open.append(path) }
      }
    }
    return folders
  }

  /// The git directory of a worktree, and what is within it while something is under way.
  package static func gitDirectory(_ layout: GitLayout) -> [String: WatchPlan.Place] {
    var folders: [String: WatchPlan.Place] = [layout.gitDirectory: .gitDirectory]
    for name in WatchPlan.operationFolders {
      let path = HostFile.join(layout.gitDirectory, name)
      if HostFile.kindOfItself(path) == .folder { folders[path] = .gitDirectory }
    }
    return folders
  }

  /// The folders with tracked files.
  ///
  /// - Throws: ``GitRunner/Failure``, `CancellationError`.
  package static func content(
    _ layout: GitLayout,
    runner: GitRunner
  ) async throws -> WatchPlan.Folders {
    let folders = Mutex(WatchPlan.Folders())
    _ = try await runner.run(["ls-files", "-z"], in: layout.worktree) { bytes in
      try folders.withLock { folders throws(GitOutputError) in try folders.take(bytes) }
    }
    return folders.withLock { $0 }
  }
}
