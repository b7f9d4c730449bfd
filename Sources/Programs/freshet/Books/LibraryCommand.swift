import ArgumentParser
import BookLibrary
import BookPipelines
import Books
import Commands
import Foundation
import Jobs
import PostgresClient

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// `freshet library`.
struct LibraryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "library",
    abstract:
      "Your books in a SQLite file or a shared database: import lists, look at them, export them.",
    discussion: """
        freshet library import goodreads_library_export.csv
        freshet library list le guin
      """,
    subcommands: [
      LibraryImportCommand.self, LibraryListCommand.self, LibraryExportCommand.self,
      LibraryRemovedCommand.self, LibraryRestoreCommand.self,
    ]
  )
}

/// The library of a command.
struct LibraryOption: ParsableArguments {
  @Option(
    name: .customLong("library"),
    help: ArgumentHelp(
      "The library's file; an import makes it. Default: library.sqlite, unless there is a database.",
      valueName: "file"
    )
  )
  var named: String?

  @OptionGroup var shared: SharedBooksOption

  private var path: String { named ?? "library.sqlite" }

  private var address: PostgresAddress? {
    get throws { try shared.address(besides: named, "--library") }
  }

  func validate() throws { _ = try address }

  /// Runs a command with the library.
  ///
  /// - Parameters:
  ///   - command: The name of the command.
  ///   - makes: Whether a file is created that is not there.
  ///   - body: The command.
  /// - Throws: ``CommandFailure`` for a file that is not there, and for a database that cannot be used; what `body` throws.
  func with(
    _ command: String,
    makes: Bool = false,
    _ body: (any LibraryStore) async throws -> Void
  ) async throws {
    let name = "freshet library \(command)"
    if let address = try address {
      return try await SharedBooksOption.withConnections(to: address, name) { pool in
        try await body(PostgresLibrary(pool, owner: try shared.owner))
      }
    }
    guard makes || FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure(
        "\(name): \(Terminal.plain(path)): No such file."
          + "\nImport a list of books first: freshet library import FILE",
        .noInput
      )
    }
    if !makes { try refuseOther(name) }
    try await body(try SQLiteLibrary(path: path))
  }

  /// Refuses what is not a file, such as a pipe, which would be waited for, and an empty file, which would become a library.
  private func refuseOther(_ name: String) throws {
    let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    guard let facts = try? FileManager.default.attributesOfItem(atPath: place) else { return }
    guard facts[.type] as? FileAttributeType == .typeRegular else {
      throw CommandFailure("\(name): \(Terminal.plain(path)): it is not a file", .noInput)
    }
    guard (facts[.size] as? NSNumber)?.int64Value != 0 else {
      throw CommandFailure(
        "\(name): \(Terminal.plain(path)): it is empty, not a library of books",
        .badData
      )
    }
  }

  /// The SQLite files of the library.
  var files: [String] {
    get throws {
      try address == nil ? ["", "-wal", "-shm", "-journal"].map { path + $0 } : []
    }
  }
}

/// `freshet library import`.
struct LibraryImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import a list of books without a server.",
    discussion: """
      Read are exports of Goodreads, StoryGraph, LibraryThing and BookWyrm, and any table with a \
      column for titles or ISBNs, separated by commas, semicolons, tabs or bars. Rows that cannot \
      be read go into FILE.failed.csv with a reason; correct them there and import that file. A list \
      that comes through a pipe (/dev/stdin) has its failed rows in stdin.failed.csv in the current \
      folder.

        freshet library import goodreads_library_export.csv
        freshet library import books.csv --column title=Buch --library ~/books.sqlite
        freshet library import books.csv --database postgres://db.example.org/freshet --library-owner ann
      """
  )

  @Argument(help: "The list: CSV or TSV.")
  var file: String

  @OptionGroup var library: LibraryOption

  @Option(
    name: .customLong("column"),
    help: "What a column means that is not known: title=Buch. May be given several times."
  )
  var columns: [String] = []

  @Option(
    help: ArgumentHelp(
      "The most rows, up to \(ImportLimits.mostRows); the list may have 1 KiB for each.",
      valueName: "rows"
    )
  )
  var maxRows = ImportLimits().rows

  @Flag(help: "Print the closing counts as JSON.")
  var json = false

  /// The codes of lists that `--max-rows` is too low for.
  private static let limits = Set(
    [ImportFileError.Code.tooManyRows, .tooLarge].map(\.rawValue)
  )

  func validate() throws {
    guard 1...ImportLimits.mostRows ~= maxRows else {
      throw ValidationError("--max-rows is 1 to \(ImportLimits.mostRows)")
    }
  }

  func run() async throws {
    let limits = ImportLimits(rows: maxRows)
    var (path, name, failedPath) = (file, (file as NSString).lastPathComponent, file)
    var copy: String?
    defer { if let copy { unlink(copy) } }
    do {
      if try !InputFile.isLasting(file) {
        // The list is read several times, so it is kept in memory for that time.
        let content = Data(try InputFile.bytes(file, most: limits.fileBytes))
        path = NSTemporaryDirectory() + "/freshet-import-\(UUID().uuidString)"
        let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: path, contents: content, attributes: mode)
        else {
          throw CommandFailure("freshet library import: \(path): cannot be written", .cannotCreate)
        }
        (copy, name, failedPath) = (path, "stdin", "stdin")
      }
    } catch let fault as InputFile.Fault {
      throw CommandFailure("freshet library import: \(fault.description)", .noInput)
    }
    failedPath += ".failed.csv"
    var options: [String: String] = [:]
    for column in columns {
      guard let mark = column.firstIndex(of: "=") else {
        throw ValidationError("--column is NAME=HEADER, like title=Buch")
      }
      options["column." + column[..<mark]] = String(column[column.index(after: mark)...])
    }
    try await library.with("import", makes: true) { [path, name, failedPath, options] library in
      let pipeline = CSVImport(library: library, limits: limits)
      try await run(pipeline, path: path, name: name, options: options, failedPath: failedPath)
    }
  }

  private func run(
    _ pipeline: CSVImport,
    path: String,
    name: String,
    options: [String: String],
    failedPath: String
  ) async throws {
    var status = stat()
    stat(path, &status)
    let input = JobInput(
      name: name,
      mediaType: "text/csv",
      path: path,
      byteCount: Int(status.st_size)
    )
    let work = JobWork(
      job: CSVImport.serverlessPrefix + UUID().uuidString,
      inputs: [input],
      options: options
    )
    let display = ProgressDisplay(isHidden: json)
    defer { display.finish() }
    display.show("checking \(name)")
    let steps = LibraryImportSteps { step in
      guard let total = step.total else { return }
      display.show(
        "importing \(name)",
        done: step.processed,
        total: total,
        unit: .items("rows"),
        remark: step.current ?? ""
      )
    }
    let start = ContinuousClock.now
    do {
      try await pipeline.run(work, steps: steps)
    } catch let failure as JobFailure {
      // Only a command may have more.
      let isLimit = Self.limits.contains(failure.code) && maxRows < ImportLimits.mostRows
      let advice = isLimit ? "; --max-rows allows more, up to \(ImportLimits.mostRows)" : ""
      throw CommandFailure("freshet library import: \(file): \(failure.message)\(advice)", .badData)
    }
    let took = ContinuousClock.now - start
    display.finish()
    let failed = await steps.failed
    if !failed.isEmpty, let table = try await pipeline.failedRows(work, failed: failed) {
      try Data(table).write(to: URL(fileURLWithPath: failedPath), options: .atomic)
    }
    let counts = await steps.counts
    if json {
      let members = counts.map { "\"\($0.0)\": \($0.1)" } + ["\"seconds\": \(took / .seconds(1))"]
      Terminal.write("{" + members.joined(separator: ", ") + "}\n")
    } else {
      Terminal.write(counts.map { "\($0.1) \($0.0)" }.joined(separator: ", ") + "\n")
      for item in failed.prefix(5) {
        let place = item.line.map { "line \($0): " } ?? ""
        Terminal.write("  \(place)\(item.problems.first?.message ?? "")\n")
      }
      if counts.contains(where: { $0.0 == "removed" }) {
        Terminal.write(
          "freshet library removed lists what went; freshet library restore brings it back\n"
        )
      }
      if !failed.isEmpty {
        Terminal.write("\(failed.count) failed rows are in \(failedPath)\n")
      }
    }
  }
}

/// Counts the events of an import and keeps the failed rows.
private actor LibraryImportSteps: JobSteps {
  private var outcomes: [JobOutcome: Int] = [:]
  private(set) var failed: [JobItem] = []
  private let progress: @Sendable (JobStep) -> Void

  init(progress: @escaping @Sendable (JobStep) -> Void) { self.progress = progress }

  func commit(_ step: JobStep) async throws -> JobDirective {
    for item in step.items {
      outcomes[item.outcome, default: 0] += 1
      if item.outcome == .failed { failed.append(item) }
    }
    progress(step)
    return .proceed
  }

  var counts: [(String, Int)] {
    let removed = outcomes[.removed] ?? 0
    return [
      ("rows", outcomes.values.reduce(0, +) - removed), ("imported", outcomes[.imported] ?? 0),
      ("updated", outcomes[.updated] ?? 0), ("duplicates", outcomes[.duplicate] ?? 0),
      ("failed", outcomes[.failed] ?? 0), ("blank", outcomes[.blank] ?? 0),
    ] + (removed > 0 ? [("removed", removed)] : [])
  }
}

/// `freshet library list`.
struct LibraryListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the books, or those with some words in title or author.",
    discussion: """
        freshet library list
        freshet library list le guin --json
      """
  )

  @Argument(help: "Words to look for.")
  var words: [String] = []

  @OptionGroup var library: LibraryOption

  @Flag(help: "Print a line of JSON for each book.")
  var json = false

  func run() async throws {
    try await library.with("list", list)
  }

  private func list(_ library: any LibraryStore) async throws {
    var last: Int64 = 0
    while true {
      let page = try await library.books(after: last, matching: words.joined(separator: " "))
      guard let end = page.last else { return }
      last = end.id
      let lines = try page.map {
        json ? try PrintedJSON.line(ListedBook($0.record)) : Self.line($0.record) + "\n"
      }
      guard Terminal.write(lines.joined()) else { return }
    }
  }

  /// Returns one line: title, authors, number, status, stars.
  static func line(_ book: BookRecord) -> String {
    var parts = [book.title.isEmpty ? "(no title)" : book.title]
    if !book.authors.isEmpty { parts.append(book.authors.joined(separator: ", ")) }
    if let isbn = book.isbn { parts.append(isbn.description) }
    if let status = book.status { parts.append(status.rawValue) }
    if let rating = book.rating { parts.append(RatingCell.text(quarters: rating) + " stars") }
    let line = parts.joined(separator: " · ")
    // A title may contain anything and must not control the terminal.
    return String(
      String.UnicodeScalarView(
        line.unicodeScalars.filter { $0.properties.generalCategory != .control }
      )
    )
  }
}

/// `freshet library export`.
struct LibraryExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write all books as CSV that any import reads again.",
    discussion: """
        freshet library export --output books.csv
      """
  )

  @Option(name: .shortAndLong, help: "The file; standard output without it.")
  var output: String?

  @OptionGroup var library: LibraryOption

  func run() async throws {
    let display = ProgressDisplay(isHidden: output == nil)
    defer { display.finish() }
    try await library.with("export") { try await export($0, display) }
  }

  private func export(_ books: any LibraryStore, _ display: ProgressDisplay) async throws {
    guard let output else {
      return try await books.export { bytes, _ in
        // What is lost is reported at the end; a closed pipe is not a failure.
        guard Terminal.write(bytes) else { throw ExitCode.success }
      }
    }
    let file = try ExportFile(path: output, sparing: try library.files)
    do {
      let total = try await books.count()
      try await books.export { bytes, done in
        try file.write(bytes)
        display.show("writing \(output)", done: done, total: total, unit: .items("books"))
      }
      try file.finish()
    } catch {
      file.discard()
      throw error
    }
  }
}
