import ArgumentParser
import Commands
import ConditionalHTTP
import Foundation
import Freshness
import FreshnessRuntime
import NIOTransport
import Stationboard
import StationboardClient
import TerminalText

/// `freshet board`.
struct BoardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "board",
    abstract: "Show the departures of a stop in the terminal.",
    discussion: """
      The stop is a name or an id. Of several stops with such a name you choose one; \
      without a terminal they are listed. The board stays and is \
      kept fresh by the engine: the server's stream brings changes where there is one, else it asks \
      every 20 seconds, shortly after the next realtime is expected. / searches another stop, f \
      filters by line or platform, r refreshes, a shows disruptions, ? helps, q leaves. Without \
      a terminal, the board is printed whenever it changes.

        freshet board Central
        freshet board Central --once --limit 5
        freshet board Central --server https://boards.example.org --json
      """
  )

  @Argument(parsing: .remaining, help: "A stop's name or id.")
  var stop: [String]

  @OptionGroup var server: ServerOption

  @Flag(help: "Print the board once and end.")
  var once = false

  @Flag(help: "Print one JSON object per change; with --once the server's answer.")
  var json = false

  @Option(help: ArgumentHelp("The most departures.", valueName: "count"))
  var limit = 20

  @Option(
    help: ArgumentHelp(
      "The language of names and words: fr, de, it or en. Default: that of $LANG.",
      valueName: "language"
    )
  )
  var lang: String?

  @Option(
    help: "How often and how patiently: departuresNative (20 s) or departuresWeb (15 s)."
  )
  var preset = PresetName.departuresNative

  @Option(help: ArgumentHelp("The interval, in place of the preset's.", valueName: "seconds"))
  var every: Double?

  @Flag(inversion: .prefixedNo, help: "Let the server's stream bring changes.")
  var stream = true

  @Option(
    help: ArgumentHelp(
      "Append a JSON line for each request to a file, for freshet-lab report.",
      valueName: "file"
    )
  )
  var record: String?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("End after this many seconds.", valueName: "seconds")
  )
  var duration: Double?

  /// The requested language, else that of the environment, else the feed's own names.
  private var language: String? {
    let environment = ProcessInfo.processInfo.environment
    let locale = environment["LC_ALL"] ?? environment["LC_MESSAGES"] ?? environment["LANG"]
    let tag = lang ?? String((locale ?? "").prefix(2))
    return ["fr", "de", "it", "en"].contains(tag) ? tag : nil
  }

  func validate() throws {
    guard !stop.joined().isEmpty else { throw ValidationError("which stop? A name or an id") }
    guard lang.map({ ["fr", "de", "it", "en"].contains($0) }) ?? true else {
      throw ValidationError("--lang is fr, de, it or en")
    }
    guard (1...500).contains(limit) else { throw ValidationError("--limit is 1 to 500") }
    if let every, !(0.2...86_400).contains(every) {
      throw ValidationError("--every is 0.2 to 86400 seconds")
    }
    if let duration, !(0.001...31_536_000).contains(duration) {
      throw ValidationError("--for is 0.001 to 31536000 seconds")
    }
    guard !once || record == nil else {
      throw ValidationError("--once makes one request: there is nothing to --record")
    }
  }

  /// The constants of the engine.
  private var constants: Policy {
    var policy = preset.policy
    if let every {
      let interval = Instant.Duration.milliseconds(Int64((every * 1_000).rounded()))
      policy.active = interval
      policy.recent = interval
      policy.idle = interval
      policy.leastInterval = min(policy.leastInterval, interval.percent(90))
      // The jitter for twenty seconds would exceed a short interval.
      if interval < .seconds(10) { policy.jitter = .share(10) }
    }
    if stream { policy.push = Policy.Push(heartbeat: .seconds(15)) }
    return policy
  }

  func run() async throws {
    let address = try server.address
    let exchange = try NIOExchange()
    do {
      let client = try BoardClient(server: address.description, exchange: exchange)
      let wanted = stop.joined(separator: " ")
      switch try await StopChoice.find(wanted, client, language: language) {
      case .stop(let id): try await show(id, client, exchange)
      case .several(let stops):
        guard let id = StopChoice.ask(wanted, stops) else {
          throw StationboardFailure(
            .refused,
            "several stops fit \"\(wanted)\"; name one by its id"
          )
        }
        try await show(id, client, exchange)
      case .none:
        throw StationboardFailure(.refused, "no stop fits \"\(wanted)\"")
      }
    } catch let error as StationboardFailure {
      let advice = ServerOption.advice(for: address)
      throw CommandFailure(
        "freshet board: \(Terminal.plain(error.description))"
          + (error.code == .unreachable ? advice : ""),
        ProgramExit(error)
      )
    }
  }

  private func printed(_ text: String) throws {
    guard Terminal.write(text) else {
      throw CommandFailure(
        "freshet board: the board cannot be written to standard output",
        .inputOutput
      )
    }
  }

  private func show(
    _ id: String,
    _ client: BoardClient,
    _ exchange: NIOExchange
  ) async throws {
    guard !once else { return try await showOnce(id, client) }
    let recording = try record.map { try RecordFile($0) }
    let resource = BoardResource(
      server: client.server,
      stop: id,
      limit: limit,
      language: language,
      constants: constants,
      streams: stream
    )
    let board = LiveBoard(
      resource,
      stops: client,
      transport: exchange,
      form: json ? .json : Terminal.canRedraw ? .screen : .plain,
      recording: recording,
      duration: duration
    )
    if let failure = await board.run() { throw failure }
  }

  private func showOnce(
    _ id: String,
    _ client: BoardClient
  ) async throws {
    if json {
      let body = try await client.boardJSON(stop: id, limit: limit, language: language)
      return try printed(String(decoding: body, as: UTF8.self) + "\n")
    }
    let board = try await client.board(stop: id, limit: limit, language: language)
    let text = BoardText(
      columns: Terminal.size.columns,
      colours: Terminal.colours,
      messages: BoardMessages(language)
    )
    let now = BoardInstant.read(board.meta.serverTime).map { Double($0.milliseconds) / 1_000 }
    let metadata = BoardResource.metadata(of: board.meta)
    let policy = Policy.departuresNative
    let label = FreshnessLabel(
      metadata: metadata,
      age: metadata.ageAtArrival ?? .zero,
      isKept: false,
      policy: policy
    )
    let report = FreshnessReport(once: label)
    let lines =
      text.lines(board, at: now ?? Date().timeIntervalSince1970)
      + ["", text.freshness(report, of: board, failure: nil), ""]
    try printed(lines.joined(separator: "\n"))
  }
}
