package import Workspaces

/// How states, ages and facts of git are shown: a sign, a word, a colour.
package enum StateStyle {
  /// The sign of a state.
  package static func sign(_ state: AgentActivity.State) -> String {
    switch state {
    case .needsYou: "!"
    case .working: "▶"
    case .doneUnseen: "✓"
    case .idle: "‖"
    case .ended: "×"
    default: "·"
    }
  }

  /// The label of a state.
  package static func label(_ state: AgentActivity.State) -> String {
    switch state {
    case .needsYou: "needs you"
    case .doneUnseen: "done"
    default: state.rawValue.replacing("_", with: " ")
    }
  }

  /// The label of the activity of a worktree; without any agent, nothing counts as unknown.
  package static func label(of activity: AgentActivity) -> String {
    if activity.source == AgentActivity.unreachableSource { return "unreachable" }
    return activity.state == .unknown && activity.agents.isEmpty
      ? "no agent" : label(activity.state)
  }

  /// The source of a state; empty without one.
  static func source(_ name: String) -> String {
    switch name {
    case "claude_log", "codex_log", "neutral_log": "by its log"
    case "claude_registry": "by its own word"
    case "process": "by its process"
    case "claude_activity_state": "by the server's word"
    case "none", "", AgentActivity.unreachableSource: ""
    default: "by \(name.replacing("_", with: " "))"
    }
  }

  /// The style of a state (SGR).
  static func style(_ state: AgentActivity.State) -> String {
    switch state {
    case .needsYou: "1;33"
    case .working: "36"
    case .doneUnseen: "32"
    case .idle: "0"
    default: "2"
    }
  }

  /// An age in at most four columns, such as `12s`, `3m`, `2h`, `5d`; empty if it is not known.
  package static func age(_ seconds: Double?) -> String {
    guard let count = whole(seconds) else { return "" }
    switch count {
    case ..<60: return "\(count)s"
    case ..<3_600: return "\(count / 60)m"
    case ..<86_400: return "\(count / 3_600)h"
    case ..<(1_000 * 86_400): return "\(count / 86_400)d"
    default: return ">2y"
    }
  }

  /// An age in words, such as `12 s`, `3 min`, `2 h`, `5 days`; empty if it is not known.
  package static func longAge(_ seconds: Double?) -> String {
    guard let count = whole(seconds) else { return "" }
    switch count {
    case ..<60: return "\(count) s"
    case ..<3_600: return "\(count / 60) min"
    case ..<86_400: return "\(count / 3_600) h"
    default: return count < 172_800 ? "1 day" : "\(count / 86_400) days"
    }
  }

  private static func whole(_ seconds: Double?) -> Int? {
    guard let seconds, seconds.isFinite else { return nil }
    return Int(min(max(seconds, 0), 1e11))
  }

  /// What git says, in as few columns as possible, such as `+2 -1 ●3 ✗1 rebase 1/2`.
  package static func git(_ it: Workspace) -> String {
    var parts: [String] = []
    if it.commitCount > 0 { parts.append("+\(it.commitCount)") }
    if it.commitsBehind > 0 { parts.append("-\(it.commitsBehind)") }
    let changed = it.git.staged + it.git.unstaged + it.git.untracked
    if changed > 0 { parts.append("●\(changed)") }
    if it.git.conflictCount > 0 { parts.append("✗\(it.git.conflictCount)") }
    if let operation = it.git.operation { parts.append(Self.operation(operation)) }
    if it.git.isUntrusted { parts.append("untrusted") }
    if it.git.problem != nil { parts.append("?") }
    return parts.joined(separator: " ")
  }

  /// An operation that waits, such as `rebase 1/2`.
  static func operation(_ it: GitState.Operation) -> String {
    it.kind + (it.step.map { " \($0)" + (it.steps.map { "/\($0)" } ?? "") } ?? "")
  }

  /// What git says, such as `2 commits ahead of main, 1 behind`.
  static func gitFacts(_ it: Workspace) -> [String] {
    let source = it.git.compared ?? it.sourceBranch
    let base = source.isEmpty ? "its source" : source
    var facts: [String] = []
    switch (it.commitCount, it.commitsBehind) {
    case (0, 0): facts.append(it.isMain ? "" : "level with \(base)")
    case (let ahead, 0): facts.append("\(counted(ahead, "commit")) ahead of \(base)")
    case (0, let behind): facts.append("\(counted(behind, "commit")) behind \(base)")
    case (let ahead, let behind):
      facts.append("\(counted(ahead, "commit")) ahead of \(base), \(behind) behind")
    }
    let git = it.git
    for (count, word) in [
      (git.staged, "staged"), (git.unstaged, "changed"), (git.untracked, "new"),
      (git.conflictCount, "in conflict"),
    ] where count > 0 { facts.append("\(count) \(word)") }
    if git.staged + git.unstaged + git.untracked + git.conflictCount == 0 { facts.append("clean") }
    if let operation = git.operation { facts.append("\(Self.operation(operation)) not ended") }
    if let upstream = git.upstream {
      let distance = [
        git.ahead ?? 0 > 0 ? "+\(git.ahead ?? 0)" : "",
        git.behind ?? 0 > 0 ? "-\(git.behind ?? 0)" : "",
      ]
      facts.append(([upstream] + distance).filter { !$0.isEmpty }.joined(separator: " "))
    }
    if git.stashes > 0 { facts.append(git.stashes == 1 ? "1 stash" : "\(git.stashes) stashes") }
    if let reason = git.locked { facts.append(reason.isEmpty ? "locked" : "locked: \(reason)") }
    if let trust = git.trust {
      let programs = counted(trust.count, "program")
      facts.append("\(trust.state.rawValue): its configuration names \(programs) (t)")
    }
    if let outside = git.outside { facts.append("its repository \(outside) is not watched") }
    if let problem = git.problem { facts.append("git could not tell: \(problem)") }
    return facts.filter { !$0.isEmpty }
  }

  /// A number with its noun.
  static func counted(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }

  /// How many todos are done, such as `2/5`; empty without any.
  static func todos(_ todos: [Todo]) -> String {
    let counted = todos.filter { $0.status != .cancelled }
    return counted.isEmpty
      ? "" : "\(counted.count { $0.status == .completed })/\(counted.count)"
  }

  /// The description of a worktree that matters most now.
  package static func about(_ it: Workspace) -> String {
    let todo = it.todos.first { $0.status == .inProgress }?.content
    let title = it.latestSessionTitle ?? it.sessionTitle?.title
    if it.activity.source == AgentActivity.unreachableSource { return it.activity.reason ?? "" }
    let text: String? =
      switch it.activity.state {
      case .needsYou: it.activity.reason ?? it.latestClaudeMessage ?? title
      case .doneUnseen: it.latestClaudeMessage ?? title ?? it.latestUserPrompt
      case .working: todo ?? title ?? it.latestUserPrompt
      default: title ?? it.latestUserPrompt ?? it.activity.reason
      }
    return text ?? ""
  }
}
