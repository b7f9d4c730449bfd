import Jobs
import PostgresClient

extension PostgresJobStore {
  /// Adds a token, valid at least as long as the results of a job that has ended.
  ///
  /// - Returns: When it expires.
  @discardableResult
  func add(
    _ connection: PostgresConnection,
    _ token: String,
    _ job: String,
    _ now: Int64
  ) async throws -> Int64 {
    let results = try await find(connection, job)?.expiresAt ?? 0
    let expiry = max(now + Int64(limits.tokenSeconds) * 1_000, results)
    let hash = PostgresValue.bytes(JobToken.hash(token))
    try await connection.query(
      "INSERT INTO token (hash, job, expires_at) VALUES ($1, $2, $3)",
      [hash, .id(job), .int(expiry)]
    )
    // A token that is renewed again and again does not fill the store.
    try await connection.query(
      """
      DELETE FROM token WHERE job = $1 AND hash <> $2 AND hash NOT IN (
        SELECT hash FROM token WHERE job = $1 ORDER BY is_replaced, expires_at DESC LIMIT $3)
      """,
      [.id(job), hash, .int(limits.tokensOfJob)]
    )
    return expiry
  }

  package func access(_ job: String, token: String) async throws -> JobAccess {
    let now = now
    let rows = try await pool.query(
      """
      SELECT \(JobRow.columns), token.expires_at, token.is_replaced
      FROM token JOIN job ON job.id = token.job WHERE token.hash = $1 AND token.job = $2 AND job.library = $3
      """,
      [.bytes(JobToken.hash(token)), .id(job), libraryColumn]
    )
    guard let found = rows.first else { return .refused }
    let row = try JobRow(found)
    let expiry = JobToken.end(
      of: try found[JobRow.columnCount],
      isReplaced: try found[JobRow.columnCount + 1],
      row,
      at: now,
      limits
    )
    // A valid token for a removed job gets "gone", not "expired".
    if row.isGone(at: now) { return .gone }
    return now < expiry ? .open(row, tokenExpiresAt: expiry) : .tokenExpired
  }

  package func refresh(_ job: String, token: String) async throws -> (String, Int64)? {
    let now = now
    let fresh = JobToken.make()
    return try await pool.transaction { connection in
      // Locked, so that the end of the job comes before or after the new token.
      guard let row = try await find(connection, job, isLocked: true) else { return nil }
      let grace = now + Int64(limits.tokenGraceSeconds) * 1_000
      let replaced = try await connection.query(
        """
        UPDATE token SET is_replaced = true,
          expires_at = CASE WHEN is_replaced OR expires_at > $3 THEN least(expires_at, $4) ELSE $4 END
        WHERE hash = $1 AND job = $2 AND (expires_at > $3 OR NOT is_replaced AND $5)
        """,
        [
          .bytes(JobToken.hash(token)), .id(job), .int(now), .int(grace),
          .bool(!row.state.isTerminal),
        ]
      )
      guard replaced.changed == 1 else { return nil }
      return (fresh, try await add(connection, fresh, job, now))
    }
  }
}
