package import BookLibrary
package import Books
import Foundation
package import Jobs
import StrictJSON

/// Imports a list of books into the library.
///
/// The file is read three times: once for its encoding, once to see that it is a list within the limits and what its
/// entries are, so that a file that cannot be imported changes nothing, and once to import it. Rows go into the library in batches; the
/// library remembers the outcome of each, so that after a crash the same is reported again and nothing is done
/// twice.
///
/// Options: `column.NAME=HEADER` says which column means NAME (one of ``Books/BookColumn``), for headers that are not
/// known: `column.title=Buch`.
package struct CSVImport: JobPipeline {
  /// How many rows are one batch.
  package static let batchRows = 200
  /// How many bytes are read at once.
  package static let blockBytes = 64 << 10

  /// The prefix of the names of jobs that no server knows, and whose outcomes are kept.
  package static let serverlessPrefix = "library-import-"

  /// Its name.
  package let name = PipelineName.csvImport
  /// Checking the file, then importing it.
  package let phases = [JobPhase("checking", weight: 1), JobPhase("importing", weight: 9)]

  private let library: any LibraryStore
  private let limits: ImportLimits

  /// Creates an import.
  ///
  /// - Parameters:
  ///   - library: The library that receives the books.
  ///   - limits: The limits of the input.
  package init(library: any LibraryStore, limits: ImportLimits = ImportLimits()) {
    self.library = library
    self.limits = limits
  }

  /// Imports the file of a job, or the rest of it.
  package func run(_ work: JobWork, steps: any JobSteps) async throws {
    var table = try Table(work, limits: limits)
    let state = try await library.state(of: work.job)
    var reported = work.checkpoint.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    let check = JobStep(phase: "checking", fraction: 0, processed: reported)
    guard try await steps.commit(check) == .proceed else { return }
    let total = try table.check()
    // What the library knows and the job does not: rows of the batch before a crash.
    while reported < state.rowsDone {
      let reports = try await library.reports(
        of: work.job,
        from: reported + 1,
        limit: Self.batchRows
      )
      guard let last = reports.last else { break }
      reported = last.row
      guard try await commit(reports, reported, total, steps) == .proceed else { return }
    }
    var duplicates = FileDuplicates()
    var batch: [PendingRow] = []
    let reader = try table.rows()
    while let row = try reader.next() {
      var pending = PendingRow(row: row)
      if case .book(let book, _) = row.content {
        let known =
          duplicates.needsKnownISBN(for: book) ? try await library.isbn(ofBooksLike: book) : nil
        pending.duplicateOf = duplicates.add(
          book,
          entry: book.entry(in: table.file.scope)
            ?? (table.file.source == .freshet ? book.entryOfLibrary : nil),
          row: row.number,
          knownISBN: known
        )
      }
      guard row.number > state.rowsDone else { continue }
      batch.append(pending)
      guard batch.count == Self.batchRows else { continue }
      let isLast = row.number == total
      let reports = try await library.store(batch, of: table.file, isLast: isLast)
      batch.removeAll(keepingCapacity: true)
      let done = reports.last?.row ?? row.number
      guard try await commit(reports, done, total, steps) == .proceed else { return }
    }
    guard !batch.isEmpty else { return }
    let reports = try await library.store(batch, of: table.file, isLast: true)
    _ = try await commit(reports, reports.last?.row ?? total, total, steps)
  }

  private func commit(
    _ reports: [RowReport],
    _ rows: Int,
    _ total: Int,
    _ steps: any JobSteps
  ) async throws -> JobDirective {
    try await steps.commit(
      JobStep(
        items: reports.map(Self.item),
        phase: "importing",
        fraction: min(1, Double(rows) / Double(max(1, total))),
        // Books that were removed come behind the rows.
        processed: min(rows, total),
        total: total,
        current: reports.last { !$0.title.isEmpty }?.title,
        checkpoint: Array(String(rows).utf8)
      )
    )
  }

  private static func item(_ report: RowReport) -> JobItem {
    let outcome: JobOutcome =
      switch report.outcome {
      case .imported: .imported
      case .updated: .updated
      case .duplicate: .duplicate
      case .failed: .failed
      case .blank: .blank
      case .removed: .removed
      }
    var value: [String: JSONValue] = ["row": .whole(Int64(report.row))]
    if !report.title.isEmpty { value["title"] = .string(report.title) }
    if !report.author.isEmpty { value["author"] = .string(report.author) }
    if let isbn = report.isbn { value["isbn"] = .string(isbn.description) }
    if report.outcome == .removed { value["row"] = nil }
    if let earlier = report.duplicateOf { value["duplicateOf"] = .whole(Int64(earlier)) }
    return JobItem(
      number: report.row - 1,
      outcome: outcome,
      line: report.line > 0 ? report.line : nil,
      problems: report.problems.map { problem in
        JobItem.Problem(
          code: problem.code.rawValue,
          message: problem.description,
          field: problem.column.isEmpty ? nil : problem.column,
          proposal: problem.proposal
        )
      },
      value: report.outcome == .blank ? nil : .object(value),
      raw: report.raw
    )
  }

  /// The imports of a server that the library knows of.
  package func remembered() async throws -> [String] {
    try await library.imports().filter { !$0.hasPrefix(Self.serverlessPrefix) }
  }

  /// Removes the outcomes of the rows of imports; the books stay.
  package func forget(_ jobs: [String]) async throws {
    for job in jobs { try await library.forget(job) }
  }

  /// Lets nothing wait for the library any more.
  package func stopWaiting() { library.stopWaiting() }

  package func close() async { await library.finishWriting() }

  /// The failed rows as a table that can be corrected and imported again (``Books/FailedRows``).
  package func failedRows(_ work: JobWork, failed: [JobItem]) async throws -> [UInt8]? {
    let table = try Table(work, limits: limits)
    var rows = FailedRows(header: table.headerLine, delimiter: table.delimiter)
    let broken: Set<String> = [
      RowProblem.Code.quoteUnclosed.rawValue, RowProblem.Code.rowTooLong.rawValue,
    ]
    for item in failed {
      guard let raw = item.raw else { continue }
      let problem = item.problems.first
      rows.add(
        row: item.number + 1,
        problem: problem?.message ?? "",
        raw: raw,
        isBroken: broken.contains(problem?.code ?? "")
      )
    }
    return rows.bytes
  }
}
