import ConditionalHTTP
import HTTPTypes
import PostgresClient

/// Leases of realtime sources and what their leaders publish, in a PostgreSQL database that servers share.
final class PostgresPublications: Sendable {
  /// What the database announces.
  enum News: Hashable, Sendable {
    /// Announcements may be missing before this.
    case gap
    /// The connection that listens is lost.
    case lost(String)
    /// There is a publication at a position.
    case published(Int64)
    /// The lease of a source was given back.
    case freed(source: String)
  }

  /// A publication that was refused, because another server has the lease.
  struct Fenced: Error {}

  let limits: LeadershipLimits
  /// Identifies this process in the database; not 0.
  let owner = Int64.random(in: 1...Int64.max)
  /// What operators of other servers see of this one.
  let name: String
  private let address: PostgresAddress
  private let schema: PostgresSchema
  private let clientLimits: PostgresClientLimits
  /// For publications, which may be large.
  private let pool: PostgresPool
  /// For leases, which wait for no publication.
  private let leases: PostgresPool

  private var channel: String { schema.name + ".publications" }

  /// Creates the store; connections are opened when they are needed.
  init(
    _ address: PostgresAddress,
    limits: LeadershipLimits = LeadershipLimits(),
    name: String,
    schema: String = "freshet_realtime"
  ) {
    self.address = address
    self.limits = limits
    self.name = Self.clean(name, limits.nameLength)
    self.schema = .realtime(name: schema)
    var clientLimits = PostgresClientLimits()
    clientLimits.connections = limits.connections
    clientLimits.connectSeconds = limits.answerWithin.seconds
    clientLimits.waitSeconds = limits.answerWithin.seconds
    clientLimits.statementSeconds = limits.publishWithin.seconds
    clientLimits.mostReconnectSeconds = limits.retryEvery.seconds
    clientLimits.pingSeconds = limits.answerWithin.seconds
    clientLimits.pongSeconds = limits.answerWithin.seconds
    // A server that stops within a transaction locks a source for no longer than its lease.
    clientLimits.idleTransactionSeconds = limits.lease.seconds
    self.clientLimits = clientLimits
    pool = self.schema.pool(address, limits: clientLimits)
    clientLimits.connections = limits.leaseConnections
    leases = self.schema.pool(address, limits: clientLimits)
  }

  /// A text that PostgreSQL stores: it has no U+0000.
  private static func clean(_ text: String, _ length: Int) -> String {
    String(text.filter { $0 != "\0" }.prefix(length))
  }

  private func short(_ text: String?) -> PostgresValue {
    .text(text.map { Self.clean($0, limits.reasonLength) })
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
        let text = notification.payload
        if let position = Int64(text) {
          await tell(.published(position))
        } else if text.hasPrefix("free ") {
          await tell(.freed(source: String(text.dropFirst("free ".count))))
        }
      }
    }
  }

  /// The id of a source: the same on all servers that are told of it, without anything secret in it.
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

  /// Adds a source that the database does not have, and removes those that nobody has polled for long.
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
    _ statement: SourceLease.Statement,
    of source: String,
    _ report: SourceReport
  ) async throws -> LeaseAnswer? {
    var values: [PostgresValue] = [.text(source)]
    let change: String
    switch statement {
    case .look: change = "SELECT id, fence, beat, owner FROM source WHERE false"
    case .take(let fence, let beat):
      values += [.int(fence), .int(beat), .int(owner), .text(name)]
      change = """
        UPDATE source SET fence = fence + 1, beat = beat + 1, owner = $4, owner_name = $5, renewed_at = now()
        WHERE id = $1 AND fence = $2 AND beat = $3 RETURNING id, fence, beat, owner
        """
    case .renew(let fence):
      values += [
        .int(fence), .int(owner), report.polledAt.map { .double($0) } ?? .null,
        report.answeredAt.map { .double($0) } ?? .null, short(report.failure),
        .bool(report.isOfContent), short(report.refusal),
      ]
      change = """
        UPDATE source SET beat = beat + 1, renewed_at = now(), polled_at = $4::float8, answered_at = $5::float8,
          failure = $6::text, is_of_content = $7, refusal = $8::text
        WHERE id = $1 AND fence = $2 AND owner = $3 RETURNING id, fence, beat, owner
        """
    }
    let sql = """
      WITH changed AS (\(change))
      SELECT coalesce(changed.fence, source.fence), coalesce(changed.beat, source.beat),
        coalesce(changed.owner, source.owner), changed.id IS NOT NULL, source.owner_name, log.position,
        source.polled_at, source.answered_at, source.failure, source.is_of_content, source.refusal
      FROM log CROSS JOIN source LEFT JOIN changed ON changed.id = source.id WHERE source.id = $1
      """
    let seconds = limits.answerWithin.seconds
    let rows = try await leases.withConnection { try await $0.query(sql, values, within: seconds) }
    guard let row = rows.first else { return nil }
    let number: Int64 = try row[2]
    return LeaseAnswer(
      row: SourceLease.Row(
        fence: try row[0],
        beat: try row[1],
        owner: number == 0 ? .nobody : number == owner ? .thisServer : .another
      ),
      hasCounted: try row[3],
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
    let seconds = limits.answerWithin.seconds
    _ = try await leases.withConnection {
      try await $0.query(
        """
        WITH freed AS (UPDATE source SET owner = 0 WHERE id = $1 AND fence = $2 AND owner = $3 RETURNING 1)
        SELECT pg_notify($4, $5) FROM freed
        """,
        [
          .text(source), .int(fence), .int(owner), .text(channel), .text("free \(source)"),
        ],
        within: seconds
      )
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
    let (owner, channel, kept) = (owner, channel, limits.keptPublications)
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
      let held = try await connection.query(
        "SELECT 1 FROM source WHERE id = $1 AND fence = $2 AND owner = $3 FOR NO KEY UPDATE",
        [.text(source), .int(fence), .int(owner)]
      )
      guard held.count == 1 else { throw Fenced() }
      let next = try await connection.query(
        "UPDATE log SET position = position + 1 RETURNING position"
      )
      guard let row = next.first else { throw Fenced() }
      let position: Int64 = try row[0]
      try await connection.query(
        "UPDATE publication SET position = $2 WHERE id = $1",
        [.int(publication.id), .int(position)]
      )
      try await connection.query(
        """
        DELETE FROM publication WHERE source = $1 AND position <= (
          SELECT position FROM publication WHERE source = $1 ORDER BY position DESC OFFSET $2 LIMIT 1)
        """,
        [.text(source), .int(kept)]
      )
      try await connection.query(
        "SELECT pg_notify($1, $2)",
        [.text(channel), .text(String(position))]
      )
      return position
    }
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
