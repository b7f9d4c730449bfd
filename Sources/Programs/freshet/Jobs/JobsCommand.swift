import ArgumentParser
import Commands
import ConditionalHTTP
import JobsClient
import NIOTransport

/// `freshet jobs`.
struct JobsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jobs",
    abstract: "Import books, enrich them, scan shelves: start jobs and follow them to their end.",
    discussion: """
        freshet jobs import goodreads_library_export.csv
        freshet jobs list
      """,
    subcommands: [
      JobsImportCommand.self, JobsEnrichCommand.self, JobsScanCommand.self, JobsListCommand.self,
      JobsWatchCommand.self, JobsCancelCommand.self, JobsResultsCommand.self,
      JobsDeadCommand.self, JobsRestartCommand.self,
    ]
  )
}

/// A job that a command has started or changed, as JSON.
struct ListedJob: Encodable {
  var job: String
  /// The failed job that it repeats.
  var restarted: String?
}

/// The server, and the known jobs.
struct JobServerOptions: ParsableArguments {
  @OptionGroup var option: ServerOption

  /// The server that new jobs are sent to.
  var address: HTTPAddress { get throws { try option.address } }

  @Option(
    help: ArgumentHelp(
      "The file that remembers jobs and their tokens. Default: freshet/jobs.json in $XDG_STATE_HOME.",
      valueName: "file"
    )
  )
  var tokens: String?

  /// The jobs that were started from this machine.
  var tokenStore: TokenStore { TokenStore(path: tokens ?? TokenStore.usualPath) }

  /// Runs work with a job that was started from this machine and a client of its own server: its
  /// token is not sent to any other.
  ///
  /// - Throws: ``CommandFailure`` if the job is unknown, or with the failure of the server.
  func withJob(
    _ command: String,
    _ job: String?,
    _ work: (JobClient, TokenStore.Entry) async throws -> Void
  ) async throws {
    let entry: TokenStore.Entry
    do {
      // Without --server, a job is asked about where it was started.
      entry = try tokenStore.find(
        job,
        of: try option.named.map { try HTTPAddress(typed: $0).description }
      )
    } catch let failure as TokenStore.Failure {
      throw CommandFailure("freshet jobs \(command): \(failure)", failure.exit)
    }
    try await withClient(command, of: entry.server) { client in try await work(client, entry) }
  }

  /// Runs work with a client, and shuts its transport down.
  ///
  /// - Parameters:
  ///   - command: The name of the command, for messages.
  ///   - other: A server instead of the given one.
  ///   - work: The work.
  /// - Throws: ``CommandFailure`` with the failure of the server.
  func withClient(
    _ command: String,
    of other: String? = nil,
    _ work: (JobClient) async throws -> Void
  ) async throws {
    let address = try other.map { try HTTPAddress($0) } ?? option.address
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
      throw CommandFailure(
        "freshet jobs \(command): \(Terminal.plain("\(failure)"))",
        ProgramExit(failure)
      )
    } catch let failure as TokenStore.Failure {
      await transport.shutdown()
      throw CommandFailure("freshet jobs \(command): \(failure)", failure.exit)
    }
  }
}
