import ArgumentParser
import Commands
import HTTPTypes
import NIOTransport
import ServeSettings
import Serving
import StationboardServer

/// The realtime sources of `freshet feeds check`.
struct CheckedRealtime: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A GTFS-Realtime feed of trip updates to check too; may be given several times.",
      valueName: "url|file"
    )
  )
  var tripUpdates: [String] = []

  @Option(
    help: ArgumentHelp(
      "A GTFS-Realtime feed of alerts to check too, likewise.",
      valueName: "url|file"
    )
  )
  var alerts: [String] = []

  @Option(
    help: ArgumentHelp(
      "A GTFS-Realtime feed of vehicle positions to check too, likewise.",
      valueName: "url|file"
    )
  )
  var vehiclePositions: [String] = []

  @Option(
    help: ArgumentHelp(
      "A field to send to these sources; may be given several times.",
      valueName: "field"
    )
  )
  var feedHeader: [String] = []

  @Option(
    help: ArgumentHelp(
      "The percentage of the trip updates that must match a trip.",
      valueName: "percent"
    )
  )
  var leastMatched: Int?

  func validate() throws {
    try RealtimeOptions.check(leastMatched: leastMatched)
    _ = try sources(prefix: "", besides: nil)
  }

  /// Returns the realtime sources of a feed: those of the options, and those of a configuration.
  ///
  /// - Throws: `ValidationError` or `ExitCode` with the problem.
  func sources(prefix: String, besides file: ConfigurationFile?) throws -> [RealtimeSource] {
    let fields = try RealtimeOptions.fields(feedHeader)
    let sources = try [
      (RealtimeSource.Kind.tripUpdates, tripUpdates), (.alerts, alerts),
      (.vehiclePositions, vehiclePositions),
    ]
    .flatMap { kind, values in
      try values.map { try RealtimeOptions.source(kind, prefix: prefix, $0, fields) }
    }
    return try sources + (file?.sources(besides: sources) ?? []).filter { $0.prefix == prefix }
  }

  /// How a source fits the timetable that serves.
  struct Finding: Encodable {
    var kind: String
    var source: String
    var isGood: Bool
    var sentences: [String]
  }

  /// Asks sources and returns how they fit the timetable that serves, which is printed unless it will be as JSON.
  func check(
    _ sources: [RealtimeSource],
    _ choice: FeedChoice,
    settings: ServeSettings?,
    clock: ServiceClock,
    isJSON: Bool
  ) async throws -> [Finding] {
    guard !sources.isEmpty else { return [] }
    let folder = choice.data.folder
    let feed = try FeedsCommand.attempt("check") {
      try folder.manifest().feed(choice.key).map { try Feed($0, in: folder) }
    }
    guard let feed else {
      try FeedsCommand.fail(
        "check",
        "\(folder.path): the feed \(choice.key) has no timetable",
        .noInput
      )
    }
    let own = settings?.feeds.first { $0.prefix == choice.prefix ?? "" }?.leastMatchedPercent
    let least = leastMatched ?? own ?? MatchLimits.usualLeastPercent
    let transport = try NIOExchange()
    let display = ProgressDisplay(isHidden: isJSON)
    defer { display.finish() }
    var found: [Finding] = []
    for source in sources {
      display.show("fetching \(source.title)")
      let check = RealtimeCheck(source: source, exchange: transport, clock: clock)
      let result = await check.run(against: feed, leastPercent: least)
      display.finish()
      found.append(
        Finding(
          kind: source.kind.rawValue,
          source: source.title,
          isGood: result.isGood,
          sentences: result.sentences
        )
      )
      guard !isJSON else { continue }
      let word = result.isGood ? "ok" : "needs attention"
      Terminal.write("\(source.kind.rawValue) \(Terminal.plain(source.title)): \(word)\n")
      for line in result.sentences { Terminal.write("  \(Terminal.plain(line))\n") }
    }
    await transport.shutdown()
    return found
  }
}
