package import Workspaces

extension WorktreeActions {
  /// Throws unless a repository lies within the watched folders.
  ///
  /// A file called `.git`, which anyone may have written, can point to any repository on the
  /// machine.
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

  /// Throws unless the programs that would run from a repository's configuration are trusted.
  ///
  /// ``GitRunner`` rejects what changes afterwards.
  ///
  /// - Parameters:
  ///   - folder: The worktree, or the common directory.
  ///   - what: The purpose, such as "to merge".
  /// - Throws: ``ActionRefusal``, ``GitRunner/Failure``.
  package func requireTrusted(_ folder: String, _ what: String) async throws {
    guard let findings = try await runner.findings(in: folder), findings.isNeutral else { return }
    throw findings.refusal(what)
  }

  /// Trusts the programs that a person has seen.
  ///
  /// - Parameters:
  ///   - workspace: The worktree.
  ///   - digest: Identifies the programs, from the worktree's trust state.
  /// - Returns: The worktree, after a scan.
  /// - Throws: ``ActionRefusal`` if the programs have changed; ``TrustedRepositories/Failure``, ``GitRunner/Failure``.
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
  /// - Returns: The worktree, after a scan.
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
