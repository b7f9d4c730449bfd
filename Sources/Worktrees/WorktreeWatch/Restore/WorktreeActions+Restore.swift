import Foundation
import Git
import Glibc
package import Workspaces

extension WorktreeActions {
  /// What a restore came to.
  package struct Restored: Sendable {
    /// What was restored.
    package var point: RestorePoint
    /// The worktree as it is then.
    package var worktree: Workspace
    /// Takes the restore back; `nil` for a worktree that was deleted.
    package var undo: RestorePoint?
    /// What is not as it was, in words; `nil` if everything is.
    package var remark: String?
  }

  /// Everything that can be taken back, the newest first.
  package func restorePoints() async -> [RestorePoint] {
    await records().map(\.record.point)
      .sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
  }

  private func records() async -> [(record: RestoreRecord, common: String)] {
    await watcher.commonDirectories().flatMap { common in
      RestoreFolder(common: common).records().filter(Self.isWhole).map { ($0, common) }
    }
  }

  /// Whether a point can be gone back to: what it is about was done.
  private static func isWhole(_ record: RestoreRecord) -> Bool {
    guard record.point.kind == .delete else { return record.point.result != nil }
    return record.tree.map { HostFile.kindOfItself($0) == .folder } ?? false
  }

  private func found(_ id: String) async throws -> (record: RestoreRecord, common: String) {
    guard let found = await records().first(where: { $0.record.point.id.isSameName(as: id) }) else {
      throw ActionRefusal(
        .restorePointNotFound,
        "there is no restore point \(id.prefix(80)); they are kept for \(Int(WatchLimits.restoreTime / 86_400)) days"
      )
    }
    return found
  }

  /// Goes back to a restore point: brings a worktree that was deleted back, or puts a branch back to where it was before a
  /// merge or a sync.
  ///
  /// - Parameters:
  ///   - id: Names the point.
  ///   - processes: The numbers of processes in the worktree that are no reason to refuse.
  /// - Returns: What it came to.
  /// - Throws: ``ActionRefusal``, ``GitRunner/Failure``.
  package func restore(_ id: String, processes: Set<Int32> = []) async throws -> Restored {
    let (_, common) = try await found(id)
    return try await watcher.turns.take(common) {
      // Read again: another restore may have been faster.
      let record = try await found(id).record
      await watcher.refreshRepository(common)
      return record.point.kind == .delete
        ? try await bringBack(record, common) : try await goBack(record, common, processes)
    }
  }

  /// Removes a restore point for good.
  ///
  /// - Throws: ``ActionRefusal``, ``GitRunner/Failure``.
  package func forget(_ id: String) async throws -> RestorePoint {
    let (record, common) = try await found(id)
    return try await watcher.turns.take(common) {
      try await removePoint(record, common)
      return record.point
    }
  }

  // MARK: A worktree that was deleted

  private func bringBack(_ record: RestoreRecord, _ common: String) async throws -> Restored {
    let (id, path) = (record.point.id, record.point.path)
    let folder = RestoreFolder(common: common)
    guard let tree = record.tree, let name = record.gitName else {
      throw ActionRefusal(.restorePointNotFound, "\(id) has no folder any more")
    }
    guard HostFile.kindOfItself(path) == nil else {
      throw ActionRefusal(
        .alreadyExists,
        "\(path) is there already; move it away first",
        files: [path]
      )
    }
    let directory = HostFile.join(common, "worktrees/\(name)")
    // After an accident it never left its place.
    let isMoved = HostFile.kindOfItself(folder.git(id)) != nil
    guard !isMoved || HostFile.kindOfItself(directory) == nil else {
      throw ActionRefusal(
        .alreadyExists,
        "another worktree has the git directory \(directory); move or delete that worktree first",
        files: [directory]
      )
    }
    let (remark, detached) = try await bringBackBranch(record, common)
    guard RestoreFolder.makeParent(of: path), RestoreFolder.makeParent(of: directory) else {
      throw ActionRefusal(.gitFailed, "no folder can be made for \(path)")
    }
    if isMoved, let failure = RestoreFolder.move(folder.git(id), to: directory) {
      throw ActionRefusal(.gitFailed, "\(directory) cannot be put back: \(failure)")
    }
    if let failure = RestoreFolder.move(tree, to: path) {
      if isMoved { _ = RestoreFolder.move(directory, to: folder.git(id)) }
      throw ActionRefusal(.gitFailed, "\(path) cannot be put back: \(failure)")
    }
    if let detached {
      try RestoreFolder.write(Array("\(detached)\n".utf8), to: HostFile.join(directory, "HEAD"))
    }
    // Its refs hold everything until the worktree does so again.
    var done = record
    done.tree = nil
    try? await removePoint(done, common)
    RestoreFolder.removeEmptyParent(of: tree)
    await watcher.refreshRepository(common)
    await watcher.refresh(path)
    guard let worktree = store.record(WorkspaceIdentity.id(of: path))?.workspace else {
      throw ActionRefusal(.gitFailed, "\(path) is back, and git does not name it as a worktree")
    }
    return Restored(point: record.point, worktree: worktree, remark: remark)
  }

  /// Makes the branch again if it is gone.
  ///
  /// - Returns: What is not as it was, and the commit that HEAD is detached at then: a branch that was moved since, or is
  ///   checked out elsewhere, stays as it is.
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
      guard now.text != object else { return (nil, nil) }
      return (
        "\(name) was moved to \(now.text.prefix(8)) meanwhile, so HEAD is detached at \(object.prefix(8))",
        object
      )
    }
    do {
      _ = try await runner.run(
        ["update-ref", branch.ref, object, ""],
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
    let log = HostFile.join(common, "logs/\(branch.ref)")
    let kept = RestoreFolder(common: common).branchLog(record.point.id)
    if let bytes = HostFile.bytes(kept, limit: WatchLimits.gitDirectoryFileBytes) {
      guard RestoreFolder.makeParent(of: log) else { return (nil, nil) }
      try RestoreFolder.write(bytes, to: log)
    } else {
      // The line that says that it was made again.
      unlink(log)
    }
    let keys = NameSet(
      try await self.settings(common).map { key in String(decoding: key, as: UTF8.self) }
    )
    for setting in branch.settings where !keys.contains(setting.key) {
      _ = try? await runner.run(
        ["config", "--local", "--add", setting.key, setting.value ?? "true"],
        in: common,
        reads: false
      )
    }
    return (nil, nil)
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

  /// Whether two branches have the same name, or there is none in both cases.
  private static func isSame(_ branch: String?, _ other: String?) -> Bool {
    guard let branch, let other else { return branch == nil && other == nil }
    return branch.isSameName(as: other)
  }

  private func goBack(
    _ record: RestoreRecord,
    _ common: String,
    _ processes: Set<Int32>
  ) async throws -> Restored {
    let point = record.point
    guard let known = store.record(WorkspaceIdentity.id(of: point.path))?.workspace,
      let head = point.head, let result = point.result
    else {
      throw ActionRefusal(.worktreeNotFound, "\(point.path) is no worktree any more")
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
