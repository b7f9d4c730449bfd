import Foundation
import GRDB
import Jobs
import StrictJSON
import TolerantDecoding

extension JobStore {
  /// Results of a job, in order of their numbers.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - outcomes: The outcomes; `nil` for all.
  ///   - after: The number of the previous result; -1 for the beginning.
  ///   - limit: The most results.
  /// - Returns: The results.
  /// - Throws: An error of SQLite.
  func items(
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

  /// A snapshot of results of a job.
  struct Page: Sendable {
    /// The results, in order of their numbers.
    var items: [JobItem]
    /// How many results have one of the outcomes.
    var total: Int
    /// The work of the job, with its files.
    var work: JobWork
  }

  /// Results of a job and the data that belongs to them, read in one transaction.
  ///
  /// - Parameters: As for ``items(_:outcomes:after:limit:)``.
  /// - Returns: The results; `nil` if they were removed.
  /// - Throws: An error of SQLite.
  func page(
    _ job: String,
    outcomes: [JobOutcome]?,
    after: Int,
    limit: Int
  ) async throws -> Page? {
    let now = due
    return try await database.read { [folder] database in
      guard let row = try Self.row(database, job), !row.isGone(at: now) else { return nil }
      let counts = try Self.outcomes(database, job)
      return Page(
        items: try Self.items(database, job, outcomes, after, limit),
        total: counts.filter { outcomes?.contains($0.key) ?? true }.values.reduce(0, +),
        work: try Self.work(database, row, folder)
      )
    }
  }

  /// Whether the results of a job are gone.
  func isGone(_ job: String) async throws -> Bool {
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

/// Results as JSON.
enum JobResultText {
  /// A result as clients read it.
  static func json(_ item: JobItem) -> JSONValue {
    var members: [String: JSONValue] = [
      "number": .whole(Int64(item.number)), "outcome": .string(item.outcome.rawValue),
    ]
    members["line"] = item.line.map { .whole(Int64($0)) }
    members["value"] = item.value
    if !item.problems.isEmpty { members["problems"] = problems(item.problems) }
    if let raw = item.raw { members["raw"] = .string(String(decoding: raw, as: UTF8.self)) }
    return .object(members)
  }

  static func problems(_ problems: [JobItem.Problem]) -> JSONValue {
    .list(
      problems.map { problem in
        var members: [String: JSONValue] = [
          "code": .string(problem.code), "message": .string(problem.message),
        ]
        members["field"] = problem.field.map { .string($0) }
        if problem.isRetryable { members["retryable"] = .bool(true) }
        members["proposal"] = problem.proposal.map { .string($0) }
        return .object(members)
      }
    )
  }

  static func problems(of text: String?) -> [JobItem.Problem] {
    text.flatMap { value($0) }?.list?.map { problem in
      JobItem.Problem(
        code: problem["code"]?.string ?? "",
        message: problem["message"]?.string ?? "",
        field: problem["field"]?.string,
        isRetryable: problem["retryable"]?.bool ?? false,
        proposal: problem["proposal"]?.string
      )
    } ?? []
  }

  static func value(_ text: String) -> JSONValue? {
    var rules = JSONReader.Rules()
    rules.keepsNumbers = true
    return try? JSONReader.value(of: Array(text.utf8), rules: rules)
  }
}

/// Sentences for people.
enum JobSentence {
  /// How far a job is.
  static func progress(_ step: JobStep) -> String {
    let phase = step.phase.split(separator: "_").joined(separator: " ")
    guard let total = step.total else { return "\(phase): \(step.processed) done" }
    return "\(phase): \(step.processed) of \(total)"
  }

  /// How a job ended.
  static func ended(_ completion: JobCompletion) -> String {
    let done = "\(completion.successes ?? 0) of \(completion.total ?? 0) succeeded"
    return switch completion.ending {
    case .known(.succeeded): "done: \(done)"
    case .known(.canceled): "canceled: \(done)"
    case .known(.failed), .unknown: "failed: \(completion.failure?.message ?? "no reason given")"
    }
  }
}
