import Git
import Workspaces

/// The folders of a worktree that hold nothing git tracks and that git does not ignore.
///
/// No list of git has them all: an empty folder has no state, and of a new one with files only the outermost is
/// named. So the folders on disk are read, level by level, and those that are ignored are left out with all that is
/// within them.
struct NewFolders: Sendable {
  /// The folders, relative to the worktree.
  private(set) var folders: [String] = []
  /// Everything that was found, ignored or not.
  private(set) var seen: NameSet = []
  /// Whether there are more that are to be watched.
  private(set) var isOverflowing = false
  /// Whether within new folders that a status names not everything is in the list.
  private(set) var isCut = false
  /// Folders that were asked about, and whether they are in the worktree itself.
  private var inside: NameTable<Bool> = ["": true]

  /// Searches for them.
  ///
  /// - Parameters:
  ///   - root: The worktree, or a submodule.
  ///   - tracked: The folders with tracked files.
  ///   - named: New folders that a status names, with a slash at the end: they have a state, so that of what is
  ///     within them only ``WatchLimits/newFolders`` are taken.
  ///   - runner: Runs git.
  /// - Returns: The folders found within the limits.
  /// - Throws: ``GitRunner/Failure``, `CancellationError`.
  static func find(
    in root: String,
    beside tracked: WatchPlan.Folders,
    named: [String],
    runner: GitRunner
  ) async throws -> Self {
    var found = Self()
    guard !tracked.isOverflowing else { return found }
    var named = NameSet(named.map { String($0.dropLast()) })
    var countOfNamed = 0
    let submodules = NameSet(tracked.submodules)
    var level = tracked.all.filter { !submodules.contains($0) }
    while !level.isEmpty {
      let inner = await found.inner(of: level, root, tracked)
      level = []
      guard !inner.isEmpty else { break }
      let ignored = try await ignored(inner, root, runner)
      for path in inner where !ignored.contains(path) {
        if !named.contains(path), named.contains(parent(path)) {
          countOfNamed += 1
          guard countOfNamed <= WatchLimits.newFolders else {
            found.isCut = true
            continue
          }
          named.insert(path)
        }
        guard found.folders.count < GitLimits.watchedFolders else {
          found.isOverflowing = true
          return found
        }
        found.folders.append(path)
        // A repository of its own has states of its own.
        if HostFile.kind(HostFile.join(root, path + "/.git")) == nil { level.append(path) }
      }
    }
    return found
  }

  /// The folders within folders that nothing tracked is in.
  @concurrent
  private mutating func inner(
    of level: [String],
    _ root: String,
    _ tracked: WatchPlan.Folders
  ) async -> [String] {
    var inner: [String] = []
    for folder in level where isInside(folder, root) {
      for path in Self.inner(of: folder, root)
      where !tracked.contains(path) && seen.insert(path).inserted {
        guard inner.count < WatchLimits.readFolders else {
          isOverflowing = true
          return inner
        }
        inner.append(path)
      }
    }
    return inner
  }

  /// Whether no part of the path of a folder is a symbolic link.
  ///
  /// A tracked folder may have been replaced by a link: its target is not part of this worktree, and git refuses paths
  /// beyond it.
  private mutating func isInside(_ folder: String, _ root: String) -> Bool {
    if let known = inside[folder] { return known }
    let answer =
      isInside(Self.parent(folder), root)
      && HostFile.kindOfItself(HostFile.join(root, folder)) == .folder
    inside[folder] = answer
    return answer
  }

  /// The folders in a folder but `.git`, relative to the worktree.
  static func inner(of folder: String, _ root: String) -> [String] {
    HostFile.folders(in: HostFile.join(root, folder), most: WatchLimits.readFolders)
      .filter { $0 != ".git" }
      .map { HostFile.join(folder, $0) }
      .map { $0.hasPrefix("/") ? String($0.dropFirst()) : $0 }
  }

  private static func parent(_ path: String) -> String {
    path.parentPath
  }

  private static func ignored(
    _ paths: [String],
    _ root: String,
    _ runner: GitRunner
  ) async throws -> NameSet {
    let answer = try await runner.run(
      ["check-ignore", "-z", "--stdin"],
      in: root,
      accepted: 0...1,
      // "./" first: check-ignore takes a name such as ":(x" for a pattern, and refuses GIT_LITERAL_PATHSPECS.
      input: paths.flatMap { Array("./\($0)".utf8) + [0] }
    )
    return NameSet(
      answer.output.split(separator: 0).map { String(decoding: $0.dropFirst(2), as: UTF8.self) }
    )
  }
}
