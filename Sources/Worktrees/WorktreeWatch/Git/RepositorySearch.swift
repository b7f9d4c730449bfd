import Git
package import Workspaces

/// Finds repositories below given folders.
///
/// It opens folders, never follows links below the given ones, does not enter hidden folders and `node_modules`, and
/// finds repositories within worktrees too. A submodule does not count as a repository of its own.
package struct RepositorySearch: Sendable {
  /// The result of a search.
  package struct Result: Hashable, Sendable {
    /// The common directories of the repositories, ordered.
    package var repositories: [String] = []
    /// Whether a limit ended the search early.
    package var isCut = false
    /// How many folders were opened.
    package var folders = 0
    /// Given folders that do not exist.
    package var missing: [String] = []
    /// The omitted folders, with reasons.
    package var omissions: [Omission] = []
  }

  private let roots: [String]
  private let depth: Int
  private let mostFolders: Int
  private let mostRepositories: Int

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - roots: The folders to search.
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

  /// Searches now: level by level, so that a limit cuts what is deepest.
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
        result.omissions.append(Omission(.missingFolder, root, "\(root) is not there"))
      }
    }
    var deep: [String] = []
    for step in 0...depth {
      var next: [String] = []
      for folder in level {
        guard result.folders < mostFolders, found.count < mostRepositories else {
          result.isCut = true
          let limit =
            found.count < mostRepositories
            ? "\(mostFolders) folders were searched" : "\(mostRepositories) repositories were found"
          result.omissions.append(
            Omission(.tooMany, folder, "\(limit); \(folder) and what comes behind it is left out")
          )
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
        guard step < depth else {
          if !HostFile.folders(in: folder, most: 2).filter({ !$0.hasPrefix(".") }).isEmpty {
            deep.append(folder)
          }
          continue
        }
        if !HostFile.isReadableFolder(folder) {
          result.omissions.append(Omission(.unreadable, folder, "\(folder) may not be read"))
        }
        for name in HostFile.names(in: folder, most: mostFolders) where name != "node_modules" {
          let path = HostFile.join(folder, name)
          guard !name.hasPrefix(".") else {
            if name != ".git", result.omissions.count < WatchLimits.omissions,
              HostFile.kindOfItself(path) == .folder, Self.isRepository(path)
            {
              result.omissions.append(
                Omission(
                  .hidden,
                  path,
                  "the repository \(path) is in a hidden folder; give it by name"
                )
              )
            }
            continue
          }
          guard HostFile.kindOfItself(path) == .folder, seen.insert(path).inserted else { continue }
          next.append(path)
        }
      }
      level = next
    }
    // One may be found by another way, as the `.bare` beside a `.git` that leads there.
    result.omissions.removeAll { omission in
      omission.reason == .hidden
        && (found.contains(omission.path) || found.contains(HostFile.join(omission.path, ".git")))
    }
    if let first = deep.first {
      let count = deep.count == 1 ? "1 folder has" : "\(deep.count) folders have"
      result.omissions.append(
        Omission(
          .tooDeep,
          first,
          "\(count) folders within that are more than \(depth) levels below the given ones and are not searched, such as \(first)"
        )
      )
    }
    result.repositories = found.sorted()
    return result
  }

  /// Whether a hidden folder is a repository that is not found by another way: not a worktree of one.
  private static func isRepository(_ folder: String) -> Bool {
    if case .worktree(let layout)? = GitLayout.find(folder) {
      return layout.gitDirectory == layout.commonDirectory
    }
    return GitLayout.isBareRepository(folder)
  }
}
