import ArgumentParser
import Commands
import ConditionalHTTP
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
    abstract: "List the jobs that were started from here, with their states.",
    discussion: """
        freshet jobs list
        freshet jobs list --server https://books.example.org --json
      """
  )

  @OptionGroup var server: JobServerOptions

  @Flag(help: "Print JSON.")
  var json = false

  /// A job as JSON.
  private struct Listed: Encodable {
    var job: String
    var kind: String
    var name: String
    var startedAt: String
    var state: String?
    /// From 0 to 1.
    var fraction: Double?
    var error: String?
  }

  func run() async throws {
    try await server.withClient("list") { client in
      let address = try server.address.description
      let entries = try server.tokenStore.entries().filter { $0.server == address }
      var jobs: [Listed] = []
      for entry in entries {
        var job = Listed(
          job: entry.credential.job,
          kind: Self.word(entry.pipeline),
          name: entry.name,
          startedAt: JobInstant.text(entry.startedAt)
        )
        do throws(JobClientFailure) {
          let answer = try await client.state(entry.credential)
          (job.state, job.fraction) = (answer.state?.rawValue, answer.progress.fraction)
        } catch {
          if case .unreachable = error { throw error }
          job.error = "\(error)"
        }
        jobs.append(job)
      }
      if json {
        Terminal.write(try PrintedJSON.document(jobs))
        return
      }
      if jobs.isEmpty { Terminal.write("No job was started from here on \(address).\n") }
      for line in Self.table(jobs.map(Self.row)) { Terminal.write(line + "\n") }
    }
  }

  private static func row(_ job: Listed) -> [String] {
    let percent = Int((job.fraction ?? 0) * 100)
    let started = String(job.startedAt.prefix(16)).replacing("T", with: " ")
    let state = job.error ?? "\(job.state ?? "?") \(percent) %"
    return [String(job.job.prefix(8)), started, job.kind, state, job.name]
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
    abstract: "Follow a job to its end, whatever happens to connections in between.",
    discussion: """
        freshet jobs watch
        freshet jobs watch 3fa85f64 --json
      """
  )

  @Argument(help: "The job, or the beginning of its id. Default: the newest.")
  var job: String?

  @Flag(help: "Write the messages as JSON lines.")
  var json = false

  @OptionGroup var server: JobServerOptions

  func run() async throws {
    try await server.withJob("watch", job) { client, entry in
      try await JobWatching(
        client: client,
        entry: entry,
        tokenStore: server.tokenStore,
        isJSON: json
      ).run()
    }
  }
}

/// `freshet jobs cancel`.
struct JobsCancelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel",
    abstract: "Ask a job to stop; what it did so far stays.",
    discussion: """
        freshet jobs cancel 3fa85f64
      """
  )

  @Argument(help: "The job, or the beginning of its id. Default: the newest.")
  var job: String?

  @OptionGroup var server: JobServerOptions

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    try await server.withJob("cancel", job) { client, entry in
      try await client.cancel(entry.credential)
      guard !json else {
        Terminal.write(try PrintedJSON.line(ListedJob(job: entry.credential.job)))
        return
      }
      Terminal.write("\(entry.credential.job.prefix(8)) is asked to stop\n")
    }
  }
}

/// `freshet jobs results`.
struct JobsResultsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "results",
    abstract: "Show what became of each row, book or photo.",
    discussion: """
        freshet jobs results --outcome failed
        freshet jobs results 3fa85f64 --failed-rows > corrected.csv
      """
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
        let bytes = try await client.failedRows(entry.credential)
        Terminal.write(Array(bytes))
        return
      }
      var after: Int?
      repeat {
        let page = try await client.results(
          entry.credential,
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
