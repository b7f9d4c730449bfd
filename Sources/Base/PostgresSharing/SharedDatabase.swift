package import PostgresClient

/// A schema of a database that several servers share, and its announcements.
package struct SharedDatabase: Sendable {
  /// What the database announces.
  package enum Notice: Hashable, Sendable {
    /// Announcements may be missing before this.
    case gap
    /// The connection that listens is lost.
    case lost(String)
    /// Something was stored at a position.
    case stored(Int64)
    /// A lease was given back.
    case freed(String)
  }

  /// The database.
  package let address: PostgresAddress
  /// The schema.
  package let schema: PostgresSchema
  /// Where the database announces what is stored, and which leases were given back.
  package let channel: String
  /// What operators of other servers see of this one.
  package let name: String
  private let limits: PostgresClientLimits

  /// Creates a description; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - address: The database.
  ///   - schema: The schema.
  ///   - channel: The name of the channel, after that of the schema.
  ///   - name: What operators of other servers see of this one.
  ///   - nameLength: The most characters of that.
  ///   - statement: The longest time of a statement that has none of its own.
  ///   - answer: The longest time to connect, to wait for a connection, and to answer a sign of life.
  ///   - reconnect: The longest pause before another attempt to connect.
  ///   - transaction: How long a transaction may wait for its next statement.
  package init(
    _ address: PostgresAddress,
    _ schema: PostgresSchema,
    channel: String,
    name: String,
    nameLength: Int,
    statement: Duration,
    answer: Duration,
    reconnect: Duration,
    transaction: Duration
  ) {
    self.address = address
    self.schema = schema
    self.channel = "\(schema.name).\(channel)"
    self.name = Self.clean(name, nameLength)
    var limits = PostgresClientLimits()
    limits.connectSeconds = answer.inSeconds
    limits.waitSeconds = answer.inSeconds
    limits.statementSeconds = statement.inSeconds
    limits.mostReconnectSeconds = reconnect.inSeconds
    limits.pingSeconds = answer.inSeconds
    limits.pongSeconds = answer.inSeconds
    limits.idleTransactionSeconds = transaction.inSeconds
    self.limits = limits
  }

  /// A text that PostgreSQL stores, which has no U+0000, up to a length.
  package static func clean(_ text: String, _ length: Int) -> String {
    String(text.filter { $0 != "\0" }.prefix(length))
  }

  /// Returns connections that use the schema.
  package func pool(connections: Int) -> PostgresPool {
    var limits = limits
    limits.connections = connections
    return schema.pool(address, limits: limits)
  }

  /// Reports announcements until the task is canceled.
  package func watch(_ notify: (Notice) async -> Void) async {
    await PostgresListener(address, channels: [channel], limits: limits).run { event in
      switch event {
      case .gap: await notify(.gap)
      case .lost(let error): await notify(.lost("\(error)"))
      case .notification(let notification):
        let text = notification.payload
        if let position = Int64(text) {
          await notify(.stored(position))
        } else if text.hasPrefix(Self.freed("")) {
          await notify(.freed(String(text.dropFirst(Self.freed("").count))))
        }
      }
    }
  }

  /// Counts up the position in the row of the log, which stays locked until the end of the transaction: positions are in the order
  /// of commits.
  ///
  /// - Returns: The position.
  package static func nextPosition(in transaction: PostgresConnection) async throws -> Int64 {
    let rows = try await transaction.query(
      "UPDATE log SET position = position + 1 RETURNING position"
    )
    guard let row = rows.first else { throw PostgresError(.invalidValue, "the log has no row") }
    return try row[0]
  }

  /// Announces what is stored at a position, once the transaction is committed.
  package func announce(_ position: Int64, in transaction: PostgresConnection) async throws {
    try await transaction.query(
      "SELECT pg_notify($1, $2)",
      [.text(channel), .text(String(position))]
    )
  }

  static func freed(_ id: String) -> String { "free \(id)" }

  /// The statements that create the table of the newest position.
  package static let log = """
    CREATE TABLE log (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), position bigint NOT NULL);
    INSERT INTO log (position) VALUES (0);
    """
}

extension Duration {
  /// In seconds, for limits of the client.
  var inSeconds: Double { self / .seconds(1) }
}
