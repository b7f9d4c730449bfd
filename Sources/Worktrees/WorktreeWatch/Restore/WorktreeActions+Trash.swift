import Git
import Glibc
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
      !layout.gitDirectory.isSameName(as: layout.commonDirectory),
      layout.commonDirectory.isSameName(as: common)
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
      record.gitName = layout.gitDirectory.split(separator: "/").last.map(String.init)
      record.branch = branch
    }
    do {
      return try move(layout, record, log)
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

  private func move(
    _ layout: GitLayout,
    _ record: RestoreRecord,
    _ log: String
  ) throws -> RestoreRecord {
    let id = record.point.id
    let folder = RestoreFolder(common: layout.commonDirectory)
    var record = record
    if HostFile.kindOfItself(log) == .file,
      let bytes = HostFile.bytes(log, limit: WatchLimits.gitDirectoryFileBytes)
    {
      try RestoreFolder.write(bytes, to: folder.branchLog(id))
    }
    var reason = ""
    for place in folder.treePlaces(id, of: layout.worktree) {
      // Where it is stands in the record before it is there.
      record.tree = place
      try folder.write(record)
      guard RestoreFolder.makeParent(of: place) else {
        reason = "no folder can be made for \(place)"
        continue
      }
      let failure = RestoreFolder.move(layout.worktree, to: place)
      if let failure {
        reason = failure
        RestoreFolder.removeEmptyParent(of: place)
        continue
      }
      if let failure = RestoreFolder.move(layout.gitDirectory, to: folder.git(id)) {
        _ = RestoreFolder.move(place, to: layout.worktree)
        throw ActionRefusal(.gitFailed, "\(layout.gitDirectory) cannot be moved: \(failure)")
      }
      // As git does when its last worktree goes.
      rmdir(HostFile.join(layout.commonDirectory, "worktrees"))
      return record
    }
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
    let prefix = "branch.\(name.text.dropFirst(heads.count))."
    let settings = list.output.split(separator: 0).compactMap { entry -> RestoreRecord.Setting? in
      let parts = entry.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
      let key = String(decoding: parts[0], as: UTF8.self)
      guard key.utf8.starts(with: prefix.utf8) else { return nil }
      return RestoreRecord.Setting(
        key: key,
        value: parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : nil
      )
    }
    return RestoreRecord.Branch(
      ref: name.text,
      object: object.code == 0 ? object.text : nil,
      settings: settings
    )
  }
}
