import ArgumentParser
import Commands
import Foundation
import GTFS
import StationboardServer
import Timetable

/// `freshet import`.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import a GTFS feed; a running server takes it over at once.",
    discussion: """
      The feed is read straight from the zip archive or folder, checked, and swapped in whole. If \
      anything is wrong, the feed that was serving before still serves, and the exit code is 65, or 66 \
      if the feed cannot be read.
      """
  )

  @Argument(help: "A zip archive or a folder with GTFS files.")
  var feed: String?

  @Option(help: "Put before all ids of the feed, with a colon, to serve several feeds at once.")
  var prefix: String?

  @OptionGroup var data: DataOption

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
    if remove {
      guard feed == nil, !verify else {
        throw ValidationError("--remove takes a feed out of service; it takes no file")
      }
      return
    }
    guard verify != (feed != nil) else {
      throw ValidationError(
        verify
          ? "--verify checks what is imported; it takes no feed" : "which feed? A zip or a folder"
      )
    }
    guard (0...100).contains(maxRejected ?? 0) else {
      throw ValidationError("--max-rejected is a percentage, 0 to 100")
    }
  }

  func run() throws {
    do throws(FeedError) {
      if remove {
        try FeedImporter(folder: data.folder).remove(prefix: prefix)
        Terminal.write("Removed. A running server stops serving it at once.\n")
        return
      }
      guard let feed else { return try verifyAll() }
      let printer = ProgressPrinter(isBar: Terminal.showsProgress)
      let importer = FeedImporter(
        folder: data.folder,
        limit: maxRejected.map { RejectedRowLimit(share: $0 / 100) } ?? .usual,
        encoding: encoding
      )
      let report: ImportReport
      do throws(FeedError) {
        report = try importer.run(
          source: feed,
          prefix: prefix,
          aliases: aliases,
          now: Date().timeIntervalSince1970,
          progress: { printer.show($0) }
        )
      } catch {
        printer.finish()
        throw error
      }
      printer.finish()
      if json {
        Terminal.write(ImportReportText.json(report))
      } else {
        Terminal.write(ImportReportText.text(report))
      }
    } catch {
      let kept = "\nNothing was changed: what was serving before still serves."
      throw CommandFailure(
        "freshet import: \(Terminal.plain(error.message))" + (feed == nil ? "" : kept),
        ProgramExit(error)
      )
    }
  }

  private func verifyAll() throws(FeedError) {
    let manifest = try data.folder.manifest()
    guard !manifest.feeds.isEmpty else {
      throw FeedError(.unreadable, "\(data.folder.path): no feed has been imported")
    }
    for entry in manifest.feeds {
      let feed = try Feed(entry, in: data.folder)
      try feed.timetable.check()
      Terminal.write(
        "\(entry.key) \(entry.generation): sound; \(feed.timetable.stopCount) stops,"
          + " \(feed.timetable.tripCount) trips, \(feed.timetable.departureCount) departures\n"
      )
    }
  }
}

extension TextEncoding: ExpressibleByArgument {
  /// Reads the name of an encoding.
  public init?(argument: String) { self.init(name: argument) }

  /// The name.
  public var defaultValueDescription: String { name }

  /// The names that can be given.
  public static var allValueStrings: [String] { all.map(\.name) }
}
