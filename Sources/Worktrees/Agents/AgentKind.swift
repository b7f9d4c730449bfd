/// Which agent it is.
package enum AgentKind: Hashable, Sendable, CustomStringConvertible {
  /// Claude Code.
  case claudeCode
  /// Codex.
  case codex
  /// Another agent, by its name.
  case other(String)

  /// The name as answers show it: `claude-code`, `codex`, or the other's own.
  package var description: String {
    switch self {
    case .claudeCode: "claude-code"
    case .codex: "codex"
    case .other(let name): name
    }
  }

  /// An agent by its name.
  package init(_ name: String) {
    switch name {
    case "claude-code", "claude": self = .claudeCode
    case "codex": self = .codex
    default: self = .other(name)
    }
  }
}
