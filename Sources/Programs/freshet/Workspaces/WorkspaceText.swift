import Commands
import TerminalText
import Workspaces
import WorkspacesClient
import WorkspacesTerminal

/// Worktrees as lines of text.
struct WorkspaceText {
  /// The width of the terminal; `nil` without a terminal, to not truncate lines.
  let columns: Int?

  /// A line for each worktree, those that ask for attention first.
  func table(_ list: WorkspaceList) -> [String] {
    guard !list.worktrees.isEmpty else { return ["no worktrees"] }
    let ordered = list.byAttention
    let cells = ordered.map { [$0.name, $0.branch, StateStyle.git($0)].map { Terminal.plain($0) } }
    let widths = (0..<3).map { column in
      let widest = cells.map { Terminal.width(of: $0[column]) }.max() ?? 0
      return columns == nil ? widest : min(widest, Self.widest)
    }
    return zip(ordered, cells).map { it, cells in
      let facts = zip(cells, widths).filter { $0.1 > 0 }.map { Terminal.fit($0.0, $0.1) }
      let line =
        "\(StateStyle.sign(it.activity.state)) "
        + (facts + [Self.summary(of: it)]).joined(separator: "  ")
      return TerminalText.trimmed(columns.map { Terminal.fit(line, max($0 - 1, 20)) } ?? line)
    }
  }

  /// The widest column of a terminal before the summary.
  private static let widest = 40

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
  private static func summary(of it: Workspace) -> String {
    let state = it.activity.state
    let todo = it.todos.first { $0.status == .inProgress }?.content
    let about = it.activity.reason ?? todo ?? it.latestSessionTitle ?? it.latestUserPrompt
    if it.activity.source == AgentActivity.unreachableSource {
      return Terminal.plain(it.activity.reason ?? "")
    }
    guard state != .unknown || about != nil else { return "" }
    return StateStyle.label(of: it.activity) + (about.map { ": " + Terminal.plain($0) } ?? "")
  }
}
