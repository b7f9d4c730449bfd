import Git
import Workspaces

extension WorktreeActions {
  /// Moves a worktree and its git directory to the trash; refs hold what only they held.
  ///
  /// - Parameters:
  ///   - now: The worktree.
  ///   - common: The common directory of its repository.
  ///   - removesBranch: Whether its branch goes afterwards.
  /// - Returns: What restores it.
  /// - Throws: ``ActionRefusal`` if it cannot be moved, and then everything is as it was; ``GitRunner/Failure``.
  func moveToTrash(
    _ now: Workspace,
    _ common: String,
    removesBranch: Bool
  ) async throws -> RestoreRecord {
    guard case .worktree(let layout)? = GitLayout.find(now.path),
      let name = OpenFolder.parts(layout.gitDirectory).last,
      layout.commonDirectory.isSameName(as: common),
      layout.gitDirectory.isSameName(as: RestoreFolder(common: common).directory(name))
    else {
      throw ActionRefusal(.worktreeNotFound, "\(now.path) is not a linked worktree any more")
    }
    let branch = try await branch(of: layout)
    let log = branch.map { HostFile.join(common, "logs/\($0.ref)") } ?? ""
    let kept = try await KeptObjects.find(
      layout,
      branch: branch.map { ($0.ref, $0.object, log, removesBranch) },
      runner: runner
    )
    let record = try await beginPoint(.delete, now, common, objects: kept.refs) { record in
      record.point.keptCommits = kept.commits
      record.gitName = name
      record.branch = branch
    }
    do {
      return try move(layout, record, log, staysHere: await watcher.isWatched(layout.worktree))
    } catch {
      // What could not be moved back stays where it is, and can be restored from there.
      if HostFile.kindOfItself(layout.worktree) != nil,
        HostFile.kindOfItself(layout.gitDirectory) != nil
      {
        try? await removePoint(record, common)
      }
      throw error
    }
  }

  /// Moves the git directory, then the folder, so that an interruption never leaves a git directory without a folder,
  /// which git would remove.
  private func move(
    _ layout: GitLayout,
    _ record: RestoreRecord,
    _ log: String,
    staysHere: Bool
  ) throws -> RestoreRecord {
    let folder = RestoreFolder(common: layout.commonDirectory)
    guard let own = folder.folder(record.point.id), let name = record.gitName,
      let last = OpenFolder.parts(layout.worktree).last,
      let parent = OpenFolder.open(layout.worktree.parentPath),
      let worktrees = OpenFolder.open(layout.commonDirectory)?.folder(["worktrees"])
    else {
      throw ActionRefusal(.gitFailed, "\(layout.worktree) is not reached without a link")
    }
    if HostFile.kindOfItself(log) == .file,
      let bytes = HostFile.bytes(log, limit: WatchLimits.gitDirectoryFileBytes),
      !own.write(bytes, to: RestoreFolder.branchLog)
    {
      throw ActionRefusal(.gitFailed, "the log of the branch cannot be kept")
    }
    if let failure = worktrees.move(name, to: own, as: RestoreFolder.git) {
      throw ActionRefusal(.gitFailed, "\(layout.gitDirectory) cannot be moved: \(failure)")
    }
    var reason = ""
    for place in staysHere ? [RestoreFolder.Place.inside, .beside] : [.beside] {
      guard let holder = folder.makeHolder(record, place) else {
        reason = "no folder can be made for \(folder.trashPath(record))"
        continue
      }
      guard let failure = parent.move(last, to: holder.folder, as: holder.name) else {
        // As git does when its last worktree goes.
        OpenFolder.open(layout.commonDirectory)?.removeIfEmpty("worktrees")
        return record
      }
      reason = failure
      if place == .beside { folder.removeEmptyTrash(record) }
    }
    _ = own.move(RestoreFolder.git, to: worktrees, as: name)
    throw ActionRefusal(
      .gitFailed,
      "\(layout.worktree) cannot be moved to a trash on its file system: \(reason)"
    )
  }

  /// The branch that HEAD of a worktree is a symbolic ref to, with its settings.
  func branch(of layout: GitLayout) async throws -> RestoreRecord.Branch? {
    let name = try await runner.run(
      ["symbolic-ref", "--quiet", "HEAD"],
      in: layout.worktree,
      accepted: 0...1
    )
    guard name.code == 0, !name.text.isEmpty else { return nil }
    let object = try await runner.run(
      ["rev-parse", "--verify", "--quiet", name.text],
      in: layout.worktree,
      accepted: 0...1
    )
    let heads = "refs/heads/"
    guard name.text.beginsWithName(heads) else {
      return RestoreRecord.Branch(
        ref: name.text,
        object: object.code == 0 ? object.text : nil,
        settings: []
      )
    }
    let list = try await runner.run(["config", "--local", "--list", "-z"], in: layout.worktree)
    let settings = BranchSetting.all(
      list.output.split(separator: 0).map(Array.init),
      of: String(decoding: name.text.utf8.dropFirst(heads.utf8.count), as: UTF8.self)
    )
    return RestoreRecord.Branch(
      ref: name.text,
      object: object.code == 0 ? object.text : nil,
      settings: settings
    )
  }
}
