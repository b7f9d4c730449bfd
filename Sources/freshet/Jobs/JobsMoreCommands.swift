import ArgumentParser
import Foundation
import Jobs
import JobsClient
import StrictJSON
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
        Terminal.write(
          "\(entry.ticket.job.prefix(8))  \(JobInstant.text(entry.startedAt).prefix(19))  "
            + "\(entry.pipeline)  \(Terminal.plain(state))  \(Terminal.plain(entry.name))\n"
        )
      }
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
      throw ValidationError("--outcome \"\(outcome)\" is none of \(known)")
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
