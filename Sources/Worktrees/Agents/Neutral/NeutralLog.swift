package import StrictJSON

/// Reads the neutral format: what any agent, or a hook of one, can write with one line of shell.
///
/// One JSON object a line, with `at`, `event`, and what the event needs; the first names `agent`,
/// `session` and `cwd`. Documentation/agent-activity.md is its description.
package struct NeutralLog: AgentLog {
  package var session: AgentSession

  private var registry = TodoRegistry()

  package init(limits: AgentLimits) {
    session = AgentSession(kind: .other("agent"), limits: limits)
  }

  package mutating func handle(_ record: [String: JSONValue]) -> Bool {
    let at = session.noted(record.time("at"))
    session.note(directory: record["cwd"]?.string)
    if let agent = record["agent"]?.string { session.kind = .other(agent.limited(to: 64)) }
    if let id = record["session"]?.name { session.id = id.limited(to: 128) }
    if let version = record["version"]?.name { session.version = version.limited(to: 64) }
    if let pid = record["pid"]?.int64 {
      session.process = Int32(exactly: pid).flatMap { $0 > 0 ? $0 : nil }
    }
    guard let event = record["event"]?.string else { return false }
    return handle(event, record, at)
  }

  private mutating func handle(
    _ event: String,
    _ record: [String: JSONValue],
    _ at: WallTime
  ) -> Bool {
    let text = record["text"]?.string
    switch event {
    case "start": session.isClosed = false
    case "title": session.entitle(text ?? "", at: at)
    case "prompt": session.ask(text ?? "", at: at)
    case "message":
      session.work(at: at)
      session.statistics.assistantMessages += 1
      session.say(text ?? "", at: at)
    case "tool":
      guard let id = record["id"]?.name else { return false }
      let call = ToolCall(
        id: id.limited(to: 128),
        name: (record["name"]?.string ?? "tool").limited(to: 128),
        detail: text.map { $0.limited(to: 256) },
        since: at
      )
      session.call(call)
    case "tool-end":
      if let id = record["id"]?.name { session.finish(call: id) }
      session.work(at: at)
    case "todos": plan(record["todos"]?.elements ?? [])
    case "permission": request(.permission, text, at)
    case "question": request(.question, text, at)
    case "plan": request(.plan, text, at)
    case "resolved":
      session.request = nil
      session.work(at: at)
    case "error":
      session.failure = session.said(text ?? "the agent failed", at)
      session.end(.failed, at: at)
    case "interrupted": session.end(.interrupted, at: at)
    case "stop":
      session.say(text ?? "", at: at)
      session.end(.complete, at: at)
    case "end":
      session.isClosed = true
      session.toolCalls = []
      session.request = nil
    default: return false
    }
    return true
  }

  private mutating func request(_ kind: AgentRequest.Kind, _ text: String?, _ at: WallTime) {
    session.work(at: at)
    session.request = AgentRequest(
      kind: kind,
      detail: text.map { $0.limited(to: 1_024) },
      since: at,
      call: nil
    )
  }

  private mutating func plan(_ todos: [JSONValue]) {
    let drafts = todos.prefix(session.limits.mostTodos)
      .compactMap { todo -> TodoRegistry.Draft? in
        guard let content = todo["content"]?.string else { return nil }
        return TodoRegistry.Draft(
          id: todo["id"]?.name.map { $0.limited(to: 128) },
          content: content.limited(to: 1_024),
          status: AgentTodo.Status(todo["status"]?.string ?? "pending"),
          priority: todo["priority"]?.string.map { $0.limited(to: 64) }
        )
      }
    session.plan(registry.identified(drafts))
  }
}
