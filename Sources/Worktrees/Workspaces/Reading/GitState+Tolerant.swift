import TolerantDecoding

extension GitState {
  /// Reads a state; numbers and lists that are missing are zero and empty.
  init?(_ field: DecodeField) {
    guard field.isObject() else { return nil }
    self.init()
    head = field["head"].string()
    branch = field["branch"].string()
    upstream = field["upstream"].string()
    ahead = field["ahead"].count()
    behind = field["behind"].count()
    staged = field["staged"].count() ?? 0
    unstaged = field["unstaged"].count() ?? 0
    untracked = field["untracked"].count() ?? 0
    conflicts = field["conflicts"].list { $0.string() }?.elements ?? []
    conflictCount = field["conflict_count"].count() ?? conflicts.count
    stashes = field["stashes"].count() ?? 0
    operation = Operation(field["operation"])
    compared = field["compared"].string()
    locked = field["locked"].string()
    problem = field["problem"].string()
    trust = Trust(field["trust"])
    outside = field["outside"].string()
  }
}

extension GitState.Operation {
  /// Reads an operation; `nil` if the field is absent.
  init?(_ field: DecodeField) {
    guard field.isPresent, field.isObject(),
      let kind = field["kind"].missing(field["kind"].string())
    else { return nil }
    self.init(
      kind: kind,
      step: field["step"].count(),
      steps: field["steps"].count(),
      branch: field["branch"].string()
    )
  }
}

extension GitState.Trust {
  /// Reads a trust state; `nil` if the field is absent.
  init?(_ field: DecodeField) {
    guard field.isPresent, field.isObject(),
      let state = field["state"].missing(field["state"].string()),
      let digest = field["digest"].missing(field["digest"].string())
    else { return nil }
    let programs = field["programs"].list { GitState.Program($0) }
    self.init(
      state: State(rawValue: state),
      digest: digest,
      programs: programs?.elements ?? [],
      count: field["count"].count() ?? programs?.elements.count ?? 0
    )
  }
}

extension GitState.Program {
  /// Reads a program; `nil` without a key and command.
  init?(_ field: DecodeField) {
    guard field.isObject(), let key = field["key"].missing(field["key"].string()),
      let command = field["command"].missing(field["command"].string())
    else { return nil }
    self.init(
      key: key,
      command: command,
      file: field["file"].string(),
      use: field["use"].string() ?? "action"
    )
  }
}

extension AgentActivity {
  /// Reads an activity; missing members become unknown or empty.
  init?(_ field: DecodeField) {
    guard field.isObject() else { return nil }
    self.init(
      state: field["state"].string().map { State(rawValue: $0) } ?? .unknown,
      source: field["source"].string() ?? "none",
      since: field["since"].string(),
      confidence: field["confidence"].string() ?? "low",
      reason: field["reason"].string(),
      agents: field["agents"].list { AgentPresence($0) }?.elements ?? []
    )
  }
}

extension AgentPresence {
  /// Reads an agent; `nil` without a name.
  init?(_ field: DecodeField) {
    guard field.isObject(), let agent = field["agent"].missing(field["agent"].string()) else {
      return nil
    }
    self.init(
      agent: agent,
      sessionId: field["session_id"].string(),
      pid: field["pid"].int(),
      state: field["state"].string().map { AgentActivity.State(rawValue: $0) } ?? .unknown,
      source: field["source"].string() ?? "none",
      since: field["since"].string(),
      tool: field["tool"].string(),
      reason: field["reason"].string()
    )
  }
}
