/// The kind of a simulated agent, and the version of its log format.
package enum AgentDialect: String, Sendable, CaseIterable {
  /// Claude Code 2.1.139 and later: a registry of running sessions, tasks one by one.
  case claude21 = "claude-2.1"
  /// Claude Code 2.0: the plan is written as a whole, the ends of turns are marked.
  case claude20 = "claude-2.0"
  /// Claude Code 1.0: responses have no reason, ends of turns are not marked.
  case claude10 = "claude-1.0"
  /// Codex 0.90 and later: begins and ends of turns are marked.
  case codex90 = "codex-0.90"
  /// Codex 0.46: records of type, time and payload, ends of turns are not marked.
  case codex46 = "codex-0.46"
  /// Codex before 0.32: bare records.
  case codex20 = "codex-0.20"
  /// The neutral format.
  case neutral

  /// The version of the agent that a log names.
  package var version: String {
    switch self {
    case .claude21: "2.1.150"
    case .claude20: "2.0.76"
    case .claude10: "1.0.72"
    case .codex90: "0.98.0"
    case .codex46: "0.46.0"
    case .codex20: "0.20.0"
    case .neutral: "1"
    }
  }

  /// The command of its process.
  package var command: String {
    switch self {
    case .claude21, .claude20, .claude10: "claude"
    case .codex90, .codex46, .codex20: "codex"
    case .neutral: "aider"
    }
  }

  /// Whether its logs report every state immediately, without waiting for silence.
  package var tellsEverything: Bool {
    switch self {
    case .claude21, .claude20, .codex90, .neutral: true
    case .claude10, .codex46, .codex20: false
    }
  }
}
