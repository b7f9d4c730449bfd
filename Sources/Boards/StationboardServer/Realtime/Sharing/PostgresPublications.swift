import ConditionalHTTP
import HTTPTypes
import PostgresClient
import PostgresSharing

/// Leases of realtime sources and what their leaders publish, in a PostgreSQL database that servers share.
final class PostgresPublications: Sendable {
  /// A publication that was refused, because another server has the lease.
  struct Fenced: Error {}

  let limits: LeadershipLimits
  let database: SharedDatabase
  private let table: LeaseTable
  /// For publications, which may be large.
  private let pool: PostgresPool
  /// For leases, which wait for no publication.
  private let leases: PostgresPool

  /// Creates the store; connections are opened when they are needed.
  init(
    _ address: PostgresAddress,
    limits: LeadershipLimits = LeadershipLimits(),
    name: String,
    schema: String = "freshet_realtime"
  ) {
    self.limits = limits
    database = SharedDatabase(
      address,
      .realtime(name: schema),
      channel: "publications",
      name: name,
      nameLength: limits.nameLength,
      statement: limits.publishWithin,
      answer: limits.lease.answerWithin,
      reconnect: limits.lease.retryEvery,
      // A server that stops within a transaction locks a source for no longer than its lease.
      transaction: limits.lease.duration
    )
    table = LeaseTable("source", key: "id", ownerName: database.name)
    pool = database.pool(connections: limits.connections)
    leases = database.pool(connections: limits.leaseConnections)
  }

  private func short(_ text: String?) -> PostgresValue {
    .text(text.map { SharedDatabase.clean($0, limits.reasonLength) })
  }

  /// The id of a source: the same on all servers that are configured with it, without anything secret in it.
  static func id(of source: RealtimeSource) -> String {
    let request = source.request
    let parts = [
      source.kind.rawValue, source.prefix, request.scheme ?? "", request.authority ?? "",
      request.path ?? "",
    ]
    return SHA256.hash(Array(parts.joined(separator: "\n").utf8))
      .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  // MARK: Leases

  /// Adds a source that the database does not have, and removes those that have not been polled for long.
  func add(_ source: String, title: String) async throws {
    try await leases.query(
      "INSERT INTO source (id, title) VALUES ($1, $2) ON CONFLICT DO NOTHING",
      [.text(source), .text(title)]
    )
    try await leases.query(
      "DELETE FROM source WHERE renewed_at < now() - interval '\(limits.keptSourceDays) days'"
    )
  }

  /// Carries out a statement about a lease.
  ///
  /// - Returns: The answer; `nil` if the database does not have the source.
  /// - Throws: `PostgresError`; then the statement may have been carried out.
  func send(
    _ statement: Lease.Statement,
    of source: String,
    _ report: SourceReport
  ) async throws -> LeaseAnswer? {
    let (table, seconds) = (table, limits.lease.answerWithin.seconds)
    let reports = [
      LeaseTable.Report("polled_at", "float8", report.polledAt.map { .double($0) } ?? .null),
      LeaseTable.Report("answered_at", "float8", report.answeredAt.map { .double($0) } ?? .null),
      LeaseTable.Report("failure", "text", short(report.failure)),
      LeaseTable.Report("is_of_content", "boolean", .bool(report.isOfContent)),
      LeaseTable.Report("refusal", "text", short(report.refusal)),
    ]
    let row = try await leases.withConnection {
      try await table.run(
        statement,
        of: source,
        reporting: reports,
        selecting: [
          "source.owner_name", "log.position", "source.polled_at", "source.answered_at",
          "source.failure", "source.is_of_content", "source.refusal",
        ],
        of: "log",
        on: $0,
        within: seconds
      )
    }
    guard let row else { return nil }
    return LeaseAnswer(
      lease: try table.answer(row),
      ownerName: try row[4],
      position: try row[5],
      report: SourceReport(
        polledAt: try row[6],
        answeredAt: try row[7],
        failure: try row[8],
        isOfContent: try row[9],
        refusal: try row[10]
      )
    )
  }

  /// Gives a lease back, and announces it.
  func release(_ source: String, fence: Int64) async throws {
    let (table, channel, seconds) = (table, database.channel, limits.lease.answerWithin.seconds)
    try await leases.withConnection {
      try await table.release(source, fence: fence, announcing: channel, on: $0, within: seconds)
    }
  }

  // MARK: Publications

  /// Stores a publication under a fence, and announces it.
  ///
  /// The content is sent before anything is locked, so that a large feed on a slow line delays no renewal. Then the row of
  /// the source is locked until the end of the transaction: the fence is compared, and cannot change before the commit.
  ///
  /// - Returns: Its position.
  /// - Throws: ``Fenced`` if another server has the lease; `PostgresError`, after which it may have been stored.
  func publish(
    _ publication: SharedPublication,
    of source: String,
    fence: Int64
  ) async throws -> Int64 {
    let (table, database) = (table, database)
    return try await pool.transaction { connection in
      let stored = try await connection.query(
        "SELECT position FROM publication WHERE id = $1",
        [.int(publication.id)]
      )
      if let row = stored.first { return try row[0] }
      try await connection.query(
        """
        INSERT INTO publication (id, source, fence, fetched_at, absent_at, content_type, content)
        VALUES ($1, $2, $3, $4, $5::float8, $6::text, $7)
        """,
        [
          .int(publication.id), .text(source), .int(fence), .double(publication.fetchedAt),
          publication.absentAt.map { .double($0) } ?? .null, short(publication.contentType),
          .bytes(publication.content),
        ]
      )
      guard try await table.holds(source, fence: fence, in: connection) else { throw Fenced() }
      let position = try await SharedDatabase.nextPosition(in: connection)
      try await connection.query(
        "UPDATE publication SET position = $2 WHERE id = $1",
        [.int(publication.id), .int(position)]
      )
      try await database.announce(position, in: connection)
      return position
    }
  }

  /// Removes the publications of a source but the newest ones.
  ///
  /// PostgreSQL deletes each piece of a large publication by itself, so it is done when the newest one has been read.
  ///
  /// - Throws: `PostgresError`; the next time removes what is left.
  func removeOld(of source: String) async throws {
    try await pool.query(
      """
      DELETE FROM publication WHERE source = $1 AND position <= (
        SELECT position FROM publication WHERE source = $1 ORDER BY position DESC OFFSET $2 LIMIT 1)
      """,
      [.text(source), .int(limits.keptPublications)]
    )
  }

  /// Reads which publications there are after a position.
  ///
  /// - Parameters:
  ///   - position: The position.
  ///   - sources: The ids of the sources.
  /// - Returns: Them, and the newest position of all at that instant.
  /// - Throws: `PostgresError`.
  func marks(
    after position: Int64,
    of sources: [String]
  ) async throws -> (found: [PublicationCursor.Mark], end: Int64) {
    let rows = try await pool.query(
      """
      SELECT log.position, stored.position, stored.source, stored.fence, stored.id
      FROM log LEFT JOIN publication AS stored ON stored.source = ANY($2) AND stored.position > $1
      """,
      [.int(position), .array(.text, sources.map { .text($0) })]
    )
    guard let first = rows.first else { throw PostgresError(.invalidValue, "the log has no row") }
    var found: [PublicationCursor.Mark] = []
    for index in 0..<rows.count {
      let row = rows[index]
      guard let position: Int64 = try row[1] else { continue }
      found.append(
        PublicationCursor.Mark(
          position: position,
          source: try row[2],
          fence: try row[3],
          id: try row[4]
        )
      )
    }
    return (found, try first[0])
  }

  /// Reads one publication, in a statement of its own: a slow line has the time of a statement for each.
  ///
  /// - Returns: The publication; `nil` if newer ones have taken its place.
  /// - Throws: `PostgresError`.
  func publication(_ id: Int64) async throws -> SharedPublication? {
    let rows = try await pool.query(
      "SELECT fetched_at, absent_at, content_type, content FROM publication WHERE id = $1",
      [.int(id)]
    )
    guard let row = rows.first else { return nil }
    return SharedPublication(
      id: id,
      fetchedAt: try row[0],
      absentAt: try row[1],
      contentType: try row[2],
      content: try row[3]
    )
  }

  /// Closes all connections.
  func close() {
    pool.close()
    leases.close()
  }
}
