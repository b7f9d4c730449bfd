import Git
import Workspaces

extension WorktreeWatcher {
  /// Whether a repository lies within the folders that are watched.
  func isWatched(_ common: String) -> Bool {
    realRoots.contains { HostFile.isWithin(common, $0) }
  }

  /// The worktrees that are known within a folder, without the folder itself.
  func knownWorktrees(within folder: String) -> [String] {
    trees.keys.filter { !$0.isSameName(as: folder) && HostFile.isWithin($0, folder) }.sorted()
  }

  /// The common directories of all repositories, ordered.
  package func commonDirectories() -> [String] { repositories.keys.sorted() }

  /// The id of a repository, by its common directory.
  func repositoryId(of common: String) -> String? { repositories[common]?.id }
}
