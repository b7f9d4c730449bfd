import ArgumentParser
import Commands
import ConditionalHTTP
import Foundation
import Jobs
import JobsClient
import TolerantDecoding

/// The token of operators.
struct OperatorTokenOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A file with the operator token of the server. Default: $FRESHET_OPERATOR_TOKEN; on the server's own machine none is needed unless it has one.",
      valueName: "file"
    )
  )
  var operatorTokenFile: String?

  /// The token, if any.
  ///
  /// - Throws: ``CommandFailure`` for a file that cannot be read.
  var token: String? {
    get throws {
      var text = ProcessInfo.processInfo.environment["FRESHET_OPERATOR_TOKEN"]
      if let path = operatorTokenFile {
        text = try TokenFile.read(path, for: "freshet jobs: --operator-token-file")
      }
      let token = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
      return token.isEmpty ? nil : token
    }
  }
}

/// `freshet jobs dead`.
struct JobsDeadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dead",
    abstract: "List the jobs of a server that failed for reasons that may pass.",
    discussion: """
      For operators. A job is listed after the last attempt at it has failed, or after an error of the server, until its \
      results go or it is started again.

        freshet jobs dead
        freshet jobs dead --server https://books.example.org --operator-token-file token
      """
  )

  @OptionGroup var server: JobServerOptions
  @OptionGroup var access: OperatorTokenOption

  @Flag(help: "Print JSON.")
  var json = false

  private struct Listed: Encodable {
    var job: String
    var kind: String
    var endedAt: String?
    var failedAttempts: Int
    var code: String?
    var reason: String?
  }

  func run() async throws {
    try await server.withClient("dead") { client in
      let letters = try await client.deadLetters(operatorToken: try access.token).map {
        Listed(
          job: $0.job,
          kind: $0.pipeline.rawValue,
          endedAt: $0.endedAt.map(JobInstant.text),
          failedAttempts: $0.failedAttempts,
          code: $0.error?.code,
          reason: $0.error?.message
        )
      }
      if json {
        Terminal.write(try PrintedJSON.document(letters))
        return
      }
      if letters.isEmpty { Terminal.write("No dead letters.\n") }
      for letter in letters {
        let ended = letter.endedAt.map { String($0.prefix(16)).replacing("T", with: " ") } ?? "?"
        let reason = Terminal.plain(letter.reason ?? letter.code ?? "")
        let attempts =
          letter.failedAttempts == 1 ? "1 attempt" : "\(letter.failedAttempts) attempts"
        Terminal.write("\(letter.job)  \(ended)  \(letter.kind)  \(attempts)  \(reason)\n")
      }
    }
  }
}

/// `freshet jobs restart`.
struct JobsRestartCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart",
    abstract: "Start dead letters again, each as a new job with the same files and options.",
    discussion: """
      For operators. Prints the ids of the new jobs, and remembers their tokens, so that freshet jobs watch follows them.

        freshet jobs restart 0b9c2e9c-6a8f-4d0c-9a58-6d1f6f3f9a11
      """
  )

  @Argument(help: "The ids that freshet jobs dead prints.")
  var jobs: [String]

  @OptionGroup var server: JobServerOptions
  @OptionGroup var access: OperatorTokenOption

  @Flag(help: "Print a line of JSON for each new job.")
  var json = false

  func run() async throws {
    let address = try server.address.description
    try await server.withClient("restart") { client in
      let token = try access.token
      for job in jobs {
        let letter = try await client.deadLetters(operatorToken: token).first { $0.job == job }
        let credential = try await client.restart(job, operatorToken: token)
        try server.tokenStore.keep(
          TokenStore.Entry(
            server: address,
            pipeline: letter?.pipeline.rawValue ?? "",
            name: "again: \(job.prefix(8))",
            startedAt: Int64(Date().timeIntervalSince1970 * 1_000),
            credential: credential
          )
        )
        Terminal.write(
          json
            ? try PrintedJSON.line(ListedJob(job: credential.job, restarted: job))
            : "\(credential.job)\n"
        )
      }
    }
  }
}
