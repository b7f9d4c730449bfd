package import Books
import GRDB

extension SQLiteLibrary {
  package func state(of job: String) async throws -> ImportState {
    try await pool.read { try Self.state(of: job, $0) }
  }

  package func imports() async throws -> [String] {
    try await pool.read { try String.fetchAll($0, sql: "SELECT job FROM imports ORDER BY job") }
  }

  package func forget(_ job: String) async throws {
    // The rows go with it.
    try await pool.write {
      try $0.execute(sql: "DELETE FROM imports WHERE job = ?", arguments: [job])
    }
  }

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
      let stored = SQLiteLibraryRows(database: database, job: file.job)
      var reports = try RowImport(file: file, rows: stored).store(rows, &state)
      if isLast, !state.isFinished { reports += try stored.closeList(of: file, &state) }
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

  package func reports(of job: String, from row: Int, limit: Int) async throws -> [RowReport] {
    try await pool.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT row, line, outcome, duplicate_of, title, author, isbn, problems, raw, entry
          FROM import_rows
          WHERE job = ? AND row >= ? ORDER BY row LIMIT ?
          """,
        arguments: [job, row, max(1, min(limit, LibraryLimits.page))]
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
    report.problems = StoredReport.problems(row[7])
    report.raw = (row[8] as DatabaseBytes?)?.bytes
    report.entry = row[9]
    return report
  }
}
