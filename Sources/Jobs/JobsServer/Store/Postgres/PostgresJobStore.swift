package import BookLibrary
import Foundation
package import Jobs
package import PostgresClient
package import Serving
import Synchronization

/// Jobs, events, results, tokens and the files of jobs in a PostgreSQL database that any number of servers share.
///
/// Each change is one transaction that locks the row of its job first, so that the changes of a job follow one another
/// and its events have numbers without a gap. The transaction also sends the notification of its event.
package final class PostgresJobStore: JobStore {
  package let limits: JobLimits
  let pool: PostgresPool
  let schema: PostgresSchema
  /// Identifies this process in the database; not 0.
  let owner = Int64.random(in: 1...Int64.max)
  /// Whose library the jobs fill: this store has the jobs of this owner only.
  let libraryOwner: LibraryOwner
  /// The value of the column `library` of these jobs.
  var libraryColumn: PostgresValue { .text(libraryOwner.name) }
  /// The worker of a job that no worker has leased.
  ///
  /// Servers of the version before there were owners lease jobs with 0, with -1, or with a lease in `lease_until` that has
  /// ended, whosever they are; jobs of other owners than theirs have none of these.
  var free: Int { libraryOwner == .usual ? 0 : -2 }
  /// The worker of a job that waits for an instant: its lease has no owner.
  var nobody: Int { libraryOwner == .usual ? -1 : -2 }
  /// The column of the end of a lease.
  var leaseUntil: String { libraryOwner == .usual ? "lease_until" : "other_lease_until" }
  /// The least time that a transaction may wait for its next statement, in seconds, whatever leases are set to.
  private static let leastIdleTransactionSeconds = 5.0
  let inputs: JobInputFolder
  private let address: PostgresAddress
  private let folderLock: FolderLock
  private let clock: ServiceClock
  /// How much the clock of the database is ahead, in milliseconds; all servers stamp by that one.
  private let offset = Mutex(Int64(0))

  /// The channel on which the events of jobs are announced, as `id.seq`; number 0 means a job that may be claimed.
  package var channel: String { schema.name + ".jobs" }

  /// Creates the store; connections are opened when they are needed.
  ///
  /// - Parameters:
  ///   - address: The database.
  ///   - folder: A folder of this process for copies of the files of jobs; created if missing.
  ///   - libraryOwner: Whose library the jobs fill; stores of other owners have none of these jobs.
  ///   - limits: The limits.
  ///   - clientLimits: The limits of the connections.
  ///   - clock: The service clock.
  ///   - schema: The name of the schema.
  /// - Throws: ``JobStoreError/inUse(_:)`` if another process has the folder; an error of the file system.
  package init(
    _ address: PostgresAddress,
    folder: String,
    libraryOwner: LibraryOwner = .usual,
    limits: JobLimits = JobLimits(),
    clientLimits: PostgresClientLimits = PostgresClientLimits(),
    clock: ServiceClock,
    schema: String = "freshet"
  ) throws {
    self.address = address
    self.libraryOwner = libraryOwner
    self.limits = limits
    self.clock = clock
    let schema = PostgresSchema.jobs(name: schema)
    self.schema = schema
    inputs = try JobInputFolder(folder)
    folderLock = try FolderLock(folder)
    inputs.removeUnfinished()
    var clientLimits = clientLimits
    // A worker that is stopped or cut off holds no lock for longer than its lease, which other workers wait for.
    let lease = max(Double(limits.leaseSeconds), Self.leastIdleTransactionSeconds)
    clientLimits.idleTransactionSeconds = min(clientLimits.idleTransactionSeconds, lease)
    pool = schema.pool(address, limits: clientLimits)
  }

  package var isShared: Bool { true }

  package func watch(_ notify: (JobStoreNotice) async -> Void) async {
    await PostgresListener(address, channels: [channel], limits: pool.limits).run { event in
      switch event {
      case .gap: await notify(.gap)
      case .lost(let error): await notify(.lost("\(error)"))
      case .notification(let notification):
        guard let position = notification.payload.lastIndex(of: "."),
          let seq = Int64(notification.payload[position...].dropFirst())
        else { return }
        let job = String(notification.payload[..<position])
        await notify(seq == 0 ? .open : .event(job: job, seq: seq))
      }
    }
  }

  package var now: Int64 { Int64(clock.now * 1_000) + offset.withLock { $0 } }

  package var due: Int64 { now }

  /// Compares the clocks; a clock that tests set is not corrected.
  package func compareClocks() async throws {
    guard clock.isMachine else { return }
    let before = ContinuousClock.now
    let rows = try await pool.query(
      "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint",
      within: pool.limits.startSeconds
    )
    let (seconds, fraction) = (ContinuousClock.now - before).components
    let trip = seconds * 1_000 + fraction / 1_000_000_000_000_000
    guard let row = rows.first else { return }
    let theirs: Int64 = try row[0]
    let ours = Int64(clock.now * 1_000) - trip / 2
    offset.withLock { $0 = theirs - ours }
  }

  package func fault(of error: any Error) -> StoreFault? {
    guard let error = error as? PostgresError else {
      return StoreFault(error, in: inputs.path)
    }
    // disk_full
    if error.sqlState == "53100" { return .full }
    return error.isTransient ? .unreachable : nil
  }

  /// Statements have deadlines of their own.
  package func stopWaiting() {}

  /// A commit is complete.
  package func finishWriting() async {}

  package func close() async {
    pool.close()
    folderLock.giveBack()
  }

  // MARK: Rows

  /// A job of this owner; locked until the end of the transaction if it is to be changed.
  func find(
    _ connection: PostgresConnection,
    _ id: String,
    isLocked: Bool = false
  ) async throws -> JobRow? {
    let sql = "SELECT \(JobRow.columns) FROM job WHERE id = $1 AND library = $2"
    let rows = try await connection.query(
      sql + (isLocked ? " FOR UPDATE" : ""),
      [.id(id), libraryColumn]
    )
    return try rows.first.map { try JobRow($0) }
  }

  package func job(_ id: String) async throws -> JobRow? {
    try await pool.withConnection { try await find($0, id) }
  }

  package func exists(_ job: String) async throws -> Bool {
    try await pool.query(
      "SELECT 1 FROM job WHERE id = $1 AND library = $2",
      [.id(job), libraryColumn]
    ).count > 0
  }

  package func openJobs() async throws -> [JobRow] {
    try await pool.query(
      """
      SELECT \(JobRow.columns) FROM job WHERE state IN ('queued', 'running', 'canceling') AND library = $1
      ORDER BY coalesce(rank, created_at), id
      """,
      [libraryColumn]
    ).map { try JobRow($0) }
  }

  package func stuck() async throws -> [String] {
    try await pool.query(
      """
      SELECT id FROM job WHERE state IN ('running', 'canceling') AND updated_at < $1 AND library = $2
      ORDER BY id
      """,
      [.int(now - Int64(limits.stuckSeconds) * 1_000), libraryColumn]
    ).map { try $0[0] }
  }

  package func counts() async throws -> [String: Int] {
    let rows = try await pool.query(
      "SELECT state, count(*) FROM job WHERE library = $1 GROUP BY state",
      [libraryColumn]
    )
    return Dictionary(uniqueKeysWithValues: try rows.map { (try $0[0], try $0[1]) })
  }

  package func delays() async throws -> JobDelays {
    let now = now
    let rows = try await pool.query(
      JobDelays.query(now: "$1") + " AND library = $2",
      [.int(now), libraryColumn]
    )
    return JobDelays(
      oldestStart: try rows.first.flatMap { try $0[0] },
      oldestDue: try rows.first.flatMap { try $0[1] },
      now: now
    )
  }

  package func messages(
    _ job: String,
    after seq: Int64,
    limit: Int
  ) async throws -> [[UInt8]] {
    try await pool.query(
      "SELECT message FROM event WHERE job = $1 AND seq > $2 ORDER BY seq LIMIT $3",
      [.id(job), .int(seq), .int(Int64(limit))]
    ).map { try $0[0] }
  }

  package func gone(of jobs: [String]) async throws -> [String] {
    guard !jobs.isEmpty else { return [] }
    let rows = try await pool.query(
      "SELECT id FROM job WHERE id = ANY($1) AND state <> 'expired'",
      [.array(.text, jobs.map { .id($0) })]
    )
    let kept = Set(try rows.map { try $0[0] as String })
    return jobs.filter { !kept.contains($0) }
  }

  /// The work of a job; its files are fetched unless they are here.
  package func work(_ job: JobRow) async throws -> JobWork {
    let rows = try await pool.query(
      "SELECT number, name, media_type, length(content) FROM input WHERE job = $1 ORDER BY number",
      [.id(job.id)]
    )
    var files: [JobInput] = []
    for index in 0..<rows.count {
      let number: Int = try rows[index][0]
      let place = inputs.place(of: job.id, number)
      let file = JobInput(
        name: try rows[index][1],
        mediaType: try rows[index][2],
        path: place,
        byteCount: try rows[index][3]
      )
      files.append(file)
      if inputs.has(place, bytes: file.byteCount) { continue }
      let content = try await pool.query(
        "SELECT content FROM input WHERE job = $1 AND number = $2",
        [.id(job.id), .int(number)]
      )
      guard let row = content.first else { continue }
      let bytes: [UInt8] = try row[0]
      try inputs.add(place) { try Data(bytes).write(to: URL(fileURLWithPath: $0)) }
    }
    return JobWork(
      job: job.id,
      inputs: files,
      options: job.options,
      checkpoint: job.checkpoint,
      attempt: max(0, job.attempt - 1)
    )
  }

  // MARK: Housekeeping

  /// A worker that ended without releasing its lease is counted by the one that takes its job over.
  package func countCrashes() async throws {}

  /// Removes what is too old, of all owners.
  package func sweep() async throws -> [String] {
    try await compareClocks()
    let now = due
    let expired = try await pool.transaction { [schema] connection -> [String] in
      // One server does it; the others need not wait.
      let lock = try await connection.query(
        "SELECT pg_try_advisory_xact_lock(hashtextextended($1, 1))",
        [.text(schema.name)]
      )
      guard let row = lock.first, try row[0] else { return [] }
      let due = try await connection.query(
        """
        UPDATE job SET state = 'expired', checkpoint = NULL, updated_at = $1
        WHERE expires_at <= $1 AND state IN ('succeeded', 'failed', 'canceled') RETURNING id
        """,
        [.int(now)]
      ).map { try $0[0] as String }
      if !due.isEmpty {
        let jobs = PostgresValue.array(.text, due.map { .text($0) })
        for table in ["result", "event", "input"] {
          try await connection.query("DELETE FROM \(table) WHERE job = ANY($1)", [jobs])
        }
      }
      try await connection.query(
        "DELETE FROM job WHERE tombstone_until <= $1 AND state = 'expired'",
        [.int(now)]
      )
      try await connection.query("DELETE FROM idempotency WHERE until <= $1", [.int(now)])
      return due
    }
    try await removeCopies()
    return expired
  }
}

extension PostgresJobStore {
  /// Removes copies of files that are no longer in the database.
  private func removeCopies() async throws {
    // Listed first: a file that is fetched while the database is asked stays.
    let places = inputs.places
    guard !places.isEmpty else { return }
    let rows = try await pool.query("SELECT job, number FROM input")
    inputs.remove(places.subtracting(try rows.map { inputs.place(of: try $0[0], try $0[1]) }))
  }
}
