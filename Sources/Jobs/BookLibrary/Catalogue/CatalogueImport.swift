import Books
import GRDB
import Storage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Makes a catalogue of Open Library's dump files.
///
/// The files are read once, line by line; works, editions and authors may come in any order and in one file or
/// several. The catalogue is written beside its place and renamed when it is whole.
package struct CatalogueImport: Sendable {
  /// The contents that an import has read.
  package struct Report: Hashable, Sendable {
    /// Lines of all files.
    package var lines = 0
    /// Authors.
    package var authors = 0
    /// Works.
    package var works = 0
    /// Editions.
    package var editions = 0
    /// Sound ISBNs of editions.
    package var isbns = 0
    /// ISBNs whose check digit is wrong.
    package var brokenISBNs = 0
    /// Lines of other types.
    package var others = 0
    /// Lines that could not be read.
    package var rejected = 0
    /// The first of them, for people: file, line and reason.
    package var examples: [String] = []

    /// Whether so many lines were rejected that a file may be damaged or no dump.
    package var isDoubtful: Bool {
      Double(rejected) > Double(lines) * CatalogueImport.usualRejectedShare
    }
  }

  /// How far an import is.
  package struct Progress: Hashable, Sendable {
    /// What an import does.
    package enum Phase: Hashable, Sendable {
      /// Reads the files.
      case reading
      /// Orders what it has read, so that it can be searched.
      case ordering
    }

    /// What it does.
    package var phase = Phase.reading
    /// The bytes of the files, as they are stored, that have been read.
    package var bytes = 0
    /// The bytes of all files; 0 if that is not known, as of a pipe.
    package var total: Int
    /// Lines of all files.
    package var lines = 0
  }

  /// How many lines are written in one transaction.
  package static let batchLines = 20_000
  /// The most examples of rejected lines.
  package static let mostExamples = 10
  /// The share of lines that may be rejected before a file looks damaged; of real dumps it is a few in a million.
  package static let usualRejectedShare = 0.01

  /// Imports dump files.
  ///
  /// - Parameters:
  ///   - files: Dumps of authors, works and editions, plain or compressed with gzip.
  ///   - path: Where the catalogue goes; an existing one is replaced when the new one is complete.
  ///   - progress: Called after every batch with how far the import is.
  /// - Returns: The report.
  /// - Throws: ``LibraryError`` for a file that cannot be read or written, and if the files contain no work and no
  ///   edition; an existing catalogue then stays as it is.
  package static func run(
    files: [String],
    into path: String,
    progress: (Progress) -> Void = { _ in }
  ) throws -> Report {
    let partial = path + ".partial"
    unlink(partial)
    var report = Report()
    var done = Progress(total: files.reduce(0) { $0 + bytes(of: $1) })
    do {
      let queue = try DatabaseFile.create(path: partial)
      try queue.write { try $0.execute(sql: CatalogueSchema.tables) }
      for file in files { try read(file, into: queue, &report, &done, progress) }
      guard report.works + report.editions > 0 else {
        let names = files.joined(separator: ", ")
        let reason = report.examples.first.map { " (\($0))" } ?? ""
        throw LibraryError(
          .unreadableDump,
          "\(names): no work and no edition in \(report.lines) lines\(reason); \(path) is as it was"
        )
      }
      done.phase = .ordering
      progress(done)
      try queue.write { try CatalogueSchema.finish($0) }
      try queue.close()
    } catch {
      unlink(partial)
      throw error
    }
    guard rename(partial, path) == 0 else {
      let reason = String(cString: strerror(errno))
      unlink(partial)
      throw LibraryError(.unusable, "\(path): \(reason)")
    }
    return report
  }

  /// The bytes of a file; 0 for what has no size.
  private static func bytes(of path: String) -> Int {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return Int(status.st_size)
  }

  private static func read(
    _ file: String,
    into queue: DatabaseQueue,
    _ report: inout Report,
    _ done: inout Progress,
    _ progress: (Progress) -> Void
  ) throws {
    let reader = try DumpReader(path: file)
    let before = done.bytes
    defer { done.bytes = before + reader.bytesRead }
    let name = file.split(separator: "/").last.map(String.init) ?? file
    var batch: [DumpLine.Record] = []
    var line = 0
    func flush() throws {
      let records = batch
      batch.removeAll(keepingCapacity: true)
      try queue.write { database in
        let tables = try CatalogueTables(database)
        for record in records { try tables.insert(record, &report) }
      }
      done.bytes = before + reader.bytesRead
      done.lines = report.lines
      progress(done)
    }
    try reader.lines { bytes in
      line += 1
      report.lines += 1
      guard !bytes.isEmpty else { return }
      do throws(DumpLine.Fault) {
        batch.append(try DumpLine.read(bytes))
      } catch {
        report.rejected += 1
        if report.examples.count < mostExamples {
          report.examples.append("\(name), line \(line): \(error.problem)")
        }
      }
      if batch.count >= batchLines { try flush() }
    }
    report.rejected += reader.passed
    try flush()
  }
}

/// The prepared insertions of a catalogue.
private struct CatalogueTables {
  private let author: Statement
  private let work: Statement
  private let workAuthor: Statement
  private let edition: Statement
  private let editionAuthor: Statement
  private let isbn: Statement

  init(_ database: Database) throws {
    author = try database.cachedStatement(
      sql: "INSERT OR REPLACE INTO authors (id, name) VALUES (?, ?)"
    )
    work = try database.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO works (id, title, subtitle, first_year, subjects, cover)
        VALUES (?, ?, ?, ?, ?, ?)
        """
    )
    workAuthor = try database.cachedStatement(
      sql: "INSERT OR REPLACE INTO work_authors (work, position, author) VALUES (?, ?, ?)"
    )
    edition = try database.cachedStatement(
      sql: """
        INSERT OR REPLACE INTO editions
          (id, work, title, subtitle, publisher, year, pages, language, format, cover)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
    editionAuthor = try database.cachedStatement(
      sql: "INSERT OR REPLACE INTO edition_authors (edition, position, author) VALUES (?, ?, ?)"
    )
    isbn = try database.cachedStatement(
      sql: "INSERT OR IGNORE INTO isbns (isbn, edition) VALUES (?, ?)"
    )
  }

  func insert(_ record: DumpLine.Record, _ report: inout CatalogueImport.Report) throws {
    switch record {
    case .other: report.others += 1
    case .author(let row):
      report.authors += 1
      try author.execute(arguments: [row.id, row.name])
    case .work(let row):
      report.works += 1
      let subjects = row.subjects.isEmpty ? nil : row.subjects.joined(separator: "\n")
      try work.execute(
        arguments: [row.id, row.title, row.subtitle, row.firstYear, subjects, row.cover]
      )
      for (position, id) in row.authors.enumerated() {
        try workAuthor.execute(arguments: [row.id, position, id])
      }
    case .edition(let row):
      report.editions += 1
      try edition.execute(
        arguments: [
          row.id, row.work, row.title, row.subtitle, row.publisher, row.year, row.pages,
          row.language, row.format, row.cover,
        ]
      )
      for (position, id) in row.authors.enumerated() {
        try editionAuthor.execute(arguments: [row.id, position, id])
      }
      var known: Set<ISBN> = []
      for text in row.isbns {
        guard let number = ISBN(text) else {
          report.brokenISBNs += 1
          continue
        }
        guard known.insert(number).inserted else { continue }
        report.isbns += 1
        try isbn.execute(arguments: [Int64(number.value), row.id])
      }
    }
  }
}
