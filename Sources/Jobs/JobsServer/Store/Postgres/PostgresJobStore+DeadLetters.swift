import Jobs
import PostgresClient

extension PostgresJobStore {
  package func deadLetters(limit: Int) async throws -> [JobRow] {
    try await pool.query(
      """
      SELECT \(JobRow.columns) FROM job WHERE is_dead AND state = 'failed' AND expires_at > $1
        AND library = $3
      ORDER BY ended_at DESC, id LIMIT $2
      """,
      [.int(due), .int(limit), libraryColumn]
    ).map { try JobRow($0) }
  }

  package func noteRestart(of job: String, as new: String) async throws {
    try await pool.query(
      "UPDATE job SET is_dead = false, restarted_as = $2 WHERE id = $1",
      [.id(job), .id(new)]
    )
  }
}
