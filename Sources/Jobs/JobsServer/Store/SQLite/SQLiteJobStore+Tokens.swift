import Foundation
import GRDB
import Jobs

extension SQLiteJobStore {
  /// Adds a token, valid at least as long as the results of a job that has ended.
  ///
  /// - Returns: When it expires.
  @discardableResult
  static func add(
    _ database: Database,
    _ token: String,
    _ job: String,
    _ now: Int64,
    _ limits: JobLimits
  ) throws -> Int64 {
    let results = try row(database, job)?.expiresAt ?? 0
    let expiry = max(now + Int64(limits.tokenSeconds) * 1_000, results)
    try database.execute(
      sql: "INSERT INTO token (hash, job, expires_at) VALUES (?, ?, ?)",
      arguments: [Data(JobToken.hash(token)), job, expiry]
    )
    // One that is renewed again and again does not fill the store.
    try database.execute(
      sql: """
        DELETE FROM token WHERE job = ? AND hash <> ? AND hash NOT IN (
          SELECT hash FROM token WHERE job = ? ORDER BY is_replaced, expires_at DESC LIMIT ?)
        """,
      arguments: [job, Data(JobToken.hash(token)), job, limits.tokensOfJob]
    )
    return expiry
  }

  /// Examines a token.
  ///
  /// It is too old from the very millisecond of its end.
  package func access(_ job: String, token: String) async throws -> JobAccess {
    let (now, ends) = (now, due)
    return try await database.read { [limits] database in
      guard
        let found = try Row.fetchOne(
          database,
          sql: "SELECT expires_at, is_replaced FROM token WHERE hash = ? AND job = ?",
          arguments: [Data(JobToken.hash(token)), job]
        ), let row = try Self.row(database, job)
      else { return .refused }
      let expiry = JobToken.end(of: found[0], isReplaced: found[1], row, at: now, limits)
      // A valid token for a removed job gets "gone", not "expired".
      if row.isGone(at: ends) { return .gone }
      return now < expiry ? .open(row, tokenExpiresAt: expiry) : .tokenExpired
    }
  }

  /// Whether a job is or was here.
  package func exists(_ job: String) async throws -> Bool {
    try await database.read { database in try Self.row(database, job) != nil }
  }

  /// Replaces a valid token with a new one; the old one stays valid for a short time.
  ///
  /// - Returns: The new token and its expiry; `nil` if the old one is not valid.
  package func refresh(_ job: String, token: String) async throws -> (String, Int64)? {
    let now = now
    let fresh = JobToken.make()
    return try await database.write { [limits] database in
      let grace = now + Int64(limits.tokenGraceSeconds) * 1_000
      try database.execute(
        sql: """
          UPDATE token SET is_replaced = 1,
            expires_at = CASE WHEN is_replaced OR expires_at > ? THEN min(expires_at, ?) ELSE ? END
          WHERE hash = ? AND job = ? AND (expires_at > ? OR NOT is_replaced AND job IN (
            SELECT id FROM job WHERE state IN ('queued', 'running', 'canceling')))
          """,
        arguments: [now, grace, grace, Data(JobToken.hash(token)), job, now]
      )
      guard database.changesCount == 1 else { return nil }
      return (fresh, try Self.add(database, fresh, job, now, limits))
    }
  }
}
