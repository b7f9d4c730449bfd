import ArgumentParser
import Commands
import Foundation
import Jobs
import JobsClient
import StrictJSON
import TerminalText
import TolerantDecoding

/// `freshet jobs list`.
struct JobsListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the jobs that were started from here, with their states."
  )

  @OptionGroup var server: JobServerOptions

  func run() async throws {
    try await server.withClient("list") { client in
      let entries = try server.box.entries().filter { $0.server == server.server }
      if entries.isEmpty { Terminal.write("No job was started from here on \(server.server).\n") }
      var rows: [[String]] = []
      for entry in entries {
        let state: String
        do throws(JobClientFailure) {
          let answer = try await client.state(entry.ticket)
          let percent = Int(answer.progress.fraction * 100)
          state = "\(answer.state?.rawValue ?? "?") \(percent) %"
        } catch {
          if case .unreachable = error { throw error }
          state = "\(error)"
        }
        let started = String(JobInstant.text(entry.startedAt).prefix(16)).replacing("T", with: " ")
        rows.append([
          String(entry.ticket.job.prefix(8)), started, Self.word(entry.pipeline), state, entry.name,
        ])
      }
      for line in Self.table(rows) { Terminal.write(line + "\n") }
    }
  }

  /// Returns the subcommand that starts such a job.
  private static func word(_ pipeline: String) -> String {
    switch pipeline {
    case "csv_import": "import"
    case "batch_enrichment": "enrich"
    case "ai_scan": "scan"
    default: pipeline
    }
  }

  /// Returns rows in columns; on a terminal, cut to its width.
  private static func table(_ rows: [[String]]) -> [String] {
    let cells = rows.map { $0.map { Terminal.plain($0) } }
    let widths = (0..<4).map { column in
      cells.map { Terminal.width(of: $0[column]) }.max() ?? 0
    }
    let columns = Terminal.isInteractive ? Terminal.size.columns - 1 : nil
    return cells.map { cells in
      let columnsBefore = zip(cells, widths).map { Terminal.fit($0.0, $0.1) }
      let line = (columnsBefore + cells.suffix(1)).joined(separator: "  ")
      return columns.map { TerminalText.trimmed(Terminal.fit(line, $0)) } ?? line
    }
  }
}

/// `freshet jobs watch`.
struct JobsWatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Follow a job to its end, whatever happens to connections in between."
  )

  @Argument(help: "The job, or the beginning of its id. Default: the newest.")
  var job: String?

  @Flag(help: "Write the messages as JSON lines.")
  var json = false

  @OptionGroup var server: JobServerOptions

  func run() async throws {
    try await server.withJob("watch", job) { client, entry in
      try await JobWatching(client: client, entry: entry, box: server.box, isJSON: json).run()
    }
  }
}

/// `freshet jobs cancel`.
struct JobsCancelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Ask a job to stop; what it did so far stays."
  )

  @Argument(help: "The job, or the beginning of its id. Default: the newest.")
  var job: String?

  @OptionGroup var server: JobServerOptions

  func run() async throws {
    try await server.withJob("cancel", job) { client, entry in
      try await client.cancel(entry.ticket)
      Terminal.write("\(entry.ticket.job.prefix(8)) is asked to stop\n")
    }
  }
}

/// `freshet jobs results`.
struct JobsResultsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "results",
    abstract: "Show what became of each row, book or photo."
  )

  @Argument(help: "The job, or the beginning of its id. Default: the newest.")
  var job: String?

  @Option(help: "Only results with this outcome, such as failed.")
  var outcome: String?

  @Flag(help: "Write results as JSON lines.")
  var json = false

  @Flag(help: "Write the failed rows as a table that can be corrected and imported again.")
  var failedRows = false

  @OptionGroup var server: JobServerOptions

  func validate() throws {
    if let outcome, JobOutcome(rawValue: outcome) == nil {
      let known = JobOutcome.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--outcome \"\(outcome)\" is not one of \(known)")
    }
  }

  func run() async throws {
    try await server.withJob("results", job) { client, entry in
      if failedRows {
        let bytes = try await client.failedRows(entry.ticket)
        FileHandle.standardOutput.write(Data(bytes))
        return
      }
      var after: Int?
      repeat {
        let page = try await client.results(
          entry.ticket,
          outcome: outcome.flatMap { JobOutcome(rawValue: $0) },
          after: after
        )
        for result in page.items.elements {
          let line =
            json ? String(decoding: result.raw.bytes, as: UTF8.self) : JobText.line(result)
          Terminal.write(line + "\n")
        }
        after = page.next
      } while after != nil
    }
  }
}
