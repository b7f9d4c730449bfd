import ArgumentParser
import Foundation
import NIOTransport
import Stationboard
import StationboardClient

/// `freshet board`.
struct BoardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "board",
    abstract: "Show the departures of a stop in the terminal.",
    discussion: """
      The stop is a name or an id. A name that fits several stops lists them. Without --once the \
      board stays and refreshes every 20 seconds; leave it with Ctrl-C.
      """
  )

  @Argument(parsing: .remaining, help: "A stop's name or id.")
  var stop: [String]

  @Option(help: "The server. Default: $FRESHET_SERVER, else http://127.0.0.1:8080.")
  var server: String?

  @Flag(help: "Print the board once and end.")
  var once = false

  @Flag(help: "Print the server's answer as JSON and end.")
  var json = false

  @Option(help: "The most departures.")
  var limit = 20

  @Option(help: "The language of names: fr, de, it or en. Default: that of $LANG.")
  var lang: String?

  /// The language asked for, else the one of the environment, else the feed's own names.
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
  }

  func run() async throws {
    let address =
      server ?? ProcessInfo.processInfo.environment["FRESHET_SERVER"] ?? "http://127.0.0.1:8080"
    let exchange = try NIOExchange()
    do throws(StationboardFailure) {
      let client = try StationboardClient(server: address, exchange: exchange)
      let wanted = stop.joined(separator: " ")
      switch try await StopChoice.find(wanted, client, language: language) {
      case .stop(let id): try await show(id, client)
      case .several(let stops):
        Terminal.complain(StopChoice.text(wanted, stops))
        throw StationboardFailure(.refused, "several stops fit \"\(wanted)\"; name one by its id")
      case .none:
        throw StationboardFailure(.refused, "no stop fits \"\(wanted)\"")
      }
    } catch {
      Terminal.complain("freshet board: \(Terminal.plain(error.description))\n")
      if error.code == .unreachable {
        Terminal.complain("Is the server running? Start it with: freshet serve\n")
      }
      throw ExitCode(1)
    }
  }

  private func printed(_ text: String) throws(StationboardFailure) {
    guard Terminal.write(text) else {
      throw StationboardFailure(.refused, "the board cannot be written to standard output")
    }
  }

  private func show(_ id: String, _ client: StationboardClient) async throws(StationboardFailure) {
    if json {
      let body = try await client.boardJSON(stop: id, limit: limit, language: language)
      try printed(String(decoding: body, as: UTF8.self) + "\n")
    } else if once {
      let board = try await client.board(stop: id, limit: limit, language: language)
      let text = BoardText(columns: Terminal.size.columns, hasColor: Terminal.hasColor)
      try printed(text.render(board, checkedAgo: 0, failure: nil))
    } else {
      await LiveBoard(client: client, stop: id, limit: limit, language: language).run()
    }
  }
}
