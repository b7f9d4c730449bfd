import ArgumentParser
import Commands
import Foundation
import Freshness
import FreshnessRuntime
import FreshnessTesting
import HTTPTypes
import NIOTransport
import Storage

/// `freshet watch`.
struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Keep any document on the web fresh, and print what changed and how old it is.",
    discussion: """
      Works against any server, with or without entity tags. It asks conditionally where it can, \
      obeys Retry-After, backs off while the server is down and keeps the last copy with its age. \
      Leave it with Ctrl-C. The exit code is 69 if no copy was received.

        freshet watch https://example.org/status.json
        freshet watch https://example.org/status.json --every 30 --json
      """
  )

  @Argument(help: "The address, such as https://example.org/status.json.")
  var address: String

  @Option(
    help:
      "How often and how patiently: \(PresetName.allCases.map(\.rawValue).joined(separator: ", "))."
  )
  var preset = PresetName.workspaces

  @Option(
    help: ArgumentHelp(
      "The constants from a JSON file, in place of a preset.",
      valueName: "file"
    )
  )
  var policy: String?

  @Option(
    help: ArgumentHelp(
      "The interval in seconds, in place of the preset's.",
      valueName: "seconds"
    )
  )
  var every: Double?

  @Option(
    help: ArgumentHelp(
      "A field to send with every request, 'Name: value'; may be given several times.",
      valueName: "field"
    )
  )
  var header: [String] = []

  @Option(
    help: ArgumentHelp(
      "The address of an event stream whose events say that the document changed.",
      valueName: "address"
    )
  )
  var events: String?

  @Flag(help: "Print JSON Lines: every request, every change with its differences, every failure.")
  var json = false

  @Flag(help: "Print each new body in full.")
  var body = false

  @Option(help: ArgumentHelp("Append a JSON line for each request to a file.", valueName: "file"))
  var record: String?

  @Option(
    help: ArgumentHelp(
      "End after this many changes; the first copy counts as one.",
      valueName: "count"
    )
  )
  var changes: Int?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("End after this many seconds.", valueName: "seconds")
  )
  var duration: Double?

  func validate() throws {
    _ = try document(preset.policy)
    if let changes, changes < 1 { throw ValidationError("--changes is 1 or more") }
    if let duration, !(0.001...31_536_000).contains(duration) {
      throw ValidationError("--for is 0.001 to 31536000 seconds")
    }
  }

  /// Reads the policy of the file, or returns that of the preset.
  private func chosenPolicy() throws -> Policy {
    guard let policy else { return preset.policy }
    func failure(_ reason: String, _ exit: ProgramExit) -> CommandFailure {
      CommandFailure(Terminal.plain("freshet watch: --policy \(policy): \(reason)"), exit)
    }
    let data: Data
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: policy))
      data = try file.readToEnd() ?? Data()
    } catch {
      throw failure("cannot be read: \(ErrorText.of(error, showsPath: false))", .noInput)
    }
    do {
      return try PolicyDocument(decoding: data).policy
    } catch {
      throw failure("\(error)", .badData)
    }
  }

  /// Returns the document to watch.
  ///
  /// - Parameter policy: The constants, except for those that options give.
  /// - Returns: The document.
  /// - Throws: `ValidationError` for an address or an interval that is not valid.
  private func document(_ policy: Policy) throws -> WatchedDocument {
    var constants = policy
    if let every {
      guard (0.2...86_400).contains(every) else {
        throw ValidationError("--every is 0.2 to 86400 seconds")
      }
      let interval = Instant.Duration.milliseconds(Int64((every * 1_000).rounded()))
      constants.active = interval
      constants.recent = interval
      constants.idle = interval
      constants.leastInterval = min(constants.leastInterval, interval.percent(90))
    }
    do throws(WatchAddressError) {
      let fields = try WatchAddress.fields(header)
      var stream: HTTPRequest?
      if let events {
        do throws(WatchAddressError) {
          stream = try WatchAddress.request(events, fields: fields)
        } catch {
          throw WatchAddressError("--events \(error.description)")
        }
        if constants.push == nil { constants.push = Policy.Push() }
      }
      let question = try WatchAddress.request(address, fields: fields)
      return WatchedDocument(question: question, constants: constants, events: stream)
    } catch {
      throw ValidationError(error.description)
    }
  }

  func run() async throws {
    let document = try document(chosenPolicy())
    let recording = try record.map { try RecordFile($0) }
    let (happenings, source) = AsyncStream.makeStream(
      of: Happening.self,
      bufferingPolicy: .bufferingNewest(4_096)
    )
    let newest = NewestSnapshot()
    let exchange = try NIOExchange()
    let client = FreshnessClient(
      exchange: exchange,
      streaming: exchange,
      policy: document.constants,
      recorder: { source.yield(.asked($0)) }
    )
    let observation = Task {
      var last: DocumentCopy?
      for await snapshot in client.snapshots(of: document) {
        source.yield(.seen(newest.put(snapshot)))
        // A document that has just changed is polled more often for a while (seed 003).
        if let last, let new = snapshot.value, new != last {
          for activity in [Activity.active, .quiet] { client.activity(activity, of: document) }
        }
        last = snapshot.value ?? last
      }
    }
    let ticking = Task {
      while (try? await Task.sleep(for: .seconds(1))) != nil { source.yield(.tick) }
    }
    let end = { @Sendable in
      newest.close()
      source.finish()
    }
    let signals = EndSignals { end() }
    defer { signals.stop() }
    let limit = duration
    let ending = Task {
      guard let limit, (try? await Task.sleep(for: .seconds(limit))) != nil else { return }
      end()
    }
    let printer: any WatchPrinting =
      json
      ? WatchLines(document: document, showsBody: body)
      : WatchText(document: document, showsBody: body)
    let outcome = await Self.follow(
      happenings,
      newest: newest,
      freshness: { client.freshness(of: document) },
      counters: { client.diagnostics(of: document)?.counters },
      changes: changes,
      printer: printer,
      recording: recording
    )
    for task in [observation, ticking, ending] { task.cancel() }
    // Connections that are still being made are not waited for: they end with the process.
    switch outcome {
    case .failed(let reason): throw CommandFailure("freshet watch: \(reason)", .inputOutput)
    case .ended(hasCopy: false):
      throw CommandFailure("freshet watch: \(address): no copy was received", .unavailable)
    case .ended, .unread: break
    }
  }

  /// How the printing of events ended.
  private enum Outcome {
    /// As asked for.
    case ended(hasCopy: Bool)
    /// The reader of the output is gone.
    case unread
    /// A file or the output could not be written.
    case failed(String)
  }

  /// Prints events until the end.
  private static func follow(
    _ happenings: AsyncStream<Happening>,
    newest: NewestSnapshot,
    freshness: () -> FreshnessReport?,
    counters: () -> Counters?,
    changes: Int?,
    printer: any WatchPrinting,
    recording: RecordFile?
  ) async -> Outcome {
    var printer = printer
    var seen = 0
    for await happening in happenings {
      if newest.isClosed { break }
      if case .asked(let record) = happening, let recording {
        do { try recording.write(record.line) } catch { return .failed("\(error)") }
      }
      let snapshot = happening.snapshot.flatMap { newest.removeSnapshot($0) }
      let printed = printer.text(
        happening,
        snapshot,
        freshness: freshness(),
        counters: counters() ?? Counters()
      )
      guard let text = printed else { continue }
      guard Terminal.write(text.text) else {
        // The reader is gone: a closed pipe is not an error. A full disk is.
        let reason = errno
        return reason == EPIPE
          ? .unread : .failed("standard output: \(String(cString: strerror(reason)))")
      }
      if text.isChange { seen += 1 }
      if let changes, seen >= changes { break }
    }
    if let end = printer.end(counters() ?? Counters()) { Terminal.write(end) }
    return .ended(hasCopy: newest.hasCopy)
  }
}

/// An event to print.
enum Happening: Sendable {
  /// A request ended.
  case asked(SampleRecord)
  /// A new snapshot is available from ``NewestSnapshot``.
  case seen(Int)
  /// A second passed.
  case tick

  /// The number of the snapshot that may be taken now.
  var snapshot: Int? { if case .seen(let number) = self { number } else { nil } }
}

/// Formats events.
protocol WatchPrinting {
  /// Formats an event, or returns `nil` if it is not worth printing.
  ///
  /// - Parameters:
  ///   - happening: The event.
  ///   - snapshot: The newest snapshot, if it was not printed yet.
  ///   - freshness: How fresh the document is now.
  ///   - counters: The engine's counters so far.
  /// - Returns: The text.
  mutating func text(
    _ happening: Happening,
    _ snapshot: LiveSnapshot<DocumentCopy>?,
    freshness: FreshnessReport?,
    counters: Counters
  ) -> WatchMessages?
  /// Returns the final output.
  mutating func end(_ counters: Counters) -> String?
}

/// A text, and whether it reports a new copy.
struct WatchMessages {
  /// The text, with line ends.
  var text: String
  /// Whether the copy changed.
  var isChange = false
}
