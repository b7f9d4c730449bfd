import Git
package import Workspaces

extension WorktreeWatcher {
  /// Watches the folders of a worktree if they are others than before.
  ///
  /// Folders created during the listing are found by scanning the newly watched ones again.
  func watch(_ path: String) async {
    for _ in 0..<WatchLimits.listings {
      let moves = table.moves(path)
      guard let content = await list(path) else { break }
      let added = setWatches(path)
      if await Self.isSettled(content, path, added) {
        trees[path]?.settledMoves = moves
        return
      }
      trees[path]?.hasFolders = false
      trees[path]?.isPolled = true
    }
    if trees[path]?.gitFolders != trees[path].map({ WatchFolders.gitDirectory($0.member.layout) }) {
      setWatches(path)
    }
  }

  /// Lists the folders of a worktree if they may be others.
  ///
  /// - Returns: What git says; `nil` if nothing differs, or git failed.
  private func list(_ path: String) async -> WatchFolders.Content? {
    guard let tree = trees[path] else { return nil }
    let stamps = Self.stamps(tree)
    guard
      stamps != tree.indexStamps || !tree.hasFolders || tree.settledMoves != table.moves(path)
    else { return nil }
    let untracked = tree.scan?.status.untrackedFolders ?? []
    let content = try? await WatchFolders.content(
      tree.member.layout,
      untracked: untracked,
      runner: runner
    )
    guard trees[path] != nil else { return nil }
    trees[path]?.untracked = untracked
    // A list that failed is tried again with the next scan.
    trees[path]?.hasFolders = content?.isWhole ?? false
    trees[path]?.gitFolders = [:]
    guard let content else { return nil }
    trees[path]?.folders = content.folders
    trees[path]?.submodules = content.gitDirectories
    trees[path]?.isCut = content.isCut
    // A new index is recorded as it is now, and listed with the next scan if it has changed.
    let isKnown = content.gitDirectories == tree.submodules
    let current = isKnown ? stamps : trees[path].map(Self.stamps) ?? []
    trees[path]?.indexStamps = current
    return content
  }

  /// Sets the watches of a worktree.
  ///
  /// - Returns: Its folders that were not watched before.
  @discardableResult
  private func setWatches(_ path: String) -> [String] {
    guard let tree = trees[path] else { return [] }
    let gitFolders = WatchFolders.gitDirectory(tree.member.layout)
    trees[path]?.gitFolders = gitFolders
    var wanted = gitFolders
    for directory in tree.submodules {
      wanted[directory] = .submodule
      // Every move of HEAD is in its log.
      wanted[HostFile.join(directory, "logs")] = .gitDirectory
    }
    for folder in Self.real(tree.folders?.all ?? [""], in: path) {
      wanted[HostFile.join(path, folder)] = .content
    }
    let (isWhole, added) = table.set(wanted, for: .worktree(path))
    let system = settings.lacksEvents(path) ?? settings.lacksEvents(tree.member.layout.gitDirectory)
    trees[path]?.eventlessSystem = system
    trees[path]?.lacksWatches = !isWhole
    trees[path]?.isPolled =
      !isWhole || tree.folders?.isOverflowing ?? true || !tree.hasFolders || system != nil
    return added.filter { wanted[$0] == .content }
  }

  /// The folders of a worktree that were not replaced by a symbolic link: the target of a link is not part of this
  /// worktree.
  private static func real(_ folders: [String], in root: String) -> [String] {
    var links: Set<[UInt8]> = []
    return folders.filter { folder in
      guard !folder.isEmpty else { return true }
      let name = Array(folder.utf8)
      let parent = name.lastIndex(of: 0x2F).map { Array(name[..<$0]) }
      if parent.map({ links.contains($0) }) == true
        || HostFile.kindOfItself(HostFile.join(root, folder)) == .link
      {
        links.insert(name)
        return false
      }
      return true
    }
  }

  /// Whether nothing was made in folders before they were watched that is not in the list.
  @concurrent
  private static func isSettled(
    _ content: WatchFolders.Content,
    _ root: String,
    _ added: [String]
  ) async -> Bool {
    guard content.isWhole, !content.folders.isOverflowing, !content.isCut else { return true }
    let repositories = NameSet(content.folders.submodules)
    for folder in added {
      let path =
        folder.isSameName(as: root)
        ? "" : String(decoding: folder.utf8.dropFirst(root.utf8.count + 1), as: UTF8.self)
      let isRepository =
        repositories.contains(path)
        || !path.isEmpty && HostFile.kind(HostFile.join(folder, ".git")) != nil
      guard !isRepository else { continue }
      for inner in NewFolders.inner(of: path, root) where !content.knows(inner) { return false }
    }
    return true
  }

  /// Identifies a state of the indices of a worktree and its submodules.
  private static func stamps(_ tree: Tree) -> [[Int]?] {
    ([tree.member.layout.gitDirectory] + tree.submodules).map {
      HostFile.stamp(HostFile.join($0, "index"))
    }
  }

  /// Watches the folders that are searched for repositories: the given ones, and those between them and the worktrees
  /// that were found.
  func watchSearch() {
    var folders: NameTable<WatchPlan.Place> = [:]
    for root in settings.roots.compactMap({ HostFile.realPath($0) })
    where GitLayout.find(root) == nil {
      folders[root] = .search
      for path in trees.keys where HostFile.isWithin(path, root) {
        var between: [String] = []
        var folder = path
        while let slash = folder.lastIndex(of: "/"), slash > folder.startIndex {
          folder = String(folder[..<slash])
          guard !folder.isSameName(as: root), HostFile.isWithin(folder, root),
            folders[folder] == nil
          else {
            break
          }
          between.append(folder)
          // What is within a worktree is its own.
          if trees[folder] != nil {
            between = []
            break
          }
        }
        for folder in between { folders[folder] = .search }
      }
    }
    table.set(folders, for: .search)
  }

  /// The inputs of a worktree's diff.
  ///
  /// - Returns: All of them; `nil` if some content is not watched, so that only making the diff can tell.
  package func diffKey(of workspace: Workspace) -> DiffCache.Key? {
    let path = workspace.path
    guard let tree = trees[path], !tree.isPolled, tree.hasFolders, !tree.isCut,
      tree.settledMoves == table.moves(path)
    else { return nil }
    let source = repositories[tree.repository]?.source
    return DiffCache.Key(
      content: table.contentVersion(path),
      name: workspace.name,
      head: workspace.git.head,
      source: workspace.sourceBranch,
      sourceObject: source?.object,
      trust: tree.scan?.trust,
      history: repositories[tree.repository]?.history
    )
  }
}
