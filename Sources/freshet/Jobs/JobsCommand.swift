import ArgumentParser
import JobsClient
import NIOTransport

/// `freshet jobs`.
struct JobsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jobs",
    abstract: "Import books, enrich them, scan shelves: start jobs and follow them to their end.",
    subcommands: [
      JobsImportCommand.self, JobsEnrichCommand.self, JobsScanCommand.self, JobsListCommand.self,
      JobsWatchCommand.self, JobsCancelCommand.self, JobsResultsCommand.self, LibraryCommand.self,
    ]
  )
}

/// Where the server is, and what is known of its jobs.
struct JobServerOptions: ParsableArguments {
  @Option(help: "The server. Default: http://127.0.0.1:8080.")
  var server = "http://127.0.0.1:8080"

  @Option(
    help: ArgumentHelp(
      "The file that remembers jobs and their tokens. Default: freshet/jobs.json in $XDG_STATE_HOME.",
      valueName: "file"
    )
  )
  var tickets: String?

  func validate() throws {
    guard JobServerAddress(server) != nil else {
      throw ValidationError("--server \"\(server)\" is not an address like http://127.0.0.1:8080")
    }
  }

  /// The jobs that were started from here.
  var box: TicketBox { TicketBox(path: tickets ?? TicketBox.usualPath) }

  /// Runs some work with a client, and shuts its transport down.
  ///
  /// - Throws: `ExitCode` 1 after a failure of the server was told.
  func withClient(
    _ command: String,
    _ work: (JobClient) async throws -> Void
  ) async throws {
    guard let address = JobServerAddress(server) else { throw ExitCode(64) }
    let transport = try NIOExchange()
    let client = JobClient(
      server: address,
      transport: transport,
      sockets: try NIOWebSocketExchange(messageLimit: 32 << 20)
    )
    do {
      try await work(client)
      await transport.shutdown()
    } catch let failure as JobClientFailure {
      await transport.shutdown()
      Terminal.complain("freshet jobs \(command): \(failure)\n")
      throw ExitCode(1)
    } catch let failure as TicketBox.Failure {
      await transport.shutdown()
      Terminal.complain("freshet jobs \(command): \(failure)\n")
      throw ExitCode(1)
    }
  }
}
