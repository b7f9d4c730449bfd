import ArgumentParser
import Commands
import ConditionalHTTP
import Foundation
import GTFS
import NIOTransport
import ServeSettings
import Serving
import StationboardServer
import Timetable

/// `freshet feeds`.
struct FeedsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "feeds",
    abstract: "Timetables that come by themselves: search, add, list, check, accept, remove.",
    discussion: """
      A running server asks the sources when they are due. A new timetable serves if passengers lose \
      few departures by it; otherwise it is held back until it is accepted.

        freshet feeds add https://example.org/gtfs.zip
        freshet feeds list
      """,
    subcommands: [
      FeedsSearchCommand.self, FeedsAddCommand.self, FeedsListCommand.self, FeedsCheckCommand.self,
      FeedsAcceptCommand.self, FeedsRollbackCommand.self, FeedsRemoveCommand.self,
      FeedsShareCommand.self,
    ]
  )

  /// Ends a command that failed.
  static func fail(_ name: String, _ reason: String, _ exit: ProgramExit) throws -> Never {
    throw CommandFailure("freshet feeds \(name): \(Terminal.plain(reason))", exit)
  }

  /// Does something to the timetables of a feed, for all servers if there is a database, and ends the command if it fails.
  ///
  /// - Parameters:
  ///   - name: The name of the command.
  ///   - choice: The feed.
  ///   - isJSON: Whether the command prints JSON, so that it shows no progress.
  ///   - work: The change; it ends the display before it prints.
  /// - Throws: `CommandFailure` if the change fails.
  static func change(
    _ name: String,
    _ choice: FeedChoice,
    isJSON: Bool,
    _ work: (TimetableSharing?, ProgressDisplay) async throws -> Void
  ) async throws {
    let display = ProgressDisplay(isHidden: isJSON)
    defer { display.finish() }
    do {
      try await SharedServices.withTimetables(
        choice.database,
        choice.data.folder,
        clock: choice.time.clock()
      ) { try await work($0, display) }
    } catch let error as FeedError {
      try fail(name, error.message, ProgramExit(error))
    }
  }

  /// Prints what came of a command: JSON if there is a value, else a sentence.
  static func report(_ value: (some Encodable)?, _ sentence: String) throws {
    Terminal.write(try value.map { try PrintedJSON.document($0) } ?? sentence)
  }

  /// Does something to the data folder, and ends the command if it fails.
  static func attempt<Result>(_ name: String, _ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch let error as FeedError {
      try fail(name, error.message, ProgramExit(error))
    }
  }
}

/// The options that say which feed.
struct FeedChoice: ParsableArguments {
  @Option(help: "The prefix of the feed's ids. Default: the feed without one.")
  var prefix: String?

  @OptionGroup var data: DataOption
  @OptionGroup var database: DatabaseOption
  @OptionGroup var time: ClockOptions

  var key: String { prefix ?? FeedManifest.defaultKey }

  /// Ends a command that would only make an empty folder: without a database it is for what the folder has.
  func requireKnown(by name: String) throws {
    guard try database.address(or: nil) == nil else { return }
    let folder = data.folder
    let isKnown = try FeedsCommand.attempt(name) {
      try folder.manifest().feed(key) != nil
        || StaticSourceList(of: folder).all.contains { $0.key == key }
    }
    guard !isKnown else { return }
    try FeedsCommand.fail(
      name,
      "\(folder.path): there is no feed and no source \(key)",
      .noInput
    )
  }

  func validate() throws { try Self.check(prefix: prefix) }

  /// Checks `--prefix`.
  ///
  /// - Throws: `ValidationError` if it is not the prefix of a feed.
  static func check(prefix: String?) throws {
    if let prefix, !FeedManifest.isPrefix(prefix) || prefix == FeedManifest.defaultKey {
      throw ValidationError("--prefix is 1 to 32 letters, digits, - and _")
    }
  }
}

/// `freshet feeds add`.
struct FeedsAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Fetch a timetable now, and again whenever it changes.",
    discussion: """
        freshet feeds add https://example.org/gtfs.zip
        freshet feeds add https://example.org/city.zip --prefix city --every 3600
      """
  )

  @Argument(
    help: "The address of a GTFS zip archive: http or https; an id if there is a --catalogue."
  )
  var url: String

  @OptionGroup var catalogue: CatalogueChoice

  @OptionGroup var choice: FeedChoice

  @Option(
    help: ArgumentHelp(
      "A field to send, 'Authorization: Bearer …'; may be given several times.",
      valueName: "field"
    )
  )
  var header: [String] = []

  @Option(help: ArgumentHelp("Seconds between two checks, 300 to 604800.", valueName: "seconds"))
  var every = StaticSource.usualInterval

  @Option(
    help: ArgumentHelp(
      "Percent of departures that a new timetable may lose.",
      valueName: "percent"
    )
  )
  var maxLost = StaticSource.usualLostShare * 100

  @Option(help: ImportCommand.maxRejectedHelp)
  var maxRejected: Double?

  @Option(help: ImportCommand.encodingHelp)
  var encoding: TextEncoding?

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    _ = try source()
    guard StaticFeedLimits.intervals.contains(every) else {
      throw ValidationError("--every is 300 to 604800 seconds")
    }
    guard (0...100).contains(maxLost) else {
      throw ValidationError("--max-lost is a percentage, 0 to 100")
    }
    guard (0...100).contains(maxRejected ?? 0) else {
      throw ValidationError("--max-rejected is a percentage, 0 to 100")
    }
  }

  /// The address, or that of the catalogue's entry.
  private func address() throws(WatchAddressError) -> String {
    guard catalogue.catalogue != nil else { return url }
    do throws(FeedError) {
      if let entry = try catalogue.read().entry(id: url) { return entry.address }
    } catch {
      throw WatchAddressError(error.message)
    }
    throw WatchAddressError(
      "\(url) is not in the catalogue; freshet feeds search shows what is"
    )
  }

  private func source() throws -> StaticSource {
    do throws(WatchAddressError) {
      return StaticSource(
        prefix: choice.prefix,
        request: try WatchAddress.request(try address(), fields: try WatchAddress.fields(header)),
        interval: every,
        maxLostShare: maxLost / 100,
        limit: maxRejected.map { RejectedRowLimit(share: $0 / 100) } ?? .usual,
        encoding: encoding
      )
    } catch {
      throw ValidationError(error.description)
    }
  }

  func run() async throws {
    let folder = choice.data.folder
    let source = try source()
    let checked = try await FeedsCheckCommand.check(source, choice, name: "add", isJSON: json)
    guard checked.isUsable else {
      if json { try FeedsCommand.report(checked, "") }
      try FeedsCommand.fail("add", "the source is not added", .negative)
    }
    try FeedsCommand.attempt("add") {
      try StaticSourceList.change(of: folder) { list throws(FeedError) in try list.add(source) }
    }
    try FeedsCommand.report(json ? checked : nil, "Added. A running server follows it.\n")
  }
}

/// `freshet feeds check`.
struct FeedsCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Ask the sources of a feed now, and say what came of it.",
    discussion: """
      Of realtime it says how much matches the timetable that serves, what does not and why. It fails if a source \
      fails, or if less than the set share of the trip updates matches.

        freshet feeds check
        freshet feeds check --prefix city --trip-updates https://example.org/trip-updates.pb
      """
  )

  @OptionGroup var choice: FeedChoice

  @Option(
    help: ArgumentHelp(
      "A configuration file whose sources are checked too.",
      valueName: "file"
    )
  )
  var config: String?

  @OptionGroup var realtime: CheckedRealtime

  @Flag(help: "Print JSON.")
  var json = false

  /// What came of all sources, as JSON.
  private struct Report: Encodable {
    var isGood: Bool
    var timetable: CheckedTimetable?
    var realtime: [CheckedRealtime.Finding]
  }

  func run() async throws {
    let file = try config.map { try ConfigurationFile(path: $0, for: "freshet feeds check") }
    var choice = choice
    choice.data.data = choice.data.data ?? file?.settings.data
    let folder = choice.data.folder
    let live = try realtime.sources(prefix: choice.prefix ?? "", besides: file)
    var sources = try file?.staticSources() ?? []
    sources += try FeedsCommand.attempt("check") { try StaticSourceList(of: folder).all }
    let source = sources.first { $0.key == choice.key }
    guard source != nil || !live.isEmpty else {
      try FeedsCommand.fail(
        "check",
        "\(folder.path): the feed \(choice.key) has no source",
        .noInput
      )
    }
    let clock = choice.time.clock()
    var timetable: CheckedTimetable?
    if let source {
      timetable = try await Self.check(source, choice, name: "check", isJSON: json)
    }
    let found = try await realtime.check(
      live,
      choice,
      settings: file?.settings,
      clock: clock,
      isJSON: json
    )
    let isGood = timetable?.isUsable != false && found.allSatisfy(\.isGood)
    if json {
      let report = Report(isGood: isGood, timetable: timetable, realtime: found)
      Terminal.write(try PrintedJSON.document(report))
    }
    guard isGood else { throw ExitCode(.negative) }
  }

  /// Asks a source and returns the result, which is printed unless it will be as JSON.
  static func check(
    _ source: StaticSource,
    _ choice: FeedChoice,
    name: String,
    isJSON: Bool
  ) async throws -> CheckedTimetable {
    let folder = choice.data.folder
    let clock = choice.time.clock()
    let transport = try NIOExchange()
    // A check by hand reports everything.
    let entry = try FeedsCommand.attempt(name) { try folder.manifest().feed(source.key) }
    let isBroken = entry.map { (try? Feed($0, in: folder)) == nil } ?? false
    var found: StaticCheck.Report?
    try await FeedsCommand.change(name, choice, isJSON: isJSON) { sharing, display in
      var check = StaticCheck(
        folder: folder,
        source: source,
        exchange: transport,
        clock: clock,
        sharing: sharing
      )
      if isBroken { check.brokenGeneration = entry?.generation }
      found = try await check.run(
        isForced: true,
        random: (Double.random(in: 0...1), Double.random(in: 0...1)),
        progress: { display.show($0) }
      )
    }
    await transport.shutdown()
    let kept = try FeedsCommand.attempt(name) { try folder.manifest().feed(source.key) }
    let held = kept.flatMap {
      ListedFeed.Generation.held($0, in: folder, maxLostShare: source.maxLostShare)
    }
    let checked = CheckedTimetable(key: source.key, found, held: held)
    if !isJSON { Terminal.write(checked.text) }
    return checked
  }
}
