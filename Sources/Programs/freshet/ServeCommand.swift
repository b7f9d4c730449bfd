import ArgumentParser
import Commands
import Logging
import NIOTransport
import ServeSettings
import Serving
import StationboardServer
import Timetable

/// `freshet serve`.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve boards over HTTP: the API, the web board, and stop search.",
    discussion: """
        freshet serve --trip-updates https://example.org/trip-updates.pb
        freshet serve --workspaces ~/src --jobs ~/freshet-jobs
        freshet serve --config /etc/freshet/freshet.json
      """
  )

  @Option(
    help: ArgumentHelp(
      "A configuration file; what is given here wins over it.",
      valueName: "file"
    )
  )
  var config: String?

  @Option(help: "The address to listen on. Default: 127.0.0.1.")
  var host: String?

  @Option(help: "The port to listen on; 0 takes a free one. Default: 8080.")
  var port: Int?

  @OptionGroup var tls: TLSOptions

  @OptionGroup var proxies: ProxyOptions

  @OptionGroup var operation: OperationOptions

  @OptionGroup var data: DataOption

  @OptionGroup var realtime: RealtimeOptions

  @OptionGroup var time: ClockOptions

  @OptionGroup var jobs: JobsOptions

  @OptionGroup var database: DatabaseOption

  @OptionGroup var workspaces: WorkspaceOptions

  @Option(
    help: ArgumentHelp(
      "A file with a secret: boards carry receipts, by which freshet-lab report can tell recordings from forgeries.",
      valueName: "file"
    )
  )
  var receiptKey: String?

  @Option(
    help: ArgumentHelp(
      "The APIs of other apps to serve as well: \(Dialect.names).",
      valueName: "names"
    ),
    completion: .list(Dialect.allCases.map(\.rawValue)),
    transform: DialectList.init
  )
  var speak: DialectList?

  @Option(help: "An origin whose pages may read the API, https://example.org. Default: any.")
  var allowOrigin: [String] = []

  @Option(
    help: "How much to log: trace, debug, info, notice, warning, error, critical. Default: info.",
    completion: .list(ServeSettings.logLevels)
  )
  var logLevel: String?

  @Option(help: "The form of the log: text, json (one object a line). Default: text.")
  var logFormat: LogFormat?

  func validate() throws {
    guard (0...65_535).contains(port ?? 0) else { throw ValidationError("--port is 0 to 65535") }
    for origin in allowOrigin where !ServeSettings.isOrigin(origin) {
      throw ValidationError(
        "--allow-origin \"\(origin)\" is not an origin; expected one like https://example.org"
      )
    }
    if let logLevel, Logger.Level(rawValue: logLevel) == nil {
      throw ValidationError("--log-level \"\(logLevel)\" is not a level")
    }
  }

  func run() async throws {
    let file = try config.map { try ConfigurationFile(path: $0) }
    let settings = file?.settings
    let level = (logLevel ?? settings?.logLevel).flatMap { Logger.Level(rawValue: $0) } ?? .info
    (logFormat ?? settings?.logFormat.flatMap { LogFormat(rawValue: $0) } ?? .text)
      .start(level: level)
    CertificateWatch.ignoreHangup(isSecure: tls.isAsked(or: settings))
    let transport = try NIOExchange()
    let composition: ServerComposition
    do {
      composition = try await ServerComposition(self, file, ServerEdges(exchange: transport))
    } catch {
      await transport.shutdown()
      throw error
    }
    do {
      try await composition.run { announce(composition, port: $0) }
      await transport.shutdown()
    } catch {
      await transport.shutdown()
      throw error
    }
  }

  private func announce(_ composition: ServerComposition, port: Int) {
    let server = composition.server
    let shown = server.host.contains(":") ? "[\(server.host)]" : server.host
    let scheme = server.listener.certificate == nil ? "http" : "https"
    var text = "Serving \(scheme)://\(shown):\(port)/\n"
    if let socket = server.socket { text = "Serving on the socket \(socket)\n" }
    for feed in server.store.feeds {
      let timetable = feed.timetable
      text += "  feed \(feed.entry.key): \(timetable.metadata.publisher ?? "no publisher named"),"
      text += " \(Quantity.count(timetable.stopCount)) stops,"
      text += " \(timetable.firstDay) to \(timetable.lastDay)\n"
    }
    if server.store.feeds.isEmpty {
      text += "  no timetable yet; import one with: freshet import FEED.zip"
      text += " --data \(composition.folder.path)\n"
    }
    text += composition.replays.announcement
    Terminal.announce(text)
    composition.workspaces.announce()
  }
}
