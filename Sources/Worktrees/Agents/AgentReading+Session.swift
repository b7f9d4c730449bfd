import Workspaces

extension AgentActivity {
  /// The activity of a worktree's most urgent agent, in the contract's terms.
  init(_ activity: Activity, agents: [AgentPresence]) {
    self.init(
      state: State(rawValue: activity.state.rawValue),
      source: activity.source.rawValue,
      since: activity.since?.text,
      confidence: activity.confidence.rawValue,
      reason: activity.reason,
      agents: agents
    )
  }
}

extension AgentPresence {
  /// One agent, in the contract's terms.
  init(
    _ activity: Activity,
    _ kind: AgentKind,
    _ session: AgentSession?,
    _ process: ProcessIdentity?
  ) {
    self.init(
      agent: kind.description,
      sessionId: session?.id,
      pid: process.map { Int($0.number) },
      state: AgentActivity.State(rawValue: activity.state.rawValue),
      source: activity.source.rawValue,
      since: activity.since?.text,
      tool: activity.state == .working ? session?.toolCalls.last?.name : nil,
      reason: activity.reason
    )
  }
}

extension AgentReading {
  /// Creates the reading of a worktree.
  ///
  /// - Parameters:
  ///   - activity: What its agents do.
  ///   - sessions: Their sessions, newest first.
  ///   - worktree: Its path.
  ///   - limits: The limits of what is kept.
  init(
    _ activity: AgentActivity,
    _ sessions: [AgentSession],
    worktree: String,
    _ limits: AgentLimits
  ) {
    self.init(activity: activity)
    guard let newest = sessions.first else { return }
    todos = newest.todos.map { todo in
      Todo(
        id: todo.id,
        content: todo.content,
        status: Todo.Status(rawValue: todo.status.word),
        priority: todo.priority ?? ""
      )
    }
    titleHistory =
      sessions.flatMap(\.titles)
      .sorted { ($0.at, $0.text) < ($1.at, $1.text) }
      .suffix(limits.mostTitles)
      .map { SessionTitle(title: $0.text, timestamp: $0.at.text) }
    title = newest.titles.last.map { SessionTitle(title: $0.text, timestamp: $0.at.text) }
    latestPrompt = newest.prompt?.text
    latestMessage = newest.message?.text
    latestMessageType = newest.message == nil ? nil : "assistant"
    var session = WorkspaceSession(
      sessionInfo: Self.info(newest, before: sessions.dropFirst().first, worktree, activity),
      latestUserPrompt: latestPrompt,
      latestMessage: latestMessage,
      latestThought: newest.thought?.text,
      latestSessionTitle: title?.title,
      todos: todos,
      stats: Self.stats(newest)
    )
    session.activity = activity
    self.session = session
  }

  private static func info(
    _ session: AgentSession,
    before: AgentSession?,
    _ worktree: String,
    _ activity: AgentActivity
  ) -> WorkspaceSession.Info {
    let isActive = activity.summary == .active
    var info = WorkspaceSession.Info(
      worktreePath: worktree,
      turnCount: session.statistics.prompts,
      isActive: isActive
    )
    info.sessionStartTime = session.startedAt?.text
    info.sessionEndTime = isActive ? nil : session.lastRecordAt?.text
    info.currentSessionId = session.id
    info.lastSessionId = before?.id
    info.header = session.titles.last?.text ?? session.prompt?.line
    info.lastDuration = session.duration
    info.lastTotalInputTokens = Int(clamping: session.tokens.input)
    info.lastTotalOutputTokens = Int(clamping: session.tokens.output)
    return info
  }

  private static func stats(_ session: AgentSession) -> WorkspaceSession.Stats {
    let counted = session.statistics
    var stats = WorkspaceSession.Stats()
    stats.totalMessages = counted.userMessages + counted.assistantMessages
    stats.userMessages = counted.userMessages
    stats.assistantMessages = counted.assistantMessages
    stats.humanPromptCount = counted.prompts
    stats.toolCallCount = counted.toolCalls
    stats.totalInputTokens = Int(clamping: session.tokens.input)
    stats.totalOutputTokens = Int(clamping: session.tokens.output)
    stats.cacheReadTokens = Int(clamping: session.tokens.cacheRead)
    stats.cacheCreationTokens = Int(clamping: session.tokens.cacheCreation)
    stats.lastContextSizeTokens = Int(clamping: session.tokens.context)
    stats.apiCallCount = counted.answers
    stats.sessionDurationSeconds = session.duration
    stats.activeDurationSeconds = Double(session.worked) / 1_000
    stats.thinkingBlockCount = counted.thoughts
    stats.subAgentCount = counted.subAgents
    stats.compactionCount = counted.compactions
    stats.imageCount = counted.images
    stats.activeToolNames = session.toolCalls.map(\.name)
    return stats
  }
}

extension AgentSession {
  /// From the first record to the last, in seconds.
  var duration: Double {
    guard let startedAt, let lastRecordAt else { return 0 }
    return Double(lastRecordAt.milliseconds(since: startedAt)) / 1_000
  }
}
