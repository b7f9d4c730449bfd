package import BookLibrary
import PostgresClient

extension PostgresJobStore {
  /// The library that the imports of the servers fill, in the database of the jobs.
  package var library: PostgresLibrary {
    PostgresLibrary(pool, owner: libraryOwner) { [owner] connection, job, fence in
      // Shared, so that the lease changes hands before or after the transaction.
      let rows = try await connection.query(
        "SELECT 1 FROM job WHERE id = $1 AND fence = $2 AND owner = $3 FOR SHARE",
        [.text(job), .int(fence), .int(owner)]
      )
      guard rows.count == 1 else { throw JobStoreError.fenced(job) }
    }
  }
}
