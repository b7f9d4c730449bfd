import Git
package import Workspaces

extension WorktreeWatcher {
  /// Returns what is in the watched folders but not shown, or not kept fresh by events, with reasons; ordered by path.
  package func omissions() -> [Omission] {
    var found = searchOmissions
    for (common, problem) in repositoryProblems {
      let isForeign = problem.contains("dubious ownership")
      found.append(Omission(isForeign ? .foreignOwner : .gitFailed, common, problem))
    }
    for common in pendingRepositories {
      found.append(Omission(.pending, common, "the first scan of \(common) has not finished"))
    }
    for repository in repositories.values { found += repository.omissions }
    for path in surplusWorktrees {
      found.append(
        Omission(.tooMany, path, "there are more than \(WatchLimits.worktrees) worktrees")
      )
    }
    for (path, tree) in trees where tree.isPolled && tree.scan != nil {
      found.append(Omission(.polled, path, Self.reason(tree, every: settings.pollEvery)))
    }
    return Array(
      found.sorted { ($0.path, $0.reason.rawValue) < ($1.path, $1.reason.rawValue) }
        .prefix(WatchLimits.omissions)
    )
  }

  private static func reason(_ tree: Tree, every pause: Double) -> String {
    let why =
      if let system = tree.eventlessSystem {
        "changes on its file system (\(system)) make no events here"
      } else if tree.lacksWatches {
        "the system has no inotify watches left"
      } else if tree.folders?.isOverflowing ?? false {
        "it has more than \(GitLimits.watchedFolders) folders"
      } else {
        "its folders could not be listed"
      }
    return "it is looked at every \(pause) s: \(why)"
  }
}

extension Omission {
  /// Why a worktree that git names is not shown.
  ///
  /// - Parameters:
  ///   - entry: The worktree as git names it.
  ///   - common: The common directory of its repository.
  init(_ entry: WorktreeEntry, of common: String) {
    let path = entry.path
    if !entry.isPathExact {
      self.init(.notText, path, "the path \(path) is not UTF-8")
    } else if HostFile.kind(path) == nil {
      let why = entry.prunable.map { ": \($0)" } ?? ""
      self.init(.missingWorktree, path, "git names the worktree \(path), and it is not there\(why)")
    } else if HostFile.realPath(path) == common {
      self.init(
        .separateDirectory,
        path,
        "git does not say where the folder of the repository in \(path) is; it was made with --separate-git-dir"
      )
    } else {
      self.init(.gitFailed, path, "\(path) does not belong to \(common) as git says")
    }
  }
}
