/// Where agents keep their logs.
package struct AgentFolders: Hashable, Sendable {
  /// Claude Code's folder, with `projects` and `sessions` in it.
  package var claude: String?
  /// Codex's folder, with `sessions` in it.
  package var codex: String?
  /// The folder of logs in the neutral format.
  package var neutral: String?

  /// Creates a set of folders; those that are `nil` are not read.
  package init(claude: String?, codex: String?, neutral: String?) {
    self.claude = claude
    self.codex = codex
    self.neutral = neutral
  }

  /// The folders that the agents themselves would use.
  ///
  /// - Parameter environment: The variables of the environment: `CLAUDE_CONFIG_DIR`, `CODEX_HOME`,
  ///   `FRESHET_AGENT_LOGS`, else below `XDG_STATE_HOME` and `HOME`.
  package init(environment: [String: String]) {
    func folder(_ variable: String) -> String? {
      environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let home = folder("HOME")
    claude = folder("CLAUDE_CONFIG_DIR") ?? home.map { $0 + "/.claude" }
    codex = folder("CODEX_HOME") ?? home.map { $0 + "/.codex" }
    let state = folder("XDG_STATE_HOME") ?? home.map { $0 + "/.local/state" }
    neutral = folder("FRESHET_AGENT_LOGS") ?? state.map { $0 + "/freshet/agents" }
  }
}
