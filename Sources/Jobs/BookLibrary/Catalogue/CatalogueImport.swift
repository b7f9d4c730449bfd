#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Makes a catalogue of Open Library's dump files.
///
/// The files are read once, line by line; works, editions and authors may come in any order and in one file or
/// several. They are stored in batches, so that memory does not depend on the length of the files.
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
      /// Waits for another import of the same catalogue.
      case waiting
      /// Reads the files.
      case reading
      /// Orders what it has read, so that it can be searched.
      case ordering
      /// Removes what no longer serves.
      case clearing
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

  /// The most examples of rejected lines.
  package static let mostExamples = 10
  /// The share of lines that may be rejected before a file looks damaged; of real dumps it is a few in a million.
  package static let usualRejectedShare = 0.01

  /// Imports dump files.
  ///
  /// - Parameters:
  ///   - files: Dumps of authors, works and editions, plain or compressed with gzip.
  ///   - catalogue: The catalogue that they replace.
  ///   - progress: Called after every batch with how far the import is.
  /// - Returns: The report.
  /// - Throws: ``LibraryError`` for a file that cannot be read or written, and if the files contain no work and no
  ///   edition; an error of the database. An existing catalogue then stays as it is.
  package static func run(
    files: [String],
    into catalogue: any CatalogueStore,
    progress: (Progress) -> Void = { _ in }
  ) async throws -> Report {
    // Not found out after hours.
    for file in files where access(file, R_OK) != 0 {
      throw LibraryError(.unreadableDump, "\(file): \(String(cString: strerror(errno)))")
    }
    var report = Report()
    var done = Progress(total: files.reduce(0) { $0 + bytes(of: $1) })
    try await catalogue.replace { draft in
      done.phase = .reading
      for file in files { try await read(file, into: draft, &report, &done, progress) }
      guard report.works + report.editions > 0 else {
        let names = files.joined(separator: ", ")
        let reason = report.examples.first.map { " (\($0))" } ?? ""
        throw LibraryError(
          .damagedDump,
          "\(names): no work and no edition in \(report.lines) lines\(reason); \(catalogue.place) is as it was"
        )
      }
    } telling: { phase in
      done.phase = phase
      progress(done)
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
    into draft: any CatalogueDraft,
    _ report: inout Report,
    _ done: inout Progress,
    _ progress: (Progress) -> Void
  ) async throws {
    let reader = try DumpReader(path: file)
    let before = done.bytes
    let name = file.split(separator: "/").last.map(String.init) ?? file
    var batch = CatalogueBatch()
    var line = 0
    var isMore = true
    while isMore {
      isMore = try reader.read { bytes in
        line += 1
        report.lines += 1
        guard !bytes.isEmpty else { return }
        do throws(DumpLine.Fault) {
          batch.add(try DumpLine.read(bytes), bytes: bytes.count, &report)
        } catch {
          report.rejected += 1
          if report.examples.count < mostExamples {
            report.examples.append("\(name), line \(line): \(error.problem)")
          }
        }
      }
      guard batch.isFull || !isMore else { continue }
      if !isMore { report.rejected += reader.passed }
      try await draft.add(batch)
      batch = CatalogueBatch()
      done.bytes = before + reader.bytesRead
      done.lines = report.lines
      progress(done)
    }
  }
}
