/// Which commands are agents.
package enum AgentCommand: Sendable {
  /// Names of commands, and the agent each one is.
  private static let names: [String: AgentKind] = [
    "aider": .other("aider"),
    "amp": .other("amp"),
    "claude": .claudeCode,
    "codex": .codex,
    "copilot": .other("copilot"),
    "crush": .other("crush"),
    "cursor-agent": .other("cursor-agent"),
    "gemini": .other("gemini"),
    "goose": .other("goose"),
    "opencode": .other("opencode"),
    "qwen": .other("qwen"),
  ]

  /// Programs that run other programs, which are named in their second argument or a later one.
  private static let runners: Set<String> = ["bun", "deno", "node", "python", "python3", "uv"]

  /// Returns which agent a process is.
  ///
  /// - Parameters:
  ///   - name: The name the kernel keeps, at most 15 bytes.
  ///   - arguments: The beginning of the command line.
  /// - Returns: The kind of agent; `nil` if the process is not an agent.
  package static func kind(name: String, arguments: [String]) -> AgentKind? {
    if let kind = names[name] { return kind }
    guard let first = arguments.first.map(base) else { return nil }
    if let kind = names[first] { return kind }
    guard runners.contains(first) else { return nil }
    let script = arguments.dropFirst().first { !$0.hasPrefix("-") }
    return script.flatMap { names[base($0)] }
  }

  /// The last part of a path, without the ending of a script.
  private static func base(_ path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    for ending in [".js", ".mjs", ".cjs", ".py"] where name.hasSuffix(ending) {
      return String(name.dropLast(ending.count))
    }
    return String(name)
  }
}
