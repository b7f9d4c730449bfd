import GRDB
import Jobs

extension SQLiteJobStore {
  package func deadLetters(limit: Int) async throws -> [JobRow] {
    let now = due
    return try await database.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT * FROM job WHERE is_dead AND state = 'failed' AND expires_at > ?
          ORDER BY ended_at DESC, id LIMIT ?
          """,
        arguments: [now, limit]
      ).map { try JobRow($0) }
    }
  }

  package func noteRestart(of job: String, as new: String) async throws {
    try await database.write { database in
      try database.execute(
        sql: "UPDATE job SET is_dead = 0, restarted_as = ? WHERE id = ?",
        arguments: [new, job]
      )
    }
  }
}
