import Foundation
import Glibc
import Workspaces

/// The restore points of a repository as files in its common directory, one folder for each.
///
/// ```
/// freshet/restore/ID/record.json   what was done, and what is needed to go back
/// freshet/restore/ID/made          an empty file that is never written again: its age is that of the point
/// freshet/restore/ID/tree          the folder of a worktree that was deleted
/// freshet/restore/ID/git           its git directory
/// freshet/restore/ID/branch.log    the log of its branch
/// freshet/restore/ID.gone          a point that is being removed
/// ```
///
/// Where the worktree is on another file system than the common directory, or not in a folder that is watched, its folder
/// is in `.freshet-trash/ID` beside the place it was at. Objects are held by refs below `refs/freshet/restore/ID/`.
///
/// A stranger may have written all of it. So every place follows from the common directory and the id, none from a record;
/// each is reached without following a link (``OpenFolder``); and a folder in `.freshet-trash` belongs to a repository only
/// if the file `.git` in it names a git directory of that repository.
struct RestoreFolder: Sendable {
  /// The common directory of the repository.
  let common: String

  static let record = "record.json"
  static let made = "made"
  static let tree = "tree"
  static let git = "git"
  static let branchLog = "branch.log"
  /// The suffix of the name of a point that is being removed.
  static let gone = ".gone"
  /// The folder beside worktrees for those that cannot be moved to their repository.
  static let trash = ".freshet-trash"
  static let root = ["freshet", "restore"]

  /// Where the folder of a deleted worktree is.
  enum Place: Hashable, Sendable {
    /// In the folder of the point.
    case inside
    /// In the trash beside the place it was at.
    case beside
  }

  /// The path of the folder of a point, for messages.
  func path(_ id: String) -> String { HostFile.join(common, "freshet/restore/\(id)") }
  /// The prefix of the refs of a point.
  static func refs(_ id: String) -> String { "refs/freshet/restore/\(id)/" }

  /// Whether a text is the id of a point.
  static func isId(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return parts.count == 2
      && parts.allSatisfy { part in
        (1...16).contains(part.count)
          && part.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
      }
  }

  // MARK: Reading

  /// The folder of a point; `nil` if it does not exist or its path has a link.
  func folder(_ id: String) -> OpenFolder? {
    OpenFolder.open(common)?.folder(Self.root + [id])
  }

  /// All points, the newest first, and those that cannot be used, by their ids with the reason.
  func records() -> (usable: [RestoreRecord], unusable: [(id: String, reason: String)]) {
    var usable: [RestoreRecord] = []
    var unusable: [(id: String, reason: String)] = []
    guard let root = OpenFolder.open(common)?.folder(Self.root) else { return ([], []) }
    for id in root.names(most: WatchLimits.restorePoints * 2) where Self.isId(id) {
      do throws(RestoreRecord.Unusable) {
        usable.append(try read(id, in: root))
      } catch {
        unusable.append((id, error.description))
      }
    }
    usable.sort { ($0.point.createdAt, $0.point.id) > ($1.point.createdAt, $1.point.id) }
    return (usable, unusable)
  }

  /// How many points there are, those that cannot be used among them.
  var count: Int {
    OpenFolder.open(common)?.folder(Self.root)?.names(most: WatchLimits.restorePoints * 2)
      .count(where: Self.isId) ?? 0
  }

  private func read(
    _ id: String,
    in root: OpenFolder
  ) throws(RestoreRecord.Unusable) -> RestoreRecord {
    guard let folder = root.folder([id]) else {
      throw RestoreRecord.Unusable("\(id) is not a folder")
    }
    guard let bytes = folder.bytes(Self.record, limit: WatchLimits.recordBytes) else {
      throw RestoreRecord.Unusable("it has no record that can be read")
    }
    let record = try RestoreRecord(checking: bytes, id: id)
    for name in [Self.tree, Self.git] {
      let kind = folder.kind(name)
      guard kind == nil || record.point.kind == .delete && kind == .folder else {
        throw RestoreRecord.Unusable("\(name) is not the folder of a worktree")
      }
    }
    try checkGit(folder, record)
    if record.point.kind == .delete, folder.kind(Self.tree) == nil,
      folder.kind(Self.git) == .folder, place(record) == nil,
      let trash = trash(of: record), let owner = Self.owner(trash, of: record)
    {
      throw RestoreRecord.Unusable("its folder in \(trashPath(record)) is of \(owner)")
    }
    return record
  }

  /// Checks that a git directory in the trash is one of this repository.
  private func checkGit(
    _ folder: OpenFolder,
    _ record: RestoreRecord
  ) throws(RestoreRecord.Unusable) {
    guard let name = record.gitName, let git = folder.folder([Self.git]) else { return }
    guard let bytes = git.bytes("commondir") else {
      throw RestoreRecord.Unusable("its git directory is not one of a worktree")
    }
    let text = Self.line(bytes)
    // Relative to where it was and will be.
    let place = text.hasPrefix("/") ? text : HostFile.join(directory(name), text)
    let target = Self.normal(place)
    guard target.isSameName(as: common) || record.common.map({ target.isSameName(as: $0) }) ?? false
    else {
      throw RestoreRecord.Unusable("its git directory is of another repository, \(target)")
    }
  }

  /// When a point was made, as the file system knows it: the youngest of what never changes there.
  ///
  /// - Returns: Seconds since 1970; `nil` if unknown.
  func madeAt(_ id: String) -> Double? {
    guard let folder = folder(id) else { return nil }
    return [Self.made, Self.tree, Self.git].compactMap(folder.statusChangedAt).max()
  }

  /// The path of a git directory of a worktree.
  func directory(_ name: String) -> String { HostFile.join(common, "worktrees/\(name)") }

  // MARK: The folder of a worktree

  /// Where the folder of a deleted worktree is; `nil` if it is not in the trash.
  func place(_ record: RestoreRecord) -> Place? {
    if folder(record.point.id)?.kind(Self.tree) == .folder { return .inside }
    guard let trash = trash(of: record), let name = record.gitName,
      let owner = Self.owner(trash, of: record), owner.isSameName(as: directory(name))
    else { return nil }
    return .beside
  }

  /// The folder that a place is in, and its name there.
  func holder(_ record: RestoreRecord, _ place: Place) -> (folder: OpenFolder, name: String)? {
    let id = record.point.id
    switch place {
    case .inside: return folder(id).map { ($0, Self.tree) }
    case .beside: return trash(of: record).map { ($0, id) }
    }
  }

  /// Where a worktree goes when it is deleted: made if need be.
  func makeHolder(_ record: RestoreRecord, _ place: Place) -> (folder: OpenFolder, name: String)? {
    guard place == .beside else { return holder(record, place) }
    let parent = OpenFolder.open(record.point.path.parentPath)
    return parent?.folder([Self.trash], makes: true).map { ($0, record.point.id) }
  }

  private func trash(of record: RestoreRecord) -> OpenFolder? {
    OpenFolder.open(record.point.path.parentPath)?.folder([Self.trash])
  }

  /// The path of a folder in the trash beside, for messages.
  func trashPath(_ record: RestoreRecord) -> String {
    HostFile.join(record.point.path.parentPath, "\(Self.trash)/\(record.point.id)")
  }

  /// The git directory that a folder in the trash beside names as its own.
  private static func owner(_ trash: OpenFolder, of record: RestoreRecord) -> String? {
    trash.folder([record.point.id])?.bytes(".git")
      .flatMap { gitDirectory($0, of: record.point.path) }
  }

  /// The git directory that a file called `.git` names.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - worktree: The folder it is in, or was in.
  /// - Returns: Its path without dots; `nil` if it names none.
  static func gitDirectory(_ bytes: [UInt8], of worktree: String) -> String? {
    guard let path = line(bytes).name(after: "gitdir: ") else { return nil }
    return normal(HostFile.join(worktree, path))
  }

  private static func line(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
  }

  /// A path without dots, as text.
  private static func normal(_ path: String) -> String {
    var parts: [String] = []
    for part in OpenFolder.parts(path) where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts.map { "/" + $0 }.joined()
  }

  // MARK: Writing

  /// Writes a point; it is on disk then.
  ///
  /// - Throws: ``GitRunner/Failure`` if it cannot be written, or could not be read again.
  func write(_ record: RestoreRecord) throws(GitRunner.Failure) {
    let id = record.point.id
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let bytes: [UInt8]
    do {
      bytes = Array(try encoder.encode(record))
      _ = try RestoreRecord(checking: bytes, id: id)
    } catch {
      throw .unreadable("a restore point cannot be described: \(error)")
    }
    errno = 0
    guard bytes.count <= WatchLimits.recordBytes,
      let folder = OpenFolder.open(common)?.folder(Self.root + [id], makes: true),
      folder.kind(Self.made) != nil || folder.write([], to: Self.made),
      folder.write(bytes, to: Self.record)
    else {
      let reason = errno == 0 ? "it is too long" : String(cString: strerror(errno))
      throw .unreadable("a restore point cannot be written to \(path(id)): \(reason)")
    }
  }

  /// Has the folder of a worktree and its git directory name each other, after one of them has come to another place.
  ///
  /// - Throws: ``ActionRefusal`` if that cannot be written.
  func join(_ name: String, _ path: String) throws(ActionRefusal) {
    guard let tree = OpenFolder.open(path), let git = OpenFolder.open(directory(name)) else {
      throw ActionRefusal(.gitFailed, "\(path) is not reached without a link")
    }
    func leads(_ folder: OpenFolder, _ file: String, from: String, to target: String) -> Bool {
      folder.bytes(file).map {
        Self.normal(HostFile.join(from, Self.line($0))).isSameName(as: target)
      } ?? false
    }
    let own = tree.bytes(".git").flatMap { Self.gitDirectory($0, of: path) }
    var isDone = true
    if !(own?.isSameName(as: directory(name)) ?? false) {
      isDone = tree.write(Array("gitdir: \(directory(name))\n".utf8), to: ".git")
    }
    let dot = HostFile.join(path, ".git")
    if !leads(git, "gitdir", from: directory(name), to: dot) {
      isDone = git.write(Array("\(dot)\n".utf8), to: "gitdir") && isDone
    }
    if !leads(git, "commondir", from: directory(name), to: common) {
      isDone = git.write(Array("../..\n".utf8), to: "commondir") && isDone
    }
    guard isDone else {
      throw ActionRefusal(.gitFailed, "\(path) is back, and its files of git cannot be written")
    }
  }

  /// Removes the folder around the trash of a point if nothing is in it.
  func removeEmptyTrash(_ record: RestoreRecord) {
    OpenFolder.open(record.point.path.parentPath)?.removeIfEmpty(Self.trash)
  }

  // MARK: Interrupted actions

  /// The result of a delete or a restore that was interrupted between two steps.
  enum Order: Hashable, Sendable {
    /// Nothing is to be put in order.
    case whole
    /// The worktree is where it was, as if it had not been deleted.
    case notDone
  }

  /// Whether the folder of a worktree is at its place while its git directory is in the trash.
  func isInterrupted(_ record: RestoreRecord) -> Bool {
    let path = record.moved(to: common).point.path
    guard record.point.kind == .delete, let name = record.gitName, place(record) == nil,
      folder(record.point.id)?.kind(Self.git) == .folder,
      let bytes = OpenFolder.open(path)?.bytes(".git")
    else { return false }
    return Self.gitDirectory(bytes, of: path)?.isSameName(as: directory(name)) ?? false
  }

  /// Whether a git directory that did not leave its place is that of a worktree in the trash.
  func isLeft(_ record: RestoreRecord) -> Bool {
    guard let name = record.gitName, folder(record.point.id)?.kind(Self.git) == nil,
      let bytes = OpenFolder.open(directory(name))?.bytes("gitdir")
    else { return false }
    let place = Self.normal(HostFile.join(directory(name), Self.line(bytes)))
    return [record.point.path, record.moved(to: common).point.path].contains {
      place.isSameName(as: HostFile.join($0, ".git"))
    }
  }

  /// Reunites the two halves of a worktree after an interruption: at its path if the folder is there, otherwise in the
  /// trash.
  func putInOrder(_ record: RestoreRecord) -> Order {
    let id = record.point.id
    guard let name = record.gitName, let own = folder(id) else { return .whole }
    if isInterrupted(record) {
      let worktrees = OpenFolder.open(common)?.folder(["worktrees"], makes: true)
      return worktrees.map { own.move(Self.git, to: $0, as: name) == nil } ?? false
        ? .notDone : .whole
    }
    if place(record) != nil, isLeft(record) {
      let worktrees = OpenFolder.open(common)?.folder(["worktrees"])
      _ = worktrees?.move(name, to: own, as: Self.git)
    }
    return .whole
  }

  // MARK: Removing

  /// What among the refs of a point is not a file of its own, such as a link.
  ///
  /// - Returns: Its path; `nil` if all of them are.
  func foreignRef(_ id: String) -> String? {
    guard var here = OpenFolder.open(common) else { return common }
    var path = common
    for name in ["refs", "freshet", "restore", id] {
      path = HostFile.join(path, name)
      guard let kind = here.kind(name) else { return nil }
      guard kind == .folder, let next = here.folder([name]) else { return path }
      here = next
    }
    return here.names(most: WatchLimits.gitDirectoryFiles).first { here.kind($0) != .file }
      .map { HostFile.join(path, $0) }
  }

  /// Sets aside a point that is to be removed, so that a half-removed one is never restored.
  ///
  /// - Returns: `nil` on success, else the reason.
  func setAside(_ record: RestoreRecord) -> String? {
    let id = record.point.id
    guard Self.hasNoMount(path(id)), Self.hasNoMount(trashPath(record)) else {
      return "a file system is mounted within"
    }
    guard let root = OpenFolder.open(common)?.folder(Self.root) else { return "it is not there" }
    return root.move(id, to: root, as: id + Self.gone)
  }

  /// The points that are set aside.
  func aside() -> [String] {
    guard let root = OpenFolder.open(common)?.folder(Self.root) else { return [] }
    return root.names(most: WatchLimits.restorePoints * 2).compactMap { name in
      name.hasSuffix(Self.gone) && Self.isId(String(name.dropLast(Self.gone.count)))
        ? String(name.dropLast(Self.gone.count)) : nil
    }
  }

  /// Removes a point that is set aside with everything that is in its folder; its refs are to be gone.
  ///
  /// - Returns: `nil` if all of it is gone, else what is not.
  func removeAside(_ id: String) -> String? {
    let name = id + Self.gone
    guard let root = OpenFolder.open(common)?.folder(Self.root) else { return nil }
    if let bytes = root.folder([name])?.bytes(Self.record, limit: WatchLimits.recordBytes),
      let record = try? RestoreRecord(checking: bytes, id: id), record.point.kind == .delete,
      let holder = trash(of: record), let owner = Self.owner(holder, of: record),
      let gitName = record.gitName, owner.isSameName(as: directory(gitName))
    {
      // The file that says whose it is goes last.
      guard Self.hasNoMount(trashPath(record)), holder.remove(id, last: ".git") else {
        return trashPath(record)
      }
      removeEmptyTrash(record)
    }
    guard Self.hasNoMount(path(name)), root.remove(name, last: Self.record) else {
      return path(name)
    }
    let holder = OpenFolder.open(common)
    holder?.folder(["freshet"])?.removeIfEmpty("restore")
    holder?.removeIfEmpty("freshet")
    return nil
  }

  private static func hasNoMount(_ path: String) -> Bool {
    MountPoints.within(path)?.isEmpty ?? false
  }
}
