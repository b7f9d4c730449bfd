import Workspaces

/// Where the parts of a worktree are (gitrepository-layout(5)).
package struct GitLayout: Hashable, Sendable {
  /// The worktree's absolute path; of a bare repository the repository itself.
  package var worktree: String
  /// The git directory of the worktree: HEAD, index, operations in progress.
  package var gitDirectory: String
  /// The common directory of the repository: refs, objects, configuration.
  package var commonDirectory: String

  /// Whether its git directory is where a repository has those of linked worktrees, so that no file led elsewhere.
  var isAmongWorktrees: Bool {
    gitDirectory.parentPath.isSameName(as: HostFile.join(commonDirectory, "worktrees"))
  }

  /// The finding at a folder that contains something called `.git`.
  package enum Finding: Hashable, Sendable {
    /// A worktree, the main one or a linked one.
    case worktree(GitLayout)
    /// A submodule of another repository.
    case submodule
  }

  /// Examines a folder.
  ///
  /// - Parameter folder: An absolute path without links.
  /// - Returns: What was found; `nil` if the folder is not a worktree.
  package static func find(_ folder: String) -> Finding? {
    let dot = HostFile.join(folder, ".git")
    switch HostFile.kind(dot) {
    case .folder:
      guard HostFile.kind(HostFile.join(dot, "HEAD")) == .file,
        HostFile.kind(HostFile.join(dot, "objects")) == .folder
      else { return nil }
      let common = HostFile.realPath(dot) ?? dot
      return .worktree(
        GitLayout(worktree: folder, gitDirectory: common, commonDirectory: common)
      )
    case .file:
      guard let text = HostFile.text(dot), text.hasPrefix("gitdir: "),
        let directory = HostFile.realPath(HostFile.join(folder, String(text.dropFirst(8))))
      else { return nil }
      guard let common = HostFile.text(HostFile.join(directory, "commondir")) else {
        // A submodule has a git directory of its own within that of the repository around it; a repository
        // made with --separate-git-dir has one anywhere else.
        if directory.contains("/modules/") { return .submodule }
        return .worktree(
          GitLayout(worktree: folder, gitDirectory: directory, commonDirectory: directory)
        )
      }
      guard let common = HostFile.realPath(HostFile.join(directory, common)) else { return nil }
      return .worktree(
        GitLayout(worktree: folder, gitDirectory: directory, commonDirectory: common)
      )
    default:
      return nil
    }
  }

  /// The git directory of a submodule, absorbed or its own.
  ///
  /// - Parameter folder: Where the submodule is.
  /// - Returns: The directory; `nil` if nothing is checked out there.
  package static func gitDirectory(ofSubmodule folder: String) -> String? {
    let dot = HostFile.join(folder, ".git")
    switch HostFile.kind(dot) {
    case .folder: return HostFile.realPath(dot)
    case .file:
      guard let text = HostFile.text(dot), text.hasPrefix("gitdir: ") else { return nil }
      return HostFile.realPath(HostFile.join(folder, String(text.dropFirst(8))))
    default: return nil
    }
  }

  /// Whether names are those in a repository without a worktree of its own, or in a git directory.
  static func isRepository(_ names: Set<[UInt8]>) -> Bool {
    ["HEAD", "objects", "refs"].allSatisfy { names.contains(Array($0.utf8)) }
  }

  /// Whether a folder is a repository without a worktree of its own.
  package static func isBareRepository(_ folder: String) -> Bool {
    HostFile.kind(HostFile.join(folder, "HEAD")) == .file
      && HostFile.kind(HostFile.join(folder, "objects")) == .folder
      && HostFile.kind(HostFile.join(folder, "refs")) == .folder
      && HostFile.kind(HostFile.join(folder, "config")) == .file
  }
}
