package import Agents
import Hashing
import StrictJSON

/// Writes the records of Codex in one of three generations of its format.
package struct CodexWriter: RecordWriter {
  package let session: String
  package let path: String

  private let dialect: AgentDialect
  private let directory: String
  private var turns = 0

  /// Creates a session of an agent in a directory.
  ///
  /// - Parameters:
  ///   - dialect: The generation.
  ///   - directory: The working directory.
  ///   - startedAt: When it starts, which is part of the log's name.
  ///   - seed: The seed of its ids.
  package init(_ dialect: AgentDialect, directory: String, startedAt: WallTime, seed: UInt64) {
    self.dialect = dialect
    self.directory = directory
    var random = SplitMix64(seed: seed)
    session = random.uuid()
    let day = startedAt.text.prefix(10)
    let clock = startedAt.text.dropFirst(11).prefix(8).split(separator: ":").joined(separator: "-")
    let folder = day.split(separator: "-").joined(separator: "/")
    path = "sessions/\(folder)/rollout-\(day)T\(clock)-\(session).jsonl"
  }

  package mutating func begin(isResumed: Bool, at time: WallTime) -> [[UInt8]] {
    guard dialect != .codex20 else {
      guard !isResumed else { return [line(["record_type": .string("state")])] }
      return [
        line([
          "id": .string(session), "timestamp": .string(time.text), "instructions": .null,
          "git": .object(["branch": .string("work")]),
        ])
      ] + message("user", "<environment_context>\n  <cwd>\(directory)</cwd>\n", time)
    }
    let meta = record(
      "session_meta",
      [
        "id": .string(session), "timestamp": .string(time.text), "cwd": .string(directory),
        "originator": .string("codex_cli_rs"), "cli_version": .string(dialect.version),
        "instructions": .null, "git": .object(["branch": .string("work")]),
      ],
      time
    )
    return isResumed ? [context(time), context(time)] : [meta, context(time)]
  }

  package mutating func prompt(_ text: String, at time: WallTime) -> [[UInt8]] {
    turns += 1
    var lines: [[UInt8]] = []
    if dialect == .codex90 { lines.append(event("task_started", [:], time)) }
    lines += message("user", text, time)
    if dialect != .codex20 {
      lines.append(
        event("user_message", ["message": .string(text), "kind": .string("plain")], time)
      )
    }
    return lines
  }

  package mutating func thought(_ text: String, at time: WallTime) -> [[UInt8]] {
    let summary = JSONValue.object(["type": .string("summary_text"), "text": .string(text)])
    var lines = item("reasoning", ["summary": .list([summary]), "encrypted_content": .null], time)
    if dialect != .codex20 {
      lines.append(event("agent_reasoning", ["text": .string(text)], time))
    }
    return lines
  }

  package mutating func remark(_ text: String, at time: WallTime) -> [[UInt8]] {
    guard dialect != .codex20 else { return message("assistant", text, time) }
    return [event("agent_message", ["message": .string(text)], time)]
      + message("assistant", text, time)
  }

  package mutating func call(_ tool: SimulatedTool, id: String, at time: WallTime) -> [[UInt8]] {
    switch tool {
    case .run(let command): call("shell", command, id, time)
    case .edit(let file): call("apply_patch", file, id, time)
    case .read(let file): call("shell", "cat \(file)", id, time)
    case .delegate(let task): call("spawn_agent", task, id, time)
    }
  }

  package mutating func result(_ tool: SimulatedTool, id: String, at time: WallTime) -> [[UInt8]] {
    answer(id, at: time)
  }

  package mutating func plan(_ plan: [SimulatedStep], at time: WallTime) -> [[UInt8]] {
    let steps = plan.map { step in
      JSONValue.object(["step": .string(step.content), "status": .string(step.status)])
    }
    let id = "call_plan\(time.milliseconds)"
    let arguments = JSONValue.object(["explanation": .null, "plan": .list(steps)])
    return item(
      "function_call",
      [
        "name": .string("update_plan"), "call_id": .string(id),
        "arguments": .string(arguments.description),
      ],
      time
    ) + answer(id, at: time)
  }

  package mutating func title(_ text: String, at time: WallTime) -> [[UInt8]] {
    guard dialect == .codex90 else { return [] }
    return [event("thread_name_updated", ["thread_name": .string(text)], time)]
  }

  package mutating func retry(_ text: String, at time: WallTime) -> [[UInt8]] {
    guard dialect == .codex90 else { return [] }
    return [event("stream_error", ["message": .string(text)], time)]
  }

  package mutating func permission(_ text: String, id: String, at time: WallTime) -> [[UInt8]] {
    call("shell", text, id, time, escalates: true)
  }

  package mutating func question(_ text: String, id: String, at time: WallTime) -> [[UInt8]] {
    let question = JSONValue.object(["question": .string(text)])
    let arguments = JSONValue.object(["questions": .list([question])])
    return item(
      "function_call",
      [
        "name": .string("request_user_input"), "call_id": .string(id),
        "arguments": .string(arguments.description),
      ],
      time
    )
  }

  package mutating func answer(_ id: String, at time: WallTime) -> [[UInt8]] {
    item("function_call_output", ["call_id": .string(id), "output": .string("done")], time)
  }

  package mutating func finish(_ text: String, at time: WallTime) -> [[UInt8]] {
    var lines = remark(text, at: time)
    if dialect != .codex20 {
      let usage = JSONValue.object([
        "input_tokens": .whole(Int64(turns) * 9_000),
        "cached_input_tokens": .whole(Int64(turns) * 8_000),
        "output_tokens": .whole(Int64(turns) * 400), "total_tokens": .whole(Int64(turns) * 9_400),
      ])
      let info = JSONValue.object(["total_token_usage": usage, "last_token_usage": usage])
      lines.append(event("token_count", ["info": info], time))
    }
    if dialect == .codex90 {
      lines.append(event("task_complete", ["last_agent_message": .string(text)], time))
    }
    return lines
  }

  package mutating func interrupt(at time: WallTime) -> [[UInt8]] {
    guard dialect != .codex20 else { return [] }
    return [event("turn_aborted", ["reason": .string("interrupted")], time)]
  }

  package mutating func fail(_ text: String, at time: WallTime) -> [[UInt8]] {
    guard dialect != .codex20 else { return [] }
    return [event("error", ["message": .string(text)], time)]
  }

  package mutating func riddle(at time: WallTime) -> [[UInt8]] {
    guard dialect != .codex20 else { return [] }
    return [event("weather_report", ["sky": .string("clear")], time)]
  }

  // MARK: Records

  private func line(_ record: [String: JSONValue]) -> [UInt8] {
    JSONValue.object(record).bytes + [UInt8(ascii: "\n")]
  }

  private func record(
    _ type: String,
    _ payload: [String: JSONValue],
    _ time: WallTime
  ) -> [UInt8] {
    line([
      "timestamp": .string(time.text), "type": .string(type), "payload": .object(payload),
    ])
  }

  private func item(
    _ type: String,
    _ members: [String: JSONValue],
    _ time: WallTime
  ) -> [[UInt8]] {
    var payload = members
    payload["type"] = .string(type)
    return [dialect == .codex20 ? line(payload) : record("response_item", payload, time)]
  }

  private func event(
    _ type: String,
    _ members: [String: JSONValue],
    _ time: WallTime
  ) -> [UInt8] {
    var payload = members
    payload["type"] = .string(type)
    return record("event_msg", payload, time)
  }

  private func context(_ time: WallTime) -> [UInt8] {
    record(
      "turn_context",
      [
        "cwd": .string(directory), "approval_policy": .string("on-request"),
        "sandbox_policy": .object(["mode": .string("workspace-write")]),
        "model": .string("a-model"), "effort": .string("medium"),
      ],
      time
    )
  }

  private func message(_ role: String, _ text: String, _ time: WallTime) -> [[UInt8]] {
    let type = role == "user" ? "input_text" : "output_text"
    let block = JSONValue.object(["type": .string(type), "text": .string(text)])
    return item("message", ["role": .string(role), "content": .list([block])], time)
  }

  private func call(
    _ name: String,
    _ command: String,
    _ id: String,
    _ time: WallTime,
    escalates: Bool = false
  ) -> [[UInt8]] {
    var arguments: [String: JSONValue] = [
      "command": .list([.string("bash"), .string("-lc"), .string(command)])
    ]
    if escalates {
      arguments["sandbox_permissions"] = .string("require_escalated")
      arguments["justification"] = .string(command)
    }
    return item(
      "function_call",
      [
        "name": .string(name), "call_id": .string(id),
        "arguments": .string(JSONValue.object(arguments).description),
      ],
      time
    )
  }
}
