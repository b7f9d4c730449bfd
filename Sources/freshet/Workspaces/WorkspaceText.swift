import Workspaces
import WorkspacesClient
import WorkspacesTerminal

/// Worktrees as lines of text.
struct WorkspaceText {
  /// The width.
  let columns: Int

  /// A line for each worktree, those that ask for attention first.
  func table(_ list: WorkspaceList) -> [String] {
    guard !list.worktrees.isEmpty else { return ["no worktrees"] }
    let ordered = list.byAttention
    let width = min(ordered.map { Terminal.width(of: $0.name) }.max() ?? 0, 40)
    return ordered.map { it in
      let name = Terminal.fit(Terminal.plain(it.name), width)
      let padding = String(repeating: " ", count: max(width - Terminal.width(of: name), 0))
      let facts = [Terminal.plain(it.branch), Terminal.plain(StateLook.git(it)), Self.words(it)]
      let line =
        "\(StateLook.sign(it.activity.state)) \(name)\(padding)  "
        + facts.filter { !$0.isEmpty }.joined(separator: "  ")
      let cut = Terminal.fit(line, max(columns - 1, 20))
      return String(cut.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// The counts of what matters, such as `2 working · 1 needs you · 3 dirty`.
  func statusLine(_ list: WorkspaceList) -> String {
    func count(_ state: AgentActivity.State) -> Int {
      list.worktrees.count { $0.activity.state == state }
    }
    let parts = [
      (count(.needsYou), "needs you"), (count(.working), "working"), (count(.doneUnseen), "done"),
      (list.worktrees.count { $0.git.conflictCount > 0 }, "in conflict"),
      (list.worktrees.count { $0.isDirty }, "dirty"),
    ]
    let shown = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return shown.isEmpty ? "\(list.worktrees.count) quiet" : shown.joined(separator: " · ")
  }

  /// What its agents do, and what it is about.
  private static func words(_ it: Workspace) -> String {
    let state = it.activity.state
    let todo = it.todos.first { $0.status == .inProgress }?.content
    let about = it.activity.reason ?? todo ?? it.latestSessionTitle ?? it.latestUserPrompt
    guard state != .unknown || about != nil else { return "" }
    let word = state.rawValue.replacing("_", with: " ")
    return word + (about.map { ": " + Terminal.plain($0) } ?? "")
  }
}
