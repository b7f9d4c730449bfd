import Foundation
import Git
package import Workspaces

extension WorktreeActions {
  /// The result of a restore.
  package struct Restored: Sendable {
    /// The restored point.
    package var point: RestorePoint
    /// The worktree as it is then.
    package var worktree: Workspace
    /// Takes the restore back; `nil` for a worktree that was deleted.
    package var undo: RestorePoint?
    /// What differs from before, in words; `nil` if nothing does.
    package var remark: String?
  }

  /// A point of a repository that is watched.
  struct Kept: Sendable {
    /// As it is on disk.
    var record: RestoreRecord
    /// As it is shown: with the places as they are by now, and an id that no other one has.
    var point: RestorePoint
    /// The common directory of the repository.
    var common: String
  }

  /// Everything that can be taken back, the newest first.
  package func restorePoints() async -> [RestorePoint] {
    await points().map(\.point).sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
  }

  /// The points that cannot be used, as omissions: nothing is done with them.
  package func unusablePoints() async -> [Omission] {
    await watcher.commonDirectories().flatMap { common in
      let folder = RestoreFolder(common: common)
      return folder.records().unusable.map {
        Omission(
          .restorePoint,
          folder.path($0.id),
          "the restore point \($0.id) is not used and stays as it is: \($0.reason)"
        )
      }
    }
  }

  private func points() async -> [Kept] {
    var found: [Kept] = []
    for common in await watcher.commonDirectories() where await watcher.isWatched(common) {
      let folder = RestoreFolder(common: common)
      found += folder.records().usable.filter { Self.isWhole($0, folder) }.map {
        Kept(record: $0, point: $0.moved(to: common).point, common: common)
      }
    }
    // A copy of a repository has the points of the other one.
    for (_, places) in Dictionary(grouping: found.indices, by: { found[$0].point.id })
    where places.count > 1 {
      for place in places {
        let (record, common) = (found[place].record, found[place].common)
        if record.common?.isSameName(as: common) ?? false { continue }
        let digest = WorkspaceIdentity.digest(Array(common.utf8)).prefix(8)
        found[place].point.id += "-\(digest)"
      }
    }
    return found
  }

  /// Whether a point can be restored: its action was completed.
  private static func isWhole(_ record: RestoreRecord, _ folder: RestoreFolder) -> Bool {
    guard record.point.kind == .delete else { return record.point.result != nil }
    return folder.place(record) != nil || folder.isInterrupted(record)
  }

  private func found(_ id: String) async throws -> Kept {
    guard let found = await points().first(where: { $0.point.id.isSameName(as: id) }) else {
      let reason = await unusablePoints().first { $0.path.hasSuffix("/\(id)") }?.detail
      throw ActionRefusal(
        .restorePointNotFound,
        reason
          ?? "there is no restore point \(id.prefix(80)); they are kept for \(Int(WatchLimits.restoreTime / 86_400)) days"
      )
    }
    return found
  }

  /// Goes back to a restore point: brings a worktree that was deleted back, or puts a branch back to where it was before a
  /// merge or a sync.
  ///
  /// - Parameters:
  ///   - id: Names the point.
  ///   - processes: The numbers of processes in the worktree to ignore.
  /// - Returns: The result.
  /// - Throws: ``ActionRefusal``, ``GitRunner/Failure``.
  package func restore(_ id: String, processes: Set<Int32> = []) async throws -> Restored {
    let common = try await found(id).common
    return try await watcher.turns.run(common, mayWait: runner.requireTime) {
      // Read again: another restore may have been faster.
      let kept = try await found(id)
      await watcher.refreshRepository(common)
      return kept.record.point.kind == .delete
        ? try await bringBack(kept) : try await goBack(kept, processes)
    }
  }

  /// Removes a restore point for good.
  ///
  /// - Throws: ``ActionRefusal``, ``GitRunner/Failure``.
  package func forget(_ id: String) async throws -> RestorePoint {
    let common = try await found(id).common
    return try await watcher.turns.run(common, mayWait: runner.requireTime) {
      let kept = try await found(id)
      guard !RestoreFolder(common: common).isInterrupted(kept.record) else {
        throw ActionRefusal(
          .operationInProgress,
          "\(kept.point.path) was not deleted to the end; restore it first"
        )
      }
      try await removePoint(kept.record, common)
      return kept.point
    }
  }

  // MARK: A worktree that was deleted

  private func bringBack(_ kept: Kept) async throws -> Restored {
    let (record, common, path) = (kept.record, kept.common, kept.point.path)
    let (id, folder) = (record.point.id, RestoreFolder(common: common))
    guard let name = record.gitName, let own = folder.folder(id) else {
      throw ActionRefusal(.restorePointNotFound, "\(id) has no folder any more")
    }
    let isHere = folder.isInterrupted(record)
    let place = folder.place(record)
    guard isHere || place != nil else {
      throw ActionRefusal(.restorePointNotFound, "\(id) has no folder any more")
    }
    if !isHere { try await requireFree(kept, place) }
    let directory = folder.directory(name)
    let isMoved = own.kind(RestoreFolder.git) != nil
    // After an accident it never left its place.
    guard isMoved ? HostFile.kindOfItself(directory) == nil : folder.isLeft(record) else {
      throw ActionRefusal(
        .alreadyExists,
        "another worktree has the git directory \(directory); move or delete that worktree first",
        files: [directory]
      )
    }
    let (remark, detached) = try await bringBackBranch(record, common)
    guard let worktrees = OpenFolder.open(common)?.folder(["worktrees"], makes: true),
      let parent = OpenFolder.open(path.parentPath, makes: true),
      let last = OpenFolder.parts(path).last
    else {
      throw ActionRefusal(.gitFailed, "no folder can be made for \(path)")
    }
    // Before anything is moved: on a disk that is full all stays in the trash.
    let putHeadBack = try detach(
      path,
      at: detached,
      (isMoved ? own : worktrees).folder([isMoved ? RestoreFolder.git : name])
    )
    // The folder first, as in the other direction: see `move`.
    if let place, !isHere {
      guard let holder = folder.holder(record, place) else {
        throw ActionRefusal(.restorePointNotFound, "\(id) has no folder any more")
      }
      if let failure = holder.folder.move(holder.name, to: parent, as: last) {
        putHeadBack()
        throw ActionRefusal(.gitFailed, "\(path) cannot be put back: \(failure)")
      }
    }
    if isMoved, let failure = own.move(RestoreFolder.git, to: worktrees, as: name) {
      if let holder = place.flatMap({ folder.holder(record, $0) }) {
        _ = parent.move(last, to: holder.folder, as: holder.name)
      }
      putHeadBack()
      throw ActionRefusal(.gitFailed, "\(directory) cannot be put back: \(failure)")
    }
    try folder.join(name, path)
    // Its refs hold everything until the worktree does so again.
    try? await removePoint(record, common)
    folder.removeEmptyTrash(record)
    await watcher.refreshRepository(common)
    await watcher.refresh(path)
    guard let worktree = store.record(WorkspaceIdentity.id(of: path))?.workspace else {
      throw ActionRefusal(.gitFailed, "\(path) is back, and git does not name it as a worktree")
    }
    return Restored(point: kept.point, worktree: worktree, remark: remark)
  }

  /// Detaches HEAD in the git directory of a worktree that comes back.
  ///
  /// - Returns: What writes HEAD as it was before.
  private func detach(
    _ path: String,
    at detached: String?,
    _ directory: OpenFolder?
  ) throws(ActionRefusal) -> () -> Void {
    guard let detached else { return {} }
    let before = directory?.bytes("HEAD")
    guard let directory, directory.write(Array("\(detached)\n".utf8), to: "HEAD") else {
      throw ActionRefusal(
        .gitFailed,
        "HEAD of \(path) cannot be written, so nothing was moved"
      )
    }
    return { if let before { _ = directory.write(before, to: "HEAD") } }
  }

  /// Demands that a worktree may come to the place that its point names: in a folder that is watched, not in another
  /// repository, and nothing there.
  private func requireFree(_ kept: Kept, _ place: RestoreFolder.Place?) async throws {
    let (path, common) = (kept.point.path, kept.common)
    // A folder of this name is a repository to git, which then runs what its configuration names.
    guard !OpenFolder.parts(path).contains(where: { $0.lowercased() == ".git" }) else {
      throw ActionRefusal(
        .outsideWatchedFolders,
        "\(path) is within a git directory; no worktree is restored there",
        files: [path]
      )
    }
    guard HostFile.kindOfItself(path) == nil else {
      throw ActionRefusal(
        .alreadyExists,
        "\(path) is there already; move it away first",
        files: [path]
      )
    }
    // The folder beside it was put there by a user with write permission.
    let isBeside = place == .beside && path.isSameName(as: kept.record.point.path)
    let isWatched = await watcher.isWatched(path)
    guard isBeside || isWatched else {
      throw ActionRefusal(
        .outsideWatchedFolders,
        "\(path), where the worktree was, is outside of the folders that are watched; start with \(path.parentPath) as one of them"
      )
    }
    var around = path.parentPath
    while !around.isEmpty {
      let found = HostFile.kindOfItself(around)
      guard found == nil || found == .folder else {
        throw ActionRefusal(
          .alreadyExists,
          "\(around), where the worktree was, is not a folder any more",
          files: [around]
        )
      }
      if !HostFile.isWithin(common, around), let other = Self.repository(at: around),
        !HostFile.isWithin(other, common)
      {
        throw ActionRefusal(
          .alreadyExists,
          "\(path), where the worktree was, is in another repository by now, \(around)",
          files: [around]
        )
      }
      around = around.parentPath
    }
  }

  /// The common directory of the repository whose worktree or git directory a folder is.
  private static func repository(at folder: String) -> String? {
    switch GitLayout.find(folder) {
    case .worktree(let layout): layout.commonDirectory
    case .submodule: GitLayout.gitDirectory(ofSubmodule: folder) ?? folder
    case nil: GitLayout.isBareRepository(folder) ? folder : nil
    }
  }

  /// Makes the branch again if it is gone.
  ///
  /// - Returns: What differs from before, and the commit at which HEAD is then detached: a branch that has moved since,
  ///   or is checked out elsewhere, stays as it is.
  private func bringBackBranch(
    _ record: RestoreRecord,
    _ common: String
  ) async throws -> (remark: String?, detached: String?) {
    guard let branch = record.branch, let object = branch.object else { return (nil, nil) }
    let name = record.point.branch ?? branch.ref
    let members = await watcher.repositories(named: common).first?.members ?? []
    if let other = members.first(where: {
      $0.entry.branch?.isSameName(as: branch.ref) ?? false
    }) {
      return (
        "\(name) is checked out in \(other.layout.worktree) now, so HEAD is detached at \(object.prefix(8))",
        object
      )
    }
    let now = try await runner.run(
      ["rev-parse", "--verify", "--quiet", branch.ref],
      in: common,
      accepted: 0...1
    )
    if now.code == 0 {
      // Made again since, or by a restore that was interrupted: then its log has only what came after.
      let isMadeAgain = try bringBackLog(branch.ref, record, common, isNew: false)
      if now.text == object {
        return isMadeAgain ? (try await bringBackSettings(branch, common), nil) : (nil, nil)
      }
      return (
        "\(name) was moved to \(now.text.prefix(8)) meanwhile, so HEAD is detached at \(object.prefix(8))",
        object
      )
    }
    do {
      _ = try await runner.run(
        ["update-ref", "--no-deref", branch.ref, object, ""],
        in: common,
        reads: false,
        timeout: WatchLimits.actionTimeout
      )
    } catch GitRunner.Failure.failed(_, _, let complaint) {
      return (
        "\(name) cannot be made again (\(complaint)), so HEAD is detached at \(object.prefix(8))",
        object
      )
    }
    try bringBackLog(branch.ref, record, common, isNew: true)
    return (try await bringBackSettings(branch, common), nil)
  }

  /// Sets what is set for a branch no more.
  ///
  /// - Returns: The settings that were not restored; `nil` if all were.
  private func bringBackSettings(
    _ branch: RestoreRecord.Branch,
    _ common: String
  ) async throws -> String? {
    let keys = NameSet(
      try await self.settings(common).map { key in String(decoding: key, as: UTF8.self) }
    )
    var left: [String] = []
    for setting in branch.settings where !keys.contains(setting.key) {
      let isHarmless = branch.ref.name(after: "refs/heads/")
        .flatMap { BranchSetting.variable(setting.key, of: $0) }
        .map { BranchSetting.isHarmless($0, setting.value) }
      guard isHarmless ?? false else {
        left.append("\(setting.key) = \(setting.value ?? "true")")
        continue
      }
      _ = try? await runner.run(
        ["config", "--local", "--add", setting.key, setting.value ?? "true"],
        in: common,
        reads: false
      )
    }
    guard !left.isEmpty else { return nil }
    return "not set again, as it may lead elsewhere: \(left.joined(separator: ", ").prefix(400))"
  }

  /// Puts the log of a branch back, before what it has by now.
  ///
  /// The log is all that keeps commits which a branch had before it was amended or reset.
  ///
  /// - Parameters:
  ///   - ref: The branch.
  ///   - record: The restore point.
  ///   - common: The common directory.
  ///   - isNew: Whether the branch was just created: then the log entry of its creation is removed.
  /// - Returns: Whether the log no longer existed.
  /// - Throws: ``ActionRefusal`` if it cannot be written.
  @discardableResult
  private func bringBackLog(
    _ ref: String,
    _ record: RestoreRecord,
    _ common: String,
    isNew: Bool
  ) throws -> Bool {
    let bytes = RestoreFolder(common: common).folder(record.point.id)?
      .bytes(RestoreFolder.branchLog, limit: WatchLimits.gitDirectoryFileBytes)
    var parts = ["logs"] + OpenFolder.parts(ref)
    let name = parts.removeLast()
    guard let logs = OpenFolder.open(common)?.folder(parts, makes: bytes != nil) else {
      guard bytes != nil else { return false }
      throw ActionRefusal(.gitFailed, "the log of \(ref) cannot be put back")
    }
    guard let bytes else {
      if isNew { logs.unlink(name) }
      return isNew
    }
    let present = isNew ? [] : logs.bytes(name, limit: WatchLimits.gitDirectoryFileBytes) ?? []
    guard isNew || !present.starts(with: bytes) else { return false }
    guard logs.write(bytes + present, to: name) else {
      throw ActionRefusal(.gitFailed, "the log of \(ref) cannot be put back")
    }
    return true
  }

  /// The keys of the repository's own configuration.
  private func settings(_ common: String) async throws -> [ArraySlice<UInt8>] {
    let list = try await runner.run(
      ["config", "--local", "--list", "--name-only", "-z"],
      in: common
    )
    return list.output.split(separator: 0)
  }

  // MARK: A merge or a sync

  /// Whether two branches have the same name, or both are `nil`.
  private static func isSame(_ branch: String?, _ other: String?) -> Bool {
    guard let branch, let other else { return branch == nil && other == nil }
    return branch.isSameName(as: other)
  }

  private func goBack(
    _ kept: Kept,
    _ processes: Set<Int32>
  ) async throws -> Restored {
    let (record, common, point) = (kept.record, kept.common, kept.point)
    guard let known = store.record(WorkspaceIdentity.id(of: point.path))?.workspace,
      let head = point.head, let result = point.result,
      let repository = await watcher.commonDirectory(of: point.path),
      repository.isSameName(as: common)
    else {
      throw ActionRefusal(.worktreeNotFound, "\(point.path) is no longer a worktree")
    }
    let now = try await current(known)
    try requireIdle(now, besides: processes)
    try await requireNoProcess(in: now, besides: processes)
    try await requireClean(now)
    guard Self.isSame(now.git.branch, point.branch), now.git.head == result else {
      let name = point.branch ?? "HEAD"
      throw ActionRefusal(
        .worktreeUnmerged,
        "\(name) in \(now.path) is not at \(result.prefix(8)) any more; \(point.ref ?? head) is the commit before the \(point.kind.rawValue)"
      )
    }
    let changed = try await changed(from: result, to: head, in: now.path)
    try await requireNoHiddenEdit(now.path, among: changed)
    try await requireNothingInTheWay(
      added(from: result, to: head, in: now.path),
      in: now.path
    )
    let undo = try await beginPoint(.restore, now, common, objects: [("head", result)])
    do {
      _ = try await act(["reset", "--quiet", "--keep", head], in: now.path)
    } catch {
      try? await removePoint(undo, common)
      throw error
    }
    let ended = try await endPoint(undo, at: checkedOut(now.path), common)
    try await removePoint(record, common)
    return Restored(point: point, worktree: try await current(now), undo: ended)
  }
}
