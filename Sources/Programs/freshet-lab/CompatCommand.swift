import ArgumentParser
import Commands
import CompatibilityCheck
import ConditionalHTTP
import Foundation
import NIOTransport

/// `freshet-lab compat`.
struct CompatCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compat",
    abstract: "Play the clients of an app against a server, and say what they trip over.",
    discussion: """
      The steps are those that the app's clients take: addresses, header fields, order, pings, waits and retries. \
      Each answer is compared with the types that the clients decode it with. The server may be this program with \
      --speak, or the one that the app was written for. A line for each step says what was asked, what the client \
      needs, and what it would trip over. Documentation/compatibility.md has every step.

      The exit code is 0 if every step ends as the client needs, 1 if one does not, and 64 if the options are wrong.

        freshet-lab compat http://127.0.0.1:8080 --as mesdeparts
      """
  )

  /// The most added latency, in milliseconds each way.
  private static let mostLatency = 60_000

  @Argument(help: "The server, such as http://127.0.0.1:8080.")
  var url: String

  @Option(name: .customLong("as"), help: "The app: \(ClientScripts.names).")
  var app: String

  @Option(
    help: "Milliseconds by which the bytes of a connection are delayed, each way. Default: 0."
  )
  var latencyMs = 0

  @Option(help: "Divide what the clients wait between their requests by this. Default: 1.")
  var pace = 1.0

  @Option(
    name: .customLong("with"),
    help: ArgumentHelp(
      "A setting of the clients; may be given several times. \(Self.settings)",
      valueName: "name=value"
    )
  )
  var settings: [String] = []

  @Flag(help: "Print a JSON object at the end instead of lines.")
  var json = false

  func validate() throws {
    guard let script = ClientScripts.named(app) else {
      throw ValidationError("--as \"\(app)\" is not one of \(ClientScripts.names)")
    }
    guard (0...Self.mostLatency).contains(latencyMs) else {
      throw ValidationError("--latency-ms is 0 to \(Self.mostLatency)")
    }
    guard (1...1_000).contains(pace) else { throw ValidationError("--pace is 1 to 1000") }
    _ = try address()
    _ = try clients(script)
  }

  func run() async throws {
    guard let script = ClientScripts.named(app) else { return }
    let clients = try clients(script)
    let server = try address()
    let relay: LatencyRelay?
    do {
      relay =
        latencyMs == 0
        ? nil : try await LatencyRelay.open(to: server, latency: .milliseconds(latencyMs))
    } catch {
      throw CommandFailure(
        "freshet-lab compat: --latency-ms: \(Terminal.plain("\(error)"))",
        .system
      )
    }
    let transport = try NIOExchange(relay: relay)
    let run = ClientRun(
      server: server,
      transport: transport,
      sockets: try NIOWebSocketExchange(messageLimit: 32 << 20, relay: relay),
      pace: pace,
      onStep: { [json] step in if !json { Self.print(step.lines) } }
    )
    if !json {
      let delay = latencyMs == 0 ? "" : ", \(latencyMs) ms each way"
      Self.print(["\(app) against \(server)\(delay)"])
    }
    await clients.play(run)
    await transport.shutdown()
    await relay?.shutdown()
    let report = CompatibilityReport(
      app: app,
      server: "\(server)",
      latency: latencyMs,
      steps: run.steps
    )
    Self.print([json ? "\(report.json)" : report.summary])
    guard report.isPassed else { throw ExitCode(.negative) }
  }

  private func address() throws -> HTTPAddress {
    do throws(HTTPAddress.Invalid) {
      return try HTTPAddress(url.contains("://") ? url : "http://\(url)")
    } catch {
      throw ValidationError("\(error)")
    }
  }

  private func clients(_ script: any ClientScript.Type) throws -> any ClientScript {
    var values: [String: String] = [:]
    for setting in settings {
      guard let mark = setting.firstIndex(of: "=") else {
        throw ValidationError("--with \"\(setting)\" is not like name=value")
      }
      let name = String(setting[..<mark])
      guard script.settings[name] != nil else {
        let known = script.settings.keys.sorted().joined(separator: ", ")
        throw ValidationError("--with \(name): \(app) has \(known.isEmpty ? "no settings" : known)")
      }
      values[name] = String(setting[setting.index(after: mark)...])
    }
    do throws(ClientSettingError) {
      return try script.init(values)
    } catch {
      throw ValidationError("--with \(error)")
    }
  }

  /// The settings of all apps, for help.
  private static let settings = ClientScripts.all.filter { !$0.settings.isEmpty }.map { script in
    let lines = script.settings.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return "For \(script.name), \(lines.joined(separator: "; "))."
  }.joined(separator: " ")

  /// Writes lines; untrusted text from a server must not send control sequences to the terminal.
  private static func print(_ lines: [String]) {
    _ = Terminal.write(lines.map { Terminal.plain($0) + "\n" }.joined())
  }
}
