import Git

/// Finds repositories below given folders.
///
/// It opens folders, never follows links below the given ones, does not enter hidden folders and
/// `node_modules`, and finds repositories within worktrees too. A submodule is no repository of its own.
package struct RepositorySearch: Sendable {
  /// What was found.
  package struct Result: Hashable, Sendable {
    /// The common directories of the repositories, ordered.
    package var repositories: [String] = []
    /// Whether a limit ended the search early.
    package var isCut = false
    /// How many folders were opened.
    package var folders = 0
    /// Given folders that are not there.
    package var missing: [String] = []
  }

  private let roots: [String]
  private let depth: Int
  private let mostFolders: Int
  private let mostRepositories: Int

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - roots: The folders to look in.
  ///   - depth: How deep below them.
  ///   - mostFolders: The most folders that are opened.
  ///   - mostRepositories: The most repositories that are found.
  package init(
    roots: [String],
    depth: Int = WatchLimits.depth,
    mostFolders: Int = WatchLimits.searchedFolders,
    mostRepositories: Int = WatchLimits.repositories
  ) {
    self.roots = roots
    self.depth = depth
    self.mostFolders = mostFolders
    self.mostRepositories = mostRepositories
  }

  /// Looks now: level by level, so that a limit cuts what is deepest.
  package func run() -> Result {
    var result = Result()
    var found: NameSet = []
    var seen: NameSet = []
    var level: [String] = []
    for root in roots {
      if let real = HostFile.realPath(root), HostFile.kind(real) == .folder {
        if seen.insert(real).inserted { level.append(real) }
      } else {
        result.missing.append(root)
      }
    }
    for step in 0...depth {
      var next: [String] = []
      for folder in level {
        guard result.folders < mostFolders, found.count < mostRepositories else {
          result.isCut = true
          break
        }
        result.folders += 1
        switch GitLayout.find(folder) {
        case .worktree(let layout): found.insert(layout.commonDirectory)
        case .submodule: continue
        case nil:
          if GitLayout.isBareRepository(folder) {
            found.insert(folder)
            continue
          }
        }
        guard step < depth else { continue }
        for name in HostFile.names(in: folder, most: mostFolders) {
          guard !name.hasPrefix("."), name != "node_modules" else { continue }
          let path = HostFile.join(folder, name)
          guard HostFile.kindOfItself(path) == .folder, seen.insert(path).inserted else { continue }
          next.append(path)
        }
      }
      level = next
    }
    result.repositories = found.sorted()
    return result
  }
}
