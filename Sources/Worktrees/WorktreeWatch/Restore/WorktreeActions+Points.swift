import Git
import Glibc
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
  ///   - kind: What is about to be done.
  ///   - workspace: The worktree, as it is.
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
    guard folder.records().count < WatchLimits.restorePoints else {
      throw ActionRefusal(
        .gitFailed,
        "\(common) has \(WatchLimits.restorePoints) restore points already; remove some of them"
      )
    }
    let now = WatchClock.wall
    let id = RestoreRecord.id(at: now, random: .random(in: .min ... .max))
    var record = RestoreRecord(kind, workspace, id: id, at: now)
    record.point.ref = objects.first.map { RestoreFolder.refs(id) + $0.name }
    change(&record)
    // The record first: refs without one would stay for ever.
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
    let id = record.point.id
    let folder = RestoreFolder(common: common)
    // The folder of a worktree before the objects that its index needs.
    for part in [record.tree, folder.git(id)].compactMap(\.self)
    where !FolderRemoval.remove(part) {
      throw ActionRefusal(.gitFailed, "\(part) cannot be removed", files: [part])
    }
    let list = try await runner.run(
      ["for-each-ref", "--format=delete %(refname)", RestoreFolder.refs(id)],
      in: common
    )
    if !list.output.isEmpty {
      _ = try await runner.run(
        ["update-ref", "--stdin"],
        in: common,
        reads: false,
        timeout: WatchLimits.actionTimeout,
        input: list.output
      )
    }
    guard folder.remove(record) else {
      throw ActionRefusal(.gitFailed, "\(folder.path(id)) cannot be removed")
    }
  }

  // MARK: Sweeping

  /// Removes what was kept long enough, in all repositories.
  ///
  /// - Parameter now: The moment, in seconds since 1970.
  package func sweep(at now: Double = WatchClock.wall) async {
    for common in await watcher.commonDirectories() {
      _ = try? await watcher.turns.take(common) {
        let folder = RestoreFolder(common: common)
        for var record in folder.records() {
          record.count(to: now)
          if record.isOver {
            try? await removePoint(record, common)
          } else {
            try? folder.write(record)
          }
        }
      }
    }
  }
}
