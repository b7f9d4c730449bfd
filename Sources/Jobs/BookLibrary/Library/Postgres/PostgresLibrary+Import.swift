package import Books
import PostgresClient

extension PostgresLibrary {
  package func state(of job: String) async throws -> ImportState {
    try await pool.withConnection { connection in
      try await state(where: "library = \(Self.library)", .text(owner.name), job, connection)
    }
  }

  private func state(
    where condition: String,
    _ value: PostgresValue,
    _ job: String,
    _ connection: PostgresConnection
  ) async throws -> ImportState {
    let rows = try await connection.query(
      """
      SELECT rows_done, imported, updated, duplicates, failed, blank, warned, removed, is_finished
      FROM import WHERE \(condition) AND job = $2
      """,
      [value, .text(job)]
    )
    var state = ImportState()
    guard let row = rows.first else { return state }
    state.rowsDone = try row[0]
    state.counts.imported = try row[1]
    state.counts.updated = try row[2]
    state.counts.duplicates = try row[3]
    state.counts.failed = try row[4]
    state.counts.blank = try row[5]
    state.counts.warned = try row[6]
    state.counts.removed = try row[7]
    state.counts.rows = state.rowsDone - state.counts.removed
    state.isFinished = try row[8]
    return state
  }

  package func imports() async throws -> [String] {
    try await pool.query(
      "SELECT job FROM import WHERE library = \(Self.library) ORDER BY job",
      [.text(owner.name)]
    ).map { try $0[0] }
  }

  package func forget(_ job: String) async throws {
    // The rows go with it.
    try await pool.query(
      "DELETE FROM import WHERE library = \(Self.library) AND job = $2",
      [.text(owner.name), .text(job)]
    )
  }

  package func store(
    _ rows: [PendingRow],
    of file: ImportFile,
    isLast: Bool
  ) async throws -> [RowReport] {
    try await pool.transaction { connection in
      var library = try await lock(connection)
      try await checkLease(of: file, connection)
      try await connection.query(
        """
        INSERT INTO import (library, job, file, source, encoding) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING
        """,
        [
          .int(library.id), .text(file.job), .text(file.name.replacing("\0", with: "\u{FFFD}")),
          .text(file.source.rawValue), .text(file.encoding.rawValue),
        ]
      )
      var state = try await state(where: "library = $1", .int(library.id), file.job, connection)
      let rows = rows.filter { $0.row.number > state.rowsDone }
      try await load(library, Wanted(rows, of: file), connection)
      var reports = try RowImport(file: file, rows: library.rows).store(rows, &state)
      try await write(library, job: file.job, connection)
      if isLast, !state.isFinished {
        reports += try await closeList(of: file, &library, &state, connection)
        state.isFinished = true
      }
      try await write(state, of: file.job, library, connection)
      return reports
    }
  }

  private func write(
    _ state: ImportState,
    of job: String,
    _ library: Locked,
    _ connection: PostgresConnection
  ) async throws {
    let counts = state.counts
    try await connection.query(
      """
      UPDATE import SET rows_done = $3, imported = $4, updated = $5, duplicates = $6, failed = $7,
        blank = $8, warned = $9, removed = $10, is_finished = $11
      WHERE library = $1 AND job = $2
      """,
      [
        .int(library.id), .text(job), .int(state.rowsDone), .int(counts.imported),
        .int(counts.updated), .int(counts.duplicates), .int(counts.failed), .int(counts.blank),
        .int(counts.warned), .int(counts.removed), .bool(state.isFinished),
      ]
    )
  }

  /// Ends a list that has been read to its end: removes books that are gone, and keeps its entries.
  ///
  /// - Returns: The reports of the books that were removed.
  private func closeList(
    of file: ImportFile,
    _ library: inout Locked,
    _ state: inout ImportState,
    _ connection: PostgresConnection
  ) async throws -> [RowReport] {
    guard let scope = file.scope, ListComparison.applies(to: file) else { return [] }
    let entries = try await connection.query(
      "SELECT entry FROM import_row WHERE library = $1 AND job = $2 AND entry IS NOT NULL",
      [.int(library.id), .text(file.job)]
    ).map { String(decoding: try $0[0] as [UInt8], as: UTF8.self) }
    guard !entries.isEmpty else { return [] }
    library.rows.lists = try await lists(of: scope, library, connection)
    let comparison = ListComparison(
      Set(entries),
      with: library.rows.lists,
      isWhole: ListComparison.isWhole(file, state)
    )
    let sources = comparison.gone.map { BookSource(scope: scope, entry: $0) }
    let list: Int64
    if let known = comparison.list {
      list = known
    } else {
      library.lastList += 1
      list = library.lastList
      try await connection.query(
        "INSERT INTO source_list (library, id, source) VALUES ($1, $2, $3)",
        [.int(library.id), .int(list), .text(scope)]
      )
    }
    try await load(library, Wanted(sources: sources), connection)
    let reports = try RowImport(file: file, rows: library.rows)
      .remove(comparison.gone, from: list, &state)
    try await write(library, job: file.job, connection)
    try await connection.query(
      """
      INSERT INTO source_list_entry (library, list, entry)
      SELECT DISTINCT $1::bigint, $3::bigint, entry FROM import_row
      WHERE library = $1 AND job = $2 AND entry IS NOT NULL ON CONFLICT DO NOTHING
      """,
      [.int(library.id), .text(file.job), .int(list)]
    )
    return reports
  }

  private func lists(
    of scope: String,
    _ library: Locked,
    _ connection: PostgresConnection
  ) async throws -> [ListComparison.List] {
    let rows = try await connection.query(
      """
      SELECT id, entry FROM source_list LEFT JOIN source_list_entry ON list = id
        AND source_list_entry.library = source_list.library
      WHERE source_list.library = $1 AND source = $2 ORDER BY id
      """,
      [.int(library.id), .text(scope)]
    )
    var lists: [ListComparison.List] = []
    for index in 0..<rows.count {
      let (id, entry): (Int64, [UInt8]?) = (try rows[index][0], try rows[index][1])
      if lists.last?.id != id { lists.append(ListComparison.List(id: id, entries: [])) }
      if let entry {
        lists[lists.count - 1].entries.insert(String(decoding: entry, as: UTF8.self))
      }
    }
    return lists
  }

  package func reports(of job: String, from row: Int, limit: Int) async throws -> [RowReport] {
    try await pool.query(
      """
      SELECT row, outcome, report, raw, entry FROM import_row
      WHERE library = \(Self.library) AND job = $2 AND row >= $3 ORDER BY row LIMIT $4
      """,
      [
        .text(owner.name), .text(job), .int(row), .int(max(1, min(limit, LibraryLimits.page))),
      ]
    ).map { row in
      var report = StoredReport.report(row: try row[0], outcome: try row[1], try row[2])
      report.raw = try row[3]
      report.entry = (try row[4] as [UInt8]?).map { String(decoding: $0, as: UTF8.self) }
      return report
    }
  }
}
