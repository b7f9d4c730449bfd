import ArgumentParser
import Commands
import ConditionalHTTP
import Foundation
import Freshness
import FreshnessRuntime
import NIOTransport
import Workspaces
import WorkspacesClient

/// `freshet workspaces`.
struct WorkspacesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "workspaces",
    abstract: "Show who works in which git worktree, who needs you, and who is done.",
    discussion: """
      Asks a server that was started with freshet serve --workspaces. On a terminal the list stays and is kept fresh by \
      the engine: the server's events bring changes where there are any, else it asks every 1.5 to 10 seconds. Enter \
      opens a worktree, d shows its diff, s marks it as seen, m merges, u brings its source in, n makes one, D deletes \
      one, z lists what can be taken back, / filters, ? helps, q leaves. Without a terminal, the list is printed once, or with --watch \
      whenever it changes.

        freshet workspaces
        freshet workspaces --once --json
        freshet workspaces --watch --notify

      A server that was started with freshet serve --workspaces-hub shows the worktrees of several machines, each under the \
      name of its machine; --machines lists those with the age of what they reported.
      """,
    subcommands: [WorkspacesReportCommand.self, WorkspacesTokenCommand.self]
  )

  @OptionGroup var server: ServerOption

  @Option(
    help: ArgumentHelp(
      "A file with the server's token. Default: $FRESHET_TOKEN, else none.",
      valueName: "file"
    )
  )
  var tokenFile: String?

  @Flag(help: "Stay, and print whenever something is different.")
  var watch = false

  @Flag(help: "Print JSON: the list, one line each time.")
  var json = false

  @Flag(help: "Print one line with counts, for the status bar of a desktop or a terminal.")
  var statusLine = false

  @Flag(help: "Print the list once and end, on a terminal too.")
  var once = false

  @Flag(
    help: """
      Tell the desktop when a worktree begins to need you or is done, over the session bus, by gdbus or notify-send.
      """
  )
  var notify = false

  @Flag(help: "The network costs: no stream, and nothing is fetched beforehand.")
  var metered = false

  @Flag(inversion: .prefixedNo, help: "Let the server's stream bring changes.")
  var stream = true

  @Option(
    help: ArgumentHelp(
      "Append every request and what is shown to a file, for freshet-lab report workspaces.",
      valueName: "file"
    )
  )
  var record: String?

  @Flag(help: "Print what can be taken back: worktrees that were deleted, merges, syncs.")
  var restorePoints = false

  @Option(
    help: ArgumentHelp(
      "Take back what was done: bring a deleted worktree back, or put a branch back to before a merge or a sync.",
      valueName: "id"
    )
  )
  var restore: String?

  @Flag(help: "Print what is in the watched folders and not shown, and why.")
  var omissions = false

  @Flag(help: "Print the machines that report to the server, and how old their reports are.")
  var machines = false

  @Flag(help: "Poll at the background rate.")
  var background = false

  @Option(name: .customLong("for"), help: "End after this many seconds.")
  var duration: Double?

  func validate() throws {
    guard !(json && statusLine) else {
      throw ValidationError("--json or --status-line, not both")
    }
    guard record == nil || watch else {
      throw ValidationError("--record needs --watch: one request shows nothing")
    }
    guard [restorePoints, restore != nil, omissions, machines].count(where: { $0 }) <= 1 else {
      throw ValidationError("--restore-points, --restore, --omissions or --machines, one of them")
    }
    guard !(once && watch) else { throw ValidationError("--once or --watch, not both") }
    guard !notify || watch || isScreen else {
      throw ValidationError(
        "--notify needs --watch, or the whole terminal: nothing changes in one list"
      )
    }
    if let duration, !(0.001...31_536_000).contains(duration) {
      throw ValidationError("--for is 0.001 to 31536000 seconds")
    }
  }

  func run() async throws {
    let environment = ProcessInfo.processInfo.environment
    let address = try server.address
    let exchange = try NIOExchange()
    let recorder = try recorder()
    var transport: any WorkspaceClient.Transport = exchange
    var takesSamples: (@Sendable (SampleRecord) -> Void)?
    if let recorder {
      transport = CountedExchange(transport: exchange, recorder: recorder)
      takesSamples = { recorder.took($0) }
    }
    let client = WorkspaceClient(
      server: address,
      transport: transport,
      token: try token(environment),
      streams: stream && (watch || isScreen),
      connectivity: metered ? .metered : .online,
      recorder: takesSamples
    )
    if restorePoints || restore != nil || omissions || machines {
      do throws(CommandFailure) {
        try await RestoreText(client: client, json: json).print(self)
      } catch {
        await exchange.shutdown()
        throw error
      }
      return await exchange.shutdown()
    }
    if background { client.lifecycle(.background) }
    let notifier = notify ? DesktopNotifier(environment) : nil
    var exit: ProgramExit?
    if isScreen {
      let message = notify && notifier == nil ? Self.silence : nil
      await LiveWorkspaces(
        client,
        isMetered: metered,
        notifier: notifier,
        duration: duration,
        message: message
      ).run()
    } else {
      if notify, notifier == nil { Terminal.complain("freshet workspaces: \(Self.silence)\n") }
      exit = await printed(client, notifier, recorder)
    }
    await notifier?.finish()
    await exchange.shutdown()
    if let failure = recorder?.failure {
      throw CommandFailure("freshet workspaces: \(Terminal.plain(failure))", .inputOutput)
    }
    if let exit { throw ExitCode(exit) }
  }

  private static let silence =
    "no notifications: there is no session bus, or neither gdbus nor notify-send"

  /// Whether it takes the whole terminal.
  private var isScreen: Bool {
    !once && !json && !statusLine && record == nil && Terminal.canRedraw
  }

  private func recorder() throws -> WorkspaceRecorder? {
    do {
      return try record.map { try WorkspaceRecorder($0) }
    } catch {
      throw CommandFailure("freshet workspaces: \(Terminal.plain("\(error)"))", .cannotCreate)
    }
  }

  /// Prints until the end, or for the requested duration.
  private func printed(
    _ client: WorkspaceClient,
    _ notifier: DesktopNotifier?,
    _ recorder: WorkspaceRecorder?
  ) async -> ProgramExit? {
    let limit = duration
    return await withTaskGroup(of: ProgramExit?.self) { group in
      group.addTask { await follow(client, notifier, recorder) }
      group.addTask {
        try? await Task.sleep(for: .seconds(limit ?? 1e9))
        return nil
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
  }

  /// The server's token.
  func token(_ environment: [String: String]) throws -> String? {
    guard let tokenFile else { return environment["FRESHET_TOKEN"] }
    return try TokenFile.read(tokenFile, for: "freshet workspaces: --token-file")
  }

  /// Prints until the end.
  ///
  /// - Returns: The exit code of what went wrong; `nil` if all went well.
  @concurrent
  private func follow(
    _ client: WorkspaceClient,
    _ notifier: DesktopNotifier?,
    _ recorder: WorkspaceRecorder?
  ) async -> ProgramExit? {
    var printed: String?
    var said = ""
    var lost: String?
    var notices = WorkspaceNotices()
    var time = ServerTime()
    for await snapshot in client.lists() {
      if let failure = snapshot.failure, failure.description != said {
        said = failure.description
        Terminal.complain("freshet workspaces: \(Terminal.plain(failure.description))\n")
        if !watch { return ProgramExit(failure) }
      }
      if recorder?.failure != nil { return .inputOutput }
      guard let list = snapshot.value else { continue }
      recorder?.show(list)
      if snapshot.failure == nil { said = "" }
      if list.losses != lost {
        lost = list.losses
        if let lost { Terminal.complain("freshet workspaces: \(Terminal.plain(lost))\n") }
      }
      time.handle(list)
      for notice in notices.notices(of: list, at: time.now) { notifier?.send(notice) }
      let shown = text(list)
      guard shown != printed else { continue }
      printed = shown
      // The reader is gone: a closed pipe is not an error.
      guard Terminal.write(shown) else { return nil }
      if !watch { return nil }
    }
    return nil
  }

  private func text(_ list: WorkspaceList) -> String {
    if json { return (try? PrintedJSON.line(list.worktrees)) ?? "[]\n" }
    let text = WorkspaceText(columns: Terminal.isInteractive ? Terminal.size.columns : nil)
    if statusLine { return text.statusLine(list) + "\n" }
    return text.table(list).joined(separator: "\n") + "\n" + (watch ? "\n" : "")
  }
}
