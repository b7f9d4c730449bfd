import Foundation
import GRDB
import Jobs

extension JobStore {
  /// What a token is worth.
  enum Access: Sendable {
    /// It opens the job.
    case open(JobRow, tokenExpiresAt: Int64)
    /// It was one for this job, and is too old.
    case tokenExpired
    /// It is or was one for this job, whose results are gone.
    case gone
    /// It is not one for this job, or there is no such job: nobody learns which.
    case refused
  }

  /// Adds a token, good at least as long as the results of a job that is over.
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

  /// When a token ends.
  ///
  /// One that no newer one has replaced lives as long as its job, and from its end as long as the results. What is told
  /// of a job that is not over is some time from now, at least half of what a token lives, and changes seldom.
  static func end(
    of expiry: Int64,
    isReplaced: Bool,
    _ job: JobRow,
    at now: Int64,
    _ limits: JobLimits
  ) -> Int64 {
    guard !isReplaced, !job.state.isTerminal else { return expiry }
    let length = Int64(limits.tokenSeconds) * 1_000
    let least = now + length / 2
    guard expiry < least else { return expiry }
    return expiry + (least - expiry + length - 1) / length * length
  }

  /// Looks at a token.
  ///
  /// It is too old from the very millisecond of its end.
  func access(_ job: String, token: String) async throws -> Access {
    let (now, ends) = (now, due)
    return try await database.read { [limits] database in
      guard
        let found = try Row.fetchOne(
          database,
          sql: "SELECT expires_at, is_replaced FROM token WHERE hash = ? AND job = ?",
          arguments: [Data(JobToken.hash(token)), job]
        ), let row = try Self.row(database, job)
      else { return .refused }
      let expiry = Self.end(of: found[0], isReplaced: found[1], row, at: now, limits)
      // Whoever had a token for a job that is gone hears that it is gone, and not that the token is too old.
      if row.isGone(at: ends) { return .gone }
      return now < expiry ? .open(row, tokenExpiresAt: expiry) : .tokenExpired
    }
  }

  /// Whether a job is or was here.
  func exists(_ job: String) async throws -> Bool {
    try await database.read { database in try Self.row(database, job) != nil }
  }

  /// Makes a new token in place of one that is still good; the old one is good for a short while.
  ///
  /// - Returns: The new token and when it expires; nothing if the old one is not good.
  func refresh(_ job: String, token: String) async throws -> (String, Int64)? {
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
