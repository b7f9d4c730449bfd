import Workspaces

extension WorktreeActions {
  /// The activity of the agent in a worktree that is not idle.
  static func occupation(of workspace: Workspace) -> String {
    workspace.activity.state == .needsYou
      ? "an agent waits for an answer in \(workspace.path)" : "an agent works in \(workspace.path)"
  }
}
