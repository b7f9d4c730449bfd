import Foundation
import GTFS
import PostgresClient

/// Timetables in a PostgreSQL database that servers share.
final class PostgresTimetables: Sendable {
  /// What the database announces.
  enum News: Hashable, Sendable {
    /// Announcements may be missing before this.
    case gap
    /// The connection that listens is lost.
    case lost(String)
    /// There is a change at a position.
    case changed(Int64)
  }

  let limits: TimetableSharingLimits
  /// What operators of other servers see of this one.
  let name: String
  let address: PostgresAddress
  private let schema: PostgresSchema
  private let clientLimits: PostgresClientLimits
  private let pool: PostgresPool

  private var channel: String { schema.name + ".changes" }
  /// The deadline of statements that carry or remove parts; all others have that of the client.
  private var bulkSeconds: Double { limits.bulkWithin.seconds }

  /// Creates the store; connections are opened when they are needed.
  init(
    _ address: PostgresAddress,
    limits: TimetableSharingLimits = TimetableSharingLimits(),
    name: String,
    schema: String = "freshet_timetables"
  ) {
    self.address = address
    self.limits = limits
    // PostgreSQL stores no U+0000 in text.
    self.name = String(name.filter { $0 != "\0" }.prefix(limits.nameLength))
    self.schema = .timetables(name: schema)
    var clientLimits = PostgresClientLimits()
    clientLimits.connections = limits.connections
    clientLimits.connectSeconds = limits.answerWithin.seconds
    clientLimits.waitSeconds = limits.answerWithin.seconds
    clientLimits.statementSeconds = limits.answerWithin.seconds
    clientLimits.mostReconnectSeconds = limits.watchEvery.seconds
    clientLimits.pingSeconds = limits.answerWithin.seconds
    clientLimits.pongSeconds = limits.answerWithin.seconds
    self.clientLimits = clientLimits
    pool = self.schema.pool(address, limits: clientLimits)
  }

  /// Checks that the database has the tables of this program.
  ///
  /// - Throws: `PostgresSchema.Mismatch` if it has others; `PostgresError` if it cannot be reached.
  func check() async throws {
    let connection = try await PostgresConnection.open(address, limits: clientLimits)
    defer { Task { await connection.close() } }
    try await schema.check(connection)
  }

  /// Reports announcements until the task is canceled.
  func watch(_ tell: (News) async -> Void) async {
    await PostgresListener(address, channels: [channel], limits: clientLimits).run { event in
      switch event {
      case .gap: await tell(.gap)
      case .lost(let error): await tell(.lost("\(error)"))
      case .notification(let notification):
        if let position = Int64(notification.payload) { await tell(.changed(position)) }
      }
    }
  }

  /// Closes all connections.
  func close() { pool.close() }

  // MARK: Reading

  /// A row of a feed, or why it cannot be read.
  typealias FoundFeed = Result<SharedFeed, TimetableArtifact.Fault>

  private static let feedColumns =
    "feed.key, feed.change, feed.sequence, feed.added, feed.entry, feed.changed_by"

  private static func feed(_ row: PostgresRow, _ first: Int) throws -> (key: String, FoundFeed) {
    let key: String = try row[first]
    let change: Int64 = try row[first + 1]
    let sequence: Int64 = try row[first + 2]
    let added: Int64 = try row[first + 3]
    let entry: String? = try row[first + 4]
    let changedBy: String = try row[first + 5]
    do throws(TimetableArtifact.Fault) {
      return (
        key,
        .success(
          try SharedFeed(
            key: key,
            change: change,
            sequence: sequence,
            added: added,
            entry: entry,
            changedBy: changedBy
          )
        )
      )
    } catch {
      return (key, .failure(error))
    }
  }

  /// The feeds of the database at an instant.
  struct Listing: Sendable {
    /// A feed whose newest change was not known.
    struct Found: Sendable {
      var key: String
      var change: Int64
      var sequence: Int64
      var feed: FoundFeed
    }

    var found: [Found] = []
    /// The feeds that the database has.
    var keys: Set<String> = []
    /// The newest position.
    var end: Int64
  }

  /// Reads which feeds there are, and those whose newest change is not known.
  ///
  /// - Parameter known: The ids of changes.
  /// - Returns: The feeds.
  /// - Throws: `PostgresError`.
  func feeds(knowing known: Set<Int64> = []) async throws -> Listing {
    let rows = try await pool.query(
      """
      SELECT log.position, feed.change = ANY($1), feed.key, feed.change, feed.sequence, feed.added,
        CASE WHEN feed.change = ANY($1) THEN NULL ELSE feed.entry END, feed.changed_by
      FROM log LEFT JOIN feed ON true
      """,
      [.array(.int, known.sorted().map { .int($0) })]
    )
    guard let first = rows.first else { throw PostgresError(.invalidValue, "the log has no row") }
    var listing = Listing(end: try first[0])
    for index in 0..<rows.count {
      let row = rows[index]
      // Without a feed there is one row without one.
      guard let key: String = try row[2], FeedManifest.isPrefix(key) else { continue }
      let isKnown: Bool = try row[1]
      let (_, feed) = try Self.feed(row, 2)
      listing.keys.insert(key)
      guard !isKnown else { continue }
      listing.found.append(
        Listing.Found(key: key, change: try row[3], sequence: try row[4], feed: feed)
      )
    }
    return listing
  }

  /// Reads the id and the description of a generation.
  ///
  /// - Returns: Them; `nil` if the database does not have it, or not whole.
  /// - Throws: `PostgresError`; `TimetableArtifact.Fault`.
  func artifact(
    _ generation: String,
    of key: String
  ) async throws -> (id: Int64, artifact: TimetableArtifact)? {
    let rows = try await pool.query(
      "SELECT id, artifact FROM generation WHERE feed = $1 AND name = $2",
      [.text(key), .text(generation)]
    )
    guard let row = rows.first, let text: String = try row[1] else { return nil }
    return (try row[0], try TimetableArtifact(text, limits))
  }

  /// Reads a part of a file.
  ///
  /// - Returns: The part; `nil` if the database does not have it any more.
  /// - Throws: `PostgresError`.
  func chunk(_ number: Int, of file: String, _ generation: Int64) async throws -> [UInt8]? {
    let rows = try await pool.query(
      "SELECT content FROM chunk WHERE generation = $1 AND file = $2 AND number = $3",
      [.int(generation), .text(file), .int(Int64(number))],
      within: bulkSeconds
    )
    guard let row = rows.first else { return nil }
    return try row[0]
  }

  // MARK: Changing

  /// Waits for the lock of a feed, which its connection has until it ends.
  ///
  /// - Parameters:
  ///   - key: The feed.
  ///   - patience: How long to wait for another one that has it.
  /// - Returns: The right to change it; `nil` if another one still has it.
  /// - Throws: `PostgresError`; `PostgresSchema.Mismatch`.
  func lock(_ key: String, patience: Duration = .zero) async throws -> FeedChange? {
    let connection = try await PostgresConnection.open(address, limits: clientLimits)
    do {
      try await schema.prepare(connection)
      try await schema.check(connection)
      // The server notices soon when the machine of the lock is gone, and does not end a connection that waits for an import.
      for setting in [
        "tcp_keepalives_idle = 10", "tcp_keepalives_interval = 5", "tcp_keepalives_count = 3",
        "tcp_user_timeout = 30000", "idle_session_timeout = 0",
        // A process that was stopped within a commit would keep all others from theirs.
        "idle_in_transaction_session_timeout = 15000",
      ] {
        try await connection.query("SET \(setting)")
      }
      let end = ContinuousClock.now + patience
      while true {
        let rows = try await connection.query(
          "SELECT pg_try_advisory_lock(\(lockNumber))",
          [.text(schema.name), .text(key)]
        )
        if let row = rows.first, try row[0] { break }
        guard ContinuousClock.now < end else {
          await connection.close()
          return nil
        }
        try await Task.sleep(for: .milliseconds(100))
      }
      let rows = try await connection.query(
        "SELECT \(Self.feedColumns) FROM feed WHERE key = $1",
        [.text(key)]
      )
      let (base, fault) = try Self.base(rows.first, key)
      let schedules = try await connection.query(
        "SELECT document FROM schedule WHERE feed = $1",
        [.text(key)]
      )
      let schedule = try schedules.first.map { row -> String in try row[0] }
      return FeedChange(self, connection, base: base, fault: fault, schedule: schedule)
    } catch {
      await connection.close()
      throw error
    }
  }

  /// The feed of a row, without its entry if that cannot be read, and why it cannot.
  private static func base(
    _ row: PostgresRow?,
    _ key: String
  ) throws -> (SharedFeed, TimetableArtifact.Fault?) {
    var base = SharedFeed(unknown: key)
    guard let row else { return (base, nil) }
    switch try feed(row, 0).1 {
    case .success(let feed): return (feed, nil)
    case .failure(let fault):
      (base.change, base.sequence, base.added) = (try row[1], try row[2], try row[3])
      return (base, fault)
    }
  }

  private var lockNumber: String { "hashtextextended($1 || '/' || $2, 0)" }

  /// Stores the schedule of a feed's source.
  func write(schedule: String, _ change: FeedChange) async throws {
    try await change.connection.query(
      """
      INSERT INTO schedule (feed, document) VALUES ($1, $2)
      ON CONFLICT (feed) DO UPDATE SET document = excluded.document
      """,
      [.text(change.base.key), .text(schedule)]
    )
  }

  /// Which generations of a feed the database has whole.
  func stored(_ change: FeedChange) async throws -> Set<String> {
    let rows = try await change.connection.query(
      "SELECT name FROM generation WHERE feed = $1 AND artifact IS NOT NULL",
      [.text(change.base.key)]
    )
    return Set(try rows.map { try $0[0] })
  }

  /// Begins to store a generation, in place of what is left of an attempt.
  ///
  /// - Returns: Its id.
  func begin(_ generation: String, _ change: FeedChange) async throws -> Int64 {
    let id = Int64.random(in: 1...Int64.max)
    let (key, by) = (change.base.key, name)
    try await change.connection.query(
      "DELETE FROM generation WHERE feed = $1 AND name = $2 AND artifact IS NULL",
      [.text(key), .text(generation)],
      within: bulkSeconds
    )
    try await change.connection.query(
      "INSERT INTO generation (id, feed, name, stored_by) VALUES ($1, $2, $3, $4)",
      [.int(id), .text(key), .text(generation), .text(by)]
    )
    return id
  }

  /// Stores a part of a file.
  func store(
    _ content: [UInt8],
    _ number: Int,
    of file: String,
    _ generation: Int64,
    _ change: FeedChange
  ) async throws {
    try await change.connection.query(
      "INSERT INTO chunk (generation, file, number, content) VALUES ($1, $2, $3, $4)",
      [.int(generation), .text(file), .int(Int64(number)), .bytes(content)],
      within: bulkSeconds
    )
  }

  /// Ends storing a generation: it is whole from then on, and no change names it yet.
  func finish(_ artifact: TimetableArtifact, _ generation: Int64, _ change: FeedChange) async throws
  {
    let parts = artifact.files.reduce(0) { $0 + $1.checksums.count }
    let found = try await change.connection.query(
      "SELECT count(*), coalesce(sum(octet_length(content)), 0)::bigint FROM chunk WHERE generation = $1",
      [.int(generation)]
    )
    guard let row = found.first, try row[0] == parts, try row[1] == artifact.bytes else {
      throw PostgresError(.invalidValue, "the database does not have all parts of the timetable")
    }
    try await change.connection.query(
      "UPDATE generation SET artifact = $2, stored_at = now() WHERE id = $1",
      [.int(generation), .text(try artifact.text)]
    )
  }

  /// Makes a change visible to all servers, if nobody else has changed the feed since.
  ///
  /// - Parameters:
  ///   - entry: The feed's entry; `nil` to take it out of service.
  ///   - id: The id of the change.
  ///   - change: The right to change it.
  /// - Returns: The change.
  /// - Throws: ``LostCommit`` if somebody else was first; ``UnknownCommit`` if it may have been stored; `PostgresError`.
  func commit(
    _ entry: FeedManifest.Feed?,
    id: Int64 = .random(in: 1...Int64.max),
    _ change: FeedChange
  ) async throws -> SharedFeed {
    var isReady = false
    do {
      return try await store(entry, id, change) { isReady = true }
    } catch let error where isReady {
      throw UnknownCommit(reason: error)
    }
  }

  private func store(
    _ entry: FeedManifest.Feed?,
    _ id: Int64,
    _ change: FeedChange,
    ready: () -> Void
  ) async throws -> SharedFeed {
    let (base, by, channel) = (change.base, name, channel)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = try entry.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
    let kept = entry?.generationsByNeed ?? []
    let (most, keptChanges) = (limits.feeds, limits.keptChanges)
    return try await change.connection.transaction { connection in
      let next = try await connection.query(
        "UPDATE log SET position = position + 1 RETURNING position"
      )
      guard let row = next.first else {
        throw PostgresError(.invalidValue, "the log has no row")
      }
      let position: Int64 = try row[0]
      let whole = try await connection.query(
        "SELECT count(*) FROM generation WHERE feed = $1 AND name = ANY($2) AND artifact IS NOT NULL",
        [.text(base.key), .array(.text, kept.map { .text($0) })]
      )
      guard let count = whole.first, try count[0] == kept.count else { throw LostCommit() }
      let changed = try await connection.query(
        """
        INSERT INTO feed (key, change, sequence, added, entry, changed_by) VALUES ($1, $6, $2, $2, $3::text, $4)
        ON CONFLICT (key) DO UPDATE SET change = excluded.change, sequence = excluded.sequence, entry = excluded.entry,
          changed_by = excluded.changed_by, changed_at = now() WHERE feed.change = $5
        RETURNING sequence, added, xmax = 0
        """,
        [
          .text(base.key), .int(position), .text(text), .text(by), .int(base.change ?? 0), .int(id),
        ]
      )
      guard let stored = changed.first, try stored[2] == (base.change == nil) else {
        throw LostCommit()
      }
      try await connection.query(
        "INSERT INTO change (id, feed, position, made_of, made_by) VALUES ($1, $2, $3, $4::bigint, $5)",
        [.int(id), .text(base.key), .int(position), .int(base.change), .text(by)]
      )
      try await connection.query(
        """
        DELETE FROM change WHERE feed = $1 AND position <= (
          SELECT position FROM change WHERE feed = $1 ORDER BY position DESC OFFSET $2 LIMIT 1)
        """,
        [.text(base.key), .int(keptChanges)]
      )
      if base.change == nil {
        let all = try await connection.query("SELECT count(*) FROM feed")
        guard let row = all.first, try row[0] <= most else {
          throw PostgresError(.invalidValue, "the database has \(most) feeds; that is the most")
        }
      }
      try await connection.query(
        "SELECT pg_notify($1, $2)",
        [.text(channel), .text(String(position))]
      )
      var feed = base
      (feed.change, feed.sequence, feed.added, feed.entry) = (id, position, try stored[1], entry)
      feed.changedBy = by
      ready()
      return feed
    }
  }

  /// A commit that was not made, because somebody else was first.
  struct LostCommit: Error {}

  /// A commit that was sent and not answered: it may have been made.
  struct UnknownCommit: Error, CustomStringConvertible {
    let reason: any Error

    var description: String { "the commit was not answered: \(reason)" }
  }

  /// Finds out whether a change was stored whose commit was not answered.
  ///
  /// The commit may still be under way on the server. It has locked the row of the log, so this waits for its end.
  ///
  /// - Parameter id: The id of the change.
  /// - Returns: Its position, and that of the first change of the feed; `nil` if it is not stored, and never will be.
  /// - Throws: `PostgresError` if the database does not answer.
  func stored(change id: Int64) async throws -> (sequence: Int64, added: Int64)? {
    try await pool.transaction { connection in
      try await connection.query("SELECT position FROM log FOR UPDATE")
      let rows = try await connection.query(
        "SELECT change.position, feed.added FROM change JOIN feed ON feed.key = change.feed WHERE change.id = $1",
        [.int(id)]
      )
      return try rows.first.map { (sequence: try $0[0], added: try $0[1]) }
    }
  }

  /// Reads the id of the newest change of a feed; `nil` if the database does not have the feed.
  func newest(_ key: String) async throws -> Int64? {
    let rows = try await pool.query("SELECT change FROM feed WHERE key = $1", [.text(key)])
    return try rows.first.map { try $0[0] }
  }

  /// Reads the newest change of a feed on any connection.
  func feed(_ key: String) async throws -> SharedFeed? {
    let rows = try await pool.query(
      "SELECT \(Self.feedColumns) FROM feed WHERE key = $1",
      [.text(key)]
    )
    return try rows.first.map { try Self.feed($0, 0).1.get() }
  }

  /// Removes the generations of a feed that its entry does not name.
  ///
  /// - Returns: How many there were.
  @discardableResult
  func sweep(_ feed: SharedFeed, _ connection: PostgresConnection) async throws -> Int {
    let kept = feed.entry?.generationsByNeed ?? []
    return try await connection.query(
      "DELETE FROM generation WHERE feed = $1 AND name <> ALL($2)",
      [.text(feed.key), .array(.text, kept.map { .text($0) })],
      within: bulkSeconds
    ).changed
  }

  /// Removes what importers left that were killed: generations of feeds that nobody changes now.
  ///
  /// - Returns: How many there were.
  /// - Throws: `PostgresError`.
  @discardableResult
  func sweep() async throws -> Int {
    let rows = try await pool.query("SELECT DISTINCT feed FROM generation")
    let keys: [String] = try rows.map { try $0[0] }
    var removed = 0
    for key in keys {
      let lock = lockNumber
      let name = schema.name
      removed += try await pool.transaction { connection in
        let held = try await connection.query(
          "SELECT pg_try_advisory_xact_lock(\(lock))",
          [.text(name), .text(key)]
        )
        guard let row = held.first, try row[0] else { return 0 }
        let rows = try await connection.query(
          "SELECT \(Self.feedColumns) FROM feed WHERE key = $1",
          [.text(key)]
        )
        let found = try rows.first.map { try Self.feed($0, 0).1 }
        switch found {
        case .success(let feed): return try await self.sweep(feed, connection)
        case nil: return try await self.sweep(SharedFeed(unknown: key), connection)
        // What this program cannot read it does not remove.
        case .failure: return 0
        }
      }
    }
    return removed
  }
}

/// The right to change a feed, until its connection ends.
final class FeedChange: Sendable {
  let store: PostgresTimetables
  let connection: PostgresConnection
  /// The feed as it was when the lock was taken.
  let base: SharedFeed
  /// Why the entry of the feed cannot be read; `nil` if it can.
  let fault: TimetableArtifact.Fault?
  /// The schedule of its source, if the database has one.
  let schedule: String?

  fileprivate init(
    _ store: PostgresTimetables,
    _ connection: PostgresConnection,
    base: SharedFeed,
    fault: TimetableArtifact.Fault?,
    schedule: String?
  ) {
    self.store = store
    self.connection = connection
    self.base = base
    self.fault = fault
    self.schedule = schedule
  }

  /// Gives the lock back.
  func release() async {
    // The server notices the end of a connection a moment later.
    _ = try? await connection.query("SELECT pg_advisory_unlock_all()")
    await connection.close()
  }
}
