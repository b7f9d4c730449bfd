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

  /// What is watched of the content of a worktree.
  package struct Content: Sendable {
    /// The folders with tracked files, those of submodules included.
    package var folders: WatchPlan.Folders
    /// The git directories of submodules.
    package var gitDirectories: [String] = []
  }

  /// The folders with tracked files, those of submodules included.
  ///
  /// A status tells of every submodule that is there, whether it is known to `.gitmodules` or not; so each
  /// is asked, as no single list has them all. One that is broken is left out.
  ///
  /// - Throws: ``GitRunner/Failure``, `CancellationError`.
  package static func content(
    _ layout: GitLayout,
    runner: GitRunner
  ) async throws -> Content {
    var content = Content(folders: try await list(layout.worktree, runner))
    var next = 0
    while next < content.folders.submodules.count {
      let path = content.folders.submodules[next]
      next += 1
      let folder = HostFile.join(layout.worktree, path)
      guard HostFile.kindOfItself(folder) == .folder,
        let directory = GitLayout.gitDirectory(ofSubmodule: folder)
      else { continue }
      content.gitDirectories.append(directory)
      do {
        content.folders.add(try await list(folder, runner), of: path)
      } catch is GitRunner.Failure {
        continue
      }
    }
    return content
  }

  private static func list(
    _ folder: String,
    _ runner: GitRunner
  ) async throws -> WatchPlan.Folders {
    let folders = Mutex(WatchPlan.Folders())
    _ = try await runner.run(["ls-files", "--stage", "-z"], in: folder) { bytes in
      try folders.withLock { folders throws(GitOutputError) in try folders.take(bytes) }
    }
    return folders.withLock { $0 }
  }
}
