package import ArgumentParser

/// The options of `freshet demo`, which `freshet-lab demo` carries out.
package struct DemoOptions: ParsableArguments {
  @Option(help: "The port of the three pages; a free one if it is taken, or with 0.")
  package var port = 8080

  @Option(
    help: ArgumentHelp(
      "The folder for everything that is made, which is removed at the end; new or empty. Default: one of your own among the temporary files.",
      valueName: "folder"
    )
  )
  package var folder: String?

  @Flag(help: "Keep the folder at the end.")
  package var keep = false

  @Option(help: "How many stops the network has, 100 to 10000.")
  package var stops = 200

  @Option(help: "How many agents work, 1 to 32, each in a worktree.")
  package var agents = 8

  @Option(help: "How many books an import has, 1 to 10000.")
  package var books = 10_000

  @Option(help: "Seconds between two publications of the simulated producer, 1 to 60.")
  package var period = 15.0

  /// Checks the port.
  package func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535") }
  }

  /// Creates the options without values.
  package init() {}
}

/// What `freshet demo` and `freshet-lab demo` say of themselves.
package enum DemoText {
  /// What the command does, in one line.
  package static let abstract =
    "Show all three pages with simulated data, and break things to see the age stay honest."
  /// What it does, in full.
  package static let discussion = """
      freshet demo
      freshet demo --port 8081 --keep --folder demo

    Starts a server with a departure board at rush hour, eight simulated agents in the worktrees of a scratch \
    repository, and imports of 10,000 books, and prints three addresses. On each page, Break something has a switch \
    for each failure: producer down, half a feed, a clock a day wrong, network cut, server killed and so on.

    Everything is in one folder, listens on 127.0.0.1 only, and is gone after Ctrl-C. A demonstration that was killed \
    is removed by the next one.
    """
}
