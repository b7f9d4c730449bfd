import ArgumentParser
import Commands
import Foundation
import GTFS
import HTTPTypes
import NIOTransport
import ServeSettings
import StationboardServer
import Storage

/// `freshet doctor`.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract:
      "Look at a server before it runs, or at a feed, and say what is wrong and what to do.",
    discussion: """
      Without a feed it looks at what freshet serve needs: clock, disk, rights of folders, open files, port, certificate, \
      database, timetables, and whether sources answer and realtime fits. Each is a line with ok, warn or fail. \
      With a feed it says what passengers would get of that; the feed is imported into a temporary folder. \
      Nothing that serves is touched.

        freshet doctor --config /etc/freshet/freshet.json
        freshet doctor gtfs.zip
        freshet doctor https://example.org/gtfs.zip https://example.org/trip-updates.pb
        freshet doctor gtfs.zip --html report.html

      The exit code is 0 if nothing fails and passengers lose nothing, 1 if something fails, if they lose something or realtime does not fit, \
      65 if nothing of the feed serves, 66 if the feed or the configuration file cannot be read, 73 if a file cannot be written, \
      78 if the configuration file is not one. What freshet serve would refuse of a configuration that can be read is a line \
      with fail, and 1.
      """
  )

  @Argument(
    help: ArgumentHelp(
      "A zip archive or a folder with GTFS files, or the URL of an archive.",
      valueName: "feed"
    )
  )
  var feed: String?

  @Argument(
    help: ArgumentHelp(
      "GTFS-Realtime feeds, each of trip updates, vehicle positions, alerts, or several of these.",
      valueName: "realtime"
    )
  )
  var realtime: [String] = []

  @Option(
    help: ArgumentHelp("The configuration file of the server to look at.", valueName: "file")
  )
  var config: String?

  @OptionGroup var data: DataOption

  @Option(help: ImportCommand.encodingHelp)
  var encoding: TextEncoding?

  @Option(
    help: ArgumentHelp(
      "A field to send, 'Authorization: Bearer …'; may be given several times.",
      valueName: "field"
    )
  )
  var header: [String] = []

  @Option(
    help: ArgumentHelp(
      "A field to send to the realtime feeds; may be given several times.",
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
  var leastMatched = MatchLimits.usualLeastPercent

  @Option(help: ArgumentHelp("Write the diagnosis as a page too.", valueName: "file"))
  var html: String?

  @Flag(help: "Print the diagnosis as JSON.")
  var json = false

  @OptionGroup var time: ClockOptions

  func validate() throws {
    try RealtimeOptions.check(leastMatched: leastMatched)
    guard let feed else {
      guard html == nil, encoding == nil, header.isEmpty, feedHeader.isEmpty else {
        throw ValidationError(
          "--html, --encoding, --header and --feed-header are for a feed; name it"
        )
      }
      return
    }
    guard config == nil, data.data == nil else {
      throw ValidationError("--config and --data are for a server; leave the feed out, or them")
    }
    _ = try FeedPlace(typed: feed, fields: header)
    _ = try sources()
  }

  private func sources() throws -> [FeedDoctor.Realtime] {
    let fields = try RealtimeOptions.fields(feedHeader)
    return try realtime.map {
      FeedDoctor.Realtime(
        try RealtimeOptions.source(.tripUpdates, prefix: "", $0, fields),
        title: FeedPlace.title($0)
      )
    }
  }

  func run() async throws {
    if let feed { try await examine(feed) } else { try await examineServer() }
  }

  private func examineServer() async throws {
    let file = try config.map { try ConfigurationFile(path: $0, for: "freshet doctor") }
    let transport = try NIOExchange()
    var doctor = ServerDoctor(
      file: file,
      data: data,
      exchange: transport,
      clock: time.clock()
    )
    let display = ProgressDisplay(isHidden: json)
    let checkup = await doctor.examine { display.show($0) }
    display.finish()
    await transport.shutdown()
    Terminal.write(json ? try PrintedJSON.document(CheckupReport(checkup)) : checkup.text)
    if !checkup.isGood { throw ExitCode(.negative) }
  }

  private func examine(_ feed: String) async throws {
    let scratch = try ScratchFolder(command: "doctor")
    defer { scratch.remove() }
    let signals = scratch.removedAtEnd()
    defer { signals.stop() }
    let transport = try NIOExchange()
    let doctor = FeedDoctor(
      folder: DataFolder(path: scratch.path),
      exchange: transport,
      clock: time.clock()
    )
    let place = try FeedPlace(typed: feed, fields: header)
    let sources = try sources()
    let display = ProgressDisplay(isHidden: json)
    defer { display.finish() }
    let diagnosis: FeedDiagnosis
    do throws(FeedError) {
      diagnosis = try await doctor.examine(
        place,
        title: FeedPlace.title(feed),
        encoding: encoding,
        realtime: sources,
        leastPercent: leastMatched,
        progress: { display.show($0) }
      )
    } catch {
      throw CommandFailure("freshet doctor: \(Terminal.plain(error.message))", ProgramExit(error))
    }
    display.finish()
    await transport.shutdown()
    if let html {
      do {
        try Data(DiagnosisPage(diagnosis).text.utf8).write(to: URL(fileURLWithPath: html))
      } catch {
        throw CommandFailure(
          "freshet doctor: --html \(html): \(ErrorText.of(error, showsPath: false))",
          .cannotCreate
        )
      }
    }
    Terminal.write(json ? DiagnosisText.json(diagnosis) : DiagnosisText.text(diagnosis))
    if diagnosis.facts == nil { throw ExitCode(.badData) }
    if !diagnosis.isGood { throw ExitCode(.negative) }
  }
}
