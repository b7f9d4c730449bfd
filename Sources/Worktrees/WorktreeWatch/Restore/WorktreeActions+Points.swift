import Git
import Workspaces

extension WorktreeActions {
  /// Demands that nothing is mounted at a worktree or within it: what moves the folder moves the mount, and what removes it
  /// would remove what is mounted.
  func requireNoMount(_ workspace: Workspace) throws(ActionRefusal) {
    let mounts = MountPoints.within(workspace.path) ?? []
    guard !mounts.isEmpty else { return }
    throw ActionRefusal(
      .mountedFolder,
      "\(mounts.count == 1 ? "a file system is" : "\(mounts.count) file systems are") mounted within \(workspace.path); unmount \(mounts.count == 1 ? "it" : "them") first",
      files: Array(mounts.prefix(GitLimits.conflictNames))
    )
  }

  /// Begins a restore point, whose refs hold some objects.
  ///
  /// - Parameters:
  ///   - kind: The action that follows.
  ///   - workspace: The worktree.
  ///   - common: The common directory of its repository.
  ///   - objects: Names of refs behind ``RestoreFolder/refs(_:)``, and the objects they hold.
  ///   - change: Adds to the record before it is written.
  /// - Returns: The record, as it is on disk.
  /// - Throws: ``ActionRefusal`` if there are too many; ``GitRunner/Failure``.
  func beginPoint(
    _ kind: RestorePoint.Kind,
    _ workspace: Workspace,
    _ common: String,
    objects: [(name: String, object: String)],
    change: (inout RestoreRecord) -> Void = { _ in }
  ) async throws -> RestoreRecord {
    let folder = RestoreFolder(common: common)
    guard folder.count < WatchLimits.restorePoints else {
      throw ActionRefusal(
        .gitFailed,
        "\(common) has \(WatchLimits.restorePoints) restore points already; remove some of them"
      )
    }
    let now = WatchClock.wall
    let id = RestoreRecord.id(at: now, random: .random(in: .min ... .max))
    var record = RestoreRecord(kind, workspace, of: common, id: id, at: now)
    record.point.ref = objects.first.map { RestoreFolder.refs(id) + $0.name }
    change(&record)
    // The record first: refs without one would stay forever.
    try folder.write(record)
    do {
      try await makeRefs(objects.map { (RestoreFolder.refs(id) + $0.name, $0.object) }, common)
    } catch {
      try? await removePoint(record, common)
      throw error
    }
    return record
  }

  private func makeRefs(_ refs: [(String, String)], _ common: String) async throws {
    guard !refs.isEmpty else { return }
    let text = refs.map { "create \($0.0) \($0.1)\n" }.joined()
    _ = try await runner.run(
      ["update-ref", "--stdin"],
      in: common,
      reads: false,
      timeout: WatchLimits.actionTimeout,
      input: Array(text.utf8)
    )
  }

  /// Ends the point of a merge or a sync: after what did not change anything there is nothing to go back from.
  ///
  /// - Returns: The point; `nil` if it is gone again.
  func endPoint(
    _ record: RestoreRecord,
    at head: String?,
    _ common: String
  ) async throws -> RestorePoint? {
    guard let head, head != record.point.head else {
      try await removePoint(record, common)
      return nil
    }
    var record = record
    record.point.result = head
    try RestoreFolder(common: common).write(record)
    return record.point
  }

  /// Runs what changes the branch of a worktree between the beginning and the end of a restore point.
  ///
  /// - Returns: The point; `nil` if nothing was changed.
  func undoable(
    _ kind: RestorePoint.Kind,
    _ workspace: Workspace,
    _ common: String,
    _ body: () async throws -> Void
  ) async throws -> RestorePoint? {
    let before = workspace.git.head.map { [("head", $0)] } ?? []
    let record = try await beginPoint(kind, workspace, common, objects: before)
    do {
      try await body()
    } catch {
      // What failed was undone; if it was not, the point stays.
      let head = try? await checkedOut(workspace.path)
      _ = try? await endPoint(record, at: head, common)
      throw error
    }
    return try await endPoint(record, at: checkedOut(workspace.path), common)
  }

  /// Removes a point with its refs and its folder.
  ///
  /// - Throws: ``ActionRefusal`` if something is left over; ``GitRunner/Failure``.
  func removePoint(_ record: RestoreRecord, _ common: String) async throws {
    let folder = RestoreFolder(common: common)
    let path = folder.path(record.point.id)
    if let reason = folder.setAside(record) {
      throw ActionRefusal(.gitFailed, "\(path) cannot be removed: \(reason)", files: [path])
    }
    try await removeAside(record.point.id, folder)
  }

  private func removeAside(_ id: String, _ folder: RestoreFolder) async throws {
    try await removeRefs(id, folder)
    if let left = folder.removeAside(id) {
      throw ActionRefusal(.gitFailed, "\(left) cannot be removed", files: [left])
    }
  }

  /// Removes the refs of a point, and nothing that they lead to.
  private func removeRefs(_ id: String, _ folder: RestoreFolder) async throws {
    if let link = folder.foreignRef(id) {
      throw ActionRefusal(.gitFailed, "\(link) is not a ref of a restore point", files: [link])
    }
    let list = try await runner.run(
      ["for-each-ref", "--format=delete %(refname)", RestoreFolder.refs(id)],
      in: folder.common
    )
    guard !list.output.isEmpty else { return }
    _ = try await runner.run(
      // A ref that leads to another one goes itself.
      ["update-ref", "--no-deref", "--stdin"],
      in: folder.common,
      reads: false,
      timeout: WatchLimits.actionTimeout,
      input: list.output
    )
  }

  // MARK: Sweeping

  /// Removes what was kept long enough, and puts in order what was interrupted, in all repositories that are watched.
  ///
  /// - Parameter now: The current time, in seconds since 1970.
  package func sweep(at now: Double = WatchClock.wall) async {
    for common in await watcher.commonDirectories() where await watcher.isWatched(common) {
      _ = try? await watcher.turns.run(common, mayWait: runner.requireTime) {
        await sweep(common, at: now)
      }
    }
  }

  private func sweep(_ common: String, at now: Double) async {
    let folder = RestoreFolder(common: common)
    for id in folder.aside() { try? await removeAside(id, folder) }
    folder.removeAbandoned(at: now)
    for var record in folder.records().usable {
      let kept = folder.madeAt(record.point.id).map { now - $0 }
      if let kept, kept > WatchLimits.interrupted, folder.putInOrder(record) == .notDone {
        try? await removePoint(record, common)
        continue
      }
      record.count(to: now)
      if record.isOver(kept) {
        try? await removePoint(record, common)
      } else {
        try? folder.write(record)
      }
    }
  }
}
