import Workspaces
import WorkspacesClient

/// Worktrees as lines of text.
struct WorkspaceText {
  /// The width.
  let columns: Int

  /// A line for each worktree, those that ask for attention first.
  func table(_ list: WorkspaceList) -> [String] {
    guard !list.worktrees.isEmpty else { return ["no worktrees"] }
    let ordered = list.worktrees.sorted {
      (Self.rank($0.activity.state), $0.path) < (Self.rank($1.activity.state), $1.path)
    }
    let width = min(ordered.map { Terminal.width(of: $0.name) }.max() ?? 0, 40)
    return ordered.map { it in
      let name = Terminal.fit(Terminal.plain(it.name), width)
      let padding = String(repeating: " ", count: max(width - Terminal.width(of: name), 0))
      let facts = [Terminal.plain(it.branch), Self.git(it), Self.words(it)]
      let line =
        "\(Self.sign(it.activity.state)) \(name)\(padding)  "
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
      (list.worktrees.count { $0.hasConflicts }, "in conflict"),
      (list.worktrees.count { $0.isDirty }, "dirty"),
    ]
    let shown = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return shown.isEmpty ? "\(list.worktrees.count) quiet" : shown.joined(separator: " · ")
  }

  /// What git says, such as `+2 -1 ●3 rebase 1/2`.
  static func git(_ it: Workspace) -> String {
    var parts: [String] = []
    if it.commitCount > 0 { parts.append("+\(it.commitCount)") }
    if it.commitsBehind > 0 { parts.append("-\(it.commitsBehind)") }
    let changed = it.git.staged + it.git.unstaged + it.git.untracked
    if changed > 0 { parts.append("●\(changed)") }
    if it.git.conflictCount > 0 { parts.append("✗\(it.git.conflictCount)") }
    if let operation = it.git.operation {
      let step = operation.step.map { step in
        " \(step)" + (operation.steps.map { "/\($0)" } ?? "")
      }
      parts.append(Terminal.plain(operation.kind) + (step ?? ""))
    }
    if it.git.problem != nil { parts.append("?") }
    return parts.joined(separator: " ")
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

  private static func sign(_ state: AgentActivity.State) -> String {
    switch state {
    case .needsYou: "!"
    case .working: "▶"
    case .doneUnseen: "✓"
    case .idle: "‖"
    default: " "
    }
  }

  private static func rank(_ state: AgentActivity.State) -> Int {
    [.needsYou, .doneUnseen, .working, .idle, .ended, .unknown].firstIndex(of: state) ?? 6
  }
}
