package import StrictJSON

/// Reads the session logs of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`.
///
/// The format is undocumented. This reader follows descriptions by several other readers, for
/// versions 1.0 to 2.1; Documentation/agent-activity.md lists the meaning of each record.
package struct ClaudeLog: AgentLog {
  package var session: AgentSession

  /// The titles by their author; the human's wins over the agent's, that over a summary.
  private var titles: [String?] = [nil, nil, nil]
  private var tasks = ClaudeTasks()
  private var registry = TodoRegistry()
  /// The model's answer that was counted last: several records carry the tokens of one answer.
  private var countedID: String?
  private var countedTokens = TokenCounts()

  package init(limits: AgentLimits) {
    session = AgentSession(kind: .claudeCode, limits: limits)
  }

  package mutating func handle(_ record: [String: JSONValue]) -> Bool {
    let isFirst = session.counts == RecordCounts()
    session.id = session.id ?? record["sessionId"]?.string
    let at = session.noted(record.time("timestamp"))
    if let version = record["version"]?.string { session.version = version }
    guard record["isSidechain"]?.bool != true else {
      // A sub-agent's records: signs of life, not the conversation.
      return true
    }
    session.note(directory: record["cwd"]?.string)
    note(mode: record["permissionMode"]?.string)
    switch record["type"]?.string {
    case "user": user(record, at)
    case "assistant": assistant(record, at)
    case "system": return system(record, at)
    case "summary": give(title: record["summary"]?.string, rank: 2, at)
    case "ai-title": give(title: record["aiTitle"]?.string, rank: 1, at)
    case "custom-title": give(title: record["customTitle"]?.string, rank: 0, at)
    case "permission-mode": note(mode: record["mode"]?.string)
    case "queue-operation":
      if isFirst { session.isAutomated = true }
    case "agent-name", "attachment", "file-history-snapshot", "last-prompt", "mode", "pr-link",
      "progress":
      break
    default: return false
    }
    return true
  }

  // MARK: The human's side

  private mutating func user(_ record: [String: JSONValue], _ at: WallTime) {
    session.statistics.userMessages += 1
    let content = record["message"]?["content"]
    var texts: [String] = content?.string.map { [$0] } ?? []
    var hasResult = false
    for block in content?.elements ?? [] {
      switch block["type"]?.string {
      case "text": texts.append(block["text"]?.string ?? "")
      case "image": session.statistics.images += 1
      case "tool_result":
        hasResult = true
        result(block, record, at)
      default: break
      }
    }
    let text = texts.joined(separator: "\n")
    if ClaudeText.isInterruption(text) {
      session.end(.interrupted, at: at)
    } else if !hasResult, !text.isEmpty, !isMadeByProgram(record), ClaudeText.isPrompt(text) {
      session.ask(text, at: at)
    }
  }

  private func isMadeByProgram(_ record: [String: JSONValue]) -> Bool {
    ["isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"].contains {
      record[$0]?.bool == true
    }
  }

  private mutating func result(
    _ block: JSONValue,
    _ record: [String: JSONValue],
    _ at: WallTime
  ) {
    guard let call = block["tool_use_id"]?.string else { return }
    let isKnown = session.toolCalls.contains { $0.id == call }
    session.finish(call: call)
    if let todos = tasks.finish(
      call: call,
      isError: block["is_error"]?.bool == true,
      text: ClaudeText.text(of: block["content"]),
      result: record["toolUseResult"]
    ) {
      session.plan(todos)
    }
    // What answers a call of a turn that is over changes nothing.
    if isKnown { session.work(at: at) }
  }

  // MARK: The agent's side

  private mutating func assistant(_ record: [String: JSONValue], _ at: WallTime) {
    session.statistics.assistantMessages += 1
    let message = record["message"]
    let blocks = message?["content"]?.elements ?? []
    let text = ClaudeText.text(of: message?["content"])
    if record["isApiErrorMessage"]?.bool == true {
      session.failure = session.said(text, at)
      session.end(.failed, at: at)
      return
    }
    guard message?["model"]?.string != "<synthetic>" else { return }
    count(message)
    session.work(at: at)
    for block in blocks { handle(block, at) }
    session.say(text, at: at)
    close(message?["stop_reason"]?.string, saysSomething: !text.isEmpty, at)
  }

  private mutating func handle(_ block: JSONValue, _ at: WallTime) {
    switch block["type"]?.string {
    case "thinking", "redacted_thinking":
      session.statistics.thoughts += 1
      if let thought = block["thinking"]?.string, !thought.isEmpty {
        session.thought = session.said(thought, at)
      }
    case "tool_use": use(block, at)
    default: break
    }
  }

  /// Whether an answer ends the turn.
  ///
  /// Older versions give no reason with a part of an answer.
  private mutating func close(_ reason: String?, saysSomething: Bool, _ at: WallTime) {
    guard session.toolCalls.isEmpty else { return }
    switch reason {
    case "end_turn", "stop_sequence", "refusal": session.end(.complete, at: at)
    case "tool_use", "pause_turn": break
    default: session.mayBeOver = saysSomething
    }
  }

  private mutating func use(_ block: JSONValue, _ at: WallTime) {
    guard let id = block["id"]?.string, let name = block["name"]?.string else { return }
    let input = block["input"]
    session.call(
      ToolCall(
        id: id,
        name: name.limited(to: 128),
        detail: ClaudeText.detail(of: input).map { $0.limited(to: 256) },
        since: at,
        isQuick: ClaudeText.quickTools.contains(name)
      )
    )
    switch name {
    case "AskUserQuestion":
      let question = input?["questions"]?.elements.first?["question"]?.string
      request(.question, question, id, at)
    case "ExitPlanMode", "exit_plan_mode": request(.plan, input?["plan"]?.string, id, at)
    case "Agent", "Task": session.statistics.subAgents += 1
    case "TodoWrite":
      let drafts = (input?["todos"]?.elements ?? []).prefix(session.limits.mostTodos)
        .compactMap { draft(of: $0) }
      session.plan(registry.identified(drafts))
    case "TaskCreate", "TaskUpdate":
      if let todos = tasks.use(name, input, call: id) { session.plan(todos) }
    default: break
    }
  }

  private mutating func request(
    _ kind: AgentRequest.Kind,
    _ detail: String?,
    _ call: String,
    _ at: WallTime
  ) {
    session.request = AgentRequest(
      kind: kind,
      detail: detail.map { $0.limited(to: 1_024) },
      since: at,
      call: call
    )
  }

  private func draft(of value: JSONValue) -> TodoRegistry.Draft? {
    guard let content = value["content"]?.string else { return nil }
    return TodoRegistry.Draft(
      id: value["id"]?.name.map { $0.limited(to: 128) },
      content: content.limited(to: 1_024),
      status: AgentTodo.Status(value["status"]?.string ?? "pending"),
      priority: value["priority"]?.string.map { $0.limited(to: 64) }
    )
  }

  private mutating func count(_ message: JSONValue?) {
    guard let usage = message?["usage"], let id = message?["id"]?.string else { return }
    var tokens = TokenCounts()
    tokens.input = TokenCounts.number(usage["input_tokens"])
    tokens.output = TokenCounts.number(usage["output_tokens"])
    tokens.cacheRead = TokenCounts.number(usage["cache_read_input_tokens"])
    tokens.cacheCreation = TokenCounts.number(usage["cache_creation_input_tokens"])
    tokens.context = TokenCounts.sum(
      TokenCounts.sum(tokens.input, tokens.cacheRead),
      tokens.cacheCreation
    )
    if countedID == id {
      session.tokens = session.tokens - countedTokens
    } else {
      session.statistics.answers += 1
    }
    session.tokens = session.tokens + tokens
    countedID = id
    countedTokens = tokens
  }

  // MARK: Everything else

  private mutating func system(_ record: [String: JSONValue], _ at: WallTime) -> Bool {
    switch record["subtype"]?.string {
    case "compact_boundary": session.statistics.compactions += 1
    case "api_error":
      let text = record["error"]?["message"]?.string ?? record["content"]?.string
      session.failure = session.said(text ?? "the model could not be reached", at)
    case "turn_duration", "stop_hook_summary":
      guard record["preventedContinuation"]?.bool != true else { break }
      if case .open = session.turn { session.end(.complete, at: at) }
    case "informational", "local_command": break
    default: return false
    }
    return true
  }

  private mutating func give(title: String?, rank: Int, _ at: WallTime) {
    guard let title, !title.isEmpty else { return }
    titles[rank] = title.limited(to: 512)
    if let best = titles.compactMap(\.self).first { session.entitle(best, at: at) }
  }

  private mutating func note(mode: String?) {
    guard let mode else { return }
    session.asksNobody = mode == "bypassPermissions" || mode == "dontAsk"
    session.editsFreely = mode == "acceptEdits" || mode == "auto" || session.asksNobody
  }
}
