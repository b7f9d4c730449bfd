extension Workspace {
  /// Returns the worktree as a report holds it: texts are cut, and lists have their first elements.
  ///
  /// - Returns: The worktree; `nil` if its id, or one of its names, is empty or longer than any may be, or if it is on
  ///   another machine, which reports it itself.
  package var reported: Workspace? {
    let names = [id, repoId, name, path, branch, sourceBranch]
    guard machine == nil, !id.isEmpty, names.allSatisfy({ $0.utf8.count <= ReportLimits.pathBytes })
    else {
      return nil
    }
    var it = self
    it.commitHash = commitHash.cut(ReportLimits.wordBytes)
    it.createdAt = createdAt.cut(ReportLimits.wordBytes)
    it.lastAccessed = lastAccessed.cut(ReportLimits.wordBytes)
    it.sessionTitle = sessionTitle?.reported
    it.sessionTitleHistory = sessionTitleHistory.suffix(ReportLimits.titles).map(\.reported)
    it.claudeActivityState = AgentActivity.Summary(
      rawValue: claudeActivityState.rawValue.cut(ReportLimits.wordBytes)
    )
    it.todos = todos.prefix(ReportLimits.todos).map(\.reported)
    it.latestUserPrompt = latestUserPrompt?.cut(ReportLimits.textBytes)
    it.latestSessionTitle = latestSessionTitle?.cut(ReportLimits.textBytes)
    it.latestClaudeMessage = latestClaudeMessage?.cut(ReportLimits.textBytes)
    it.latestClaudeMessageType = latestClaudeMessageType?.cut(ReportLimits.wordBytes)
    it.commitCount = CountLimits.nearest(to: commitCount)
    it.commitsBehind = CountLimits.nearest(to: commitsBehind)
    it.git = git.reported
    it.activity = activity.reported
    it.gitAge = gitAge.flatMap(Self.age)
    it.activityAge = activityAge.flatMap(Self.age)
    return it
  }

  /// An age that can be counted with: finite, and neither negative nor longer than ten years.
  private static func age(_ seconds: Double) -> Double? {
    seconds.isFinite ? min(max(seconds, 0), 315_360_000) : nil
  }

  /// The bytes of its strings, and a little for each element of a list: what it takes to keep it grows with that.
  package var weight: Int {
    var texts: [String?] = [
      id, repoId, name, path, branch, sourceBranch, commitHash, createdAt, lastAccessed,
      claudeActivityState.rawValue, latestUserPrompt, latestSessionTitle, latestClaudeMessage,
      latestClaudeMessageType, git.head, git.branch, git.upstream, git.compared, git.locked,
      git.problem, git.outside, git.operation?.kind, git.operation?.branch, git.trust?.digest,
      activity.state.rawValue, activity.source, activity.since, activity.confidence,
      activity.reason,
    ]
    for title in sessionTitleHistory + [sessionTitle].compactMap(\.self) {
      texts += [title.title, title.timestamp, title.commitHash]
    }
    for todo in todos { texts += [todo.id, todo.content, todo.status.rawValue, todo.priority] }
    texts += git.conflicts
    for program in git.trust?.programs ?? [] {
      texts += [program.key, program.command, program.file, program.use]
    }
    for agent in activity.agents {
      texts += [
        agent.agent, agent.sessionId, agent.state.rawValue, agent.source, agent.since, agent.tool,
        agent.reason,
      ]
    }
    return texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) + 8 }
  }
}

extension SessionTitle {
  fileprivate var reported: SessionTitle {
    SessionTitle(
      title: title.cut(ReportLimits.wordBytes),
      timestamp: timestamp.cut(ReportLimits.wordBytes),
      commitHash: commitHash?.cut(ReportLimits.wordBytes)
    )
  }
}

extension Todo {
  fileprivate var reported: Todo {
    Todo(
      id: id.cut(ReportLimits.wordBytes),
      content: content.cut(ReportLimits.wordBytes),
      status: Status(rawValue: status.rawValue.cut(ReportLimits.wordBytes)),
      priority: priority.cut(ReportLimits.wordBytes)
    )
  }
}

extension GitState {
  fileprivate var reported: GitState {
    var it = self
    it.head = head?.cut(ReportLimits.wordBytes)
    it.branch = branch?.cut(ReportLimits.pathBytes)
    it.upstream = upstream?.cut(ReportLimits.pathBytes)
    it.compared = compared?.cut(ReportLimits.pathBytes)
    it.ahead = ahead.map { CountLimits.nearest(to: $0) }
    it.behind = behind.map { CountLimits.nearest(to: $0) }
    it.staged = CountLimits.nearest(to: staged)
    it.unstaged = CountLimits.nearest(to: unstaged)
    it.untracked = CountLimits.nearest(to: untracked)
    it.conflictCount = CountLimits.nearest(to: conflictCount)
    it.stashes = CountLimits.nearest(to: stashes)
    it.conflicts = conflicts.prefix(ReportLimits.conflicts).map { $0.cut(ReportLimits.wordBytes) }
    it.operation = operation.map {
      Operation(
        kind: $0.kind.cut(ReportLimits.wordBytes),
        step: $0.step.map { CountLimits.nearest(to: $0) },
        steps: $0.steps.map { CountLimits.nearest(to: $0) },
        branch: $0.branch?.cut(ReportLimits.pathBytes)
      )
    }
    it.locked = locked?.cut(ReportLimits.textBytes)
    it.problem = problem?.cut(ReportLimits.textBytes)
    it.outside = outside?.cut(ReportLimits.pathBytes)
    it.trust = trust.map { trust in
      Trust(
        state: Trust.State(rawValue: trust.state.rawValue.cut(ReportLimits.wordBytes)),
        digest: trust.digest.cut(ReportLimits.wordBytes),
        programs: trust.programs.prefix(ReportLimits.programs).map {
          Program(
            key: $0.key.cut(ReportLimits.wordBytes),
            command: $0.command.cut(ReportLimits.wordBytes),
            file: $0.file?.cut(ReportLimits.wordBytes),
            use: $0.use.cut(ReportLimits.wordBytes)
          )
        },
        count: CountLimits.nearest(to: trust.count)
      )
    }
    return it
  }
}

extension AgentActivity {
  fileprivate var reported: AgentActivity {
    AgentActivity(
      state: State(rawValue: state.rawValue.cut(ReportLimits.wordBytes)),
      source: source.cut(ReportLimits.wordBytes),
      since: since?.cut(ReportLimits.wordBytes),
      confidence: confidence.cut(ReportLimits.wordBytes),
      reason: reason?.cut(ReportLimits.textBytes),
      agents: agents.prefix(ReportLimits.agents).map(\.reported)
    )
  }
}

extension AgentPresence {
  fileprivate var reported: AgentPresence {
    AgentPresence(
      agent: agent.cut(ReportLimits.wordBytes),
      sessionId: sessionId?.cut(ReportLimits.wordBytes),
      pid: pid,
      state: AgentActivity.State(rawValue: state.rawValue.cut(ReportLimits.wordBytes)),
      source: source.cut(ReportLimits.wordBytes),
      since: since?.cut(ReportLimits.wordBytes),
      tool: tool?.cut(ReportLimits.wordBytes),
      reason: reason?.cut(ReportLimits.wordBytes)
    )
  }
}

extension String {
  /// The first bytes of a string, without half a character's scalar at the end.
  fileprivate func cut(_ most: Int) -> String {
    guard utf8.count > most else { return self }
    var end = utf8.index(utf8.startIndex, offsetBy: most)
    while end > startIndex, UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
    return String(self[..<end])
  }
}
