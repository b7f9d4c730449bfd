import Git
import Glibc
import Workspaces

/// Where git works, given to it in full so that no configuration, file or folder redirects it.
///
/// By default git follows a file called `.git`, `commondir` in a git directory, and `core.worktree`. The repository is
/// untrusted: these decide what is shown of it, but never where anything is written.
package struct GitPlace: Hashable, Sendable {
  /// The git directory: HEAD, index.
  package var directory: String
  /// The common directory: refs, objects, configuration.
  package var common: String
  /// The worktree, or the submodule's; the common directory itself where git is asked about a repository.
  package var worktree: String
  /// Whether it is a submodule, whose configuration git reads in its worktree only.
  package var isSubmodule = false

  /// Why a folder is not one to run git in.
  package struct Ambiguity: Error, Sendable {
    /// The reason in words.
    var reason: String
  }

  /// Examines a folder.
  ///
  /// - Parameter folder: A worktree, a submodule, or a repository.
  /// - Returns: Where git works there; `nil` for any other folder.
  /// - Throws: ``Ambiguity`` if the folder is two of them, or if a file of git is not a regular
  ///   file.
  package static func find(_ folder: String) throws(Ambiguity) -> Self? {
    let isRepository = GitLayout.isBareRepository(folder)
    guard let found = GitLayout.find(folder) else {
      guard isRepository || HostFile.kind(HostFile.join(folder, "HEAD")) == .file else {
        return nil
      }
      return try checked(Self(directory: folder, common: folder, worktree: folder))
    }
    guard !isRepository else {
      throw Ambiguity(
        reason: "\(folder) is a repository and has .git within, which leads to another"
      )
    }
    switch found {
    case .worktree(let layout):
      return try checked(
        Self(
          directory: layout.gitDirectory,
          common: layout.commonDirectory,
          worktree: layout.worktree
        )
      )
    case .submodule:
      guard let directory = GitLayout.gitDirectory(ofSubmodule: folder) else { return nil }
      return try checked(
        Self(directory: directory, common: directory, worktree: folder, isSubmodule: true)
      )
    }
  }

  /// Files that git reads before it does anything, in the git directory and in the common one.
  private static let files = [
    "HEAD", "config", "config.worktree", "commondir", "gitdir", "index", "packed-refs", "shallow",
    "info/attributes", "info/exclude", "info/grafts", "info/sparse-checkout",
    "objects/info/alternates", "logs/HEAD",
  ]
  /// Those of them that are small.
  private static let small: Set<String> = [
    "HEAD", "config", "config.worktree", "commondir", "gitdir",
  ]

  private static func checked(_ place: Self) throws(Ambiguity) -> Self {
    for folder in Set([place.directory, place.common]) {
      for name in files {
        let path = HostFile.join(folder, name)
        guard let facts = HostFile.facts(path) else { continue }
        // A named pipe without a writer would block git.
        guard facts.kind == .file || facts.kind == .folder && !small.contains(name) else {
          throw Ambiguity(reason: "\(path) is not a file")
        }
        let most = small.contains(name) ? WatchLimits.settingsFileBytes : WatchLimits.listFileBytes
        guard facts.kind == .folder || facts.size <= most else {
          throw Ambiguity(reason: "\(path) has more than \(most) bytes")
        }
      }
    }
    // Only the git directory of a linked worktree has one.
    if HostFile.kindOfItself(HostFile.join(place.common, "commondir")) != nil {
      throw Ambiguity(reason: "\(place.common) says that it is a part of another repository")
    }
    return place
  }

  /// The variables that say it to git (git(1), The Git Repository).
  var variables: [String: String] {
    var variables = ["GIT_DIR": directory, "GIT_WORK_TREE": worktree]
    if !directory.isSameName(as: common) { variables["GIT_COMMON_DIR"] = common }
    return variables
  }

  /// Whether a part of it belongs to another user: then git itself decides whether it may be read (safe.directory).
  ///
  /// Git checks that only where it discovers the repository itself.
  var isForeign: Bool {
    let own = geteuid()
    return [worktree, HostFile.join(worktree, ".git"), directory, common].contains {
      HostFile.facts($0).map { $0.owner != own } ?? false
    }
  }

  /// The folder that `core.worktree` leads git to, if that is another than the worktree.
  ///
  /// - Parameter settings: What git reads there.
  /// - Returns: The folder; `nil` if git works in the worktree.
  func displaced(_ settings: GitSettings) -> String? {
    guard !worktree.isSameName(as: common) else { return nil }
    // Git reads it in the configuration of a linked worktree only if there may be one.
    let isLinked = !directory.isSameName(as: common)
    let hasOwn = settings["extensions.worktreeconfig"].map { $0 != "false" } ?? false
    guard !isLinked || hasOwn else { return nil }
    let key = Array("core.worktree".utf8)
    let entry = settings.entries.last {
      $0.key == key && ![.system, .global, .command].contains($0.scope)
    }
    guard let value = entry.map({ String(decoding: $0.value ?? [], as: UTF8.self) }) else {
      return nil
    }
    let path = HostFile.join(directory, value)
    let real = HostFile.realPath(path)
    return real?.isSameName(as: worktree) ?? false ? nil : real ?? path
  }
}
