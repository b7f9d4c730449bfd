import Git
package import Workspaces

extension WorktreeActions {
  /// Makes a worktree with a new branch, or of a branch that is there.
  ///
  /// - Parameters:
  ///   - repository: The id of the repository, or its path.
  ///   - branch: The branch; `nil` makes one of the name.
  ///   - name: The name of the folder; `nil` takes the branch's name.
  ///   - source: What a new branch starts from; `nil` for the repository's default branch.
  /// - Returns: The worktree, looked at once.
  /// - Throws: ``ActionRefusal``, ``GitRunner/Failure``.
  package func create(
    repository: String,
    branch: String?,
    name: String?,
    source: String?
  ) async throws -> Workspace {
    let found = await watcher.repositories(named: repository)
    guard let place = found.first else {
      throw ActionRefusal(.repositoryNotFound, "there is no repository \(repository.prefix(80))")
    }
    guard found.count == 1 else {
      throw ActionRefusal(
        .invalidParameter,
        "\(found.count) repositories are called \(repository.prefix(80)); give the path of one: "
          + found.map(\.commonDirectory).joined(separator: ", ")
      )
    }
    guard let name = name ?? branch?.split(separator: "/").joined(separator: "-"),
      Self.isFolderName(name)
    else {
      throw ActionRefusal(
        .invalidParameter,
        "name is to be 1 to 100 letters, digits, dots, dashes and underscores; no dot or dash at the start"
      )
    }
    let branch = branch ?? name
    let valid = try await runner.run(
      ["check-ref-format", "--branch", branch],
      in: place.commonDirectory,
      accepted: 0...128
    )
    guard valid.code == 0, !branch.hasPrefix("-") else {
      throw ActionRefusal(.invalidParameter, "\(branch.prefix(80)) cannot be the name of a branch")
    }
    return try await watcher.turns.take(place.commonDirectory) {
      try await add(place, branch: branch, name: name, source: source)
    }
  }

  private func add(
    _ place: RepositoryLook,
    branch: String,
    name: String,
    source: String?
  ) async throws -> Workspace {
    let main = place.members.first { $0.isMain }?.layout.worktree ?? place.commonDirectory
    let folder = main + ".worktrees/" + name
    guard HostFile.kindOfItself(folder) == nil else {
      throw ActionRefusal(.alreadyExists, "\(folder) is there already", files: [folder])
    }
    let start = source ?? place.source?.object ?? "HEAD"
    guard !start.hasPrefix("-") else {
      throw ActionRefusal(.invalidParameter, "source cannot begin with a dash")
    }
    let exists = try await runner.run(
      ["show-ref", "--verify", "--quiet", "refs/heads/\(branch)"],
      in: place.commonDirectory,
      accepted: 0...1
    )
    if exists.code == 0,
      let holder = place.members.first(where: { $0.entry.branch == "refs/heads/" + branch })
    {
      throw ActionRefusal(
        .alreadyExists,
        "\(branch) is checked out in \(holder.layout.worktree)",
        files: [holder.layout.worktree]
      )
    }
    if exists.code != 0 { try await requireRoom(for: branch, from: start, in: place, source) }
    var arguments = ["worktree", "add", "--quiet"]
    arguments += exists.code == 0 ? [folder, branch] : ["-b", branch, "--no-track", folder, start]
    _ = try await act(arguments, in: place.commonDirectory)
    await watcher.refreshRepository(place.commonDirectory)
    let path = HostFile.realPath(folder) ?? folder
    await watcher.refresh(path)
    guard let made = store.record(WorkspaceIdentity.id(of: path))?.workspace else {
      throw ActionRefusal(.gitFailed, "\(path) was made and cannot be found")
    }
    return made
  }

  private static func isFolderName(_ name: String) -> Bool {
    guard (1...100).contains(name.utf8.count), let first = name.utf8.first else { return false }
    return first != 0x2D && first != 0x2E
      && name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || [0x2D, 0x2E, 0x5F].contains(byte)
      }
  }

  /// Removes a worktree; its branch stays unless it is to go too.
  ///
  /// - Parameters:
  ///   - workspace: The worktree.
  ///   - isForced: Whether what is not committed, what nothing else has, and an agent that lives are no reason to
  ///     keep it. The main worktree and a locked one stay in any case.
  ///   - removesBranch: Whether its branch goes too, if it is still where it was when it was checked.
  /// - Throws: ``ActionRefusal``, ``GitRunner/Failure``.
  package func delete(
    _ workspace: Workspace,
    isForced: Bool,
    removesBranch: Bool
  ) async throws {
    try await inTurn(workspace) { common in
      let now = try await current(workspace)
      try await requireRemovable(now, common, isForced: isForced, removesBranch: removesBranch)
      try await remove(now, common, isForced: isForced, removesBranch: removesBranch)
    }
  }

  private func requireRemovable(
    _ now: Workspace,
    _ common: String,
    isForced: Bool,
    removesBranch: Bool
  ) async throws {
    if now.isMain {
      throw ActionRefusal(.mainWorktree, "\(now.path) came with the repository and stays")
    }
    if let reason = now.git.locked {
      let why = reason.isEmpty ? "" : ": \(reason)"
      throw ActionRefusal(.worktreeLocked, "\(now.path) is locked\(why)")
    }
    if !isForced {
      try requireUnattended(now)
      try await requireClean(now)
      if let head = now.git.head, removesBranch || now.git.branch == nil {
        try await requireKept(head, besides: now)
      }
    }
    if removesBranch, let branch = now.git.branch {
      let others = await watcher.repositories(named: common).first?.members ?? []
      let other = others.first {
        $0.entry.branch == "refs/heads/" + branch && $0.layout.worktree != now.path
      }
      if let other {
        throw ActionRefusal(
          .operationInProgress,
          "\(branch) is checked out in \(other.layout.worktree) too"
        )
      }
    }
  }

  private func remove(
    _ now: Workspace,
    _ common: String,
    isForced: Bool,
    removesBranch: Bool
  ) async throws {
    // Read again directly before: a commit of a moment ago is not lost.
    if !isForced, try await checkedOut(now.path) != now.git.head {
      throw ActionRefusal(.worktreeUnmerged, "\(now.path) has another commit meanwhile")
    }
    let force = isForced ? ["--force"] : []
    _ = try await act(["worktree", "remove"] + force + [now.path], in: common)
    var moved: ActionRefusal?
    if removesBranch, let branch = now.git.branch, let head = now.git.head {
      do {
        _ = try await act(["update-ref", "-d", "refs/heads/\(branch)", head], in: common)
        // As `git branch -D` does; most branches have no section.
        _ = try? await act(["config", "--remove-section", "branch.\(branch)"], in: common)
      } catch GitRunner.Failure.failed(_, _, let complaint) {
        moved = ActionRefusal(
          .worktreeUnmerged,
          "\(now.path) is gone; \(branch) stays, because it is not at \(head.prefix(8)) any more: \(complaint)"
        )
      }
    }
    await watcher.refreshRepository(common)
    if let moved { throw moved }
  }

  /// Whether another branch has a commit, so that it is not lost.
  private func requireKept(_ head: String, besides workspace: Workspace) async throws {
    let answer = try await runner.run(
      [
        "for-each-ref", "--contains", head, "--count=2", "--format=%(refname)", "refs/heads",
        "refs/remotes", "refs/tags",
      ],
      in: workspace.path
    )
    let own = workspace.git.branch.map { "refs/heads/" + $0 }
    let others = answer.text.split(separator: "\n").map(String.init).filter { $0 != own }
    guard others.isEmpty else { return }
    throw ActionRefusal(
      .worktreeUnmerged,
      "no other branch has \(head.prefix(8)); \(workspace.commitCount) commits would be lost"
    )
  }

  /// What a merge came to.
  package struct Merged: Sendable {
    /// The worktree that has the source checked out.
    package var target: Workspace
    /// Why the merged worktree was not removed though it was to be; `nil` if it was, or was to stay.
    package var refusal: String?
  }

  /// Merges a worktree's branch into its source, in the worktree that has the source checked out.
  ///
  /// - Parameters:
  ///   - workspace: The worktree.
  ///   - squashes: Whether all its commits become one; if they change nothing, none is made.
  ///   - cleansUp: Whether the worktree is removed then; what speaks against that is looked at before the merge.
  /// - Returns: What it came to.
  /// - Throws: ``ActionRefusal``, ``ActionConflict``, ``GitRunner/Failure``.
  package func merge(
    _ workspace: Workspace,
    squashes: Bool,
    cleansUp: Bool = false
  ) async throws -> Merged {
    try await inTurn(workspace) { common in
      let now = try await current(workspace)
      if cleansUp {
        try await requireRemovable(now, common, isForced: false, removesBranch: false)
      }
      let target = try await merge(now, squashes: squashes)
      guard cleansUp else { return Merged(target: target) }
      do {
        let after = try await current(now)
        try await requireRemovable(after, common, isForced: false, removesBranch: false)
        try await remove(after, common, isForced: false, removesBranch: false)
        return Merged(target: target)
      } catch let refusal as ActionRefusal {
        return Merged(target: target, refusal: refusal.detail)
      } catch let failure as GitRunner.Failure {
        return Merged(target: target, refusal: failure.description)
      }
    }
  }

  private func merge(_ now: Workspace, squashes: Bool) async throws -> Workspace {
    let source = try await source(of: now)
    guard let branch = now.git.branch, let head = now.git.head else {
      throw ActionRefusal(.invalidParameter, "\(now.path) has no branch checked out")
    }
    guard branch != source.branch else {
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
    try requireIdle(target)
    try await requireClean(target)
    guard let base = target.git.head else {
      throw ActionRefusal(.invalidParameter, "\(source.branch) has no commit yet")
    }
    let found = try await preview(now, base, head)
    if found.hasConflicts { throw ActionConflict(report: found) }
    let title = "Merge branch '\(branch)'"
    let way = squashes ? ["--squash"] : ["--no-ff", "-m", title]
    let begun = BegunOperation(squashes ? .squash : .merge(head), in: try await ready(target))
    _ = try await act(["merge", "--quiet"] + way + [head], in: target.path, begun)
    if squashes {
      let staged = try await runner.run(
        ["diff", "--cached", "--quiet"] + DiffReader.plain,
        in: target.path,
        timeout: WatchLimits.diffTimeout,
        accepted: 0...1
      )
      if staged.code == 0 {
        // The message that a squash leaves would be that of the next commit.
        if begun.isThere { _ = try await act(begun.undo, in: target.path) }
      } else {
        let message = "\(title) (squashed)"
        _ = try await act(["commit", "--quiet", "-m", message], in: target.path, begun)
      }
    }
    await watcher.refresh(now.path)
    return try await current(target)
  }

  private func preview(
    _ workspace: Workspace,
    _ base: String,
    _ head: String
  ) async throws -> ConflictReport {
    var report = try await check(workspace, "merge", ours: base, theirs: head)
    if report.hasConflicts { report.error = WorkspaceProblem.mergeConflict.rawValue }
    return report
  }

  /// Takes the source into a worktree's branch; what ends in conflicts is undone.
  ///
  /// - Parameters:
  ///   - workspace: The worktree.
  ///   - strategy: How.
  ///   - fetches: Whether the remote is asked first for what is new.
  /// - Returns: The worktree as it is then.
  /// - Throws: ``ActionRefusal``, ``ActionConflict``, ``GitRunner/Failure``.
  package func sync(
    _ workspace: Workspace,
    _ strategy: Strategy,
    fetches: Bool
  ) async throws -> Workspace {
    try await inTurn(workspace) { common in
      var now = try await syncable(workspace)
      if fetches {
        _ = try await act(["fetch", "--quiet", "origin"], in: now.path)
        await watcher.refreshRepository(common)
        now = try await syncable(now)
      }
      return try await sync(now, strategy)
    }
  }

  private func syncable(_ workspace: Workspace) async throws -> Workspace {
    let now = try await current(workspace)
    try requireIdle(now)
    // Before the branch: while a rebase waits, none is checked out.
    try await requireClean(now)
    guard now.git.branch != nil else {
      throw ActionRefusal(.invalidParameter, "\(now.path) has no branch checked out")
    }
    return now
  }

  private func sync(_ now: Workspace, _ strategy: Strategy) async throws -> Workspace {
    let source = try await source(of: now)
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
      begun = BegunOperation(.merge(source.object), in: directory)
      arguments = ["merge", "--quiet", "-m", "Merge branch '\(source.shortRef)'", source.object]
    }
    do {
      _ = try await act(arguments, in: now.path)
    } catch let failure as GitRunner.Failure {
      await watcher.refresh(now.path)
      let after = store.record(now.id)?.workspace
      guard try await undo(begun, in: now.path) else { throw failure }
      await watcher.refresh(now.path)
      guard let after, after.git.conflictCount > 0 else { throw failure }
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
    return try await current(now)
  }

  /// Undoes what an action began; leaves what somebody else did.
  ///
  /// - Returns: Whether there was something to undo.
  /// - Throws: ``ActionRefusal`` if something is begun that is not the action's.
  private func undo(_ begun: BegunOperation, in folder: String) async throws -> Bool {
    if begun.isThere {
      _ = try? await act(begun.undo, in: folder)
      return true
    }
    if let found = begun.found {
      throw ActionRefusal(
        .operationInProgress,
        "a \(found.kind.rawValue) was begun in \(folder) by somebody else meanwhile and is left as it is"
      )
    }
    return false
  }

  /// Runs a command that changes something and, if it fails, undoes what it began.
  private func act(
    _ arguments: [String],
    in folder: String,
    _ begun: BegunOperation
  ) async throws -> GitRunner.Answer {
    do {
      return try await act(arguments, in: folder)
    } catch {
      _ = try await undo(begun, in: folder)
      throw error
    }
  }

  /// Runs a command that changes something.
  private func act(_ arguments: [String], in folder: String) async throws -> GitRunner.Answer {
    // A client that goes away does not leave half a change behind.
    let runner = runner
    let task = Task {
      try await runner.run(
        arguments,
        in: folder,
        reads: false,
        timeout: WatchLimits.actionTimeout
      )
    }
    return try await task.value
  }
}
