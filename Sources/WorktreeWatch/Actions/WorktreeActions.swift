import Git
package import Workspaces

/// What a person can have done to worktrees.
///
/// Everything is checked before anything is touched, nothing is killed
/// and nothing is removed but by git itself.
package struct WorktreeActions: Sendable {
  let watcher: WorktreeWatcher
  var runner: GitRunner { watcher.runner }
  var store: WorkspaceStore { watcher.store }

  /// Acts on the worktrees of a watcher.
  package init(watcher: WorktreeWatcher) { self.watcher = watcher }

  /// How a branch takes in its source.
  package enum Strategy: String, Codable, Sendable {
    /// Its commits are made again on top.
    case rebase
    /// A merge commit joins both.
    case merge
  }

  // MARK: Checks

  /// Whether merging a worktree's branch into its source would end in conflicts.
  ///
  /// - Throws: ``ActionRefusal``, ``GitRunner/Failure``.
  package func checkMerge(_ workspace: Workspace) async throws -> ConflictReport {
    try await check(workspace, "merge", ours: source(of: workspace).ref, theirs: head(workspace))
  }

  /// Whether taking the source into a worktree's branch would end in conflicts.
  ///
  /// - Throws: ``ActionRefusal``, ``GitRunner/Failure``.
  package func checkSync(_ workspace: Workspace) async throws -> ConflictReport {
    try await check(workspace, "sync", ours: head(workspace), theirs: source(of: workspace).ref)
  }

  /// Merges two commits in a store of objects of its own, so that the repository stays as it is.
  func check(
    _ workspace: Workspace,
    _ operation: String,
    ours: String,
    theirs: String
  ) async throws -> ConflictReport {
    let objects = try TemporaryFolder()
    defer { objects.remove() }
    let common = await watcher.commonDirectory(of: workspace.path) ?? workspace.path
    let answer = try await runner.run(
      ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs],
      in: workspace.path,
      timeout: WatchLimits.diffTimeout,
      variables: [
        "GIT_OBJECT_DIRECTORY": objects.path,
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": HostFile.join(common, "objects"),
      ],
      accepted: 0...1
    )
    let parts = answer.output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    let files = answer.code == 1 ? Array(parts.dropFirst()) : []
    return report(workspace, operation, files, isConflict: answer.code == 1)
  }

  func report(
    _ workspace: Workspace,
    _ operation: String,
    _ files: [String],
    isConflict: Bool,
    error: String? = nil
  ) -> ConflictReport {
    let count = files.count
    return ConflictReport(
      error: error,
      hasConflicts: isConflict,
      operation: operation,
      worktreeName: workspace.name,
      worktreePath: workspace.path,
      conflictFiles: files,
      message: isConflict
        ? "\(operation) ends in conflicts in \(count) \(count == 1 ? "file" : "files")"
        : "\(operation) is without conflicts"
    )
  }

  /// The branch a worktree is compared with.
  func source(of workspace: Workspace) async throws(ActionRefusal) -> GitRefs.Source {
    guard let source = await watcher.source(of: workspace.path) else {
      throw ActionRefusal(.operationInProgress, "the repository has no branch to compare with")
    }
    return source
  }

  private func head(_ workspace: Workspace) throws(ActionRefusal) -> String {
    guard workspace.git.head != nil else {
      throw ActionRefusal(.invalidParameter, "the worktree has no commit yet")
    }
    // By name, so that the answer is of the commit that is checked out now.
    return "HEAD"
  }

  // MARK: Preconditions

  /// Looks anew and gives the worktree as it is now.
  func current(_ workspace: Workspace) async throws(ActionRefusal) -> Workspace {
    await watcher.refresh(workspace.path)
    guard let now = store.record(workspace.id)?.workspace else {
      throw ActionRefusal(.worktreeNotFound, "the worktree is gone")
    }
    if let problem = now.git.problem { throw ActionRefusal(.gitFailed, problem) }
    return now
  }

  func requireIdle(_ workspace: Workspace) throws(ActionRefusal) {
    guard ![.working, .needsYou].contains(workspace.activity.state) else {
      throw ActionRefusal(.agentActive, "an agent works in \(workspace.path)")
    }
  }

  func requireClean(_ workspace: Workspace) async throws {
    if let operation = workspace.git.operation {
      throw ActionRefusal(
        .operationInProgress,
        "a \(operation.kind) was begun in \(workspace.path) and not ended",
        files: workspace.git.conflicts
      )
    }
    guard workspace.isDirty else { return }
    let answer = try await runner.run(
      ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal"],
      in: workspace.path
    )
    let files = answer.output.split(separator: 0).map {
      String(decoding: $0.dropFirst(3), as: UTF8.self)
    }
    throw ActionRefusal(
      .worktreeDirty,
      "\(files.count) \(files.count == 1 ? "path is" : "paths are") not committed in \(workspace.path)",
      files: Array(files.prefix(GitLimits.conflictNames))
    )
  }
}
