import Foundation
import GRDB
package import Jobs
package import Serving
import Storage
import Synchronization

/// Jobs, events, results and tokens in a folder: `jobs.sqlite`, and the files that came with jobs.
///
/// Every change of a job is one transaction that also stores its event, before any client is notified. Only one store
/// at a time can open the folder.
package final class SQLiteJobStore: JobStore {
  /// The version of the log.
  ///
  /// A database that is deleted and recreated gets a new one.
  let epoch: Int64
  package let limits: JobLimits
  let folder: String
  let database: DatabasePool
  private let clock: ServiceClock
  /// Checks the wall clock; `nil` with a clock that tests set.
  private let time: Mutex<SteadyTime>?
  /// Identifies this process in the database; not 0.
  let worker = Int64.random(in: 1...Int64.max)
  /// The jobs that this process works on.
  let leases = LocalLeases()
  private let waits: DatabaseWaits
  /// The lock on the folder, released when no job runs any more.
  let folderLock: FolderLock

  /// Opens the store, or creates a new one.
  ///
  /// - Parameters:
  ///   - folder: The folder; created if missing.
  ///   - limits: The limits.
  ///   - clock: The service clock.
  /// - Throws: An error of SQLite or of the file system; ``JobStoreError/inUse(_:)`` if another store has opened the folder.
  package init(folder: String, limits: JobLimits = JobLimits(), clock: ServiceClock) throws {
    self.folder = folder
    self.limits = limits
    self.clock = clock
    try FileManager.default.createDirectory(
      atPath: folder + "/inputs",
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    // Uploads are private; the folder around them may contain other files.
    try? FileManager.default.setAttributes(
      [.posixPermissions: 0o700],
      ofItemAtPath: folder + "/inputs"
    )
    folderLock = try FolderLock(folder)
    let waits = DatabaseWaits(longest: Self.longestLock)
    self.waits = waits
    // A killed process loses nothing; a computer that loses power may lose the last transactions,
    // and then their events were lost with them.
    do {
      database = try DatabaseFile.openForWriting(
        path: folder + "/jobs.sqlite",
        label: "freshet.jobs",
        waits: waits,
        readers: Self.readers
      )
    } catch let error as DatabaseError where SQLiteJobSchema.isNoDatabase(error) {
      throw JobStoreError.damaged("\(folder)/jobs.sqlite: \(SQLiteJobSchema.reason(error))")
    }
    // A database that another program has locked can be read, and most often needs nothing more.
    let migrator = SQLiteJobSchema.migrator
    guard try !database.read(migrator.hasBeenSuperseded) else {
      throw JobStoreError.damaged("\(folder)/jobs.sqlite: \(SQLiteJobSchema.newerProgram)")
    }
    if try !database.read(migrator.hasCompletedMigrations) { try migrator.migrate(database) }
    let kept = try database.read { try Int64.fetchOne($0, sql: "PRAGMA user_version") ?? 0 }
    if kept > 0 {
      epoch = kept
    } else {
      epoch = Self.newEpoch(now: clock.now, after: 0)
      try database.write { [epoch] in try $0.execute(sql: "PRAGMA user_version = \(epoch)") }
    }
    if clock.isMachine {
      let last = try database.read { try Int64.fetchOne($0, sql: "SELECT at FROM seen") }
      time = Mutex(
        SteadyTime(wall: Int64(clock.now * 1_000), steady: Self.steadyTime, last: last)
      )
    } else {
      time = nil
    }
    try removeStrangers()
  }

  /// Removes the files of requests that the end of an earlier process interrupted.
  private func removeStrangers() throws {
    let known = try database.read { database in
      try String.fetchSet(database, sql: "SELECT file FROM input")
    }
    let manager = FileManager.default
    for name in try manager.contentsOfDirectory(atPath: folder + "/inputs")
    where !known.contains("inputs/" + name) {
      try? manager.removeItem(atPath: folder + "/inputs/" + name)
    }
  }

  /// Returns the epoch of a log that begins now; it differs from the one before, and is at least 1.
  static func newEpoch(now: Double, after old: Int64) -> Int64 {
    let epoch = max(1, Int64(max(0, now)) % Int64(Int32.max))
    return epoch == old ? max(1, (epoch + 1) % Int64(Int32.max)) : epoch
  }

  /// How long a request waits for a lock on the database, in seconds.
  private static let longestLock = 3.0
  /// The most queries at once.
  private static let readers = 4

  /// Now, in milliseconds since 1970-01-01T00:00:00Z; a clock that is wrong for a while does not count.
  package var now: Int64 {
    let wall = Int64(clock.now * 1_000)
    return time?.withLock { $0.now(wall: wall, steady: Self.steadyTime) } ?? wall
  }

  /// Now, for what ends: not after ``now``.
  package var due: Int64 {
    let wall = Int64(clock.now * 1_000)
    return time?.withLock { $0.due(wall: wall, steady: Self.steadyTime) } ?? wall
  }

  /// The monotonic clock, in milliseconds; it advances while the machine sleeps.
  private static var steadyTime: Int64 {
    let passed = ContinuousClock.now - start
    let (seconds, attoseconds) = passed.components
    return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
  }

  private static let start = ContinuousClock.now

  /// One process at a time has the folder.
  package var isShared: Bool { false }

  /// Reports nothing.
  package func watch(_ notify: (JobStoreNotice) async -> Void) async {}

  /// Lets nothing wait for a lock any more: the server ends.
  package func stopWaiting() { waits.stop() }

  /// Copies the write-ahead log into the file.
  package func finishWriting() async { await DatabaseFile.checkpoint(database) }

  /// Lets another process have the folder.
  package func close() async { folderLock.giveBack() }

  /// Whether an error is one of SQLite, or of the disk, that passes.
  package func fault(of error: any Error) -> StoreFault? { StoreFault(error, in: folder) }

  // MARK: Starting

  /// Whether a job could be started now: there is room, or it was started with this key before.
  package func hasRoom(key: String?) async throws -> Bool {
    let now = due
    return try await database.read { [limits] database in
      if try Self.openCount(database) < limits.openJobs { return true }
      return try Self.knows(key, database, now: now)
    }
  }

  /// Whether a job was started with a key that is still remembered.
  package func knows(key: String?) async throws -> Bool {
    guard key != nil else { return false }
    let now = due
    return try await database.read { try Self.knows(key, $0, now: now) }
  }

  private static func knows(_ key: String?, _ database: Database, now: Int64) throws -> Bool {
    guard let key else { return false }
    return try Int.fetchOne(
      database,
      sql: "SELECT 1 FROM idempotency WHERE key = ? AND until > ?",
      arguments: [Data(StartDigest.key(key)), now]
    ) != nil
  }

  private static func openCount(_ database: Database) throws -> Int {
    try Int.fetchOne(
      database,
      sql: "SELECT count(*) FROM job WHERE state IN ('queued', 'running', 'canceling')"
    ) ?? 0
  }

  private static func scheduledCount(_ database: Database, _ now: Int64) throws -> Int {
    try Int.fetchOne(
      database,
      sql: "SELECT count(*) FROM job WHERE state = 'queued' AND failures = 0 AND run_at > ?",
      arguments: [now]
    ) ?? 0
  }

  package func start(
    _ pipeline: PipelineName,
    inputs: [JobInputFile],
    options: [String: String],
    key: String?,
    id: String?,
    schedule: JobSchedule
  ) async throws -> JobStart {
    let now = now
    let made = UUID().uuidString.lowercased()
    let id = id ?? made
    let token = JobToken.make()
    let request = Data(StartDigest.request(pipeline, inputs.map(\.content), options, schedule))
    let keyHash = key.map { Data(StartDigest.key($0)) }
    let ends = due
    // A lock is waited for once.
    if let keyHash, try await knows(key: key),
      let earlier = try await earlier(keyHash, request, token, now, ends)
    {
      return earlier
    }
    // By a name of their own: the id may be that of another job.
    let files = inputs.indices.map { "inputs/\(made)-\($0)" }
    var isKept = false
    defer {
      if !isKept {
        for file in files { try? FileManager.default.removeItem(atPath: folder + "/" + file) }
      }
    }
    for (input, file) in zip(inputs, files) {
      // Whole or not at all: a backup may copy it meanwhile.
      try Data(input.content).write(
        to: URL(fileURLWithPath: folder + "/" + file),
        options: .atomic
      )
    }
    let result = try await database.write { [epoch, limits] database -> JobStart in
      guard try Self.openCount(database) < limits.openJobs else { return .busy }
      if let keyHash {
        // Two requests with one key at once: the second one finds the first one's job here.
        if let earlier = try Self.earlier(database, keyHash, request, token, now, ends, limits) {
          return earlier
        }
      }
      if try Self.row(database, id) != nil { return .taken }
      let runAt = schedule.runAt.flatMap { $0 > now ? $0 : nil }
      if runAt != nil {
        guard try Self.scheduledCount(database, now) < limits.scheduledJobs else { return .busy }
      }
      try database.execute(
        sql: """
          INSERT INTO job (id, pipeline, state, epoch, last_seq, created_at, updated_at, attempt,
            fraction, processed, sentence, options, priority, run_at, rank)
          VALUES (?, ?, 'queued', ?, 0, ?, ?, 0, 0, 0, ?, ?, ?, ?, ?)
          """,
        arguments: [
          id, pipeline.rawValue, epoch, now, now, "waiting",
          JobRow.text(options), schedule.priority.rawValue, runAt,
          schedule.rank(due: runAt ?? now, limits),
        ]
      )
      for (number, (input, file)) in zip(inputs, files).enumerated() {
        try database.execute(
          sql: "INSERT INTO input VALUES (?, ?, ?, ?, ?, ?)",
          arguments: [id, number, input.name, input.mediaType, file, input.content.count]
        )
      }
      if let keyHash {
        try database.execute(
          sql: "INSERT OR REPLACE INTO idempotency VALUES (?, ?, ?, ?)",
          arguments: [keyHash, request, id, now + Int64(limits.idempotencySeconds) * 1_000]
        )
      }
      try Self.add(database, token, id, now, limits)
      guard let row = try Self.row(database, id) else { throw JobStoreError.gone(id) }
      return .job(row, token: token, isNew: true)
    }
    if case .job(_, _, isNew: true) = result { isKept = true }
    return result
  }

  private func earlier(
    _ key: Data,
    _ request: Data,
    _ token: String,
    _ now: Int64,
    _ ends: Int64
  ) async throws -> JobStart? {
    try await database.write { [limits] database in
      try Self.earlier(database, key, request, token, now, ends, limits)
    }
  }

  private static func earlier(
    _ database: Database,
    _ key: Data,
    _ request: Data,
    _ token: String,
    _ now: Int64,
    _ ends: Int64,
    _ limits: JobLimits
  ) throws -> JobStart? {
    guard
      let known = try Row.fetchOne(
        database,
        sql: "SELECT request, job FROM idempotency WHERE key = ? AND until > ?",
        arguments: [key, ends]
      ), let row = try row(database, known["job"]), !row.isGone(at: ends)
    else { return nil }
    guard (known["request"] as Data) == request else { return .mismatch }
    try add(database, token, row.id, now, limits)
    return .job(row, token: token, isNew: false)
  }

  // MARK: Reading

  static func row(_ database: Database, _ id: String) throws -> JobRow? {
    let statement = try database.cachedStatement(sql: "SELECT * FROM job WHERE id = ?")
    return try Row.fetchOne(statement, arguments: [id]).map { try JobRow($0) }
  }

  /// A job; `nil` if it never existed or was forgotten long ago.
  package func job(_ id: String) async throws -> JobRow? {
    try await database.read { database in try Self.row(database, id) }
  }

  /// The work of a job, with its last checkpoint.
  package func work(_ job: JobRow) async throws -> JobWork {
    try await database.read { [folder] in try Self.work($0, job, folder) }
  }

  static func work(_ database: Database, _ job: JobRow, _ folder: String) throws -> JobWork {
    let inputs = try Row.fetchAll(
      database,
      sql: "SELECT * FROM input WHERE job = ? ORDER BY number",
      arguments: [job.id]
    ).map { row in
      JobInput(
        name: row["name"],
        mediaType: row["media_type"],
        path: folder + "/" + row["file"],
        byteCount: row["bytes"]
      )
    }
    return JobWork(
      job: job.id,
      inputs: inputs,
      options: job.options,
      checkpoint: job.checkpoint,
      attempt: max(0, job.attempt - 1)
    )
  }

  /// Leases a job that this process is not working on.
  package func claim(_ job: String) async throws -> JobLease? { leases.begin(job) }

  /// Leases the oldest open jobs that are not in progress.
  package func claimNext(most: Int, besides jobs: [String]) async throws -> [JobLease] {
    var found: [JobLease] = []
    let now = now
    for job in try await openJobs()
    where found.count < most && !jobs.contains(job.id) && !job.waits(at: now) {
      if let lease = leases.begin(job.id) { found.append(lease) }
    }
    return found
  }

  /// Renews leases, which end with the process.
  package func renew(_ held: [JobLease]) async throws -> [JobLease] { held.filter(leases.isHeld) }

  /// The jobs that are not over, in the order in which they run.
  package func openJobs() async throws -> [JobRow] {
    try await database.read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT * FROM job WHERE state IN ('queued', 'running', 'canceling')
          ORDER BY coalesce(rank, created_at), id
          """
      ).map { try JobRow($0) }
    }
  }

  /// The jobs that are worked on and have not gone on for too long.
  package func stuck() async throws -> [String] {
    let latest = now - Int64(limits.stuckSeconds) * 1_000
    return try await database.read { database in
      try String.fetchAll(
        database,
        sql: """
          SELECT id FROM job WHERE state IN ('running', 'canceling') AND updated_at < ?
          ORDER BY id
          """,
        arguments: [latest]
      )
    }
  }

  /// How many jobs are in each state.
  package func counts() async throws -> [String: Int] {
    try await database.read { database in
      let rows = try Row.fetchAll(
        database,
        sql: "SELECT state, count(*) AS count FROM job GROUP BY state"
      )
      return Dictionary(uniqueKeysWithValues: rows.map { ($0["state"], $0["count"]) })
    }
  }

  /// How long the jobs have waited that could run and do not.
  package func delays() async throws -> JobDelays {
    let now = now
    return try await database.read { database in
      let row = try Row.fetchOne(database, sql: JobDelays.query(now: "?"), arguments: [now])
      return JobDelays(oldestStart: row?["start"], oldestDue: row?["due"], now: now)
    }
  }

  /// Stored messages of the newest version after a number, in order.
  package func messages(_ job: String, after seq: Int64, limit: Int) async throws -> [[UInt8]] {
    try await database.read { database in
      try Data.fetchAll(
        database,
        sql: "SELECT message FROM event WHERE job = ? AND seq > ? ORDER BY seq LIMIT ?",
        arguments: [job, seq, limit]
      ).map { Array($0) }
    }
  }
}
