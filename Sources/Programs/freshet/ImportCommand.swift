import ArgumentParser
import Commands
import Foundation
import GTFS
import NIOTransport
import Serving
import StationboardServer
import Timetable

/// `freshet import`.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import a GTFS feed; a running server takes it over at once.",
    discussion: """
      The feed is read straight from the zip archive or folder, checked, and swapped in whole. If \
      anything is wrong, the feed that was serving before still serves, and the exit code is 65, or 66 \
      if the feed cannot be read. An address is downloaded once; freshet feeds add follows it. With a \
      database, all servers that share timetables through it take the new one over.

        freshet import gtfs.zip
        freshet import https://example.org/gtfs.zip --prefix city
        freshet import --verify
      """
  )

  @Argument(
    help: "A zip archive or a folder with GTFS files, or the URL of an archive."
  )
  var feed: String?

  @Option(
    help: ArgumentHelp(
      "A field to send to that server, 'Authorization: Bearer …'; may be given several times.",
      valueName: "field"
    )
  )
  var header: [String] = []

  @Option(help: "Put before all ids of the feed, with a colon, to serve several feeds at once.")
  var prefix: String?

  @OptionGroup var data: DataOption

  @OptionGroup var database: DatabaseOption

  @Option(
    help:
      "A CSV file of other ids and names of stops: alias,stop_id. Default: aliases.csv in the data folder."
  )
  var aliases: String?

  /// What `--max-rejected` is.
  static let maxRejectedHelp: ArgumentHelp = """
    Percent of malformed rows of a file above which it refuses the import. \
    (default: \(Int(RejectedRowLimit.usualShare * 100)), and more than \(RejectedRowLimit.usualRows) rows)
    """

  @Option(help: maxRejectedHelp)
  var maxRejected: Double?

  /// What `--encoding` is.
  static let encodingHelp: ArgumentHelp = """
    The encoding of the files, such as windows-1250 or ISO-8859-2. Default: what their bytes show.
    """

  @Option(help: encodingHelp)
  var encoding: TextEncoding?

  @Flag(help: "Print the closing report as JSON.")
  var json = false

  @Flag(help: "Check the timetables that serve, byte by byte, instead of importing.")
  var verify = false

  @Flag(help: "Take the feed (of --prefix) out of service instead of importing.")
  var remove = false

  func validate() throws {
    try FeedChoice.check(prefix: prefix)
    if remove {
      guard !verify else { throw ValidationError("--verify and --remove exclude each other") }
      guard feed == nil else {
        throw ValidationError("--remove takes a feed out of service; it takes no file")
      }
      return
    }
    guard verify != (feed != nil) else {
      throw ValidationError(
        verify
          ? "--verify checks what is imported; it takes no feed"
          : "no feed given: expected a zip archive, a folder or a URL"
      )
    }
    if let feed { _ = try FeedPlace(typed: feed, fields: header) }
    guard header.isEmpty || feed?.contains("://") == true else {
      throw ValidationError("--header is for the URL of a feed")
    }
    guard (0...100).contains(maxRejected ?? 0) else {
      throw ValidationError("--max-rejected is a percentage, 0 to 100")
    }
  }

  func run() async throws {
    let scratch = try feed.flatMap { feed in
      feed.contains("://") ? try ScratchFolder(command: "import") : nil
    }
    let signals = scratch?.removedAtEnd()
    defer {
      signals?.stop()
      scratch?.remove()
    }
    do {
      guard feed != nil || remove else { return try verifyAll() }
      let display = ProgressDisplay(isHidden: json)
      defer { display.finish() }
      try await SharedServices.withTimetables(database, data.folder, clock: ServiceClock()) {
        sharing in
        if remove {
          try await takeOut(sharing, display)
          display.finish()
          try FeedsCommand.report(
            json ? RemovedFeed(key: prefix ?? FeedManifest.defaultKey) : nil,
            "Removed. A running server stops serving it at once.\n"
          )
        } else if let feed {
          let report = try await run(try await path(feed, scratch, display), sharing, display)
          display.finish()
          Terminal.write(json ? ImportReportText.json(report) : ImportReportText.text(report))
        }
      }
    } catch let error as FeedError {
      let kept = "\nNothing was changed: what was serving before still serves."
      let isKept = feed != nil && error.code != .unknownOutcome && error.code != .notInPlace
      throw CommandFailure(
        "freshet import: \(Terminal.plain(error.message))" + (isKept ? kept : ""),
        ProgramExit(error)
      )
    }
  }

  /// Returns the path of the feed, which is downloaded into a folder if it is an address.
  private func path(
    _ feed: String,
    _ scratch: ScratchFolder?,
    _ display: ProgressDisplay
  ) async throws(FeedError) -> String {
    guard let scratch else { return feed }
    let place: FeedPlace
    let transport: NIOExchange
    do {
      place = try FeedPlace(typed: feed, fields: header)
      transport = try NIOExchange()
    } catch {
      throw FeedError(.unreadable, "\(FeedPlace.title(feed)): \(error)")
    }
    let path: String
    do throws(FeedError) {
      path = try await place.file(
        orDownloaded: scratch.path + "/feed.zip",
        by: transport,
        now: Date().timeIntervalSince1970,
        progress: { display.show($0) }
      )
    } catch {
      await transport.shutdown()
      throw FeedError(error.code, "\(FeedPlace.title(feed)): \(error.message)")
    }
    await transport.shutdown()
    return path
  }

  private func takeOut(
    _ sharing: TimetableSharing?,
    _ display: ProgressDisplay
  ) async throws(FeedError) {
    guard let sharing else { return try FeedImporter(folder: data.folder).remove(prefix: prefix) }
    let key = prefix ?? FeedManifest.defaultKey
    guard try await sharing.takeOut(key: key, progress: { display.show($0) }) else {
      throw FeedError(.unreadable, "the database has no feed \(key)")
    }
  }

  private func run(
    _ path: String,
    _ sharing: TimetableSharing?,
    _ display: ProgressDisplay
  ) async throws(FeedError) -> ImportReport {
    let importer = FeedImporter(
      folder: data.folder,
      limit: maxRejected.map { RejectedRowLimit(share: $0 / 100) } ?? .usual,
      encoding: encoding
    )
    let now = Date().timeIntervalSince1970
    guard let sharing else {
      return try importer.run(
        source: path,
        prefix: prefix,
        aliases: aliases,
        now: now,
        progress: { display.show($0) }
      )
    }
    return try await sharing.run(
      importer,
      source: path,
      prefix: prefix,
      aliases: aliases,
      now: now,
      progress: { display.show($0) }
    )
  }

  private func verifyAll() throws(FeedError) {
    let manifest = try data.folder.manifest()
    guard !manifest.feeds.isEmpty else {
      throw FeedError(.unreadable, "\(data.folder.path): no feed has been imported")
    }
    var feeds: [VerifiedFeed] = []
    let display = ProgressDisplay(isHidden: json)
    defer { display.finish() }
    for (number, entry) in manifest.feeds.enumerated() {
      display.show("checking", done: number, total: manifest.feeds.count, unit: .items("feeds"))
      let timetable = try Feed(entry, in: data.folder).timetable
      try timetable.check()
      let feed = VerifiedFeed(
        key: entry.key,
        generation: entry.generation,
        stops: timetable.stopCount,
        trips: timetable.tripCount,
        departures: timetable.departureCount
      )
      feeds.append(feed)
      guard !json else { continue }
      display.finish()
      Terminal.write(
        "\(feed.key) \(feed.generation): sound; \(feed.stops) stops,"
          + " \(feed.trips) trips, \(feed.departures) departures\n"
      )
    }
    if json { Terminal.write((try? PrintedJSON.document(feeds)) ?? "") }
  }
}

/// A feed that was taken out of service.
private struct RemovedFeed: Encodable {
  var key: String
}

/// A feed that was checked byte by byte and is sound.
private struct VerifiedFeed: Encodable {
  var key: String
  var generation: String
  var stops: Int
  var trips: Int
  var departures: Int
}

extension TextEncoding: ExpressibleByArgument {
  /// Reads the name of an encoding.
  public init?(argument: String) { self.init(name: argument) }

  /// The name.
  public var defaultValueDescription: String { name }

  /// The names that can be given.
  public static var allValueStrings: [String] { all.map(\.name) }
}
