import TerminalText
package import Workspaces
import WorkspacesClient

/// All that is known of one worktree, as lines that can be scrolled.
package enum WorkspaceSheet {
  /// The most lines of one text of an agent or of a person.
  private static let mostLines = 60
  /// The most todos and agents that are listed.
  private static let mostEntries = 200

  /// The lines.
  ///
  /// - Parameters:
  ///   - it: The worktree.
  ///   - session: Its newest session, if it is known.
  ///   - now: The server's time, in seconds since 1970.
  ///   - pen: The width and the colours.
  /// - Returns: The lines.
  package static func lines(
    _ it: Workspace,
    session: WorkspaceSession?,
    at now: Double,
    _ pen: TextStyle
  ) -> [String] {
    var lines = [title(it, now, pen)]
    if let reason = it.activity.reason {
      lines += pen.paragraph(reason, most: 6).map { pen.colours.paint("33", $0) }
    }
    let source = it.git.compared ?? it.sourceBranch
    let from = source.isEmpty || it.isMain ? "" : " from \(source)"
    lines += pen.paragraph("\(it.branch)\(from) in \(it.path)", most: 3)
    lines += pen.paragraph(StateStyle.gitFacts(it).joined(separator: " · "), most: 4).map {
      pen.colours.paint(it.git.conflictCount > 0 ? "31" : "35", $0)
    }
    lines += agents(it, now, pen) + todos(it.todos, pen)
    let heading = it.latestSessionTitle ?? it.sessionTitle?.title
    if let heading { lines += section("about", heading, pen) }
    if let prompt = it.latestUserPrompt { lines += section("asked", prompt, pen) }
    if let message = it.latestClaudeMessage {
      lines += section(it.latestClaudeMessageType == "user" ? "asked" : "said", message, pen)
    }
    if let thought = session?.latestThought { lines += section("thought", thought, pen, "2") }
    if let facts = session.map({ Self.facts($0) }), !facts.isEmpty {
      lines += section("session", facts.joined(separator: " · "), pen)
    }
    return lines
  }

  private static func title(_ it: Workspace, _ now: Double, _ pen: TextStyle) -> String {
    let since = it.activity.since.flatMap(WorkspaceInstant.read)
    let age = StateStyle.longAge(since.map { now - $0 })
    let word = StateStyle.word(of: it.activity) + (age.isEmpty ? "" : " for \(age)")
    let state = "\(StateStyle.sign(it.activity.state)) \(word)"
    let room = pen.columns - TerminalText.width(of: state) - 2
    guard room >= 8 else { return pen.line(it.name, "1") }
    return pen.cell(it.name, room, "1") + "  "
      + pen.colours.paint(StateStyle.style(it.activity.state), TerminalText.plain(state))
  }

  private static func section(
    _ name: String,
    _ text: String,
    _ pen: TextStyle,
    _ style: String = "0"
  ) -> [String] {
    let lines = pen.paragraph(text, most: mostLines)
    return lines.isEmpty ? [] : ["", pen.rule(name)] + lines.map { pen.colours.paint(style, $0) }
  }

  private static func agents(_ it: Workspace, _ now: Double, _ pen: TextStyle) -> [String] {
    guard !it.activity.agents.isEmpty else { return [] }
    let rows = it.activity.agents.prefix(mostEntries).map { agent in
      let since = agent.since.flatMap(WorkspaceInstant.read)
      let facts = [
        agent.agent, StateStyle.word(agent.state), StateStyle.longAge(since.map { now - $0 }),
        agent.tool ?? "", agent.pid.map { "process \($0)" } ?? "", StateStyle.source(agent.source),
        agent.reason ?? "",
      ]
      let text = facts.filter { !$0.isEmpty }.map { TerminalText.line($0, longest: 200) }
      return pen.line(
        "  \(StateStyle.sign(agent.state)) \(text.joined(separator: " · "))",
        StateStyle.style(agent.state)
      )
    }
    return ["", pen.rule("agents")] + rows
  }

  private static func todos(_ todos: [Todo], _ pen: TextStyle) -> [String] {
    guard !todos.isEmpty else { return [] }
    let rows = todos.prefix(mostEntries).map { todo in
      let (sign, style) =
        switch todo.status {
        case .completed: ("✓", "2")
        case .inProgress: ("▶", "1;36")
        case .cancelled: ("×", "2;9")
        default: ("·", "0")
        }
      return pen.line("  \(sign) \(TerminalText.line(todo.content))", style)
    }
    return ["", pen.rule("todos \(StateStyle.todos(todos))")] + rows
  }

  private static func facts(_ session: WorkspaceSession) -> [String] {
    var facts: [String] = []
    if let turns = session.sessionInfo?.turnCount, turns > 0 {
      facts.append(StateStyle.counted(turns, "prompt"))
    }
    guard let stats = session.stats else { return facts }
    if stats.toolCallCount > 0 {
      facts.append("\(StateStyle.counted(stats.toolCallCount, "use")) of tools")
    }
    if stats.activeDurationSeconds >= 1 {
      facts.append("worked \(StateStyle.longAge(stats.activeDurationSeconds))")
    }
    let tokens = [
      (stats.totalInputTokens, "read"), (stats.totalOutputTokens, "written"),
      (stats.cacheReadTokens, "from the cache"),
    ]
    for (count, word) in tokens where count > 0 { facts.append("\(short(count)) tokens \(word)") }
    if stats.subAgentCount > 0 {
      facts.append(StateStyle.counted(stats.subAgentCount, "sub-agent"))
    }
    return facts
  }

  /// A large number in a few columns, such as `1.2M`.
  private static func short(_ count: Int) -> String {
    for (unit, size) in [("G", 1_000_000_000), ("M", 1_000_000), ("k", 1_000)] where count >= size {
      let tenths = count / (size / 10)
      return tenths < 100 ? "\(tenths / 10).\(tenths % 10)\(unit)" : "\(tenths / 10)\(unit)"
    }
    return "\(count)"
  }
}
