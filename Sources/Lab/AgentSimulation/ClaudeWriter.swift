package import Agents
import Hashing
import StrictJSON

/// Writes the records of Claude Code in one of three generations of its format.
package struct ClaudeWriter: RecordWriter {
  package let session: String
  package let path: String

  private let dialect: AgentDialect
  private let directory: String
  private var random: SplitMix64
  private var parent: JSONValue = .null
  /// The plan as tasks, by their numbers from 1; only in the newest generation.
  private var tasks: [SimulatedStep] = []
  private var turnBeganAt: WallTime?

  /// Creates a session of an agent in a directory.
  package init(_ dialect: AgentDialect, directory: String, seed: UInt64) {
    self.dialect = dialect
    self.directory = directory
    random = SplitMix64(seed: seed)
    session = random.uuid()
    path = "projects/\(ClaudeFolder.name(of: directory))/\(session).jsonl"
  }

  package mutating func begin(isResumed: Bool, at time: WallTime) -> [[UInt8]] {
    guard dialect != .claude10 else { return [] }
    return [
      line([
        "type": .string("file-history-snapshot"), "messageId": .string(random.uuid()),
        "isSnapshotUpdate": .bool(isResumed),
        "snapshot": .object(["timestamp": .string(time.text), "trackedFileBackups": .object([:])]),
      ])
    ]
  }

  package mutating func prompt(_ text: String, at time: WallTime) -> [[UInt8]] {
    turnBeganAt = time
    return [user(.string(text), time)]
  }

  package mutating func thought(_ text: String, at time: WallTime) -> [[UInt8]] {
    [
      assistant(
        [
          "type": .string("thinking"), "thinking": .string(text),
          "signature": .string(random.name("sig")),
        ],
        reason: "tool_use",
        time
      )
    ]
  }

  package mutating func remark(_ text: String, at time: WallTime) -> [[UInt8]] {
    [assistant(["type": .string("text"), "text": .string(text)], reason: "tool_use", time)]
  }

  package mutating func call(_ tool: SimulatedTool, id: String, at time: WallTime) -> [[UInt8]] {
    switch tool {
    case .run(let command): use("Bash", ["command": .string(command)], id, time)
    case .edit(let file):
      use(
        "Edit",
        [
          "file_path": .string(directory + "/" + file), "old_string": .string("a"),
          "new_string": .string("b"),
        ],
        id,
        time
      )
    case .read(let file): use("Read", ["file_path": .string(directory + "/" + file)], id, time)
    case .delegate(let task):
      use("Task", ["description": .string(task), "prompt": .string(task)], id, time)
        + [sidechain(task, time)]
    }
  }

  package mutating func result(_ tool: SimulatedTool, id: String, at time: WallTime) -> [[UInt8]] {
    [answer(id, "done", .object(["stdout": .string("done"), "interrupted": .bool(false)]), time)]
  }

  package mutating func plan(_ plan: [SimulatedStep], at time: WallTime) -> [[UInt8]] {
    guard dialect == .claude21 else {
      let todos = plan.map { step in
        JSONValue.object([
          "content": .string(step.content), "status": .string(step.status),
          "activeForm": .string(step.content + " …"),
        ])
      }
      let id = random.name("toolu_")
      return use("TodoWrite", ["todos": .list(todos)], id, time)
        + [answer(id, "Todos have been modified", .object(["newTodos": .list(todos)]), time)]
    }
    var lines: [[UInt8]] = []
    for (index, step) in plan.enumerated() {
      let number = JSONValue.string(String(index + 1))
      if index == tasks.count {
        tasks.append(SimulatedStep(content: step.content, status: "pending"))
        let id = random.name("toolu_")
        lines += use("TaskCreate", ["subject": .string(step.content)], id, time)
        let task = JSONValue.object(["id": number, "subject": .string(step.content)])
        let text = "Task #\(index + 1) created successfully: \(step.content)"
        lines.append(answer(id, text, .object(["task": task]), time))
      }
      guard tasks[index].status != step.status else { continue }
      tasks[index].status = step.status
      let id = random.name("toolu_")
      lines += use("TaskUpdate", ["taskId": number, "status": .string(step.status)], id, time)
      lines.append(
        answer(id, "Updated task #\(index + 1) status", .object(["success": .bool(true)]), time)
      )
    }
    return lines
  }

  package mutating func title(_ text: String, at time: WallTime) -> [[UInt8]] {
    switch dialect {
    case .claude21:
      [
        line([
          "type": .string("ai-title"), "aiTitle": .string(text), "sessionId": .string(session),
        ])
      ]
    default:
      [
        line([
          "type": .string("summary"), "summary": .string(text), "leafUuid": .string(random.uuid()),
        ])
      ]
    }
  }

  package mutating func retry(_ text: String, at time: WallTime) -> [[UInt8]] {
    guard dialect != .claude10 else { return [] }
    return [
      system(
        "api_error",
        [
          "error": .object(["message": .string(text)]), "retryInMs": .decimal("514.25"),
          "retryAttempt": .whole(1), "maxRetries": .whole(10),
        ],
        time
      )
    ]
  }

  package mutating func permission(_ text: String, id: String, at time: WallTime) -> [[UInt8]] {
    // The log has only the call; the request for a permission is in the registry.
    use("Bash", ["command": .string(text)], id, time)
  }

  package mutating func question(_ text: String, id: String, at time: WallTime) -> [[UInt8]] {
    let question = JSONValue.object([
      "question": .string(text), "header": .string("Choice"), "multiSelect": .bool(false),
    ])
    return use("AskUserQuestion", ["questions": .list([question])], id, time)
  }

  package mutating func answer(_ id: String, at time: WallTime) -> [[UInt8]] {
    [answer(id, "Your human has answered", .string("answered"), time)]
  }

  package mutating func finish(_ text: String, at time: WallTime) -> [[UInt8]] {
    var lines = [
      assistant(["type": .string("text"), "text": .string(text)], reason: "end_turn", time)
    ]
    if dialect == .claude21, let turnBeganAt {
      let milliseconds = time.milliseconds(since: turnBeganAt)
      lines.append(system("turn_duration", ["durationMs": .whole(milliseconds)], time))
    }
    return lines
  }

  package mutating func interrupt(at time: WallTime) -> [[UInt8]] {
    let text = JSONValue.object([
      "type": .string("text"), "text": .string("[Request interrupted by user]"),
    ])
    return [user(.list([text]), time)]
  }

  package mutating func fail(_ text: String, at time: WallTime) -> [[UInt8]] {
    var record = common("assistant", time)
    record["isApiErrorMessage"] = .bool(true)
    record["message"] = .object([
      "role": .string("assistant"), "model": .string("<synthetic>"),
      "content": .list([.object(["type": .string("text"), "text": .string(text)])]),
      "stop_reason": .string("stop_sequence"),
    ])
    return [line(record)]
  }

  package mutating func riddle(at time: WallTime) -> [[UInt8]] {
    [line(["type": .string("weather-report"), "sky": .string("clear")])]
  }

  // MARK: Records

  private func line(_ record: [String: JSONValue]) -> [UInt8] {
    JSONValue.object(record).bytes + [UInt8(ascii: "\n")]
  }

  private mutating func common(_ type: String, _ time: WallTime) -> [String: JSONValue] {
    let id = JSONValue.string(random.uuid())
    defer { parent = id }
    return [
      "type": .string(type), "uuid": id, "parentUuid": parent, "isSidechain": .bool(false),
      "userType": .string("external"), "cwd": .string(directory), "sessionId": .string(session),
      "version": .string(dialect.version), "gitBranch": .string("work"),
      "timestamp": .string(time.text),
    ]
  }

  private mutating func user(_ content: JSONValue, _ time: WallTime) -> [UInt8] {
    var record = common("user", time)
    record["message"] = .object(["role": .string("user"), "content": content])
    // Without a registry a request for a permission is not visible, so such agents run without
    // asking.
    if dialect == .claude20 { record["permissionMode"] = .string("bypassPermissions") }
    return line(record)
  }

  private mutating func assistant(
    _ block: [String: JSONValue],
    reason: String,
    _ time: WallTime
  ) -> [UInt8] {
    var record = common("assistant", time)
    record["requestId"] = .string(random.name("req_"))
    record["message"] = .object([
      "id": .string(random.name("msg_")), "type": .string("message"), "role": .string("assistant"),
      "model": .string("a-model"), "content": .list([.object(block)]),
      "stop_reason": dialect == .claude10 ? .null : .string(reason), "stop_sequence": .null,
      "usage": .object([
        "input_tokens": .whole(4), "output_tokens": .whole(120),
        "cache_read_input_tokens": .whole(20_000), "cache_creation_input_tokens": .whole(300),
        "service_tier": .string("standard"),
      ]),
    ])
    return line(record)
  }

  private mutating func use(
    _ name: String,
    _ input: [String: JSONValue],
    _ id: String,
    _ time: WallTime
  ) -> [[UInt8]] {
    [
      assistant(
        [
          "type": .string("tool_use"), "id": .string(id), "name": .string(name),
          "input": .object(input),
        ],
        reason: "tool_use",
        time
      )
    ]
  }

  private mutating func answer(
    _ id: String,
    _ text: String,
    _ result: JSONValue,
    _ time: WallTime
  ) -> [UInt8] {
    var record = common("user", time)
    record["message"] = .object([
      "role": .string("user"),
      "content": .list([
        .object([
          "type": .string("tool_result"), "tool_use_id": .string(id), "content": .string(text),
          "is_error": .bool(false),
        ])
      ]),
    ])
    record["toolUseResult"] = result
    return line(record)
  }

  private mutating func system(
    _ subtype: String,
    _ members: [String: JSONValue],
    _ time: WallTime
  ) -> [UInt8] {
    var record = common("system", time)
    record["subtype"] = .string(subtype)
    record["level"] = .string("info")
    return line(record.merging(members) { first, _ in first })
  }

  private mutating func sidechain(_ task: String, _ time: WallTime) -> [UInt8] {
    var record = common("user", time)
    record["isSidechain"] = .bool(true)
    record["message"] = .object(["role": .string("user"), "content": .string(task)])
    return line(record)
  }
}
