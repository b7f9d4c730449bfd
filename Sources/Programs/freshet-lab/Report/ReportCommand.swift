import ArgumentParser
import Commands
import ConditionalHTTP
import Foundation
import Freshness
import ParityReport

/// `freshet-lab report`.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Judge recordings of clients: how fresh, how plausible, and whether two are alike.",
    discussion: """
        freshet-lab report freshness phone.jsonl
        freshet-lab report parity web.jsonl phone.jsonl
      """,
    subcommands: [
      FreshnessReportCommand.self, ParityReportCommand.self, VectorsReportCommand.self,
      WorkspacesReportCommand.self,
    ]
  )
}

/// The meaning of the exit codes of reports.
private let exitCodes = """
  The exit code is 0 if every gate is passed, 1 if one is not, 65 or 66 if a file cannot be used, \
  and 64 if the options are wrong. Documentation/reports.md has every gate.
  """

/// `freshet-lab report freshness`.
struct FreshnessReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "freshness",
    abstract: "Judge the recording of one client.",
    discussion: """
      A recording is what --record of watch and board writes, and what the web board exports: a JSON \
      object for each request. \(exitCodes)

        freshet-lab report freshness phone.jsonl --html phone.html
      """
  )

  @Argument(help: "The recording, JSON Lines.")
  var file: String

  @OptionGroup var evidence: ReportEvidence

  @OptionGroup var output: ReportOutput

  func run() throws {
    let key = try evidence.key()
    let client = try ReportFile.client(file, key: key, terms: evidence.terms(usual: []))
    try output.write(page: ReportPage.page(client), json: ReportJSON.text(client))
    try output.end(ReportText.text(client), isPassed: client.isPassed)
  }
}

/// `freshet-lab report parity`.
struct ParityReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "parity",
    abstract: "Judge the recordings of two clients, each and beside each other.",
    discussion: """
      Both must pass on their own, have asked for the same stop at the same time, and not be made from \
      each other. With --receipts nothing of an answer can be edited, left out or invented; without, the report \
      says what it cannot tell. Every mechanism of the seed's mapping table must be proved by the conformance vectors \
      of both builds of the engine: this program runs them itself for the native build; for the \
      WebAssembly build it reads what Scripts/engine-wasm-check wrote. \(exitCodes)

        freshet-lab report parity web.jsonl phone.jsonl --receipts key
      """
  )

  @Argument(help: "The recording of the first client, JSON Lines.")
  var first: String

  @Argument(help: "The recording of the second client.")
  var second: String

  @Option(
    help: "The results of the WebAssembly build. Default: \(VectorProof.usualFile), if it is there."
  )
  var vectors: String?

  @Option(help: "A checkout with a built module: its vectors are run now, with node.")
  var node: String?

  @OptionGroup var evidence: ReportEvidence

  @OptionGroup var output: ReportOutput

  func validate() throws {
    guard vectors == nil || node == nil else {
      throw ValidationError("--vectors and --node exclude each other")
    }
  }

  func run() throws {
    let key = try evidence.key()
    let terms = evidence.terms(usual: [.departuresWeb, .departuresNative])
    let clients = try [first, second].map { try ReportFile.client($0, key: key, terms: terms) }
    let report = ParityReport(
      clients[0],
      clients[1],
      mechanisms: try VectorProof.table(file: vectors, checkout: node)
    )
    try output.write(page: ReportPage.page(report), json: ReportJSON.text(report))
    try output.end(ReportText.text(report), isPassed: report.isPassed)
  }
}

/// The evidence that recordings are checked against, besides their own figures.
struct ReportEvidence: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The file of the server's --receipt-key: every answer must carry its receipt.",
      valueName: "keyfile"
    )
  )
  var receipts: String?

  @Option(
    help:
      "A preset that the clients may have: \(PresetName.allCases.map(\.rawValue).joined(separator: ", ")); may be given several times. Default for parity: departuresWeb, departuresNative."
  )
  var preset: [PresetName] = []

  @Option(
    help: "An interval in seconds that a client was started with; may be given several times."
  )
  var every: [Double] = []

  func validate() throws {
    guard every.allSatisfy({ (0.2...86_400).contains($0) }) else {
      throw ValidationError("--every is 0.2 to 86400 seconds")
    }
  }

  /// The key.
  ///
  /// - Throws: `ExitCode` after printing the reason.
  func key() throws -> ReceiptKey? {
    try receipts.map { try ReceiptKeyFile.read($0, for: "freshet-lab report: --receipts") }
  }

  /// Returns the terms that clients are checked against.
  ///
  /// - Parameter usual: Their presets, if none are given; empty for no terms.
  /// - Returns: The terms.
  func terms(usual: [PresetName]) -> ReportTerms {
    let presets = preset.isEmpty ? usual : preset
    guard !presets.isEmpty || !every.isEmpty else { return ReportTerms() }
    var cadences = Set(every.map { Int64(($0 * 1_000).rounded()) })
    for preset in presets {
      let policy = preset.policy
      let spans =
        [policy.active, policy.recent, policy.idle] + [policy.background].compactMap(\.self)
      cadences.formUnion(spans.map(\.milliseconds))
    }
    let names = presets.map(\.rawValue) + every.map { "--every \($0)" }
    return ReportTerms(cadences: cadences, preset: names.joined(separator: " or "))
  }
}

/// The destination of a report.
struct ReportOutput: ParsableArguments {
  @Option(help: "Write the report to an HTML file as well.")
  var html: String?

  @Option(help: "Write the report to a JSON file as well.")
  var json: String?

  /// Writes the requested files.
  func write(page: String, json text: String) throws {
    for (path, content) in [(html, page), (json, text)] {
      guard let path else { continue }
      do {
        try Data(content.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
      } catch {
        try ReportFile.fail(
          "\(path): cannot be written: \(error.localizedDescription)",
          .cannotCreate
        )
      }
    }
  }

  /// Prints the report and ends with its verdict.
  func end(_ text: String, isPassed: Bool) throws {
    guard Terminal.write(text) else { throw ExitCode(.inputOutput) }
    guard isPassed else { throw ExitCode(.negative) }
  }
}

/// Reads recordings.
enum ReportFile {
  private static let block = 1 << 20

  /// Reads and judges a recording.
  static func client(_ path: String, key: ReceiptKey?, terms: ReportTerms) throws -> ClientReport {
    ClientReport(try recording(path, key: key), terms: terms)
  }

  /// Reads a recording, block by block.
  static func recording(_ path: String, key: ReceiptKey? = nil) throws -> Recording {
    let file = try file(path)
    var recording = Recording(name: path, key: key)
    var facts = stat()
    let isFile = fstat(file.fileDescriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    let display = ProgressDisplay()
    defer { display.finish() }
    let progress = ProgressSum("reading \(path)", total: isFile ? Int(facts.st_size) : 0, display)
    do {
      while let data = try file.read(upToCount: block), !data.isEmpty {
        data.withUnsafeBytes { recording.read($0) }
        progress.add(data.count)
      }
    } catch {
      try fail("\(path): cannot be read: \(error.localizedDescription)", .noInput)
    }
    recording.finish()
    guard !recording.samples.isEmpty else {
      let first = recording.firstBroken.first.map { "; line \($0.line): \($0.problem)" } ?? ""
      try fail("\(path): no line of \(recording.lines) is a sample\(first)")
    }
    return recording
  }

  /// Reads a complete file.
  static func bytes(_ path: String, most: Int) throws -> [UInt8] {
    let file = try file(path)
    do {
      let data = try file.read(upToCount: most + 1) ?? Data()
      guard data.count <= most else { try fail("\(path): is larger than \(most) bytes") }
      return Array(data)
    } catch let error as CommandFailure {
      throw error
    } catch {
      try fail("\(path): cannot be read: \(error.localizedDescription)", .noInput)
    }
  }

  private static func file(_ path: String) throws -> FileHandle {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      try fail("\(path): \(String(cString: strerror(errno)))", .noInput)
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var facts = stat()
    if fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR {
      try fail("\(path): is a directory", .noInput)
    }
    return file
  }

  /// Ends the program, because the input cannot be used.
  static func fail(_ reason: String, _ exit: ProgramExit = .badData) throws -> Never {
    throw CommandFailure("freshet-lab report: \(Terminal.plain(reason))", exit)
  }
}
