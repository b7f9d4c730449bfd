import ArgumentParser
import Commands
import FeedSimulation
import Foundation
import GTFS
import Logging
import Serving
import StationboardServer
import Timetable

/// `freshet-lab feed`.
struct FeedCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feed",
    abstract: "Publish a simulated realtime feed for an imported timetable.",
    discussion: """
      Trip updates and alerts as GTFS-Realtime, with delays that grow and recover, cancellations, \
      platform changes, extra trips and alerts in four languages. The same seed gives the same feed \
      at the same instant. The scenario chaos adds publications that are late, empty, truncated or \
      back-dated, server errors, slow answers and refusals.

        freshet-lab feed --scenario storm
        freshet serve --trip-updates http://127.0.0.1:8090/trip-updates.pb
      """
  )

  @Option(help: "The address to listen on.")
  var host = "127.0.0.1"

  @Option(help: "The port to listen on; 0 takes a free one.")
  var port = 8090

  @OptionGroup var data: DataOption

  @Option(
    help: "The feed to simulate, by its prefix; default for the one without. Default: the only one."
  )
  var feed: String?

  @Option(help: "How much goes wrong: calm, rush, storm, chaos.")
  var scenario = Scenario.calm

  @Option(help: "Another seed gives another day.")
  var seed: UInt64 = 1

  @OptionGroup var time: ClockOptions

  @Option(help: "Seconds between two publications of trip updates; alerts take four times as long.")
  var period = 15.0

  @Option(
    help: "Publish the trip updates in so many parts as well, trip-updates-1.pb and so on, 1 to 16."
  )
  var split = 1

  @Option(help: "How much to log: trace, debug, info, notice, warning, error, critical.")
  var logLevel: String = "notice"

  @Option(help: "The form of the log: text, json (one object a line).")
  var logFormat = LogFormat.text

  func validate() throws {
    guard (1...FeedShare.most).contains(split) else {
      throw ValidationError("--split is 1 to \(FeedShare.most)")
    }
    guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535") }
    guard Logger.Level(rawValue: logLevel) != nil else {
      throw ValidationError("--log-level \"\(logLevel)\" is not a level")
    }
    let periods = FeedWorld.periods
    let shortest = Double(periods.lowerBound) / 1_000
    let longest = Double(periods.upperBound) / 1_000
    guard (shortest...longest).contains(period) else {
      throw ValidationError(
        "--period is \(Quantity.plain(shortest)) to \(Quantity.plain(longest)) seconds"
      )
    }
  }

  func run() async throws {
    let level = Logger.Level(rawValue: logLevel) ?? .notice
    logFormat.start(level: level)
    let logger = Logger(label: "freshet")
    let budget = DescriptorBudget.raised()
    if let shortage = budget.shortage(DescriptorBudget.leastOfServer) {
      try fail(shortage, .system)
    }
    let store: FeedStore
    do throws(FeedError) {
      store = try FeedStore(folder: data.folder, logger: logger)
    } catch {
      try fail(error.message)
    }
    var options = FeedWorld.Options()
    options.scenario = scenario
    options.seed = seed
    options.period = Int64((period * 1_000).rounded())
    let stage = FeedStage(store: store, key: try key(in: store), options: options)
    guard let stage else {
      try fail("\(data.folder.path): the feed is gone from the data folder")
    }
    var limits = ServerLimits()
    limits.connections = budget.connections(limits.connections)
    let server = FeedServer(
      host: host,
      port: port,
      stage: stage,
      clock: time.clock(),
      logger: logger,
      listener: ServerListener(limits: limits),
      shares: split
    )
    do {
      try await server.run { port in announce(stage, port) }
    } catch {
      try fail("\(host):\(port): \(ListenFailure.text(error))", ListenFailure.exit(error))
    }
  }

  /// Returns the key of the simulated feed.
  private func key(in store: FeedStore) throws -> String {
    let keys = store.feeds.map(\.entry.key)
    let folder = data.folder.path
    guard !keys.isEmpty else {
      try fail(
        "\(folder): no timetable has been imported; run: freshet import FEED.zip --data \(folder)"
      )
    }
    guard let feed else {
      guard keys.count == 1 else {
        try fail(
          "\(folder): has \(keys.count) feeds; choose one: --feed \(keys.joined(separator: "|"))"
        )
      }
      return keys[0]
    }
    guard keys.contains(feed) else {
      try fail("\(folder): has no feed \"\(feed)\"; it has: \(keys.joined(separator: ", "))")
    }
    return feed
  }

  private func fail(_ reason: String, _ exit: ProgramExit = .noInput) throws -> Never {
    throw CommandFailure("freshet-lab feed: \(reason)", exit)
  }

  @Sendable
  private func announce(_ stage: FeedStage, _ port: Int) {
    let shown = host.contains(":") ? "[\(host)]" : host
    let address = "http://\(shown):\(port)"
    let timetable = stage.world.timetable
    var text =
      "Publishing \(address)/trip-updates.pb, \(address)/vehicle-positions.pb and \(address)/alerts.pb\n"
    text += "  \(scenario.rawValue), seed \(seed), every \(Quantity.plain(period)) s:"
    text += " \(timetable.metadata.publisher ?? "no publisher named"),"
    text += " \(timetable.firstDay) to \(timetable.lastDay)\n"
    text += "  as JSON: \(address)/trip-updates.json and so on\n"
    if split > 1 { text += "  in \(split) parts: \(address)/trip-updates-1.pb and so on\n" }
    text += "  the truth at a stop: \(address)/truth.json?stop=ID\n"
    Terminal.announce(text)
  }
}

extension Scenario: ExpressibleByArgument {}
