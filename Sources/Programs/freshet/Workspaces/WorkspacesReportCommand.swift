import ArgumentParser
import Commands
import ConditionalHTTP
import Foundation
import Freshness
import FreshnessRuntime
import NIOTransport
import WorkspacesClient
import WorkspacesServer

/// `freshet workspaces report`.
struct WorkspacesReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Report the worktrees of this machine to a hub, which shows those of all machines.",
    discussion: """
      Reads the worktrees of this machine's server, which --server and --token-file name, and sends every change to the \
      hub, a server that was started with freshet serve --workspaces-hub. The hub notices when reports stop. It \
      can do nothing here: what changes a worktree is done on its machine.

        freshet serve --workspaces ~/code &
        freshet workspaces report --to https://hub.example.org --hub-token-file hub-token

      It runs until it is stopped. A hub or a server that does not respond is tried again; the exit code is 77 if the hub \
      refuses the token.
      """
  )

  @ParentCommand var parent: WorkspacesCommand

  @Option(
    help: ArgumentHelp("The hub, such as https://hub.example.org.", valueName: "address")
  )
  var to: String

  @Option(
    help: ArgumentHelp(
      "A file with the token of this machine at the hub. Default: $FRESHET_HUB_TOKEN.",
      valueName: "file"
    )
  )
  var hubTokenFile: String?

  @Option(
    help: "The name of this machine, as in the hub's file of machines. Default: its host name."
  )
  var name: String?

  func validate() throws {
    do throws(HTTPAddress.Invalid) {
      _ = try HTTPAddress(typed: to)
    } catch {
      throw ValidationError("--to: \(error)")
    }
    guard MachineTokens.isName(machine) else {
      throw ValidationError(
        "\(name == nil ? "the host name" : "--name") \"\(machine)\" is not the name of a machine: letters, digits, dots, hyphens and underscores; name it with --name"
      )
    }
  }

  func run() async throws {
    let environment = ProcessInfo.processInfo.environment
    let token = try token(environment)
    let exchange = try NIOExchange()
    let client = WorkspaceClient(
      server: try parent.server.address,
      transport: exchange,
      token: try parent.token(environment),
      streams: parent.stream,
      connectivity: parent.metered ? .metered : .online
    )
    let refusal = await WorkspaceReporter(
      client: client,
      hub: try HTTPAddress(typed: to),
      name: machine,
      token: token,
      transport: exchange,
      duration: parent.duration
    ).run()
    await exchange.shutdown()
    if let refusal {
      throw CommandFailure(
        "freshet workspaces report: \(Terminal.plain("\(to): \(refusal)"))",
        .noPermission
      )
    }
  }

  private var machine: String {
    if let name { return name }
    var facts = utsname()
    uname(&facts)
    return withUnsafeBytes(of: facts.nodename) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  private func token(_ environment: [String: String]) throws -> String {
    let text: String?
    if let hubTokenFile {
      text = try TokenFile.read(hubTokenFile, for: "freshet workspaces report: --hub-token-file")
    } else {
      text = environment["FRESHET_HUB_TOKEN"]
    }
    guard let token = text?.trimmingCharacters(in: .whitespacesAndNewlines), !token.isEmpty else {
      throw CommandFailure(
        "freshet workspaces report: the hub needs a token: --hub-token-file, or FRESHET_HUB_TOKEN",
        .usage
      )
    }
    return token
  }
}
