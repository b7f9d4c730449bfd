import ConditionalHTTP
import Git
import Workspaces

extension WorktreeActions {
  /// Distinguishes a request that is repeated because its response was lost from one for a further
  /// worktree.
  package struct Repetition: Hashable, Sendable {
    /// The prefix of the names of folders that were created for such requests.
    package var prefix: String
    /// How long ago the worktree may have been made, in seconds.
    package var within: Double

    /// Creates a rule.
    package init(prefix: String, within: Double) {
      self.prefix = prefix
      self.within = within
    }
  }

  /// Returns the worktree that the same request made a moment ago, if it is unused.
  ///
  /// Decides only by what git and the system report, so that it works across restarts of the server: the log of its
  /// branch has one entry, made from the same start; nothing is changed, ignored or stashed; no agent was there, and no process is.
  ///
  /// - Parameters:
  ///   - place: The current state of the repository.
  ///   - repetition: What identifies a repeated request.
  ///   - start: The commit or branch that the request starts a branch from.
  /// - Returns: The worktree; `nil` if none matches.
  /// - Throws: ``GitRunner/Failure``.
  func unused(
    in place: RepositoryScan,
    _ repetition: Repetition,
    from start: String
  ) async throws -> Workspace? {
    for member in place.members where !member.isMain {
      let path = member.layout.worktree
      let name = path.split(separator: "/").last.map(String.init) ?? ""
      guard name.beginsWithName(repetition.prefix),
        member.entry.branch?.isSameName(as: "refs/heads/" + name) ?? false,
        let made = store.record(WorkspaceIdentity.id(of: path))?.workspace,
        let at = InstantText.read(made.createdAt),
        (0...repetition.within).contains(WatchClock.wall - at),
        try await isAsMade(name, from: start, in: place.commonDirectory)
      else { continue }
      await watcher.refresh(path)
      guard let record = store.record(made.id), Self.isUntouched(record),
        try await !isUsed(record.workspace, name, since: at)
      else { continue }
      return record.workspace
    }
    return nil
  }

  /// Whether a branch was made from a start and has not moved since, by its log.
  private func isAsMade(
    _ branch: String,
    from start: String,
    in common: String
  ) async throws -> Bool {
    let log = try await runner.run(
      [
        "reflog", "show", "--no-show-signature", "--format=%gs", "-n", "2", "refs/heads/\(branch)",
        "--",
      ],
      in: common,
      accepted: 0...128
    )
    return log.code == 0 && log.text.isSameName(as: "branch: Created from \(start)")
  }

  /// Whether a worktree has something that git does not count as a change, or a process lives there; one
  /// that runs for a moment only is waited for.
  private func isUsed(
    _ workspace: Workspace,
    _ branch: String,
    since made: Double
  ) async throws -> Bool {
    do {
      try await requireNoHiddenEdit(workspace.path)
      try await requireNothingIgnored(
        workspace,
        await NestedRepositories.find(in: workspace.path)
      )
      try await requireNoProcess(in: workspace, besides: [])
    } catch is ActionRefusal {
      return true
    }
    return try await isStashed(workspace, branch, since: made)
  }

  /// Whether an entry of the stash, which all worktrees share, may be from a worktree: it names its branch, or no branch
  /// and is younger.
  private func isStashed(
    _ workspace: Workspace,
    _ branch: String,
    since made: Double
  ) async throws -> Bool {
    guard workspace.git.stashes > 0 else { return false }
    let list = try await runner.run(
      ["reflog", "show", "--no-show-signature", "-z", "--format=%ct %gs", "refs/stash", "--"],
      in: workspace.path,
      accepted: 0...128
    )
    guard list.code == 0 else { return true }
    return list.output.split(separator: 0).contains { record in
      let parts = record.split(separator: 0x20, maxSplits: 1)
      let at = parts.first.flatMap { Double(String(decoding: $0, as: UTF8.self)) }
      guard let owner = Self.owner(ofStash: parts.last ?? []) else {
        return (at ?? made) >= made.rounded(.down)
      }
      return owner.elementsEqual(branch.utf8)
    }
  }

  /// The branch that git's own words of an entry of the stash name (git-stash(1)): `WIP on BRANCH: …`, `On BRANCH: …`.
  private static func owner(ofStash subject: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    for words in ["WIP on ", "On "] where subject.starts(with: words.utf8) {
      let rest = subject.dropFirst(words.utf8.count)
      // A branch has no colon (git-check-ref-format(1)).
      guard let end = rest.firstIndex(of: 0x3A) else { return nil }
      return rest[..<end].elementsEqual("(no branch)".utf8) ? nil : rest[..<end]
    }
    return nil
  }

  private static func isUntouched(_ record: WorkspaceRegistry.Record) -> Bool {
    let it = record.workspace
    return !it.isDirty && it.git.operation == nil && it.git.problem == nil
      && it.activity.agents.isEmpty && record.session == nil
  }
}
