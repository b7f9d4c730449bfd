import Git
package import Workspaces

extension WorktreeActions {
  /// The refusals that a removal may override.
  struct Removal: Sendable {
    /// Everything but the main worktree, a lock, and another worktree within.
    var isForced = false
    /// Whether the branch goes too.
    var removesBranch = false
    /// What git ignores.
    var losesIgnored = false
    /// Processes that live there, by their numbers.
    var processes: Set<Int32> = []

    /// Whether a refusal is passed over as a whole (``Workspaces/WorkspaceRefusal``).
    func passes(_ problem: WorkspaceProblem) -> Bool {
      problem.overrides(of: .delete).contains {
        switch $0 {
        case .force: isForced
        case .ignored: losesIgnored
        // Those that are named only.
        case .processes, .rewritePushed: false
        }
      }
    }
  }

  /// Moves a worktree to the trash; its branch stays unless it is to go too.
  ///
  /// - Parameters:
  ///   - workspace: The worktree.
  ///   - isForced: Whether to remove it despite uncommitted or ignored files, commits that exist nowhere else,
  ///     repositories within, and the state of an agent. The main worktree, a locked one, and one with a process,
  ///     another worktree or a mount within stay in any case.
  ///   - removesBranch: Whether to remove its branch too, if it has not moved since it was checked.
  ///   - losesIgnored: Whether to remove it despite ignored files.
  ///   - processes: The numbers of processes in the worktree to ignore.
  /// - Returns: What restores it.
  /// - Throws: ``ActionRefusal``, ``GitRunner/Failure``.
  @discardableResult
  package func delete(
    _ workspace: Workspace,
    isForced: Bool,
    removesBranch: Bool,
    losesIgnored: Bool = false,
    processes: Set<Int32> = []
  ) async throws -> RestorePoint {
    let removal = Removal(
      isForced: isForced,
      removesBranch: removesBranch,
      losesIgnored: losesIgnored,
      processes: processes
    )
    return try await inTurn(workspace) { common in
      let now = try await current(workspace)
      try await requireRemovable(now, common, removal)
      return try await remove(now, common, removal)
    }
  }

  func requireRemovable(_ now: Workspace, _ common: String, _ removal: Removal) async throws {
    if now.isMain {
      throw ActionRefusal(.mainWorktree, "\(now.path) came with the repository and stays")
    }
    if let reason = now.git.locked {
      let why = reason.isEmpty ? "" : ": \(reason)"
      throw ActionRefusal(.worktreeLocked, "\(now.path) is locked\(why)")
    }
    let nested = await NestedRepositories.find(in: now.path)
    try await requireNoWorktree(within: now, nested)
    try requireNoMount(now)
    if !removal.passes(.agentActive) {
      try requireUnattended(now, besides: removal.processes)
    }
    try await requireNoProcess(in: now, besides: removal.processes)
    if !removal.passes(.worktreeDirty) {
      try await requireClean(now)
      try await requireNoHiddenEdit(now.path)
    }
    if !removal.passes(.nestedRepository) { try await requireNoRepository(within: now, nested) }
    if !removal.passes(.ignoredFiles) { try await requireNothingIgnored(now, nested) }
    if !removal.passes(.worktreeUnmerged), let head = now.git.head,
      removal.removesBranch || now.git.branch == nil
    {
      try await requireKept(head, besides: now)
    }
    if removal.removesBranch, let branch = now.git.branch {
      let others = await watcher.repositories(named: common).first?.members ?? []
      let other = others.first {
        $0.entry.branch?.isSameName(as: "refs/heads/" + branch) ?? false
          && !$0.layout.worktree.isSameName(as: now.path)
      }
      if let other {
        throw ActionRefusal(
          .operationInProgress,
          "\(branch) is checked out in \(other.layout.worktree) too"
        )
      }
    }
  }

  func remove(
    _ now: Workspace,
    _ common: String,
    _ removal: Removal
  ) async throws -> RestorePoint {
    // Read again directly before: the latest changes count as well.
    if !removal.passes(.worktreeUnmerged) {
      guard try await checkedOut(now.path) == now.git.head else {
        throw ActionRefusal(.worktreeUnmerged, "\(now.path) has another commit meanwhile")
      }
    }
    if !removal.passes(.worktreeDirty) {
      try await requireNothingUncommitted(now.path, submodules: true)
    }
    try await requireNoProcess(in: now, besides: removal.processes)
    let record = try await moveToTrash(now, common, removesBranch: removal.removesBranch)
    var moved: ActionRefusal?
    if removal.removesBranch, let branch = now.git.branch, let head = now.git.head {
      do {
        let ref = record.branch?.ref ?? "refs/heads/\(branch)"
        _ = try await act(["update-ref", "--no-deref", "-d", ref, head], in: common)
        // As `git branch -D` does; most branches have no section.
        _ = try? await act(["config", "--remove-section", "branch.\(branch)"], in: common)
      } catch GitRunner.Failure.failed(_, _, let complaint) {
        moved = ActionRefusal(
          .worktreeUnmerged,
          "\(now.path) is in the trash as \(record.point.id); \(branch) stays, because it is not at \(head.prefix(8)) any more: \(complaint)"
        )
      }
    }
    await watcher.refreshRepository(common)
    if let moved { throw moved }
    return record.point
  }

  /// Whether another branch has a commit, so that it is not lost.
  private func requireKept(_ head: String, besides workspace: Workspace) async throws {
    let answer = try await runner.run(
      [
        "for-each-ref", "--contains", head, "--count=2", "--format=%(refname)", "refs/heads",
        "refs/remotes", "refs/tags",
      ],
      in: workspace.path
    )
    let own = workspace.git.branch.map { "refs/heads/" + $0 }
    let others = answer.text.split(separator: "\n").filter { name in
      own.map { !name.isSameName(as: $0) } ?? true
    }
    guard others.isEmpty else { return }
    let count = workspace.commitCount
    throw ActionRefusal(
      .worktreeUnmerged,
      "no other branch has \(head.prefix(8)); \(count) \(count == 1 ? "commit" : "commits") would be lost"
    )
  }

  // MARK: Contents that a removal would lose

  /// Another worktree is its own, and its repository is elsewhere.
  private func requireNoWorktree(
    within now: Workspace,
    _ nested: NestedRepositories
  ) async throws {
    let walked = nested.folders.filter { folder in
      guard case .worktree(let layout)? = GitLayout.find(folder) else { return false }
      return !HostFile.isWithin(layout.commonDirectory, now.path)
        && !layout.gitDirectory.isSameName(as: layout.commonDirectory)
    }
    let known = await watcher.worktrees(within: now.path)
    let found = NameSet(walked + known).sorted()
    guard !found.isEmpty else { return }
    throw ActionRefusal(
      .nestedWorktree,
      "\(found.count == 1 ? "another worktree lies" : "other worktrees lie") within \(now.path); remove or move it first",
      files: Array(found.prefix(GitLimits.conflictNames))
    )
  }

  private static func path(of folder: String, within root: String) -> String {
    String(decoding: folder.utf8.dropFirst(root.utf8.count + 1), as: UTF8.self)
  }

  private func requireNoRepository(
    within now: Workspace,
    _ nested: NestedRepositories
  ) async throws {
    guard !nested.isCut else {
      throw ActionRefusal(
        .nestedRepository,
        "\(now.path) has more folders than are looked through for repositories (\(WatchLimits.walkedFolders))"
      )
    }
    let (links, heads) = try await links(now.path)
    var found: [String] = []
    for folder in nested.folders {
      let path = Self.path(of: folder, within: now.path)
      let isSubmodule = links.contains(path) || GitLayout.find(folder) == .submodule
      if isSubmodule {
        try await requireNothingUncommitted(folder, submodules: false)
        try await requireNoHiddenEdit(folder)
        if try await hasOwnCommits(folder) { throw Self.unpushed(folder) }
      } else if heads.contains(path + "/HEAD") {
        // A repository without a worktree whose files are committed, as tests have them.
        continue
      } else if RemadeFolders.contains(path) {
        if try await hasOwnWork(folder) { found.append(path) }
      } else {
        found.append(path)
      }
    }
    if !found.isEmpty {
      let count = found.count
      throw ActionRefusal(
        .nestedRepository,
        "\(count) other \(count == 1 ? "repository lies" : "repositories lie") within \(now.path)",
        files: Array(found.prefix(GitLimits.conflictNames))
      )
    }
    // The repositories of submodules, those that are checked out no more as well, go with the worktree.
    guard case .worktree(let layout)? = GitLayout.find(now.path) else { return }
    let modules = await NestedRepositories.find(in: HostFile.join(layout.gitDirectory, "modules"))
    for folder in modules.folders where try await hasOwnCommits(folder, isRepository: true) {
      throw Self.unpushed(folder)
    }
  }

  private static func unpushed(_ folder: String) -> ActionRefusal {
    ActionRefusal(
      .worktreeUnmerged,
      "the submodule in \(folder) has commits that no branch of a remote has",
      files: [folder]
    )
  }

  private func hasOwnWork(_ folder: String) async throws -> Bool {
    if GitLayout.isBareRepository(folder) {
      // A mirror only has what its remote had; other refs were made by a user.
      let mirror = try await runner.run(
        ["config", "--get-regexp", "^remote\\..*\\.mirror$"],
        in: folder,
        variables: ["GIT_DIR": folder],
        accepted: 0...255
      )
      return mirror.text.isEmpty
    }
    do {
      try await requireNothingUncommitted(folder, submodules: true)
      try await requireNoHiddenEdit(folder)
      return try await hasOwnCommits(folder)
    } catch {
      return true
    }
  }

  /// Whether a repository has commits, tags, a stash or other refs that no branch of a remote has; what git cannot tell counts as such.
  private func hasOwnCommits(_ folder: String, isRepository: Bool = false) async throws -> Bool {
    let answer = try await runner.run(
      [
        // Tags, the stash and refs of any other name as well as branches.
        "rev-list", "-n", "1", "HEAD", "--exclude=refs/remotes/*", "--all", "--not", "--remotes",
        "--",
      ],
      in: folder,
      variables: isRepository ? ["GIT_DIR": folder] : [:],
      accepted: 0...255
    )
    return answer.code != 0 || !answer.text.isEmpty
  }

  /// Demands that git itself, asked now, knows of nothing that is not committed.
  private func requireNothingUncommitted(_ folder: String, submodules: Bool) async throws {
    let answer = try await runner.run(
      [
        "status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal",
        "--ignore-submodules=\(submodules ? "none" : "all")",
      ],
      in: folder
    )
    let files = answer.output.split(separator: 0).map {
      String(decoding: $0.dropFirst(3), as: UTF8.self)
    }
    guard !files.isEmpty else { return }
    throw Self.uncommitted(files, folder)
  }

  private static func uncommitted(_ files: [String], _ folder: String) -> ActionRefusal {
    ActionRefusal(
      .worktreeDirty,
      "\(files.count) \(files.count == 1 ? "path is" : "paths are") not committed in \(folder)",
      files: Array(files.prefix(GitLimits.conflictNames))
    )
  }

  /// Throws if a file that git was configured to skip differs (git-update-index(1)); a missing one is not an edit.
  ///
  /// - Parameters:
  ///   - folder: The worktree.
  ///   - sparse: Whether files marked skip-worktree count beside those marked assume-unchanged.
  /// - Throws: ``ActionRefusal`` with the files; ``GitRunner/Failure``.
  func requireNoHiddenEdit(_ folder: String, sparse: Bool = true) async throws {
    let list = try await runner.run(
      ["ls-files", "-v", "-z"],
      in: folder,
      timeout: WatchLimits.diffTimeout
    )
    let hidden = list.output.split(separator: 0).filter { record in
      guard let tag = record.first else { return false }
      return (sparse && tag == 0x53) || (0x61...0x7A).contains(tag)
    }.map { Array($0.dropFirst(2)) }
    guard !hidden.isEmpty else { return }
    // A new index has no such marks.
    let place = try TemporaryFolder()
    defer { place.remove() }
    let variables = ["GIT_INDEX_FILE": HostFile.join(place.path, "index")]
    let plain = ["-c", "core.ignoreStat=false", "-c", "core.sparseCheckout=false"]
    _ = try await runner.run(
      plain + ["read-tree", "HEAD"],
      in: folder,
      timeout: WatchLimits.diffTimeout,
      variables: variables
    )
    let answer = try await runner.run(
      plain + ["diff", "--name-only", "-z", "--diff-filter=MT", "--ignore-submodules=all"]
        + DiffReader.plain,
      in: folder,
      timeout: WatchLimits.diffTimeout,
      variables: variables
    )
    let marked = Set(hidden)
    let files = answer.output.split(separator: 0).filter { marked.contains(Array($0)) }
      .map { String(decoding: $0, as: UTF8.self) }
    guard files.isEmpty else { throw Self.uncommitted(files, folder) }
  }

  /// Demands that git ignores nothing there but what is made again.
  func requireNothingIgnored(
    _ now: Workspace,
    _ nested: NestedRepositories
  ) async throws {
    var files = try await ignored(now.path).filter { !RemadeFolders.contains($0) }
    let links = try await links(now.path).submodules
    for folder in nested.folders {
      let path = Self.path(of: folder, within: now.path)
      guard links.contains(path) || GitLayout.find(folder) == .submodule else { continue }
      files += try await ignored(folder).map { path + "/" + $0 }
        .filter { !RemadeFolders.contains($0) }
    }
    files.removeAll { RemadeFolders.isMarked(HostFile.join(now.path, $0)) }
    guard !files.isEmpty else { return }
    throw ActionRefusal(
      .ignoredFiles,
      "\(files.count) \(files.count == 1 ? "path that git ignores goes" : "paths that git ignores go") with \(now.path)",
      files: Array(files.prefix(GitLimits.conflictNames))
    )
  }

  private func ignored(_ folder: String) async throws -> [String] {
    let answer = try await runner.run(
      [
        "ls-files", "--others", "--ignored", "--exclude-standard", "--directory",
        "--no-empty-directory", "-z",
      ],
      in: folder,
      timeout: WatchLimits.diffTimeout
    )
    return answer.output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The paths of the submodules that the index of a worktree names, and of files called `HEAD`.
  private func links(
    _ folder: String
  ) async throws -> (submodules: NameSet, heads: NameSet) {
    let list = try await runner.run(
      ["ls-files", "--stage", "-z"],
      in: folder,
      timeout: WatchLimits.diffTimeout
    )
    let link = Array("160000 ".utf8)
    let head = Array("/HEAD".utf8)
    var (submodules, heads): (NameSet, NameSet) = ([], [])
    for record in list.output.split(separator: 0) {
      guard let tab = record.firstIndex(of: 0x09) else { continue }
      let path = record[(tab + 1)...]
      if record.starts(with: link) { submodules.insert(String(decoding: path, as: UTF8.self)) }
      if path.suffix(head.count).elementsEqual(head) {
        heads.insert(String(decoding: path, as: UTF8.self))
      }
    }
    return (submodules, heads)
  }
}
