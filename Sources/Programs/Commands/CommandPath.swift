import ArgumentParser

/// The words that name a command of a program, such as `freshet jobs list`.
struct CommandPath {
  /// The words with spaces between them.
  let text: String

  /// Finds a command; `nil` if it is not below the other.
  ///
  /// - Parameters:
  ///   - command: The command.
  ///   - root: The command of the program, or one above the other.
  init?(to command: any ParsableCommand.Type, from root: any ParsableCommand.Type) {
    let name = root.configuration.commandName ?? ""
    if ObjectIdentifier(root) == ObjectIdentifier(command) {
      text = name
      return
    }
    for next in root.configuration.subcommands {
      if let path = CommandPath(to: command, from: next) {
        text = "\(name) \(path.text)"
        return
      }
    }
    return nil
  }
}
