import ArgumentParser

/// An argument in the place of a subcommand that names no subcommand.
struct UnknownCommand: Equatable {
  /// The commands before it, such as `freshet jobs`.
  var parent: String
  /// The word.
  var word: String
  /// The subcommand that was probably meant.
  var nearest: String?

  /// Finds the first unknown subcommand of a command line; returns `nil` if all are known.
  ///
  /// - Parameters:
  ///   - arguments: The arguments of the process, without its name.
  ///   - root: The command of the program.
  init?(in arguments: [String], of root: any ParsableCommand.Type) {
    var (command, parent) = (root, root.configuration.commandName ?? "")
    // Only `freshet help` is followed by commands.
    for argument in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
      let known = command.configuration.subcommands
      guard !known.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return nil }
      if let next = known.first(where: { Self.names(of: $0).contains(argument) }) {
        parent += " " + argument
        command = next
        continue
      }
      self.parent = parent
      word = argument
      nearest = Spelling.nearest(to: argument, in: known.flatMap(Self.names))
      return
    }
    return nil
  }

  private static func names(of command: any ParsableCommand.Type) -> [String] {
    let configuration = command.configuration
    return [configuration.commandName ?? ""] + configuration.aliases
  }

  /// The message.
  var failure: CommandFailure {
    let hint = nearest.map { "Did you mean \"\($0)\"? " } ?? ""
    return CommandFailure(
      "\(parent): there is no command \"\(Terminal.plain(word))\".\n\(hint)See '\(parent) --help' for the commands.",
      .usage
    )
  }
}
