package import Jobs
import PostgresClient

extension PostgresJobStore {
  package func items(
    _ job: String,
    outcomes: [JobOutcome]?,
    after: Int,
    limit: Int
  ) async throws -> [JobItem] {
    try await pool.withConnection { try await items($0, job, outcomes, after, limit) }
  }

  private func items(
    _ connection: PostgresConnection,
    _ job: String,
    _ outcomes: [JobOutcome]?,
    _ after: Int,
    _ limit: Int
  ) async throws -> [JobItem] {
    try await connection.query(
      """
      SELECT number, outcome, line, problems, value, raw FROM result
      WHERE job = $1 AND number > $2 AND ($3::text[] IS NULL OR outcome = ANY($3)) ORDER BY number LIMIT $4
      """,
      [
        .id(job), .int(after),
        outcomes.map { .array(.text, $0.map { .text($0.rawValue) }) } ?? .null,
        .int(limit),
      ]
    ).map(Self.item)
  }

  private static func item(_ row: PostgresRow) throws -> JobItem {
    let (outcome, value): (String, String?) = (try row[1], try row[4])
    return JobItem(
      number: try row[0],
      outcome: JobOutcome(rawValue: outcome) ?? .failed,
      line: try row[2],
      problems: JobResultText.problems(of: try row[3]),
      value: value.flatMap { JobResultText.value($0) },
      raw: try row[5]
    )
  }

  package func page(
    _ job: String,
    outcomes: [JobOutcome]?,
    after: Int,
    limit: Int
  ) async throws -> JobPage? {
    let now = due
    return try await pool.transaction(isReadOnly: true) { connection in
      guard let row = try await find(connection, job), !row.isGone(at: now) else { return nil }
      let counts = try await self.outcomes(connection, job)
      return JobPage(
        items: try await items(connection, job, outcomes, after, limit),
        total: counts.filter { outcomes?.contains($0.key) ?? true }.values.reduce(0, +)
      )
    }
  }

  package func isGone(_ job: String) async throws -> Bool {
    let now = due
    return try await self.job(job)?.isGone(at: now) ?? true
  }

  func outcomes(_ connection: PostgresConnection, _ job: String) async throws -> [JobOutcome: Int] {
    let rows = try await connection.query(
      "SELECT outcome, count(*) FROM result WHERE job = $1 GROUP BY outcome",
      [.id(job)]
    )
    var counts: [JobOutcome: Int] = [:]
    for index in 0..<rows.count {
      if let outcome = JobOutcome(rawValue: try rows[index][0]) {
        counts[outcome] = try rows[index][1]
      }
    }
    return counts
  }
}
