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
    /// How many rows are done.
    package var rowsDone = 0
    /// What became of them.
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
  /// - Returns: What became of each row.
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
        let (report, book) = try Self.store(pending, of: file.job, database)
        try Self.insert(report, book: book, of: file.job, database)
        state.rowsDone = report.row
        state.counts.add(report)
        reports.append(report)
      }
      let counts = state.counts
      try database.cachedStatement(
        sql: """
          UPDATE imports SET rows_done = ?, imported = ?, updated = ?, duplicates = ?, failed = ?,
            blank = ?, warned = ?, finished = max(finished, ?)
          WHERE job = ?
          """
      ).execute(
        arguments: [
          state.rowsDone, counts.imported, counts.updated, counts.duplicates, counts.failed,
          counts.blank, counts.warned, isLast, file.job,
        ]
      )
      return reports
    }
  }

  /// What became of rows that were stored before.
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
        SELECT rows_done, imported, updated, duplicates, failed, blank, warned, finished
        FROM imports WHERE job = ?
        """
    )
    guard let row = try Row.fetchOne(statement, arguments: [job]) else { return state }
    state.rowsDone = row[0]
    state.counts.rows = row[0]
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
    of job: String,
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
      if let earlier = pending.duplicateOf {
        report.outcome = .duplicate
        report.duplicateOf = earlier
        let statement = try database.cachedStatement(
          sql: "SELECT book FROM import_rows WHERE job = ? AND row = ?"
        )
        guard let id = try Int64.fetchOne(statement, arguments: [job, earlier]),
          var stored = try StoredBook.fetch(id, database)
        else { return (report, nil) }
        // Another book may have the number already.
        var other = book
        if stored.isbn == nil, let isbn = book.isbn,
          try StoredBook.find(book, database) != nil, try Self.isTaken(isbn, database)
        {
          other.isbn = nil
        }
        if stored.complete(with: other) { try StoredBook.update(id, stored, database) }
        return (report, id)
      }
      if let id = try StoredBook.find(book, database),
        var stored = try StoredBook.fetch(id, database)
      {
        let isChanged = stored.update(with: book)
        if isChanged { try StoredBook.update(id, stored, database) }
        report.outcome = isChanged ? .updated : .duplicate
        return (report, id)
      }
      report.outcome = .imported
      return (report, try StoredBook.insert(book, database))
    }
  }

  private static func isTaken(_ isbn: ISBN, _ database: Database) throws -> Bool {
    let statement = try database.cachedStatement(sql: "SELECT 1 FROM books WHERE isbn = ?")
    return try Int.fetchOne(statement, arguments: [isbn.description]) != nil
  }

  private static func insert(
    _ report: RowReport,
    book: Int64?,
    of job: String,
    _ database: Database
  ) throws {
    let problems = JSONValue.list(
      report.problems.map {
        .object([
          "code": .string($0.code.rawValue), "column": .string($0.column),
          "value": .string($0.value),
        ])
      }
    )
    try database.cachedStatement(
      sql: """
        INSERT INTO import_rows
          (job, row, line, outcome, book, duplicate_of, title, author, isbn, problems, raw)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(
      arguments: [
        job, report.row, report.line, report.outcome.rawValue, book, report.duplicateOf,
        report.title, report.author, report.isbn?.description,
        report.problems.isEmpty ? "[]" : problems.description,
        report.raw.map { DatabaseBytes($0) },
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
          value: problem["value"]?.string ?? ""
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
