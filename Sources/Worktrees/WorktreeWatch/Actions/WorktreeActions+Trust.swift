package import Workspaces

extension WorktreeActions {
  /// Demands that a repository lies within the folders that are watched.
  ///
  /// A file called `.git` leads to any repository of the machine, whoever wrote it.
  func requireWatched(_ common: String) async throws(ActionRefusal) {
    guard await watcher.isWatched(common) else {
      throw ActionRefusal(
        .outsideWatchedFolders,
        "the repository \(common) is outside of the folders that are watched"
      )
    }
  }

  /// Demands that the configuration of a worktree leads git to that worktree.
  func requireOwnFiles(_ folder: String) async throws {
    guard let displaced = try await runner.findings(in: folder)?.displaced else { return }
    throw ActionRefusal(
      .outsideWatchedFolders,
      "core.worktree leads git from \(folder) to \(displaced)"
    )
  }

  /// Demands that somebody trusts what the configuration of a repository names, if it names a program that would run.
  ///
  /// What changes afterwards, ``GitRunner`` refuses.
  ///
  /// - Parameters:
  ///   - folder: The worktree, or the common directory.
  ///   - what: What is to be done, such as "to merge".
  /// - Throws: ``ActionRefusal``, ``GitRunner/Failure``.
  package func requireTrusted(_ folder: String, _ what: String) async throws {
    guard let findings = try await runner.findings(in: folder), findings.isNeutral else { return }
    throw findings.refusal(what)
  }

  /// Trusts the programs that a person has seen.
  ///
  /// - Parameters:
  ///   - workspace: The worktree.
  ///   - digest: Tells the programs from others, as the worktree's state of trust says it.
  /// - Returns: The worktree, looked at once.
  /// - Throws: ``ActionRefusal`` if it names others by now; ``TrustedRepositories/Failure``, ``GitRunner/Failure``.
  package func trust(_ workspace: Workspace, _ digest: String) async throws -> Workspace {
    let findings = try await runner.findings(in: workspace.path)
    guard let findings, findings.digest == digest else {
      throw ActionRefusal(
        .configurationChanged,
        findings?.digest == nil
          ? "the configuration of \(workspace.path) names no program any more"
          : "the configuration of \(workspace.path) names other programs than those that were shown",
        files: findings?.shown?.programs.map { "\($0.key) = \($0.command)" } ?? []
      )
    }
    try runner.programs.trust.trust(digest, of: findings.common)
    await watcher.refreshRepository(findings.common)
    return try await current(workspace)
  }

  /// Trusts nothing of a worktree's repository any more.
  ///
  /// - Parameter workspace: The worktree.
  /// - Returns: The worktree, looked at once.
  /// - Throws: ``ActionRefusal``, ``TrustedRepositories/Failure``.
  package func distrust(_ workspace: Workspace) async throws -> Workspace {
    guard let common = await watcher.commonDirectory(of: workspace.path) else {
      throw ActionRefusal(.worktreeNotFound, "the worktree is gone")
    }
    try runner.programs.trust.distrust(common)
    await watcher.refreshRepository(common)
    return try await current(workspace)
  }
}
