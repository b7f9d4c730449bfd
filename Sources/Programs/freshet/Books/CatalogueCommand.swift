import ArgumentParser
import BookLibrary
import Books
import Commands
import Foundation
import PostgresClient

/// `freshet catalogue`.
struct CatalogueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "catalogue",
    abstract:
      "A catalogue of books in a file or a shared database, made of Open Library's dump files.",
    discussion: """
        freshet catalogue import ol_dump_*.txt.gz
        freshet catalogue find Dune --author Herbert
      """,
    subcommands: [CatalogueImportCommand.self, CatalogueFindCommand.self]
  )
}

/// The catalogue of a command.
struct CatalogueOption: ParsableArguments {
  @Option(
    name: .customLong("catalogue"),
    help: ArgumentHelp(
      "The catalogue's file. Default: catalogue.sqlite, unless there is a database.",
      valueName: "file"
    )
  )
  var named: String?

  @OptionGroup var shared: SharedBooksOption

  private var path: String { named ?? "catalogue.sqlite" }

  private var address: PostgresAddress? {
    get throws { try shared.address(besides: named, "--catalogue") }
  }

  func validate() throws { _ = try address }

  /// The options that name the catalogue, to be typed after a command; without the address, which may hold a password.
  var typed: [String] {
    guard (try? address) != nil else { return ["--catalogue \(path)"] }
    let database = shared.database.map { _ in "--database URL" }
    let owner = shared.libraryOwner.map { "--library-owner \($0)" }
    return [database, owner].compactMap(\.self)
  }

  /// Runs a command with the catalogue.
  ///
  /// - Parameters:
  ///   - command: The name of the command.
  ///   - body: The command.
  /// - Throws: ``CommandFailure`` for a database that cannot be used; what `body` throws.
  func with(
    _ command: String,
    _ body: (any CatalogueStore) async throws -> Void
  ) async throws {
    guard let address = try address else {
      return try await body(SQLiteCatalogue(path: path))
    }
    try await SharedBooksOption.withConnections(to: address, "freshet catalogue \(command)") {
      pool in
      try await body(PostgresCatalogue(pool, owner: try shared.owner))
    }
  }
}

/// `freshet catalogue import`.
struct CatalogueImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Make a catalogue of dump files.",
    discussion: """
      The files are ol_dump_authors, ol_dump_works and ol_dump_editions from \
      https://openlibrary.org/developers/dumps, as they are (gzip) or unpacked, in any order. A \
      catalogue that is there serves until the new one is whole.

        freshet catalogue import ol_dump_authors_latest.txt.gz ol_dump_works_latest.txt.gz ol_dump_editions_latest.txt.gz
        freshet catalogue import ol_dump_*.txt.gz --database postgres://db.example.org/freshet
      """
  )

  @Argument(help: "Dump files.")
  var files: [String]

  @OptionGroup var catalogue: CatalogueOption

  @Flag(help: "Print JSON.")
  var json = false

  /// What the files contained, as JSON.
  private struct Contents: Encodable {
    var lines: Int
    var works: Int
    var editions: Int
    var authors: Int
    var isbns: Int
    var brokenISBNs: Int
    var others: Int
    var rejected: Int
    /// The first rejected lines.
    var examples: [String]
    /// Whether a file may be damaged or no dump.
    var isDoubtful: Bool
  }

  func run() async throws {
    try await catalogue.with("import") { try await run($0) }
  }

  private func run(_ catalogue: any CatalogueStore) async throws {
    let display = ProgressDisplay(isHidden: json)
    defer { display.finish() }
    display.show("reading dumps")
    let report = try await CatalogueImport.run(files: files, into: catalogue) { progress in
      switch progress.phase {
      case .waiting: display.show("waiting for another import")
      case .reading:
        display.show(
          "reading dumps",
          done: progress.bytes,
          total: progress.total,
          remark: "\(Quantity.count(progress.lines)) lines"
        )
      case .ordering: display.show("ordering for the search")
      case .clearing: display.show("removing what does not serve")
      }
    }
    display.finish()
    guard !json else {
      let contents = Contents(
        lines: report.lines,
        works: report.works,
        editions: report.editions,
        authors: report.authors,
        isbns: report.isbns,
        brokenISBNs: report.brokenISBNs,
        others: report.others,
        rejected: report.rejected,
        examples: report.examples,
        isDoubtful: report.isDoubtful
      )
      Terminal.write(try PrintedJSON.document(contents))
      return
    }
    Terminal.write(
      "\(report.works) works, \(report.editions) editions, \(report.authors) authors, "
        + "\(report.isbns) ISBNs; \(report.others) other lines, \(report.rejected) rejected\n"
    )
    for example in report.examples { Terminal.write("  \(example)\n") }
    if report.isDoubtful {
      let text =
        "\(report.rejected) of \(report.lines) lines were rejected; a file may be damaged or no dump\n"
      FileHandle.standardError.write(Data(text.utf8))
    }
  }
}

/// `freshet catalogue find`.
struct CatalogueFindCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "find",
    abstract: "Find a book by its ISBN, or by title and author, and say how sure it is.",
    discussion: """
        freshet catalogue find 9780441013593
        freshet catalogue find Dune --author Herbert --json
        freshet catalogue find Dune --database postgres://db.example.org/freshet --library-owner ann
      """
  )

  @Argument(help: "An ISBN or a title.")
  var book: String

  @Option(help: "The author.")
  var author: String?

  @OptionGroup var catalogue: CatalogueOption

  @Flag(help: "Print JSON.")
  var json = false

  func run() async throws {
    try await catalogue.with("find") { try await find($0) }
  }

  private func find(_ catalogue: any CatalogueStore) async throws {
    if let file = catalogue as? SQLiteCatalogue { try file.open() }
    let counts: CatalogueCounts?
    do throws(ProviderError) {
      counts = try await catalogue.counts()
    } catch {
      throw CommandFailure("freshet catalogue find: \(error.description)", .unavailable)
    }
    guard counts != nil else {
      let fault =
        catalogue is SQLiteCatalogue
        ? "\(catalogue.place): No such file" : "\(catalogue.place) does not exist"
      let command = (["freshet catalogue import FILE …"] + self.catalogue.typed)
        .joined(separator: " ")
      throw CommandFailure(
        "freshet catalogue find: \(Terminal.plain(fault)).\n"
          + "Make the catalogue of Open Library's dump files: \(Terminal.plain(command))",
        .noInput
      )
    }
    let lookup = BookLookup(providers: [catalogue])
    let isbn = ISBN(book)
    let answer = try await lookup.find(
      BookLookup.Question(title: isbn == nil ? book : "", author: author, isbn: isbn)
    )
    switch answer {
    case .found(let match): try write(match)
    case .unsure(let match):
      try write(match, "not sure: ")
      throw ExitCode(.negative)
    case .notFound:
      // Not JSON.
      if json { Terminal.complain("not found\n") } else { Terminal.write("not found\n") }
      throw ExitCode(.negative)
    case .failed(let error):
      throw CommandFailure("freshet catalogue find: \(error.description)", .badData)
    }
  }

  private func write(_ match: BookLookup.Match, _ prefix: String = "") throws {
    Terminal.write(
      json ? try PrintedJSON.line(ListedBook(match)) : prefix + Self.text(match) + "\n"
    )
  }

  private static func text(_ match: BookLookup.Match) -> String {
    var parts = [match.book.title, match.book.authors.joined(separator: ", ")]
    if let isbn = match.book.isbn { parts.append(isbn.description) }
    if let year = match.book.firstYear ?? match.book.year { parts.append(String(year)) }
    if let work = match.book.work { parts.append(work) }
    parts.append("\(Int((match.confidence * 100).rounded())) of 100 sure")
    return parts.filter { !$0.isEmpty }.joined(separator: " · ")
  }
}
