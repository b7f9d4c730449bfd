import StrictJSON

/// Interprets the texts in Codex's logs.
enum CodexText {
  /// Beginnings of texts that the program writes on the human's side.
  private static let beginningsOfPrograms = [
    "# AGENTS.md instructions", "<INSTRUCTIONS>", "<environment_context>", "<permissions",
    "<skill>", "<turn_aborted>", "<user_action>", "<user_instructions>", "<user_shell_command>",
  ]

  /// Whether a text on the human's side was written by a human.
  static func isPrompt(_ text: String) -> Bool {
    let text = text.drop { $0.isWhitespace }
    return !text.isEmpty && !beginningsOfPrograms.contains { text.hasPrefix($0) }
  }

  /// The working directory that a description of the surroundings names.
  static func directory(in text: String) -> String? {
    guard text.hasPrefix("<environment_context>") else { return nil }
    let opening = "<cwd>"
    guard let start = text.firstRange(of: opening),
      let end = text[start.upperBound...].firstRange(of: "</cwd>")
    else { return nil }
    return String(text[start.upperBound..<end.lowerBound])
  }

  /// The arguments of a call: an object, or the text of one.
  static func arguments(of item: JSONValue, limits: AgentLimits) -> JSONValue? {
    guard let text = item["arguments"]?.string else { return item["arguments"] ?? item["action"] }
    let rules = JSONReader.Rules.lenient(
      longest: limits.longestLine,
      deepest: limits.deepestRecord
    )
    return try? JSONReader.value(of: Array(text.utf8), rules: rules)
  }

  /// The purpose of a tool call.
  static func detail(of arguments: JSONValue?) -> String? {
    if let text = arguments?["justification"]?.string ?? arguments?["cmd"]?.string { return text }
    guard let command = arguments?["command"] else { return nil }
    return command.string ?? command.elements.compactMap(\.string).joined(separator: " ")
  }
}
