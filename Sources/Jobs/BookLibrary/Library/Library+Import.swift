package import Books
import GRDB
import StrictJSON

import struct Foundation.Data

extension Library {
  /// An import: the job that runs it and the file it reads.
  package struct ImportFile: Hashable, Sendable {
    /// The job's id; the key of everything that is remembered of the import.
    package var job: String
    /// The file's name, for people.
    package var name: String
    /// The service that wrote it.
    package var source: ExportSource
    /// How its characters are written.
    package var encoding: TextEncoding
    /// Within what the identifiers of its entries are unique; `nil` if they say nothing.
    package var scope: String?
    /// The identifiers of all its entries.
    package var entries: Set<String> = []
    /// Whether it is known to be a part of another file.
    package var isPart = false

    /// Describes an import.
    package init(job: String, name: String, source: ExportSource, encoding: TextEncoding) {
      self.job = job
      self.name = name
      self.source = source
      self.encoding = encoding
    }
  }

  /// How far an import is.
  package struct ImportState: Hashable, Sendable {
    /// How many rows are done, with books that were removed behind the last one.
    package var rowsDone = 0
    /// The counts by outcome.
    package var counts = ImportCounts()
    /// Whether the file has been read to its end.
    package var isFinished = false
  }

  /// A row on its way into the library.
  package struct PendingRow: Sendable {
    /// The row.
    package var row: BookFile.Row
    /// The earlier row of the file with the same book.
    package var duplicateOf: Int?

    /// Creates a row.
    package init(row: BookFile.Row, duplicateOf: Int? = nil) {
      self.row = row
      self.duplicateOf = duplicateOf
    }
  }

  /// How far an import is; nothing done for one that has not begun.
  package func state(of job: String) async throws -> ImportState {
    try await pool.read { try Self.state(of: job, $0) }
  }

  /// The jobs of all imports that are remembered.
  package func imports() async throws -> [String] {
    try await pool.read { try String.fetchAll($0, sql: "SELECT job FROM imports ORDER BY job") }
  }

  /// Removes what is remembered of an import and its rows; the books stay.
  package func forget(_ job: String) async throws {
    // The rows go with it.
    try await pool.write {
      try $0.execute(sql: "DELETE FROM imports WHERE job = ?", arguments: [job])
    }
  }

  /// Stores a batch of rows: books, outcomes and the new state in one transaction.
  ///
  /// Rows that are done already are not done again.
  ///
  /// - Parameters:
  ///   - rows: The next rows of the file, in order, at most ``mostRows``.
  ///   - file: The import.
  ///   - isLast: Whether the file ends with them.
  /// - Returns: The outcome of each row.
  /// - Throws: An error of SQLite; nothing is stored then.
  package func store(
    _ rows: [PendingRow],
    of file: ImportFile,
    isLast: Bool
  ) async throws -> [RowReport] {
    try await pool.write { database in
      try database.cachedStatement(
        sql: "INSERT OR IGNORE INTO imports (job, file, source, encoding) VALUES (?, ?, ?, ?)"
      ).execute(
        arguments: [file.job, file.name, file.source.rawValue, file.encoding.rawValue]
      )
      var state = try Self.state(of: file.job, database)
      var reports: [RowReport] = []
      for pending in rows where pending.row.number > state.rowsDone {
        let (report, book) = try Self.store(pending, of: file, database)
        try Self.insert(report, book: book, of: file.job, database)
        state.rowsDone = report.row
        state.counts.add(report)
        reports.append(report)
      }
      if isLast, !state.isFinished {
        for report in try Self.closeList(of: file, state, database) {
          try Self.insert(report, book: nil, of: file.job, database)
          state.rowsDone = report.row
          state.counts.add(report)
          reports.append(report)
        }
      }
      let counts = state.counts
      try database.cachedStatement(
        sql: """
          UPDATE imports SET rows_done = ?, imported = ?, updated = ?, duplicates = ?, failed = ?,
            blank = ?, warned = ?, removed = ?, finished = max(finished, ?)
          WHERE job = ?
          """
      ).execute(
        arguments: [
          state.rowsDone, counts.imported, counts.updated, counts.duplicates, counts.failed,
          counts.blank, counts.warned, counts.removed, isLast, file.job,
        ]
      )
      return reports
    }
  }

  /// The outcomes of rows that were stored before.
  ///
  /// - Parameters:
  ///   - job: The import.
  ///   - row: The first row, from 1.
  ///   - limit: The most reports, at most ``longestPage``.
  /// - Returns: The reports in the order of the rows.
  /// - Throws: An error of SQLite.
  package func reports(
    of job: String,
    from row: Int,
    limit: Int = longestPage
  ) async throws -> [RowReport] {
    try await pool.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT row, line, outcome, duplicate_of, title, author, isbn, problems, raw
          FROM import_rows
          WHERE job = ? AND row >= ? ORDER BY row LIMIT ?
          """,
        arguments: [job, row, max(1, min(limit, Self.longestPage))]
      ).map(Self.report)
    }
  }

  private static func state(of job: String, _ database: Database) throws -> ImportState {
    var state = ImportState()
    let statement = try database.cachedStatement(
      sql: """
        SELECT rows_done, imported, updated, duplicates, failed, blank, warned, finished, removed
        FROM imports WHERE job = ?
        """
    )
    guard let row = try Row.fetchOne(statement, arguments: [job]) else { return state }
    state.rowsDone = row[0]
    state.counts.removed = row[8]
    state.counts.rows = state.rowsDone - state.counts.removed
    state.counts.imported = row[1]
    state.counts.updated = row[2]
    state.counts.duplicates = row[3]
    state.counts.failed = row[4]
    state.counts.blank = row[5]
    state.counts.warned = row[6]
    state.isFinished = row[7]
    return state
  }

  private static func store(
    _ pending: PendingRow,
    of file: ImportFile,
    _ database: Database
  ) throws -> (RowReport, Int64?) {
    let row = pending.row
    var report = RowReport(row: row.number, line: row.line, outcome: .blank)
    switch row.content {
    case .blank: return (report, nil)
    case .failed(let problems, let title):
      report.outcome = .failed
      report.problems = problems
      report.title = title
      report.raw = row.raw
      return (report, nil)
    case .book(let book, let warnings):
      report.problems = warnings
      report.title = book.title
      report.author = book.authors.first ?? ""
      report.isbn = book.isbn
      report.entry = book.entry(in: file.scope)
      if let earlier = pending.duplicateOf {
        let id = try storeDuplicate(book, of: earlier, file, &report, database)
        return (report, id)
      }
      let id = try store(book, file, &report, database)
      return (report, id)
    }
  }

  /// Stores a book that an earlier row of the file has already.
  private static func storeDuplicate(
    _ book: BookRecord,
    of earlier: Int,
    _ file: ImportFile,
    _ report: inout RowReport,
    _ database: Database
  ) throws -> Int64? {
    report.outcome = .duplicate
    report.duplicateOf = earlier
    let statement = try database.cachedStatement(
      sql: "SELECT book FROM import_rows WHERE job = ? AND row = ?"
    )
    guard let id = try Int64.fetchOne(statement, arguments: [file.job, earlier]),
      var stored = try StoredBook.fetch(id, database)
    else { return nil }
    let names = book.differences(from: stored)
    if !names.isEmpty {
      report.problems.append(RowProblem(.duplicateDiffers, value: names.joined(separator: ", ")))
    }
    // Another book may have the number already.
    var other = book
    if stored.isbn == nil, let isbn = book.isbn, try StoredBook.id(isbn: isbn, database) != nil {
      other.isbn = nil
    }
    if stored.complete(with: other) { try StoredBook.update(id, stored, database) }
    if let scope = file.scope, let entry = report.entry {
      let source = BookSource(scope: scope, entry: entry)
      if try source.known(database) == nil {
        try source.keep(book, of: id, isMade: false, database)
      }
    }
    return id
  }

  /// Stores a book that the file has not had yet.
  private static func store(
    _ book: BookRecord,
    _ file: ImportFile,
    _ report: inout RowReport,
    _ database: Database
  ) throws -> Int64 {
    let source = file.scope.flatMap { scope in
      report.entry.map { BookSource(scope: scope, entry: $0) }
    }
    let search = BookSearch(
      book: book,
      source: source,
      entries: file.entries,
      isOfLibrary: file.source == .freshet
    )
    let id: Int64
    var isMade = false
    switch try search.find(database) {
    case .none(let other):
      var new = book
      if let isbn = book.isbn, let other {
        (new.isbn, new.isbnText) = (nil, isbn.description)
        report.isbn = nil
        report.problems.append(
          RowProblem(.isbnTaken, value: "\(isbn), \"\(other)\"")
        )
      }
      report.outcome = .imported
      id = try StoredBook.insert(new, database)
      isMade = true
    case .book(let known):
      id = known
      var stored = try StoredBook.fetch(id, database) ?? book
      let isChanged = stored.update(with: try free(book, for: stored, &report, database))
      if isChanged { try StoredBook.update(id, stored, database) }
      report.outcome = isChanged ? .updated : .duplicate
    case .entry(let known, let said):
      id = known
      let stored = try StoredBook.fetch(id, database) ?? book
      var newer = stored
      if let said {
        let others = try source?.others(of: id, database) ?? []
        let kept = newer.sync(with: book, base: said, others: others)
        if !kept.isEmpty {
          report.problems.append(RowProblem(.keptHere, value: kept.joined(separator: ", ")))
        }
        try syncNumber(of: &newer, id, with: book, base: said, &report, database)
      } else {
        _ = newer.update(with: try free(book, for: stored, &report, database))
      }
      if newer != stored { try StoredBook.update(id, newer, database) }
      report.outcome = newer == stored ? .duplicate : .updated
    }
    if let source {
      try source.keep(book, of: id, isMade: isMade, database)
    } else {
      try BookSource.keepListed(book, id, database)
    }
    return id
  }

  /// A row without its number if that is another book's than the one it completes.
  private static func free(
    _ book: BookRecord,
    for stored: BookRecord,
    _ report: inout RowReport,
    _ database: Database
  ) throws -> BookRecord {
    guard stored.isbn == nil, let isbn = book.isbn,
      let other = try StoredBook.id(isbn: isbn, database)
    else { return book }
    let title = try StoredBook.fetch(other, database)?.title ?? ""
    report.problems.append(RowProblem(.isbnTaken, value: "\(isbn), \"\(title)\""))
    var free = book
    free.isbn = nil
    return free
  }

  /// Takes over the number that a source has changed, unless it is another book's or a person has changed it here.
  private static func syncNumber(
    of stored: inout BookRecord,
    _ id: Int64,
    with newer: BookRecord,
    base: BookRecord,
    _ report: inout RowReport,
    _ database: Database
  ) throws {
    guard newer.isbn != base.isbn || newer.isbnText != base.isbnText,
      stored.isbn == base.isbn || stored.isbn == nil,
      newer.isbn != stored.isbn || newer.isbnText != stored.isbnText
    else { return }
    if let isbn = newer.isbn, let other = try StoredBook.id(isbn: isbn, database), other != id {
      let title = try StoredBook.fetch(other, database)?.title ?? ""
      report.problems.append(RowProblem(.isbnTaken, value: "\(isbn), \"\(title)\""))
      return
    }
    stored.isbn = newer.isbn
    stored.isbnText = newer.isbnText
  }

  private static func insert(
    _ report: RowReport,
    book: Int64?,
    of job: String,
    _ database: Database
  ) throws {
    let problems = JSONValue.list(
      report.problems.map {
        var members: [String: JSONValue] = [
          "code": .string($0.code.rawValue), "column": .string($0.column),
          "value": .string($0.value),
        ]
        members["proposal"] = $0.proposal.map { .string($0) }
        return .object(members)
      }
    )
    try database.cachedStatement(
      sql: """
        INSERT INTO import_rows
          (job, row, line, outcome, book, duplicate_of, title, author, isbn, problems, raw, entry)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        job, report.row, report.line, report.outcome.rawValue, book, report.duplicateOf,
        report.title, report.author, report.isbn?.description,
        report.problems.isEmpty ? "[]" : problems.description,
        report.raw.map { DatabaseBytes($0) }, report.entry,
      ]
    )
  }

  private static func report(_ row: Row) -> RowReport {
    var report = RowReport(
      row: row[0],
      line: row[1],
      outcome: RowReport.Outcome(rawValue: row[2]) ?? .failed
    )
    report.duplicateOf = row[3]
    report.title = row[4]
    report.author = row[5]
    report.isbn = (row[6] as String?).flatMap { ISBN($0) }
    let text: String = row[7]
    if text != "[]", let value = try? JSONReader.value(of: Array(text.utf8)) {
      report.problems = (value.list ?? []).compactMap { problem in
        guard let word = problem["code"]?.string, let code = RowProblem.Code(rawValue: word) else {
          return nil
        }
        return RowProblem(
          code,
          column: problem["column"]?.string ?? "",
          value: problem["value"]?.string ?? "",
          proposal: problem["proposal"]?.string
        )
      }
    }
    report.raw = (row[8] as DatabaseBytes?)?.bytes
    return report
  }
}

/// Bytes as a blob.
struct DatabaseBytes: DatabaseValueConvertible {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var databaseValue: DatabaseValue { Data(bytes).databaseValue }

  static func fromDatabaseValue(_ value: DatabaseValue) -> DatabaseBytes? {
    Data.fromDatabaseValue(value).map { DatabaseBytes(Array($0)) }
  }
}
