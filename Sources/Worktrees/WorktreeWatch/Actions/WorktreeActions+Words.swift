import Workspaces

extension WorktreeActions {
  /// What the agent of a worktree that is not idle does.
  static func occupation(of workspace: Workspace) -> String {
    workspace.activity.state == .needsYou
      ? "an agent waits for an answer in \(workspace.path)" : "an agent works in \(workspace.path)"
  }
}
