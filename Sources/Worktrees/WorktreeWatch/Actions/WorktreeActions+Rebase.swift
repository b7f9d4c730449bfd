import Git
package import Workspaces

extension WorktreeActions {
  /// The result of a sync.
  package struct Synced: Sendable {
    /// The worktree as it is then.
    package var worktree: Workspace
    /// What takes the sync back; `nil` if it changed nothing.
    package var undo: RestorePoint?
  }

  /// Demands that a rebase would lose nothing and rewrite nothing that others may have.
  ///
  /// A rebase leaves merge commits out, and with them what was changed in the merge itself; commits that a branch of a remote
  /// has exist twice afterwards.
  ///
  /// - Parameters:
  ///   - now: The worktree.
  ///   - source: The commit it would be rebased onto.
  ///   - rewritesPushed: Whether commits that a remote has may be made again.
  /// - Returns: Whether there is anything to do: with merge commits git makes all commits again even if the branch has the
  ///   source already.
  /// - Throws: ``ActionRefusal``, ``GitRunner/Failure``.
  func requireRebasable(
    _ now: Workspace,
    onto source: String,
    rewritesPushed: Bool
  ) async throws -> Bool {
    let contained = try await runner.run(
      ["merge-base", "--is-ancestor", source, "HEAD"],
      in: now.path,
      timeout: WatchLimits.diffTimeout,
      accepted: 0...1
    )
    guard contained.code != 0 else { return false }
    let own = ["HEAD", "^\(source)"]
    let merges = try await count(["--merges"] + own, now.path)
    guard merges == 0 else {
      throw ActionRefusal(
        .mergeCommits,
        "\(now.branch) has \(merges) merge \(merges == 1 ? "commit" : "commits"), which a rebase leaves out with what was changed in \(merges == 1 ? "it" : "them"); use the strategy merge"
      )
    }
    guard !rewritesPushed else { return true }
    let all = try await count(own, now.path)
    let unpushed = try await count(own + ["--not", "--remotes"], now.path)
    guard all == unpushed else {
      let pushed = all - unpushed
      throw ActionRefusal(
        .pushedCommits,
        "\(pushed) \(pushed == 1 ? "commit" : "commits") of \(now.branch) \(pushed == 1 ? "is" : "are") on a remote already, and a rebase makes \(pushed == 1 ? "it" : "them") again; use the strategy merge, or say that pushed commits may be rewritten"
      )
    }
    return true
  }

  /// What keeps a configuration from making something else than what was checked: another merge by
  /// `branch.NAME.mergeOptions`, or a rebase that moves other branches or joins commits.
  ///
  /// Variables, as a branch's name may hold what separates a key from its value (git-config(1), GIT_CONFIG_COUNT).
  static func plainSettings(_ branch: String) -> [String: String] {
    let settings = [
      ("branch.\(branch).mergeOptions", ""), ("rebase.updateRefs", "false"),
      ("rebase.autoSquash", "false"), ("rebase.rebaseMerges", "false"),
      ("rebase.autoStash", "false"),
    ]
    var variables = ["GIT_CONFIG_COUNT": "\(settings.count)"]
    for (number, (key, value)) in settings.enumerated() {
      variables["GIT_CONFIG_KEY_\(number)"] = key
      variables["GIT_CONFIG_VALUE_\(number)"] = value
    }
    return variables
  }

  private func count(_ arguments: [String], _ folder: String) async throws -> Int {
    let answer = try await runner.run(
      ["rev-list", "--count"] + arguments,
      in: folder,
      timeout: WatchLimits.diffTimeout
    )
    return Int(answer.text) ?? 0
  }
}
