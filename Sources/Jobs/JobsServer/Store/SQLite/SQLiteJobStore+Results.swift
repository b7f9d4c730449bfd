import Foundation
import GRDB
package import Jobs

extension SQLiteJobStore {
  /// Results of a job, in order of their numbers.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - outcomes: The outcomes; `nil` for all.
  ///   - after: The number of the previous result; -1 for the beginning.
  ///   - limit: The most results.
  /// - Returns: The results.
  /// - Throws: An error of SQLite.
  package func items(
    _ job: String,
    outcomes: [JobOutcome]? = nil,
    after: Int,
    limit: Int
  ) async throws -> [JobItem] {
    try await database.read { try Self.items($0, job, outcomes, after, limit) }
  }

  private static func items(
    _ database: Database,
    _ job: String,
    _ outcomes: [JobOutcome]?,
    _ after: Int,
    _ limit: Int
  ) throws -> [JobItem] {
    var sql = "SELECT * FROM result WHERE job = ? AND number > ?"
    var arguments: StatementArguments = [job, after]
    if let outcomes {
      let marks = outcomes.map { _ in "?" }.joined(separator: ", ")
      sql += " AND outcome IN (\(marks))"
      arguments += StatementArguments(outcomes.map(\.rawValue))
    }
    sql += " ORDER BY number LIMIT ?"
    arguments += [limit]
    return try Row.fetchAll(database, sql: sql, arguments: arguments).map(Self.item)
  }

  /// Results of a job and their number, read in one transaction.
  ///
  /// - Parameters: As for ``items(_:outcomes:after:limit:)``.
  /// - Returns: The results; `nil` if they were removed.
  /// - Throws: An error of SQLite.
  package func page(
    _ job: String,
    outcomes: [JobOutcome]?,
    after: Int,
    limit: Int
  ) async throws -> JobPage? {
    let now = due
    return try await database.read { database in
      guard let row = try Self.row(database, job), !row.isGone(at: now) else { return nil }
      let counts = try Self.outcomes(database, job)
      return JobPage(
        items: try Self.items(database, job, outcomes, after, limit),
        total: counts.filter { outcomes?.contains($0.key) ?? true }.values.reduce(0, +)
      )
    }
  }

  /// Whether the results of a job are gone.
  package func isGone(_ job: String) async throws -> Bool {
    let now = due
    return try await database.read { try Self.row($0, job)?.isGone(at: now) ?? true }
  }

  private static func item(_ row: Row) throws -> JobItem {
    JobItem(
      number: row["number"],
      outcome: JobOutcome(rawValue: row["outcome"]) ?? .failed,
      line: row["line"],
      problems: JobResultText.problems(of: row["problems"]),
      value: (row["value"] as String?).flatMap { JobResultText.value($0) },
      raw: (row["raw"] as Data?).map { Array($0) }
    )
  }
}
