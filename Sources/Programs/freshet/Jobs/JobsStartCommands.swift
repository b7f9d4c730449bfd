import ArgumentParser
import Commands
import ConditionalHTTP
import Foundation
import Jobs
import JobsClient
import StrictJSON

/// The options of all commands that start a job.
struct JobStartOptions: ParsableArguments {
  /// How long a command waits in total for a server that currently starts no jobs.
  static let patience = Duration.seconds(120)

  @Flag(help: "Start the job and leave; freshet jobs watch follows it later.")
  var detach = false

  @Flag(
    help:
      "Write the messages of the job as JSON lines instead of a progress bar; with --detach its id."
  )
  var json = false

  @Option(
    help: ArgumentHelp(
      "An option of the pipeline, NAME=VALUE; may be given again.",
      valueName: "option"
    )
  )
  var option: [String] = []

  @Option(
    help: ArgumentHelp("The same request with the same key starts one job only.", valueName: "key")
  )
  var idempotencyKey: String?

  @Option(help: "Before or after other jobs that wait: high, normal or low. Default: normal.")
  var priority: String?

  @Option(
    help: ArgumentHelp("Start not before this instant: 2026-12-24T06:00:00Z.", valueName: "instant")
  )
  var runAt: String?

  func validate() throws {
    if let priority, JobPriority(rawValue: priority) == nil {
      throw ValidationError("--priority is high, normal or low")
    }
    if let runAt, JobInstant.read(runAt) == nil {
      throw ValidationError("--run-at \"\(runAt)\" is not an instant like 2026-12-24T06:00:00Z")
    }
    for text in option where !text.contains("=") {
      throw ValidationError("--option \"\(text)\" is not NAME=VALUE")
    }
  }

  var options: [String: String] {
    var options = Dictionary(
      option.map { text in
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), String(parts[1]))
      }
    ) { _, last in last }
    options["priority"] = priority ?? options["priority"]
    options["run_at"] = runAt ?? options["run_at"]
    return options
  }

  /// Starts a job, stores it, and follows it to its end.
  ///
  /// - Throws: `ExitCode` 1 for a job that did not succeed.
  func run(
    _ command: String,
    _ pipeline: PipelineName,
    content: [UInt8],
    type: String,
    name: String,
    _ server: JobServerOptions
  ) async throws {
    let address = try server.address.description
    try await server.withClient(command) { client in
      var options = options
      if pipeline == .csvImport, options["filename"] == nil { options["filename"] = name }
      let start = try server.tokenStore.keep(
        TokenStore.Start(
          server: address,
          pipeline: pipeline.rawValue,
          name: name,
          mark: TokenStore.mark(content, options: options, pipeline: pipeline.rawValue),
          startedAt: Int64(Date().timeIntervalSince1970 * 1_000),
          key: idempotencyKey ?? UUID().uuidString
        ),
        isChosen: idempotencyKey != nil
      )
      // Before anything is sent: whatever happens then, the same key starts no second job. A script
      // that only wants the job is notified only if something happens.
      if !detach {
        Terminal.complain("freshet jobs \(command): starting with the key \(start.key)\n")
      }
      let credential = try await self.start(
        client,
        command,
        start,
        content,
        type,
        options,
        server.tokenStore
      )
      let entry = TokenStore.Entry(
        server: address,
        pipeline: pipeline.rawValue,
        name: name,
        startedAt: Int64(Date().timeIntervalSince1970 * 1_000),
        credential: credential
      )
      try server.tokenStore.keep(entry)
      try server.tokenStore.forget(start)
      if detach {
        Terminal.write(
          json ? try PrintedJSON.line(ListedJob(job: credential.job)) : "\(credential.job)\n"
        )
      } else {
        try await JobWatching(
          client: client,
          entry: entry,
          tokenStore: server.tokenStore,
          isJSON: json
        ).run()
      }
    }
  }

  /// Starts a job, retrying as necessary.
  private func start(
    _ client: JobClient,
    _ command: String,
    _ start: TokenStore.Start,
    _ content: [UInt8],
    _ type: String,
    _ options: [String: String],
    _ tokenStore: TokenStore
  ) async throws -> JobCredential {
    let display = ProgressDisplay(isHidden: json || detach)
    defer { display.finish() }
    let total = content.count
    do {
      return try await client.start(
        PipelineName(rawValue: start.pipeline),
        content: content,
        type: type,
        options: options,
        key: start.key,
        patience: Self.patience,
        sent: { sent in
          if sent < total {
            display.show("sending", done: sent, total: total)
          } else {
            display.show("waiting for the server")
          }
        },
        broken: { failure, pause in
          display.finish()
          let seconds = Quantity.tenths(pause / .seconds(1))
          let reason = Terminal.plain("\(failure)")
          Terminal.complain("freshet jobs \(command): \(reason); asked again in \(seconds) s\n")
        },
        waiting: { refusal, seconds in
          display.finish()
          let reason = Terminal.plain(refusal.error.message)
          Terminal.complain("freshet jobs \(command): \(reason); asked again in \(seconds) s\n")
        }
      )
    } catch {
      display.finish()
      switch error {
      case .refused(let refusal) where ![429, 503, 507].contains(refusal.status):
        // The server responded: nothing was started.
        try? tokenStore.forget(start)
      default:
        Terminal.complain(
          "freshet jobs \(command): the job may have begun; the same command, or --idempotency-key "
            + "\(start.key), finds it and starts no second one\n"
        )
      }
      throw error
    }
  }

  /// Returns the bytes of a file or a pipe.
  ///
  /// - Throws: ``CommandFailure`` if the file cannot be read.
  static func bytes(_ path: String, _ command: String) throws -> [UInt8] {
    do throws(InputFile.Fault) {
      return try InputFile.bytes(path)
    } catch {
      throw CommandFailure("freshet jobs \(command): \(error)", .noInput)
    }
  }
}

/// `freshet jobs import`.
struct JobsImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract:
      "Import a table of books: an export of Goodreads, StoryGraph, LibraryThing or BookWyrm.",
    discussion: """
        freshet jobs import goodreads_library_export.csv
        freshet jobs import books.tsv --detach --server https://books.example.org
      """
  )

  @Argument(help: ArgumentHelp("The table, CSV or TSV.", valueName: "file"))
  var file: String

  @OptionGroup var server: JobServerOptions
  @OptionGroup var start: JobStartOptions

  func run() async throws {
    let name = (file as NSString).lastPathComponent
    let type = name.lowercased().hasSuffix(".tsv") ? "text/tab-separated-values" : "text/csv"
    let bytes = try JobStartOptions.bytes(file, "import")
    try await start.run("import", .csvImport, content: bytes, type: type, name: name, server)
  }
}

/// `freshet jobs enrich`.
struct JobsEnrichCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrich",
    abstract: "Complete books from a catalogue.",
    discussion: """
        freshet jobs enrich 9780441013593 "The Dispossessed / Ursula K. Le Guin"
        freshet jobs enrich --file books.json
      """
  )

  @Argument(help: "Books: an ISBN, or TITLE, or TITLE / AUTHOR.")
  var books: [String] = []

  @Option(
    help: ArgumentHelp(
      "A JSON file {\"books\":[{\"title\",\"author\"?,\"isbn\"?}]}.",
      valueName: "file"
    )
  )
  var file: String?

  @OptionGroup var server: JobServerOptions
  @OptionGroup var start: JobStartOptions

  func validate() throws {
    guard books.isEmpty != (file == nil) else {
      throw ValidationError("name some books, or a --file of them")
    }
  }

  func run() async throws {
    let content: [UInt8]
    if let file {
      content = try JobStartOptions.bytes(file, "enrich")
    } else {
      content = JSONValue.object(["books": .list(books.map(Self.book))]).bytes
    }
    let name = file.map { ($0 as NSString).lastPathComponent } ?? books[0]
    try await start.run(
      "enrich",
      .batchEnrichment,
      content: content,
      type: "application/json",
      name: name,
      server
    )
  }

  private static func book(_ text: String) -> JSONValue {
    let digits = text.filter { $0 != "-" && $0 != " " }
    if [10, 13].contains(digits.count), digits.dropLast().allSatisfy(\.isNumber),
      digits.last.map({ $0.isNumber || $0 == "X" || $0 == "x" }) == true
    {
      return .object(["isbn": .string(digits)])
    }
    guard let range = text.range(of: " / ") else { return .object(["title": .string(text)]) }
    return .object([
      "title": .string(String(text[..<range.lowerBound])),
      "author": .string(String(text[range.upperBound...])),
    ])
  }
}

/// `freshet jobs scan`.
struct JobsScanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan",
    abstract: "Find books in photos of shelves.",
    discussion: """
        freshet jobs scan shelf.jpg other-shelf.heic
      """
  )

  @Argument(help: ArgumentHelp("Photos: JPEG, PNG, HEIC or WebP.", valueName: "photo"))
  var photos: [String]

  @OptionGroup var server: JobServerOptions
  @OptionGroup var start: JobStartOptions

  func run() async throws {
    let boundary = "freshet-" + UUID().uuidString
    var body: [UInt8] = []
    for photo in photos {
      let name = (photo as NSString).lastPathComponent.filter { $0 != "\"" && $0 != "\\" }
      let kinds = ["png": "png", "webp": "webp", "heic": "heic", "heif": "heif"]
      let ending = (name.lowercased() as NSString).pathExtension
      let type = "image/" + (kinds[ending] ?? "jpeg")
      body += Array("--\(boundary)\r\n".utf8)
      body += Array(
        "Content-Disposition: form-data; name=\"photo\"; filename=\"\(name)\"\r\n".utf8
      )
      body += Array("Content-Type: \(type)\r\n\r\n".utf8)
      body += try JobStartOptions.bytes(photo, "scan") + [0x0D, 0x0A]
    }
    body += Array("--\(boundary)--\r\n".utf8)
    try await start.run(
      "scan",
      .aiScan,
      content: body,
      type: "multipart/form-data; boundary=\(boundary)",
      name: photos.map { ($0 as NSString).lastPathComponent }.joined(separator: ", "),
      server
    )
  }
}
