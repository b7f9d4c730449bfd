package import StrictJSON

/// Reads the session logs of Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`.
///
/// Two generations: records of type, time and payload; and, before version 0.32, the bare payloads.
/// Documentation/agent-activity.md says which record means what.
package struct CodexLog: AgentLog {
  package var session: AgentSession

  private var registry = TodoRegistry()
  /// Whether this log marks the ends of turns.
  private var marksEnds = false

  package init(limits: AgentLimits) {
    session = AgentSession(kind: .codex, limits: limits)
  }

  package mutating func handle(_ record: [String: JSONValue]) -> Bool {
    let at = session.noted(record.time("timestamp"))
    guard let payload = record["payload"] else { return bare(record, at) }
    switch record["type"]?.string {
    case "session_meta": begin(payload.members, at)
    case "turn_context":
      session.note(directory: payload["cwd"]?.string)
      session.asksNobody = payload["approval_policy"]?.string == "never"
      session.editsFreely = session.asksNobody
    case "response_item": return item(payload, at)
    case "event_msg": return event(payload, at)
    case "compacted": session.statistics.compactions += 1
    default: return false
    }
    return true
  }

  /// A record of the first generation: a payload without anything around it.
  private mutating func bare(_ record: [String: JSONValue], _ at: WallTime) -> Bool {
    if record["record_type"] != nil { return true }
    guard record["type"] != nil else {
      guard record["id"]?.string != nil else { return false }
      begin(record, at)
      return true
    }
    return item(.object(record), at)
  }

  private mutating func begin(_ meta: [String: JSONValue], _ at: WallTime) {
    session.id = meta["id"]?.string ?? session.id
    session.version = meta["cli_version"]?.string ?? session.version
    session.note(directory: meta["cwd"]?.string)
    session.isAutomated = meta["originator"]?.string == "codex_exec"
  }

  // MARK: Messages of the model and the user

  private mutating func item(_ item: JSONValue, _ at: WallTime) -> Bool {
    switch item["type"]?.string {
    case "message": message(item, at)
    case "reasoning":
      session.statistics.thoughts += 1
      session.work(at: at)
    case "function_call", "custom_tool_call": call(item, at)
    case "local_shell_call":
      if item["status"]?.string != "completed" { call(item, at) }
    case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
      if let id = item["call_id"]?.string { answer(id, at) }
    case "compaction", "ghost_snapshot", "web_search_call", "tool_search_call",
      "tool_search_output":
      break
    default: return false
    }
    return true
  }

  private mutating func message(_ item: JSONValue, _ at: WallTime) {
    let texts = (item["content"]?.elements ?? []).compactMap { $0["text"]?.string }
    let text = texts.joined(separator: "\n")
    switch item["role"]?.string {
    case "user":
      if let directory = CodexText.directory(in: text) { session.note(directory: directory) }
      if CodexText.isPrompt(text) { ask(text, at) }
    case "assistant":
      session.statistics.assistantMessages += 1
      if !marksEnds { session.work(at: at) }
      session.say(text, at: at)
      if session.toolCalls.isEmpty, case .open = session.turn {
        session.mayBeOver = !marksEnds && !text.isEmpty
      }
    default: break
    }
  }

  /// The log contains a prompt twice: as the model gets it, and as the user wrote it.
  private mutating func ask(_ text: String, _ at: WallTime) {
    let isRepeated =
      session.prompt.map { last in
        last.text == text.limited(to: session.limits.longestText)
          && at.milliseconds(since: last.at) < 2_000
      } ?? false
    guard !isRepeated else { return }
    session.statistics.userMessages += 1
    session.ask(text, at: at)
  }

  // MARK: Tools

  private mutating func call(_ item: JSONValue, _ at: WallTime) {
    guard let id = item["call_id"]?.string ?? item["id"]?.string else { return }
    let name = item["name"]?.string ?? "shell"
    let arguments = CodexText.arguments(of: item, limits: session.limits)
    let escalates =
      arguments?["with_escalated_permissions"]?.bool == true
      || arguments?["sandbox_permissions"]?.string == "require_escalated"
    session.call(
      ToolCall(
        id: id,
        name: name.limited(to: 128),
        detail: CodexText.detail(of: arguments).map { $0.limited(to: 256) },
        since: at,
        isQuick: name == "update_plan",
        asksFirst: escalates && !session.asksNobody
      )
    )
    switch name {
    case "update_plan":
      let drafts = (arguments?["plan"]?.elements ?? []).prefix(session.limits.mostTodos)
        .compactMap { step -> TodoRegistry.Draft? in
          guard let content = step["step"]?.string else { return nil }
          return TodoRegistry.Draft(
            content: content.limited(to: 1_024),
            status: AgentTodo.Status(step["status"]?.string ?? "pending")
          )
        }
      session.plan(registry.identified(drafts))
    case "request_user_input":
      session.request = AgentRequest(
        kind: .question,
        detail: arguments?["questions"]?.elements.first?["question"]?.string
          .map { $0.limited(to: 1_024) },
        since: at,
        call: id
      )
    default: break
    }
  }

  private mutating func answer(_ call: String, _ at: WallTime) {
    let isKnown = session.toolCalls.contains { $0.id == call }
    session.finish(call: call)
    if isKnown { session.work(at: at) }
  }

  // MARK: Events

  private mutating func event(_ event: JSONValue, _ at: WallTime) -> Bool {
    switch event["type"]?.string {
    case "user_message":
      if let text = event["message"]?.string, CodexText.isPrompt(text) { ask(text, at) }
    case "agent_message": session.say(event["message"]?.string ?? "", at: at)
    case "agent_reasoning":
      if let text = event["text"]?.string, !text.isEmpty {
        session.thought = session.said(text, at)
      }
    case "task_started", "turn_started":
      marksEnds = true
      session.work(at: at)
    case "task_complete", "turn_complete":
      marksEnds = true
      session.say(event["last_agent_message"]?.string ?? "", at: at)
      session.end(.complete, at: at)
    case "turn_aborted":
      session.end(event["reason"]?.string == "error" ? .failed : .interrupted, at: at)
    case "error":
      let text = event["message"]?.string ?? "the turn failed"
      session.failure = session.said(text, at)
      session.end(.failed, at: at)
    case "stream_error":
      session.failure = session.said(event["message"]?.string ?? "the stream broke", at)
    case "token_count": count(event["info"])
    case "thread_name_updated":
      session.entitle(event["thread_name"]?.string ?? "", at: at)
    case "context_compacted": session.statistics.compactions += 1
    case "agent_reasoning_raw_content", "agent_reasoning_section_break", "entered_review_mode",
      "exited_review_mode", "exec_command_begin", "exec_command_end", "item_completed",
      "mcp_tool_call_begin", "mcp_tool_call_end", "patch_apply_begin", "patch_apply_end",
      "thread_rolled_back", "undo_completed", "view_image_tool_call", "web_search_begin",
      "web_search_end":
      break
    default: return false
    }
    return true
  }

  private mutating func count(_ info: JSONValue?) {
    guard let total = info?["total_token_usage"] else { return }
    let cached = TokenCounts.number(total["cached_input_tokens"])
    session.tokens.input = TokenCounts.sum(TokenCounts.number(total["input_tokens"]), -cached)
    session.tokens.cacheRead = cached
    session.tokens.output = TokenCounts.number(total["output_tokens"])
    session.tokens.context = TokenCounts.number(info?["last_token_usage"]?["total_tokens"])
    session.statistics.answers += 1
  }
}
