package import Git
import Workspaces

extension WorktreeWatcher {
  /// The counters so far.
  package var metrics: WatchMetrics {
    WatchMetrics(
      repositories: repositories.count,
      worktrees: trees.count,
      polled: trees.values.count { $0.isPolled },
      watches: table.watched,
      events: table.events,
      scans: scans,
      failures: failures,
      processes: runner.started,
      isCut: isCut,
      missingRoots: missingRoots
    )
  }

  /// The common directory of a worktree's repository.
  func commonDirectory(of path: String) -> String? { trees[path]?.repository }

  /// The worktrees of any repository within a folder that have their repository elsewhere.
  func worktrees(within folder: String) -> [String] {
    trees.filter { path, tree in
      !path.isSameName(as: folder) && HostFile.isWithin(path, folder)
        && !HostFile.isWithin(tree.repository, folder)
    }.keys.sorted()
  }

  /// The branch a worktree is compared with.
  package func source(of path: String) -> GitRefs.Source? {
    trees[path].flatMap { repositories[$0.repository]?.source }
  }

  /// The repositories with an id, or the one at a path.
  func repositories(named name: String) -> [RepositoryScan] {
    if name.hasPrefix("/") {
      let path = HostFile.realPath(name) ?? name
      let found = trees[path]?.repository ?? path
      return repositories[found].map { [$0] } ?? []
    }
    return repositories.values.filter { $0.id.isSameName(as: name) }
      .sorted { $0.commonDirectory < $1.commonDirectory }
  }

  /// Whether there is a repository with an id, or at a path.
  package func hasRepository(named name: String) -> Bool { !repositories(named: name).isEmpty }

  /// The worktree that has a branch checked out, of the repository that has a worktree.
  func worktree(on branch: String, with path: String) -> String? {
    guard let common = trees[path]?.repository else { return nil }
    return repositories[common]?.members.first {
      (trees[$0.layout.worktree]?.scan?.status.branch).map { $0.isSameName(as: branch) } ?? false
    }?.layout.worktree
  }

  /// The branches of a repository by name, local ones and those of the remote.
  ///
  /// - Returns: The names, ordered; `nil` if the repository does not exist.
  /// - Throws: ``GitRunner/Failure``, `CancellationError`.
  package func branches(of name: String) async throws -> [String]? {
    guard let place = repositories(named: name).first else { return nil }
    let answer = try await runner.run(
      ["for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes/origin"],
      in: place.commonDirectory
    )
    var names: NameSet = []
    for line in answer.text.split(separator: "\n") {
      for prefix in ["refs/heads/", "refs/remotes/origin/"] {
        if let name = line.name(after: prefix), name != "HEAD" { names.insert(name) }
      }
    }
    return names.sorted()
  }

  /// Marks what the agents of a worktree did as seen.
  package func markSeen(_ path: String) async { await agents?.markSeen(path) }
}
