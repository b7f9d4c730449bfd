package import BookLibrary
import PostgresClient

extension PostgresJobStore {
  /// The library that the imports of the servers fill, in the database of the jobs.
  package var library: PostgresLibrary {
    PostgresLibrary(pool, owner: libraryOwner) { [self] connection, job, fence in
      // Shared, so that the lease changes hands before or after the transaction.
      let lease = JobLease(job: job, fence: fence)
      guard try await self.lease(connection, job)?.admits(lease) == true else {
        throw JobStoreError.fenced(job)
      }
    }
  }
}
