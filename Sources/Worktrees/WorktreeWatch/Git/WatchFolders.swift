package import Git
import Synchronization
package import Workspaces

/// Finds the folders that are watched for a worktree or a repository.
package enum WatchFolders {
  /// Where refs are, in any depth; bounded as content is.
  ///
  /// - Parameters:
  ///   - common: The common directory.
  ///   - heads: Folders of refs outside of branches that HEADs lead to, such as `refs/catnip`.
  /// - Returns: The folders with what each is to git.
  package static func repository(
    _ common: String,
    heads: Set<String> = []
  ) -> NameTable<WatchPlan.Place> {
    // Of `refs` itself only `stash` counts, which all worktrees share, and new folders.
    var folders: NameTable<WatchPlan.Place> = [
      common: .commonDirectory, HostFile.join(common, "refs"): .refs,
    ]
    var open = (WatchPlan.commonFolders + heads.sorted()).map { HostFile.join(common, $0) }
    while let folder = open.popLast(), folders.count < GitLimits.watchedFolders {
      guard HostFile.kindOfItself(folder) == .folder else { continue }
      folders[folder] = .refs
      if folder == HostFile.join(common, "worktrees") {
        // A worktree's git directory is watched for that worktree, except for its location: after a move nothing else
        // would notice that it is found again.
        for name in HostFile.names(in: folder, most: GitLimits.worktrees) {
          folders[HostFile.join(folder, name)] = .names(["gitdir"])
        }
        continue
      }
      for name in HostFile.names(in: folder, most: GitLimits.watchedFolders) {
        let path = HostFile.join(folder, name)
        if HostFile.kindOfItself(path) == .folder { open.append(path) }
      }
    }
    for (name, counts) in WatchPlan.commonNames {
      let path = HostFile.join(common, name)
      if HostFile.kindOfItself(path) == .folder { folders[path] = .names(counts) }
    }
    return folders
  }

  /// The folders to watch for files that may come, go and change: their own, or the nearest existing ones.
  package static func folders(of files: [String]) -> NameTable<WatchPlan.Place> {
    var names: NameTable<Set<String>> = [:]
    for file in files {
      var path = file
      while let slash = path.lastIndex(of: "/") {
        let folder = slash == path.startIndex ? "/" : String(path[..<slash])
        let name = String(path[path.index(after: slash)...])
        if HostFile.kind(folder) == .folder {
          names[HostFile.realPath(folder) ?? folder, default: []].insert(name)
          break
        }
        path = folder
      }
    }
    return names.mapValues { .names($0) }
  }

  /// The git directory of a worktree, and what is within it while something is under way.
  package static func gitDirectory(_ layout: GitLayout) -> NameTable<WatchPlan.Place> {
    var folders: NameTable<WatchPlan.Place> = [layout.gitDirectory: .gitDirectory]
    for name in WatchPlan.operationFolders {
      let path = HostFile.join(layout.gitDirectory, name)
      if HostFile.kindOfItself(path) == .folder { folders[path] = .gitDirectory }
    }
    return folders
  }

  /// The watched content of a worktree.
  package struct Content: Sendable {
    /// The folders with tracked files and new ones, those of submodules included.
    package var folders: WatchPlan.Folders
    /// The git directories of submodules.
    package var gitDirectories: [String] = []
    /// Folders on disk that were examined and may be left out.
    var seen: NameSet = []
    /// Whether git reported everything.
    package var isWhole = true
    /// Whether within new folders not everything is watched.
    package var isCut = false

    /// Whether a folder on disk was there already when they were listed.
    package func knows(_ folder: String) -> Bool {
      folders.contains(folder) || seen.contains(folder)
    }
  }

  /// The watched folders, including those of submodules.
  ///
  /// A status reports every checked-out submodule, whether `.gitmodules` lists it or not. Each one is asked, since no
  /// single list has them all. A broken one is left out.
  ///
  /// - Throws: ``GitRunner/Failure``, `CancellationError`.
  package static func content(
    _ layout: GitLayout,
    untracked: [String] = [],
    runner: GitRunner
  ) async throws -> Content {
    var content = Content(folders: try await list(layout.worktree, runner))
    await content.addNew(in: layout.worktree, untracked, runner)
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
        var inner = Content(folders: try await list(folder, runner))
        await inner.addNew(in: folder, [], runner)
        content.folders.add(inner.folders, of: path)
        content.seen.formUnion(inner.seen.map { path + "/" + $0 })
        content.isWhole = content.isWhole && inner.isWhole
      } catch is GitRunner.Failure {
        // It may be on its way.
        content.isWhole = false
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
      try folders.withLock { folders throws(GitOutputError) in try folders.consume(bytes) }
    }
    return folders.withLock { $0 }
  }
}

extension WatchFolders.Content {
  /// Adds the folders with nothing that git tracks.
  fileprivate mutating func addNew(
    in root: String,
    _ untracked: [String],
    _ runner: GitRunner
  ) async {
    do {
      let new = try await NewFolders.find(
        in: root,
        beside: folders,
        named: untracked,
        runner: runner
      )
      folders.add(new: new.folders)
      if new.isOverflowing { folders.overflow() }
      seen = new.seen
      isCut = new.isCut
    } catch {
      isWhole = false
    }
    folders.add(new: untracked.map { String($0.dropLast()) })
  }
}
