import ConditionalHTTP
import Git
import Workspaces

extension WorktreeActions {
  /// Tells a request that is repeated because its answer was lost from one for a further worktree.
  package struct Repetition: Hashable, Sendable {
    /// What the names of the folders begin with that were made for such requests.
    package var prefix: String
    /// How long ago the worktree may have been made, in seconds.
    package var within: Double

    /// Creates a rule.
    package init(prefix: String, within: Double) {
      self.prefix = prefix
      self.within = within
    }
  }

  /// Returns the worktree that the same request made a moment ago, if nobody has used it.
  ///
  /// Only what git and the system say counts, so that it holds across restarts of the server: the log of its branch has
  /// one entry, made from the same start; nothing is changed; no agent was there, and no process is.
  ///
  /// - Parameters:
  ///   - place: The repository as it is now.
  ///   - repetition: What tells a repeated request.
  ///   - start: What the request starts a branch from.
  /// - Returns: The worktree; `nil` if there is none.
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
        try await isFree(record.workspace)
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

  /// Whether no process lives in a worktree; one that runs for a moment only is waited for.
  private func isFree(_ workspace: Workspace) async throws -> Bool {
    do {
      try await requireNoProcess(in: workspace, besides: [])
      return true
    } catch is ActionRefusal {
      return false
    }
  }

  private static func isUntouched(_ record: WorkspaceRegistry.Record) -> Bool {
    let it = record.workspace
    return !it.isDirty && it.git.operation == nil && it.git.problem == nil
      && it.activity.agents.isEmpty && record.session == nil
  }
}
