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
  ///   - textStyle: The width and the colours.
  /// - Returns: The lines.
  package static func lines(
    _ it: Workspace,
    session: WorkspaceSession?,
    at now: Double,
    _ textStyle: TextStyle
  ) -> [String] {
    var lines = [title(it, now, textStyle)]
    if let reason = it.activity.reason {
      lines += textStyle.paragraph(reason, most: 6).map { textStyle.colours.paint("33", $0) }
    }
    let source = it.git.compared ?? it.sourceBranch
    let from = source.isEmpty || it.isMain ? "" : " from \(source)"
    lines += textStyle.paragraph("\(it.branch)\(from) in \(it.path)", most: 3)
    lines += textStyle.paragraph(StateStyle.gitFacts(it).joined(separator: " · "), most: 4).map {
      textStyle.colours.paint(it.git.conflictCount > 0 ? "31" : "35", $0)
    }
    lines += agents(it, now, textStyle) + todos(it.todos, textStyle)
    let heading = it.latestSessionTitle ?? it.sessionTitle?.title
    if let heading { lines += section("about", heading, textStyle) }
    if let prompt = it.latestUserPrompt { lines += section("asked", prompt, textStyle) }
    if let message = it.latestClaudeMessage {
      lines += section(it.latestClaudeMessageType == "user" ? "asked" : "said", message, textStyle)
    }
    if let thought = session?.latestThought { lines += section("thought", thought, textStyle, "2") }
    if let facts = session.map({ Self.facts($0) }), !facts.isEmpty {
      lines += section("session", facts.joined(separator: " · "), textStyle)
    }
    return lines
  }

  private static func title(_ it: Workspace, _ now: Double, _ textStyle: TextStyle) -> String {
    let since = it.activity.since.flatMap(WorkspaceInstant.read)
    let age = StateStyle.longAge(since.map { now - $0 })
    let word = StateStyle.label(of: it.activity) + (age.isEmpty ? "" : " for \(age)")
    let state = "\(StateStyle.sign(it.activity.state)) \(word)"
    let room = textStyle.columns - TerminalText.width(of: state) - 2
    guard room >= 8 else { return textStyle.line(it.name, "1") }
    return textStyle.cell(it.name, room, "1") + "  "
      + textStyle.colours.paint(StateStyle.style(it.activity.state), TerminalText.plain(state))
  }

  private static func section(
    _ name: String,
    _ text: String,
    _ textStyle: TextStyle,
    _ style: String = "0"
  ) -> [String] {
    let lines = textStyle.paragraph(text, most: mostLines)
    return lines.isEmpty
      ? [] : ["", textStyle.rule(name)] + lines.map { textStyle.colours.paint(style, $0) }
  }

  private static func agents(_ it: Workspace, _ now: Double, _ textStyle: TextStyle) -> [String] {
    guard !it.activity.agents.isEmpty else { return [] }
    let rows = it.activity.agents.prefix(mostEntries).map { agent in
      let since = agent.since.flatMap(WorkspaceInstant.read)
      let facts = [
        agent.agent, StateStyle.label(agent.state), StateStyle.longAge(since.map { now - $0 }),
        agent.tool ?? "", agent.pid.map { "process \($0)" } ?? "", StateStyle.source(agent.source),
        agent.reason ?? "",
      ]
      let text = facts.filter { !$0.isEmpty }.map { TerminalText.line($0, longest: 200) }
      return textStyle.line(
        "  \(StateStyle.sign(agent.state)) \(text.joined(separator: " · "))",
        StateStyle.style(agent.state)
      )
    }
    return ["", textStyle.rule("agents")] + rows
  }

  private static func todos(_ todos: [Todo], _ textStyle: TextStyle) -> [String] {
    guard !todos.isEmpty else { return [] }
    let rows = todos.prefix(mostEntries).map { todo in
      let (sign, style) =
        switch todo.status {
        case .completed: ("✓", "2")
        case .inProgress: ("▶", "1;36")
        case .cancelled: ("×", "2;9")
        default: ("·", "0")
        }
      return textStyle.line("  \(sign) \(TerminalText.line(todo.content))", style)
    }
    return ["", textStyle.rule("todos \(StateStyle.todos(todos))")] + rows
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
