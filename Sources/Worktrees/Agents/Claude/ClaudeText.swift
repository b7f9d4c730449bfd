import StrictJSON

/// Interprets the texts in Claude Code's logs.
enum ClaudeText {
  /// Tools that respond within a second or two unless they ask for permission: they read or change
  /// one file.
  static let quickTools: Set<String> = [
    "Edit", "MultiEdit", "NotebookEdit", "Read", "TodoWrite", "TaskCreate", "TaskUpdate", "Write",
  ]

  /// Beginnings of texts that the program writes on the human's side.
  private static let beginningsOfPrograms = [
    "<bash-input>", "<bash-stderr>", "<bash-stdout>", "<command-args>", "<command-message>",
    "<command-name>", "<local-command-caveat>", "<local-command-stderr>",
    "<local-command-stdout>", "<system-reminder>", "<task-notification>", "Caveat: ",
  ]

  /// Texts that programs ask on their own.
  private static let askedByPrograms = ["Warmup", "Generate a git branch name that"]

  /// Whether a text says that the human stopped the turn.
  static func isInterruption(_ text: String) -> Bool {
    text.hasPrefix("[Request interrupted by user")
  }

  /// Whether a text on the human's side was written by a human.
  static func isPrompt(_ text: String) -> Bool {
    let text = text.drop { $0.isWhitespace }
    return !text.isEmpty && !beginningsOfPrograms.contains { text.hasPrefix($0) }
      && !askedByPrograms.contains { text.hasPrefix($0) }
  }

  /// The text of a message: a text, or the texts among its blocks.
  static func text(of content: JSONValue?) -> String {
    if let text = content?.string { return text }
    return (content?.elements ?? [])
      .compactMap { $0["type"]?.string == "text" ? $0["text"]?.string : nil }
      .joined(separator: "\n")
  }

  /// The purpose of a tool call: the first of the members that describe it.
  static func detail(of input: JSONValue?) -> String? {
    for name in ["description", "file_path", "notebook_path", "command", "pattern", "url", "query"]
    {
      if let text = input?[name]?.string, !text.isEmpty { return text }
    }
    return nil
  }
}
