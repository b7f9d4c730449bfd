import TolerantDecoding

extension WorkspaceSession {
  /// Reads a session; a missing list of todos is empty.
  init(_ field: DecodeField) {
    let isThere = field.isObject()
    self.init(
      sessionInfo: isThere ? Info(field["sessionInfo"]) : nil,
      latestUserPrompt: field["latestUserPrompt"].string(),
      latestMessage: field["latestMessage"].string(),
      latestThought: field["latestThought"].string(),
      latestSessionTitle: field["latestSessionTitle"].string(orMember: ["title"]),
      todos: field["todos"].list { Todo($0) }?.elements ?? [],
      stats: Stats(field["stats"]),
      activity: field["activity"].isPresent ? AgentActivity(field["activity"]) : nil
    )
  }
}

extension WorkspaceSession.Info {
  /// Reads the info of a session; `nil` if the field is absent.
  init?(_ field: DecodeField) {
    guard field.isPresent, field.isObject() else { return nil }
    self.init(
      worktreePath: field["worktreePath"].string() ?? "",
      turnCount: field["turnCount"].int(in: 0 ... .max) ?? 0,
      isActive: field["isActive"].bool() ?? false
    )
    sessionStartTime = field["sessionStartTime"].string()
    sessionEndTime = field["sessionEndTime"].string()
    lastSessionId = field["lastSessionId"].string()
    currentSessionId = field["currentSessionId"].string()
    header = field["header"].string()
    lastCost = field["lastCost"].double()
    lastDuration = field["lastDuration"].double()
    lastTotalInputTokens = field["lastTotalInputTokens"].int()
    lastTotalOutputTokens = field["lastTotalOutputTokens"].int()
  }
}

extension WorkspaceSession.Stats {
  /// The most uses of one tool that are listed.
  private static let mostUses = 1_000

  /// Reads counts, 0 for missing ones; `nil` if the field is absent.
  ///
  /// The tools are a list, or, as in the seed system, counts by name.
  init?(_ field: DecodeField) {
    guard field.isPresent, field.isObject() else { return nil }
    self.init()
    func count(_ name: MemberName) -> Int { field[name].int() ?? 0 }
    totalMessages = count("totalMessages")
    userMessages = count("userMessages")
    assistantMessages = count("assistantMessages")
    humanPromptCount = count("humanPromptCount")
    toolCallCount = count("toolCallCount")
    totalInputTokens = count("totalInputTokens")
    totalOutputTokens = count("totalOutputTokens")
    cacheReadTokens = count("cacheReadTokens")
    cacheCreationTokens = count("cacheCreationTokens")
    lastContextSizeTokens = count("lastContextSizeTokens")
    apiCallCount = count("apiCallCount")
    sessionDurationSeconds = field["sessionDurationSeconds"].double() ?? 0
    activeDurationSeconds = field["activeDurationSeconds"].double() ?? 0
    thinkingBlockCount = count("thinkingBlockCount")
    subAgentCount = count("subAgentCount")
    compactionCount = count("compactionCount")
    imageCount = count("imageCount")
    activeToolNames = Self.tools(field["activeToolNames"])
  }

  private static func tools(_ field: DecodeField) -> [String] {
    guard field.holdsObject else { return field.list { $0.string() }?.elements ?? [] }
    var names: [String] = []
    for name in field.members(besides: []).keys.sorted(by: { $0.isNameBefore($1) }) {
      let uses = field[MemberName(name)].int(in: 0...mostUses) ?? 0
      names += Array(repeating: name, count: uses)
    }
    return names
  }
}
