import Foundation
import GTFS
import PostgresClient
import PostgresSharing

/// Timetables in a PostgreSQL database that servers share.
final class PostgresTimetables: Sendable {
  let limits: TimetableSharingLimits
  let database: SharedDatabase
  let table: LeaseTable
  let pool: PostgresPool
  /// For leases, which wait for no part of a timetable.
  let leases: PostgresPool

  /// What operators of other servers see of this one.
  var name: String { database.name }
  var address: PostgresAddress { database.address }
  /// The deadline of statements that carry or remove parts; all others have that of the client.
  var bulkSeconds: Double { limits.bulkWithin.seconds }

  /// Creates the store; connections are opened when they are needed.
  init(
    _ address: PostgresAddress,
    limits: TimetableSharingLimits = TimetableSharingLimits(),
    name: String,
    schema: String = "freshet_timetables"
  ) {
    self.limits = limits
    database = SharedDatabase(
      address,
      .timetables(name: schema),
      channel: "changes",
      name: name,
      nameLength: limits.nameLength,
      statement: limits.answerWithin,
      answer: limits.answerWithin,
      reconnect: limits.watchEvery,
      // A process that is stopped within a commit keeps others from theirs no longer than it keeps a lease.
      transaction: limits.leaseDuration
    )
    table = LeaseTable("lease", key: "feed", ownerName: database.name)
    pool = database.pool(connections: limits.connections)
    leases = database.pool(connections: limits.leaseConnections)
  }

  /// Closes all connections.
  func close() {
    pool.close()
    leases.close()
  }

  // MARK: Reading

  /// A row of a feed, or why it cannot be read.
  typealias FoundFeed = Result<SharedFeed, TimetableArtifact.Fault>

  static let feedColumns =
    "feed.key, feed.change, feed.sequence, feed.added, feed.entry, feed.changed_by"

  static func feed(_ row: PostgresRow, _ first: Int) throws -> (key: String, FoundFeed) {
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
  /// - Returns: The part; `nil` if the database no longer has it.
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

  /// Whether a statement may change something of a feed: `$1` is the feed, `$2` the fence, `$3` the owner.
  private static let isHeld =
    "EXISTS (SELECT 1 FROM lease WHERE lease.feed = $1 AND lease.fence = $2 AND lease.owner = $3)"

  private func right(_ change: FeedChange) -> [PostgresValue] {
    [.text(change.base.key), .int(change.fence), .int(table.owner)]
  }

  /// Stores the schedule of a feed's source.
  ///
  /// - Throws: ``LostCommit`` if another server has the lease; `PostgresError`.
  func write(schedule: String, _ change: FeedChange) async throws {
    let rows = try await pool.query(
      """
      INSERT INTO schedule (feed, document) SELECT $1, $4 WHERE \(Self.isHeld)
      ON CONFLICT (feed) DO UPDATE SET document = excluded.document
      """,
      right(change) + [.text(schedule)]
    )
    guard rows.changed == 1 else { throw LostCommit() }
  }

  /// Makes the generations of a feed that the database has whole this change's own, so that no sweep removes them.
  ///
  /// - Returns: Their names.
  /// - Throws: ``LostCommit`` if another server has the lease; `PostgresError`.
  func stored(_ change: FeedChange) async throws -> Set<String> {
    let rows = try await pool.query(
      "UPDATE generation SET fence = $2 WHERE feed = $1 AND artifact IS NOT NULL AND \(Self.isHeld) RETURNING name",
      right(change)
    )
    return Set(try rows.map { try $0[0] })
  }

  /// Begins to store a generation, in place of what is left of an attempt.
  ///
  /// - Returns: Its id.
  /// - Throws: ``LostCommit`` if another server has the lease; `PostgresError`.
  func begin(_ generation: String, _ change: FeedChange) async throws -> Int64 {
    let id = Int64.random(in: 1...Int64.max)
    try await pool.query(
      "DELETE FROM generation WHERE feed = $1 AND \(Self.isHeld) AND name = $4 AND artifact IS NULL",
      right(change) + [.text(generation)],
      within: bulkSeconds
    )
    let rows = try await pool.query(
      """
      INSERT INTO generation (id, feed, name, stored_by, fence) SELECT $4, $1, $5, $6, $2 WHERE \(Self.isHeld)
      """,
      right(change) + [.int(id), .text(generation), .text(name)]
    )
    guard rows.changed == 1 else { throw LostCommit() }
    return id
  }

  /// Stores a part of a file.
  ///
  /// - Throws: ``LostCommit`` if the generation was removed, because another server has the lease; `PostgresError`.
  func store(
    _ content: [UInt8],
    _ number: Int,
    of file: String,
    _ generation: Int64
  ) async throws {
    do {
      try await pool.query(
        "INSERT INTO chunk (generation, file, number, content) VALUES ($1, $2, $3, $4)",
        [.int(generation), .text(file), .int(Int64(number)), .bytes(content)],
        within: bulkSeconds
      )
    } catch let error as PostgresError where error.isOrphan {
      throw LostCommit()
    }
  }

  /// Ends storing a generation: it is whole from then on, and no change names it yet.
  ///
  /// - Throws: ``LostCommit`` if the generation was removed, because another server has the lease; `PostgresError`.
  func finish(_ artifact: TimetableArtifact, _ generation: Int64) async throws {
    let parts = artifact.files.reduce(0) { $0 + $1.checksums.count }
    let found = try await pool.query(
      """
      SELECT count(chunk.generation), coalesce(sum(octet_length(chunk.content)), 0)::bigint
      FROM generation LEFT JOIN chunk ON chunk.generation = generation.id WHERE generation.id = $1 GROUP BY generation.id
      """,
      [.int(generation)]
    )
    // Its parts go with it.
    guard let row = found.first else { throw LostCommit() }
    guard try row[0] == parts, try row[1] == artifact.bytes else {
      throw PostgresError(.invalidValue, "the database does not have all parts of the timetable")
    }
    let rows = try await pool.query(
      "UPDATE generation SET artifact = $2, stored_at = now() WHERE id = $1",
      [.int(generation), .text(try artifact.text)]
    )
    guard rows.changed == 1 else { throw LostCommit() }
  }

  /// Makes a change visible to all servers, unless the feed has changed since.
  ///
  /// - Parameters:
  ///   - entry: The feed's entry; `nil` to take it out of service.
  ///   - id: The id of the change.
  ///   - change: The right to change it.
  /// - Returns: The change.
  /// - Throws: ``LostCommit`` if another change was first; ``UnknownCommit`` if it may have been stored; `PostgresError`.
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
    let (base, by, database, table) = (change.base, name, database, table)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = try entry.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
    let kept = entry?.generationsByNeed ?? []
    let (most, keptChanges) = (limits.feeds, limits.keptChanges)
    return try await pool.transaction { connection in
      let position = try await SharedDatabase.nextPosition(in: connection)
      guard try await table.holds(base.key, fence: change.fence, in: connection) else {
        throw LostCommit()
      }
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
      try await database.announce(position, in: connection)
      var feed = base
      (feed.change, feed.sequence, feed.added, feed.entry) = (id, position, try stored[1], entry)
      feed.changedBy = by
      ready()
      return feed
    }
  }

  /// A commit that was not made, because another change was first.
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
}

extension PostgresError {
  /// Whether a row names another one that is not there: the SQL standard's `foreign_key_violation`.
  fileprivate var isOrphan: Bool { sqlState == "23503" }
}
