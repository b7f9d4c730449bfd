import ArgumentParser
import Commands
import ConditionalHTTP
import FeedRecording
import Freshness
import FreshnessRuntime
import HTTPTypes
import NIOTransport

/// `freshet-lab record`.
struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record what a producer of realtime feeds answers, to replay it later.",
    discussion: """
      Appends every answer to a file: content, 304, error, or none at all, with the instant of its \
      arrival. Content that has not changed takes no room. The file survives a kill at any moment and \
      is continued by the next recording. Leave it with Ctrl-C. To see it again: \
      freshet serve --replay FILE.

        freshet-lab record --trip-updates https://example.org/trip-updates.pb --into day.recording
      """
  )

  @Option(
    help: ArgumentHelp(
      "The trip updates: an address, or a file that another program rewrites.",
      valueName: "url|file"
    )
  )
  var tripUpdates: String?

  @Option(help: ArgumentHelp("The service alerts: an address, or a file.", valueName: "url|file"))
  var alerts: String?

  @Option(
    help: ArgumentHelp("The vehicle positions: an address, or a file.", valueName: "url|file")
  )
  var vehiclePositions: String?

  @Option(help: ArgumentHelp("The file to append to.", valueName: "file"))
  var into: String

  @Option(
    help: ArgumentHelp(
      "A field to send with every request; it is not recorded. May be given several times.",
      valueName: "name: value"
    )
  )
  var header: [String] = []

  @Option(
    help: ArgumentHelp(
      "Seconds between two questions for trip updates, and for vehicle positions; 5 or more, 0.1 for servers on this machine and files.",
      valueName: "seconds"
    )
  )
  var tripUpdatesEvery = 15.0

  @Option(
    help: ArgumentHelp(
      "Seconds between two questions for alerts; 15 or more, 0.1 for servers on this machine and files.",
      valueName: "seconds"
    )
  )
  var alertsEvery = 60.0

  @OptionGroup var time: ClockOptions

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("End after this many seconds. Default: at Ctrl-C.", valueName: "seconds")
  )
  var duration: Double?

  func validate() throws {
    guard !into.isEmpty else { throw ValidationError("--into is the file to append to") }
    guard tripUpdates != nil || alerts != nil || vehiclePositions != nil else {
      throw ValidationError("say what to record: --trip-updates, --vehicle-positions or --alerts")
    }
    _ = try sources()
    if let duration, !(0.001...31_536_000).contains(duration) {
      throw ValidationError("--for is 0.001 to 31536000 seconds")
    }
  }

  /// Returns the sources to record.
  private func sources() throws -> [RecordSource] {
    do throws(WatchAddressError) {
      let fields = try WatchAddress.fields(header)
      var sources: [RecordSource] = []
      if let tripUpdates {
        sources.append(
          try RecordSource(.tripUpdates, tripUpdates, every: tripUpdatesEvery, fields: fields)
        )
      }
      if let alerts {
        sources.append(try RecordSource(.alerts, alerts, every: alertsEvery, fields: fields))
      }
      if let vehiclePositions {
        sources.append(
          try RecordSource(
            .vehiclePositions,
            vehiclePositions,
            every: tripUpdatesEvery,
            fields: fields
          )
        )
      }
      return sources
    } catch {
      throw ValidationError(error.description)
    }
  }

  func run() async throws {
    let sources = try sources()
    let writer: FeedRecording.Writer
    do throws(FeedRecording.Failure) {
      writer = try FeedRecording.Writer(path: into)
    } catch {
      try fail("\(error)")
    }
    if let torn = writer.tornTail { Terminal.complain("freshet-lab record: \(into): \(torn)\n") }
    let (happenings, source) = AsyncStream.makeStream(
      of: RecordExchange.Happening.self,
      bufferingPolicy: .bufferingNewest(1_024)
    )
    let transport = try NIOExchange()
    let exchange = RecordExchange(
      transport: transport,
      writer: writer,
      sources: sources,
      clock: time.clock(),
      report: { source.yield($0) }
    )
    let client = FreshnessClient(
      exchange: exchange,
      policy: RecordSource.policy(every: 15),
      clock: time.hostClock
    )
    let observations = sources.map { resource in
      Task { for await _ in client.snapshots(of: resource) {} }
    }
    let signals = EndSignals { source.finish() }
    defer { signals.stop() }
    let into = into
    Terminal.announce(
      "Recording \(sources.map(\.source.address).joined(separator: " and ")) into \(into); Ctrl-C ends it\n"
    )
    let limit = duration
    let ending = Task {
      guard let limit, (try? await Task.sleep(for: .seconds(limit))) != nil else { return }
      source.finish()
    }
    let (count, failure) = await Self.follow(happenings)
    ending.cancel()
    for observation in observations {
      observation.cancel()
      await observation.value
    }
    await transport.shutdown()
    if let failure { try fail("\(failure)") }
    let size = Quantity.bytes(Int(writer.count))
    Terminal.announce(
      "\(Quantity.count(count)) answers recorded, \(into) has \(size); freshet serve --replay \(into)\n"
    )
  }

  /// Prints what is recorded until the end.
  ///
  /// - Returns: The number of recorded responses, and the reason for an early end, or `nil`.
  private static func follow(
    _ happenings: AsyncStream<RecordExchange.Happening>
  ) async -> (count: Int, failure: FeedRecording.Failure?) {
    var answers = 0
    for await happening in happenings {
      switch happening {
      case .failed(let failure): return (answers, failure)
      case .recorded(let answer, let entry, let count):
        answers += 1
        // The reader is gone: a closed pipe is neither an error nor a reason to stop recording.
        Terminal.announce(RecordText.line(answer, entry, count))
      }
    }
    return (answers, nil)
  }

  private func fail(_ reason: String) throws -> Never {
    throw CommandFailure("freshet-lab record: \(reason)", .inputOutput)
  }
}
