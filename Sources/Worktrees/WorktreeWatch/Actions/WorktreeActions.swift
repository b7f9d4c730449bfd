import Git
package import Workspaces

/// The actions on worktrees.
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

  /// Checks whether merging a worktree's branch into its source would cause conflicts.
  ///
  /// The check uses the local source branch; without one it uses the remote-tracking branch.
  ///
  /// - Throws: ``ActionRefusal``, also if a file that git does not track is in the way; ``GitRunner/Failure``.
  package func checkMerge(_ workspace: Workspace) async throws -> ConflictReport {
    await refreshRepository(of: workspace)
    let source = try await source(of: workspace)
    let local = try await runner.run(
      ["rev-parse", "--verify", "--quiet", "refs/heads/\(source.branch)^{commit}"],
      in: workspace.path,
      accepted: 0...1
    )
    let ours = local.code == 0 ? local.text : source.ref
    let trial = try await trial(workspace, "merge", ours: ours, theirs: head(workspace))
    if !trial.report.hasConflicts,
      let target = await watcher.worktree(on: source.branch, with: workspace.path)
    {
      try await requireNothingInTheWay(trial.added, in: target)
    }
    return trial.report
  }

  /// Whether taking the source into a worktree's branch would end in conflicts.
  ///
  /// - Throws: ``ActionRefusal``, also if a file that git does not track is in the way; ``GitRunner/Failure``.
  package func checkSync(_ workspace: Workspace) async throws -> ConflictReport {
    await refreshRepository(of: workspace)
    let source = try await source(of: workspace)
    let trial = try await trial(workspace, "sync", ours: head(workspace), theirs: source.object)
    if !trial.report.hasConflicts {
      let replayed = try await replayed(workspace, onto: source.object)
      try await requireNothingInTheWay(trial.added + replayed, in: workspace.path)
    }
    return trial.report
  }

  /// Merges two commits in a store of objects of its own, so that the repository stays as it is.
  func check(
    _ workspace: Workspace,
    _ operation: String,
    ours: String,
    theirs: String
  ) async throws -> ConflictReport {
    try await trial(workspace, operation, ours: ours, theirs: theirs).report
  }

  /// A merge that was tried.
  struct Trial {
    /// Whether there are conflicts.
    var report: ConflictReport
    /// The tree that is the result.
    var tree: String
    /// The paths that the result has and the first commit has not.
    var added: [[UInt8]]
    /// The paths in which the result differs from the first commit, where its own renames led them too.
    var written: Set<[UInt8]>
  }

  /// Merges two commits in a store of objects of its own, so that the repository stays as it is.
  func trial(
    _ workspace: Workspace,
    _ operation: String,
    ours: String,
    theirs: String
  ) async throws -> Trial {
    let objects = try TemporaryFolder()
    defer { objects.remove() }
    let common = await watcher.commonDirectory(of: workspace.path) ?? workspace.path
    let variables = [
      "GIT_OBJECT_DIRECTORY": objects.path,
      "GIT_ALTERNATE_OBJECT_DIRECTORIES": Self.quoted(HostFile.join(common, "objects")),
    ]
    let answer = try await runner.run(
      ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs],
      in: workspace.path,
      timeout: WatchLimits.diffTimeout,
      variables: variables,
      accepted: 0...1
    )
    let parts = answer.output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    // With conflicts there is a tree as well; without one nothing was merged.
    guard let tree = parts.first, [40, 64].contains(tree.utf8.count),
      tree.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else {
      let line = answer.complaint.split(separator: "\n").first ?? "no tree was made"
      throw GitRunner.Failure.failed(
        "merge-tree",
        code: answer.code,
        complaint: String(line.prefix(400))
      )
    }
    let files = answer.code == 1 ? Array(parts.dropFirst()) : []
    return Trial(
      report: report(workspace, operation, files, isConflict: answer.code == 1),
      tree: tree,
      added: try await added(from: ours, to: tree, in: workspace.path, variables),
      written: try await changed(from: ours, to: tree, in: workspace.path, variables)
    )
  }

  /// A path in quotation marks, in which a colon separates nothing (git(1), GIT_ALTERNATE_OBJECT_DIRECTORIES).
  static func quoted(_ path: String) -> String {
    var text = "\""
    for character in path.unicodeScalars {
      switch character {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(character)
      }
    }
    return text + "\""
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

  private func refreshRepository(of workspace: Workspace) async {
    guard let common = await watcher.commonDirectory(of: workspace.path) else { return }
    await watcher.refreshRepository(common)
  }

  private func head(_ workspace: Workspace) throws(ActionRefusal) -> String {
    guard workspace.git.head != nil else {
      throw ActionRefusal(.invalidParameter, "the worktree has no commit yet")
    }
    // By name, so that the answer is of the commit that is checked out now.
    return "HEAD"
  }

  // MARK: Preconditions

  /// Runs a body while nothing else is done to the repository of a worktree.
  ///
  /// - Parameters:
  ///   - workspace: The worktree.
  ///   - body: Gets the common directory.
  /// - Returns: What the body returns.
  /// - Throws: ``ActionRefusal`` if the worktree is gone; what the body throws.
  func inTurn<Result>(
    _ workspace: Workspace,
    _ body: (String) async throws -> Result
  ) async throws -> Result {
    guard let common = await watcher.commonDirectory(of: workspace.path) else {
      throw ActionRefusal(.worktreeNotFound, "the worktree is gone")
    }
    try await requireWatched(common)
    try await requireOwnFiles(workspace.path)
    return try await watcher.turns.run(common, mayWait: runner.requireTime) {
      try await body(common)
    }
  }

  /// The commit that is checked out, read now; `nil` without one.
  func checkedOut(_ path: String) async throws -> String? {
    let answer = try await runner.run(
      ["rev-parse", "--verify", "--quiet", "HEAD"],
      in: path,
      accepted: 0...1
    )
    return answer.code == 0 ? answer.text : nil
  }

  /// The git directory of a worktree in which, directly before an act, nothing is begun and the commit is the one
  /// that everything was checked for.
  func ready(_ workspace: Workspace) async throws -> String {
    guard case .worktree(let layout)? = GitLayout.find(workspace.path) else {
      throw ActionRefusal(.worktreeNotFound, "the worktree is gone")
    }
    guard try await checkedOut(workspace.path) == workspace.git.head else {
      throw ActionRefusal(.operationInProgress, "\(workspace.path) has another commit meanwhile")
    }
    if let operation = WorktreeScan.operation(layout.gitDirectory) {
      throw ActionRefusal(
        .operationInProgress,
        "a \(operation.kind.rawValue) was begun in \(workspace.path) and not ended"
      )
    }
    try runner.requireTime()
    return layout.gitDirectory
  }

  /// Scans again and returns the current worktree.
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
      throw ActionRefusal(.agentActive, Self.occupation(of: workspace))
    }
  }

  /// Throws if an agent lives in the worktree, working or waiting, or if its result has not been seen.
  func requireUnattended(_ workspace: Workspace) throws(ActionRefusal) {
    try requireIdle(workspace)
    let states = workspace.activity.agents.map(\.state) + [workspace.activity.state]
    guard states.allSatisfy({ [.ended, .unknown].contains($0) }) else {
      throw ActionRefusal(
        .agentActive,
        states.contains(.doneUnseen)
          ? "an agent has finished in \(workspace.path), and its work has not been seen"
          : "an agent runs in \(workspace.path)"
      )
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
