/// One of the three pages that a demonstration shows.
package enum DemoPage: String, Hashable, Sendable, CaseIterable {
  /// The departure board.
  case board
  /// The worktrees and the agents in them.
  case worktrees
  /// The jobs.
  case jobs

  /// The path of the page on the server.
  package var path: String {
    switch self {
    case .board: "/"
    case .worktrees: "/workspaces"
    case .jobs: "/jobs"
    }
  }
}
