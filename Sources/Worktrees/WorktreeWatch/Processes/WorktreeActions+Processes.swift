import Git
import Workspaces

extension WorktreeActions {
  /// Demands that no process lives in a worktree but those a person named.
  ///
  /// Waits for short-lived processes, such as an editor's status check, to end.
  ///
  /// - Parameters:
  ///   - workspace: The worktree; worktrees within it count as places of their own.
  ///   - named: The numbers of processes to ignore.
  /// - Throws: ``ActionRefusal`` with the processes.
  func requireNoProcess(in workspace: Workspace, besides named: Set<Int32>) async throws {
    let inner = await watcher.knownWorktrees(within: workspace.path)
    var found = await LiveProcesses.using(workspace.path, besides: inner)
      .filter { !named.contains($0.number) }
    for _ in 0..<WatchLimits.processScans where !found.isEmpty {
      try await Task.sleep(for: .seconds(WatchLimits.processPause))
      let now = await LiveProcesses.using(
        workspace.path,
        besides: inner,
        among: found.map(\.number)
      )
      found = found.filter { old in
        now.contains { $0.number == old.number && $0.start == old.start }
      }
    }
    guard !found.isEmpty else { return }
    let shown = found.prefix(WatchLimits.processesNamed).map(\.description)
    let more = found.count - shown.count
    throw ActionRefusal(
      .agentActive,
      "\(found.count) \(found.count == 1 ? "process lives" : "processes live") in \(workspace.path): "
        + shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : ""),
      processes: Array(found.prefix(WatchLimits.processesNamed))
    )
  }

  /// Demands that no agent of a worktree works or waits for a person, but those a person named.
  func requireIdle(_ workspace: Workspace, besides named: Set<Int32>) throws(ActionRefusal) {
    try requireIdle(Self.without(named, workspace))
  }

  /// Demands that no agent lives in a worktree or has unseen work, but those a person named.
  func requireUnattended(_ workspace: Workspace, besides named: Set<Int32>) throws(ActionRefusal) {
    try requireUnattended(Self.without(named, workspace))
  }

  /// The worktree without the agents in some processes.
  private static func without(_ named: Set<Int32>, _ workspace: Workspace) -> Workspace {
    let rest = workspace.activity.agents.filter { agent in
      agent.pid.map { !named.contains(Int32(clamping: $0)) } ?? true
    }
    guard rest.count < workspace.activity.agents.count else { return workspace }
    var other = workspace
    other.activity.agents = rest
    // The first of them gives the state.
    other.activity.state = rest.first?.state ?? .unknown
    return other
  }
}
