import ArgumentParser
import ConditionalHTTP
import Foundation
import Freshness
import FreshnessRuntime
import HTTPTypes
import NIOTransport
import Workspaces
import WorkspacesClient

/// `freshet workspaces`.
struct WorkspacesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "workspaces",
    abstract: "Show who works in which git worktree, who needs you, and who is done.",
    discussion: """
      Asks a server that was started with freshet serve --workspaces. With --watch it stays: the engine keeps the list \
      fresh, and it is printed whenever it is another.
      """
  )

  @Option(help: "The server. Default: $FRESHET_SERVER, else http://127.0.0.1:8080.")
  var server: String?

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

  @Flag(inversion: .prefixedNo, help: "Let the server's stream bring changes.")
  var stream = true

  @Option(name: .customLong("for"), help: "End after this many seconds.")
  var duration: Double?

  func validate() throws {
    guard !(json && statusLine) else {
      throw ValidationError("--json or --status-line, not both")
    }
    if let duration, !(0.001...31_536_000).contains(duration) {
      throw ValidationError("--for is 0.001 to 31536000 seconds")
    }
  }

  func run() async throws {
    let environment = ProcessInfo.processInfo.environment
    let address: HTTPAddress
    do throws(HTTPAddress.Invalid) {
      address = try HTTPAddress(
        server ?? environment["FRESHET_SERVER"] ?? "http://127.0.0.1:8080"
      )
    } catch {
      Terminal.complain("freshet workspaces: \(Terminal.plain(error.description))\n")
      throw ExitCode(1)
    }
    let exchange = try NIOExchange()
    let client = FreshnessClient(exchange: exchange, streaming: exchange, policy: .workspacesLive)
    if let token = try token(environment) {
      client.identify(by: [.authorization: "Bearer \(token)"])
    }
    let resource = WorkspaceListResource(server: address, streams: stream && watch)
    let limit = duration
    let isFine = await withTaskGroup(of: Bool?.self) { group in
      group.addTask { await follow(resource, client) }
      group.addTask {
        try? await Task.sleep(for: .seconds(limit ?? 1e9))
        return Task.isCancelled ? nil : true
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first ?? true
    }
    await exchange.shutdown()
    if !isFine { throw ExitCode(1) }
  }

  private func token(_ environment: [String: String]) throws -> String? {
    guard let tokenFile else { return environment["FRESHET_TOKEN"] }
    guard let text = try? String(contentsOfFile: tokenFile, encoding: .utf8) else {
      throw ValidationError("--token-file \"\(tokenFile)\" cannot be read")
    }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Prints until the end.
  ///
  /// - Returns: Whether all went well.
  @concurrent
  private func follow(_ resource: WorkspaceListResource, _ client: FreshnessClient) async -> Bool {
    var printed: String?
    var said = ""
    for await snapshot in client.snapshots(of: resource) {
      if let failure = snapshot.failure, failure.description != said {
        said = failure.description
        Terminal.complain("freshet workspaces: \(Terminal.plain(failure.description))\n")
        if !watch { return false }
      }
      guard let list = snapshot.value else { continue }
      if snapshot.failure == nil { said = "" }
      let shown = text(list)
      guard shown != printed else { continue }
      printed = shown
      // Nobody reads any more: a closed pipe is no error.
      guard Terminal.write(shown) else { return true }
      if !watch { return true }
    }
    return true
  }

  private func text(_ list: WorkspaceList) -> String {
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let bytes = (try? encoder.encode(list.worktrees)) ?? Data("[]".utf8)
      return String(decoding: bytes, as: UTF8.self) + "\n"
    }
    let text = WorkspaceText(columns: Terminal.size.columns)
    if statusLine { return text.statusLine(list) + "\n" }
    let start = watch && Terminal.canRedraw ? "\u{1B}[2J\u{1B}[H" : ""
    return start + text.table(list).joined(separator: "\n") + "\n" + (watch ? "\n" : "")
  }
}
