import ArgumentParser
import Commands
import Foundation
import GTFS
import NIOTransport
import StationboardServer

/// `freshet report`.
struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Say how punctual lines were, and how much of them realtime covered.",
    discussion: """
        freshet report line 42
      """,
    subcommands: [LineReportCommand.self]
  )
}

/// `freshet report line`.
struct LineReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "line",
    abstract: "Report the punctuality of a line, day by day.",
    discussion: """
      The numbers are those of the server's history: each planned departure by the last word before it, \
      which is a prediction unless the source also tells departures of the past.

        freshet report line 42
        freshet report line 42 --day 2026-11-25 --agency "City Buses"
        freshet report line 42 --from 2026-11-01 --to 2026-11-25 --csv

      If lines of several agencies have the name, the command asks which on a terminal, and lists them elsewhere.

      The exit code is 1 if nothing was counted of such a line, or none of several agencies is chosen; 66 if the file cannot be read, \
      69 if the server does not respond, 64 for wrong options.
      """
  )

  @Argument(help: "The name of the line, as boards show it, or its route_id.")
  var line: String

  @Option(help: "The day, YYYY-MM-DD. Default: today.")
  var day: String?

  @Option(help: ArgumentHelp("The first day, YYYY-MM-DD.", valueName: "day"))
  var from: String?

  @Option(help: ArgumentHelp("The last day, YYYY-MM-DD. Default: today.", valueName: "day"))
  var to: String?

  @Option(help: "The agency, where several have a line of this name.")
  var agency: String?

  @OptionGroup var server: ServerOption

  @Option(
    help: ArgumentHelp(
      "Read the history of a data folder instead of asking a server.",
      valueName: "folder"
    )
  )
  var data: String?

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Print CSV, a row for each day.")
  var csv = false

  func validate() throws {
    guard !line.isEmpty, line.count <= HistoryLimits.longestName else {
      throw ValidationError("a line has 1 to \(HistoryLimits.longestName) characters")
    }
    guard day == nil || from == nil && to == nil else {
      throw ValidationError("either --day, or --from and --to")
    }
    guard to == nil || from != nil else { throw ValidationError("--to needs --from") }
    for (name, text) in [("day", day), ("from", from), ("to", to)] {
      guard text.map({ ServiceDate($0) != nil }) ?? true else {
        throw ValidationError("--\(name) \"\(text ?? "")\" is not a day like 2026-11-25")
      }
    }
    if let first = from.flatMap({ ServiceDate($0) }), let last = to.flatMap({ ServiceDate($0) }),
      first > last
    {
      throw ValidationError("--from is after --to")
    }
    guard !json || !csv else { throw ValidationError("either --json or --csv") }
    guard server.named == nil || data == nil else {
      throw ValidationError("either --server or --data")
    }
  }

  func run() async throws {
    do {
      let source = try LineReportSource(server: server, data: data)
      defer { Task { await source.close() } }
      let display = ProgressDisplay(isHidden: json)
      defer { display.finish() }
      display.show("looking for the line")
      let found = try await source.lines(line, from: from ?? day, to: to ?? day)
      var lines = found.filter { entry in
        agency.map { $0.lowercased() == (entry.operator ?? "").lowercased() } ?? true
      }
      guard !lines.isEmpty else { throw LineReportError(missing(found)) }
      if agencies(of: lines).count > 1 {
        display.finish()
        lines = try chosen(lines)
      }
      let report = LineReport(
        try await source.days(of: lines, from: from ?? day, to: to ?? day) { done in
          display.show("adding up", done: done, total: lines.count, unit: .items("routes"))
        },
        lines
      )
      display.finish()
      if json {
        Terminal.write(try report.json)
      } else if csv {
        Terminal.write(report.csv)
      } else {
        Terminal.write(LineReportText(report, columns: Terminal.size.columns).text)
      }
    } catch let error as LineReportError {
      throw CommandFailure("freshet report line: \(error.description)", error.exit)
    }
  }

  private func missing(_ found: [LineName]) -> String {
    let days = day ?? from.map { "\($0) to \(to ?? "today")" } ?? "today"
    guard let agency, !found.isEmpty else {
      return "nothing was counted of a line \"\(Terminal.plain(line))\" (\(days))"
    }
    return "no line \"\(Terminal.plain(line))\" of \"\(Terminal.plain(agency))\"; " + choices(found)
  }

  /// Asks the person which of several agencies is meant; without a terminal, they are listed.
  private func chosen(_ lines: [LineName]) throws -> [LineName] {
    guard TerminalChoice.isPossible else { throw LineReportError(choices(lines)) }
    let agencies = agencies(of: lines)
    let width = min(48, agencies.map { Terminal.width(of: $0.name) }.max() ?? 0)
    let choice = TerminalChoice.ask(
      "Several agencies have a line \"\(Terminal.plain(line))\":",
      agencies.map { "\(Terminal.fit(Terminal.plain($0.name), width))  \($0.routes)" }
    )
    guard let choice else {
      throw LineReportError("no agency was chosen; name one with --agency")
    }
    return lines.filter { ($0.operator ?? "") == agencies[choice].name }
  }

  /// The agencies of lines in order, each with some of its routes.
  private func agencies(of lines: [LineName]) -> [(name: String, routes: String)] {
    Set(lines.map { $0.operator ?? "" }).sorted().map { agency in
      let routes = lines.filter { ($0.operator ?? "") == agency }.map(\.routeID).sorted()
      let shown = routes.prefix(3).joined(separator: ", ") + (routes.count > 3 ? ", …" : "")
      return (agency, Terminal.plain(shown))
    }
  }

  private func choices(_ lines: [LineName]) -> String {
    let agencies = agencies(of: lines)
    let list = agencies.map { "  --agency \"\(Terminal.plain($0.name))\"   (\($0.routes))" }
    return "\(agencies.count == 1 ? "there is" : "several agencies have") a line "
      + "\"\(Terminal.plain(line))\"; name one, or its route_id:\n" + list.joined(separator: "\n")
  }
}
