import Foundation
import Glibc
import Workspaces

/// The restore points of a repository as files in its common directory, one folder for each.
///
/// ```
/// freshet/restore/ID/record.json   what was done, and what is needed to go back
/// freshet/restore/ID/tree          the folder of a worktree that was deleted
/// freshet/restore/ID/git           its git directory
/// freshet/restore/ID/branch.log    the log of its branch
/// ```
///
/// Where the common directory is on another file system than the worktree, its folder is in `.freshet-trash/ID` beside the
/// place it was at. Objects are held by refs below `refs/freshet/restore/ID/`.
struct RestoreFolder: Sendable {
  /// The common directory of the repository.
  let common: String

  private static let record = "record.json"

  private var root: String { HostFile.join(common, "freshet/restore") }

  /// The folder of a point.
  func path(_ id: String) -> String { HostFile.join(root, id) }
  /// Where the git directory of a deleted worktree is.
  func git(_ id: String) -> String { HostFile.join(path(id), "git") }
  /// Where the log of the branch of a deleted worktree is.
  func branchLog(_ id: String) -> String { HostFile.join(path(id), "branch.log") }
  /// The places for the folder of a worktree, the first one first.
  func treePlaces(_ id: String, of worktree: String) -> [String] {
    let parent = (worktree as NSString).deletingLastPathComponent
    return [
      HostFile.join(path(id), "tree"), HostFile.join(parent, ".freshet-trash/\(id)"),
    ]
  }
  /// What the refs of a point begin with.
  static func refs(_ id: String) -> String { "refs/freshet/restore/\(id)/" }

  /// All points, the newest first; files that cannot be read are left out.
  func records() -> [RestoreRecord] {
    HostFile.names(in: root, most: WatchLimits.restorePoints * 2).compactMap(record)
      .sorted { ($0.point.createdAt, $0.point.id) > ($1.point.createdAt, $1.point.id) }
  }

  /// The point with an id; `nil` if there is none.
  func record(_ id: String) -> RestoreRecord? {
    guard !id.isEmpty, id.utf8.allSatisfy({ Self.digits.contains($0) }),
      let bytes = HostFile.bytes(HostFile.join(path(id), Self.record)),
      let record = try? JSONDecoder().decode(RestoreRecord.self, from: Data(bytes)),
      record.point.id == id
    else { return nil }
    return record
  }

  private static let digits = Set("0123456789abcdef-".utf8)

  /// Writes a point; it is on disk then.
  ///
  /// - Throws: ``GitRunner/Failure`` if it cannot be written.
  func write(_ record: RestoreRecord) throws(GitRunner.Failure) {
    let folder = path(record.point.id)
    do {
      try FileManager.default.createDirectory(
        atPath: folder,
        withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700]
      )
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let place = HostFile.join(folder, Self.record)
      let fresh = place + ".new"
      try Self.write(Array(encoder.encode(record)), to: fresh)
      guard rename(fresh, place) == 0 else { throw CocoaError(.fileWriteUnknown) }
      Self.synchronize(folder)
    } catch {
      throw .notStarted("a restore point cannot be written to \(folder): \(error)")
    }
  }

  /// Writes a file that its owner alone can read; it is on disk then.
  ///
  /// - Throws: ``GitRunner/Failure`` if it cannot be written.
  static func write(_ bytes: [UInt8], to path: String) throws(GitRunner.Failure) {
    guard
      FileManager.default.createFile(
        atPath: path,
        contents: Data(bytes),
        attributes: [.posixPermissions: 0o600]
      )
    else { throw .notStarted("\(path) cannot be written") }
    synchronize(path)
  }

  /// Makes the folder that a path is to be in, for its owner alone.
  ///
  /// - Returns: Whether it is there.
  static func makeParent(of path: String) -> Bool {
    let parent = (path as NSString).deletingLastPathComponent
    try? FileManager.default.createDirectory(
      atPath: parent,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    return HostFile.kind(parent) == .folder
  }

  /// Removes the folder around a path if nothing is in it.
  static func removeEmptyParent(of path: String) {
    rmdir((path as NSString).deletingLastPathComponent)
  }

  /// Moves a folder within its file system.
  ///
  /// - Returns: `nil` if it was moved, else why it was not.
  static func move(_ from: String, to target: String) -> String? {
    guard HostFile.kindOfItself(target) == nil else { return "\(target) is there already" }
    guard rename(from, target) == 0 else { return String(cString: strerror(errno)) }
    synchronize((from as NSString).deletingLastPathComponent)
    synchronize((target as NSString).deletingLastPathComponent)
    return nil
  }

  private static func synchronize(_ path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// Removes a point with everything that is in its folder.
  ///
  /// - Returns: Whether all of it is gone.
  @discardableResult
  func remove(_ record: RestoreRecord) -> Bool {
    let folder = path(record.point.id)
    var parts = [git(record.point.id), branchLog(record.point.id)]
    if let tree = record.tree { parts.append(tree) }
    // The record goes last: what is left over after an accident is found by it.
    for part in parts where HostFile.kindOfItself(part) != nil {
      guard FolderRemoval.remove(part) else { return false }
    }
    guard FolderRemoval.remove(folder) else { return false }
    // Only if nothing else is in them.
    if let tree = record.tree { rmdir((tree as NSString).deletingLastPathComponent) }
    rmdir(root)
    rmdir((root as NSString).deletingLastPathComponent)
    return true
  }
}

/// Removes folders with everything in them.
enum FolderRemoval {
  /// Removes what is at a path; what is mounted within keeps it.
  ///
  /// - Returns: Whether it is gone.
  static func remove(_ path: String) -> Bool {
    guard HostFile.kindOfItself(path) != nil else { return true }
    guard let mounts = MountPoints.within(path), mounts.isEmpty else { return false }
    let manager = FileManager.default
    if (try? manager.removeItem(atPath: path)) != nil { return true }
    // Folders that nobody may write to keep what is in them.
    open(path)
    return (try? manager.removeItem(atPath: path)) != nil
  }

  private static func open(_ path: String) {
    guard HostFile.kindOfItself(path) == .folder else { return }
    chmod(path, 0o700)
    for name in HostFile.folders(in: path, most: .max) { open(HostFile.join(path, name)) }
  }
}
