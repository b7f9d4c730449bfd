/// A log in one of the formats that are known.
package enum AgentLogFile: Hashable, Sendable {
  /// A session of Claude Code.
  case claude(ClaudeLog)
  /// A session of Codex.
  case codex(CodexLog)
  /// A session of any agent, in the neutral format.
  case neutral(NeutralLog)

  /// A format of logs.
  package enum Format: String, Sendable, CaseIterable {
    /// `~/.claude/projects/*/*.jsonl`
    case claude
    /// `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`
    case codex
    /// The neutral format of Documentation/agent-activity.md.
    case neutral
  }

  /// A log of which nothing was read.
  package init(_ format: Format, limits: AgentLimits) {
    switch format {
    case .claude: self = .claude(ClaudeLog(limits: limits))
    case .codex: self = .codex(CodexLog(limits: limits))
    case .neutral: self = .neutral(NeutralLog(limits: limits))
    }
  }

  /// The session so far.
  package var session: AgentSession {
    switch self {
    case .claude(let log): log.session
    case .codex(let log): log.session
    case .neutral(let log): log.session
    }
  }

  /// Notes when the log's file was written and read, before what came out of it is taken.
  package mutating func note(writtenAt: WallTime?, readAt: WallTime?) {
    switch self {
    case .claude(var log):
      log.note(writtenAt: writtenAt, readAt: readAt)
      self = .claude(log)
    case .codex(var log):
      log.note(writtenAt: writtenAt, readAt: readAt)
      self = .codex(log)
    case .neutral(var log):
      log.note(writtenAt: writtenAt, readAt: readAt)
      self = .neutral(log)
    }
  }

  /// Takes what came out of the log's file.
  package mutating func handle(_ finding: LogTail.Finding) {
    switch self {
    case .claude(var log):
      log.handle(finding)
      self = .claude(log)
    case .codex(var log):
      log.handle(finding)
      self = .codex(log)
    case .neutral(var log):
      log.handle(finding)
      self = .neutral(log)
    }
  }
}
