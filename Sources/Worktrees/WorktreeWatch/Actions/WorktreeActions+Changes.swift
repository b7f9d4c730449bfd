import Git
package import Workspaces

extension WorktreeActions {
  /// The result of a merge.
  package struct Merged: Sendable {
    /// The worktree that has the source checked out.
    package var target: Workspace
    /// Why the merged worktree was not removed though it was to be; `nil` if it was, or was to stay.
    package var refusal: String?
    /// What takes the merge back; `nil` if it changed nothing.
    package var undo: RestorePoint?
    /// What restores the merged worktree; `nil` if it was not removed.
    package var removed: RestorePoint?
  }

  /// Merges a worktree's branch into its source, in the worktree that has the source checked out.
  ///
  /// - Parameters:
  ///   - workspace: The worktree.
  ///   - squashes: Whether all its commits become one; if they change nothing, none is made.
  ///   - cleansUp: Whether the worktree is removed afterwards; obstacles to that are checked before the merge.
  ///   - processes: The numbers of processes in the worktrees to ignore.
  /// - Returns: The result.
  /// - Throws: ``ActionRefusal``, ``ActionConflict``, ``GitRunner/Failure``.
  package func merge(
    _ workspace: Workspace,
    squashes: Bool,
    cleansUp: Bool = false,
    processes: Set<Int32> = []
  ) async throws -> Merged {
    try await inTurn(workspace) { common in
      await watcher.refreshRepository(common)
      let now = try await current(workspace)
      let removal = Removal(processes: processes)
      if cleansUp { try await requireRemovable(now, common, removal) }
      var merged = try await merge(now, common, squashes: squashes, processes)
      guard cleansUp else { return merged }
      do {
        let after = try await current(now)
        try await requireRemovable(after, common, removal)
        merged.removed = try await remove(after, common, removal)
      } catch let refusal as ActionRefusal {
        merged.refusal = refusal.detail
      } catch let failure as GitRunner.Failure {
        merged.refusal = failure.description
      }
      return merged
    }
  }

  private func merge(
    _ now: Workspace,
    _ common: String,
    squashes: Bool,
    _ processes: Set<Int32>
  ) async throws -> Merged {
    let source = try await source(of: now)
    guard let branch = now.git.branch, let head = now.git.head else {
      throw ActionRefusal(.invalidParameter, "\(now.path) has no branch checked out")
    }
    guard !branch.isSameName(as: source.branch) else {
      throw ActionRefusal(.invalidParameter, "\(branch) is the source itself")
    }
    try await requireClean(now)
    guard let place = await watcher.worktree(on: source.branch, with: now.path),
      let record = store.record(WorkspaceIdentity.id(of: place))
    else {
      throw ActionRefusal(
        .operationInProgress,
        "no worktree has \(source.branch) checked out; the merge is made there"
      )
    }
    let target = try await current(record.workspace)
    try requireIdle(target, besides: processes)
    try await requireNoProcess(in: target, besides: processes)
    try await requireClean(target)
    guard let base = target.git.head else {
      throw ActionRefusal(.invalidParameter, "\(source.branch) has no commit yet")
    }
    let trial = try await trial(now, "merge", ours: base, theirs: head)
    if trial.report.hasConflicts {
      var report = trial.report
      report.error = WorkspaceProblem.mergeConflict.rawValue
      throw ActionConflict(report: report)
    }
    try await requireNothingInTheWay(trial.added, in: target.path)
    try await requireNoHiddenEdit(
      target.path,
      among: incoming(head, in: target.path).union(trial.written)
    )
    let title = "Merge branch '\(branch)'"
    // Each is said, whatever the configuration says.
    let way =
      squashes
      ? ["--squash", "--ff", "--no-commit"]
      : ["--no-ff", "--commit", "--no-squash", "-m", title]
    let begun = BegunOperation(
      squashes ? .squash : .merge(head),
      in: try await ready(target),
      result: trial.tree
    )
    let undo = try await undoable(.merge, target, common) {
      _ = try await act(
        ["merge", "--quiet", "--no-overwrite-ignore"] + way + [head],
        in: target.path,
        begun,
        variables: Self.plainSettings(source.branch)
      )
      if squashes {
        try await commitSquash("\(title) (squashed)", in: target, begun)
      } else if try await !contains(head, in: target.path) {
        throw ActionRefusal(
          .gitFailed,
          "git merge made no merge of \(branch) in \(target.path); look there what it left"
        )
      }
    }
    await watcher.refresh(now.path)
    return Merged(target: try await current(target), undo: undo)
  }

  private func commitSquash(
    _ message: String,
    in target: Workspace,
    _ begun: BegunOperation
  ) async throws {
    let staged = try await runner.run(
      ["diff", "--cached", "--quiet"] + DiffReader.plain,
      in: target.path,
      timeout: WatchLimits.diffTimeout,
      accepted: 0...1
    )
    if staged.code == 0 {
      // The message that a squash leaves would be that of the next commit.
      if begun.isThere { _ = try await act(begun.undo, in: target.path) }
      return
    }
    _ = try await act(["commit", "--quiet", "-m", message], in: target.path, begun)
    if try await checkedOut(target.path) == target.git.head {
      throw ActionRefusal(
        .gitFailed,
        "git commit made no commit in \(target.path); look there what it left"
      )
    }
  }

  /// Whether what is checked out has a commit.
  private func contains(_ commit: String, in folder: String) async throws -> Bool {
    let answer = try await runner.run(
      ["merge-base", "--is-ancestor", commit, "HEAD"],
      in: folder,
      accepted: 0...1
    )
    return answer.code == 0
  }

  /// Takes the source into a worktree's branch; what ends in conflicts is undone.
  ///
  /// - Parameters:
  ///   - workspace: The worktree.
  ///   - strategy: Rebase or merge.
  ///   - fetches: Whether to fetch from the remote first.
  ///   - rewritesPushed: Whether a rebase may rewrite commits that a remote has.
  ///   - processes: The numbers of processes in the worktree to ignore.
  /// - Returns: The result.
  /// - Throws: ``ActionRefusal``, ``ActionConflict``, ``GitRunner/Failure``.
  package func sync(
    _ workspace: Workspace,
    _ strategy: Strategy,
    fetches: Bool,
    rewritesPushed: Bool = false,
    processes: Set<Int32> = []
  ) async throws -> Synced {
    try await inTurn(workspace) { common in
      await watcher.refreshRepository(common)
      var now = try await syncable(workspace, processes)
      if fetches {
        _ = try await act(["fetch", "--quiet", "origin"], in: now.path)
        await watcher.refreshRepository(common)
        now = try await syncable(now, processes)
      }
      if strategy == .rebase {
        let isNeeded = try await requireRebasable(
          now,
          onto: source(of: now).object,
          rewritesPushed: rewritesPushed
        )
        guard isNeeded else { return Synced(worktree: now) }
      }
      var done = now
      let undo = try await undoable(.sync, now, common) { done = try await sync(now, strategy) }
      return Synced(worktree: done, undo: undo)
    }
  }

  private func syncable(
    _ workspace: Workspace,
    _ processes: Set<Int32>
  ) async throws -> Workspace {
    let now = try await current(workspace)
    try requireIdle(now, besides: processes)
    try await requireNoProcess(in: now, besides: processes)
    // Before the branch: while a rebase waits, none is checked out.
    try await requireClean(now)
    guard now.git.branch != nil else {
      throw ActionRefusal(.invalidParameter, "\(now.path) has no branch checked out")
    }
    return now
  }

  private func sync(_ now: Workspace, _ strategy: Strategy) async throws -> Workspace {
    let source = try await source(of: now)
    let added: [[UInt8]]
    var result: String?
    switch strategy {
    case .rebase:
      // A rebase that is given up writes over them.
      try await requireNoHiddenEdit(now.path, sparse: false)
      try await requireNoHiddenEdit(now.path, among: touched(onto: source.object, in: now.path))
      added = try await replayed(now, onto: source.object)
    case .merge:
      let trial = try await trial(now, "sync", ours: "HEAD", theirs: source.object)
      added = trial.added
      result = trial.tree
      try await requireNoHiddenEdit(
        now.path,
        among: incoming(source.object, in: now.path).union(trial.written)
      )
    }
    try await requireNothingInTheWay(added, in: now.path)
    let directory = try await ready(now)
    let begun: BegunOperation
    let arguments: [String]
    switch strategy {
    case .rebase:
      begun = BegunOperation(
        .rebase(onto: source.object, head: now.git.head ?? ""),
        in: directory
      )
      arguments = ["rebase", "--quiet", source.object]
    case .merge:
      begun = BegunOperation(.merge(source.object), in: directory, result: result)
      arguments = [
        "merge", "--quiet", "--no-overwrite-ignore", "--ff", "--commit", "--no-squash", "-m",
        "Merge branch '\(source.shortRef)'", source.object,
      ]
    }
    do {
      _ = try await act(
        arguments,
        in: now.path,
        variables: Self.plainSettings(now.git.branch ?? "")
      )
    } catch let failure as GitRunner.Failure {
      await watcher.refresh(now.path)
      let after = store.record(now.id)?.workspace
      let undone = try await undo(begun, in: now.path, after: failure)
      await watcher.refresh(now.path)
      guard undone, let after, after.git.conflictCount > 0 else { throw failure }
      throw ActionConflict(
        report: report(
          now,
          "sync",
          after.git.conflicts,
          isConflict: true,
          error: WorkspaceProblem.mergeConflict.rawValue
        )
      )
    }
    guard try await contains(source.object, in: now.path) else {
      throw ActionRefusal(
        .gitFailed,
        "git \(strategy.rawValue) ended and \(now.path) has not what \(source.shortRef) has; look there"
      )
    }
    return try await current(now)
  }

  /// Undoes what an action began, and leaves other changes alone.
  ///
  /// A hook that failed may have changed files that git then does not give up; they are kept in the stash first.
  ///
  /// - Parameters:
  ///   - begun: The started operation.
  ///   - folder: The worktree.
  ///   - cause: Why it is undone.
  /// - Returns: Whether there was something to undo.
  /// - Throws: ``ActionRefusal`` if something is begun that is not the action's, if changes are in the stash now, or
  ///   if it could not be undone.
  private func undo(
    _ begun: BegunOperation,
    in folder: String,
    after cause: any Error
  ) async throws -> Bool {
    guard begun.isThere else {
      if begun.isIncomplete {
        throw ActionRefusal(
          .gitFailed,
          "\(cause); the rebase that was begun in \(folder) is incomplete and waits there: git rebase --quit ends it and changes no file"
        )
      }
      if let found = begun.found {
        throw ActionRefusal(
          .operationInProgress,
          "a \(found.kind.rawValue) was started in \(folder) by another program and is left as it is"
        )
      }
      return try await undoResult(of: begun, in: folder)
    }
    do {
      _ = try await act(begun.undo, in: folder)
      return true
    } catch {
      guard !begun.isRebase else { throw Self.notUndone(folder, cause, error) }
    }
    do {
      let kept = try await act(["stash", "create", "changed while freshet merged"], in: folder)
      if !kept.text.isEmpty {
        _ = try await act(
          ["stash", "store", "--quiet", "-m", "changed while freshet merged", kept.text],
          in: folder
        )
      }
      // As the changes are those of the index then, they are given up with it; nothing else is touched.
      _ = try await act(["add", "--update", ":/"], in: folder)
      _ = try await act(["reset", "--quiet", "--merge"], in: folder)
      throw ActionRefusal(
        .gitFailed,
        "\(cause); \(folder) is as it was before, and what was changed there meanwhile is the newest stash"
      )
    } catch let failure as GitRunner.Failure {
      throw Self.notUndone(folder, cause, failure)
    }
  }

  /// Undoes a merge that ended after it had written its result and before it had written down that it is one, as while
  /// `pre-merge-commit` runs: if exactly that is staged.
  ///
  /// - Returns: Whether there was something to undo.
  private func undoResult(of begun: BegunOperation, in folder: String) async throws -> Bool {
    guard let tree = begun.result else { return false }
    let plain = ["diff-index", "--cached", "--quiet"] + DiffReader.plain
    for (other, code) in [("HEAD", Int32(1)), (tree, 0)] {
      let answer = try? await runner.run(plain + [other], in: folder, accepted: 0...1)
      guard answer?.code == code else { return false }
    }
    _ = try await act(["reset", "--quiet", "--merge"], in: folder)
    return true
  }

  private static func notUndone(
    _ folder: String,
    _ cause: any Error,
    _ failure: any Error
  ) -> ActionRefusal {
    ActionRefusal(
      .gitFailed,
      "\(cause); what was begun in \(folder) could not be undone and waits there: \(failure)"
    )
  }

  /// Runs a command that changes something and, if it fails, undoes what it began.
  private func act(
    _ arguments: [String],
    in folder: String,
    _ begun: BegunOperation,
    variables: [String: String] = [:]
  ) async throws -> GitRunner.Answer {
    do {
      return try await act(arguments, in: folder, variables: variables)
    } catch {
      _ = try await undo(begun, in: folder, after: error)
      throw error
    }
  }

  /// Runs a command that changes something.
  func act(
    _ arguments: [String],
    in folder: String,
    variables: [String: String] = [:],
    writable: [String] = []
  ) async throws -> GitRunner.Answer {
    // A client that goes away does not leave half a change behind.
    let runner = runner
    let task = Task {
      try await runner.run(
        arguments,
        in: folder,
        reads: false,
        timeout: WatchLimits.actionTimeout,
        variables: variables,
        writable: writable
      )
    }
    return try await task.value
  }
}
