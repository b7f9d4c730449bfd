package import PostgresClient

/// A table of leases, with its ``columns`` and a key.
///
/// No instant of the database decides anything; `renewed_at` is for operators.
package struct LeaseTable: Sendable {
  /// The columns of a lease, for the statement that creates a table.
  package static let columns = """
    fence bigint NOT NULL DEFAULT 0, beat bigint NOT NULL DEFAULT 0, owner bigint NOT NULL DEFAULT 0,
      owner_name text NOT NULL DEFAULT '', renewed_at timestamptz NOT NULL DEFAULT now()
    """

  /// A column that a renewal writes besides.
  package struct Report: Sendable {
    let column: String
    let type: String
    let value: PostgresValue

    /// Creates a description of a column.
    package init(_ column: String, _ type: String, _ value: PostgresValue) {
      self.column = column
      self.type = type
      self.value = value
    }
  }

  /// Identifies this process in the database; not 0, which means none.
  package let owner = Int64.random(in: 1...Int64.max)
  private let table: String
  private let key: String
  private let ownerName: String

  /// Creates a description of a table.
  ///
  /// - Parameters:
  ///   - table: Its name.
  ///   - key: The column that names what is leased.
  ///   - ownerName: What operators of other servers see of this one.
  package init(_ table: String, key: String, ownerName: String) {
    self.table = table
    self.key = key
    self.ownerName = ownerName
  }

  /// Runs a statement about a lease.
  ///
  /// - Parameters:
  ///   - statement: The statement.
  ///   - id: What is leased.
  ///   - reports: What a renewal writes besides.
  ///   - columns: What the answer has after the first four columns, which ``answer(_:)`` reads.
  ///   - other: A table of one row that `columns` may name.
  ///   - connection: A connection.
  ///   - seconds: The longest time that it may take.
  /// - Returns: A row; none if nothing of that id is in the table.
  /// - Throws: `PostgresError`; then the statement may have been carried out.
  package func run(
    _ statement: Lease.Statement,
    of id: String,
    reporting reports: [Report] = [],
    selecting columns: [String] = [],
    of other: String? = nil,
    on connection: PostgresConnection,
    within seconds: Double
  ) async throws -> PostgresRow? {
    var values: [PostgresValue] = [.text(id)]
    let change: String
    switch statement {
    case .observe: change = "SELECT \(key) AS id, fence, beat, owner FROM \(table) WHERE false"
    case .acquire(let fence, let beat):
      values += [.int(fence), .int(beat), .int(owner), .text(ownerName)]
      change = """
        UPDATE \(table) SET fence = fence + 1, beat = beat + 1, owner = $4, owner_name = $5, renewed_at = now()
        WHERE \(key) = $1 AND fence = $2 AND beat = $3 RETURNING \(key) AS id, fence, beat, owner
        """
    case .renew(let fence):
      values += [.int(fence), .int(owner)] + reports.map(\.value)
      let written = zip(4..., reports).map { ", \($1.column) = $\($0)::\($1.type)" }.joined()
      change = """
        UPDATE \(table) SET beat = beat + 1, renewed_at = now()\(written)
        WHERE \(key) = $1 AND fence = $2 AND owner = $3 RETURNING \(key) AS id, fence, beat, owner
        """
    }
    let sql = """
      WITH changed AS (\(change))
      SELECT coalesce(changed.fence, \(table).fence), coalesce(changed.beat, \(table).beat),
        coalesce(changed.owner, \(table).owner), changed.id IS NOT NULL\(columns.map { ", \($0)" }.joined())
      FROM \(other.map { "\($0) CROSS JOIN " } ?? "")\(table) LEFT JOIN changed ON changed.id = \(table).\(key)
      WHERE \(table).\(key) = $1
      """
    return try await connection.query(sql, values, within: seconds).first
  }

  /// Reads the answer to a statement.
  package func answer(_ row: PostgresRow) throws -> LeaseDriver.Answer {
    let number: Int64 = try row[2]
    return LeaseDriver.Answer(
      row: Lease.Row(
        fence: try row[0],
        beat: try row[1],
        owner: number == 0 ? .nobody : number == owner ? .thisServer : .another
      ),
      hasCounted: try row[3]
    )
  }

  /// Gives a lease back, and announces it.
  ///
  /// - Parameters:
  ///   - id: What is leased.
  ///   - fence: The fence of the lease.
  ///   - channel: Where it is announced.
  ///   - connection: A connection.
  ///   - seconds: The longest time that it may take.
  /// - Throws: `PostgresError`; then the lease may have been given back.
  package func release(
    _ id: String,
    fence: Int64,
    announcing channel: String,
    on connection: PostgresConnection,
    within seconds: Double
  ) async throws {
    try await connection.query(
      """
      WITH freed AS (UPDATE \(table) SET owner = 0 WHERE \(key) = $1 AND fence = $2 AND owner = $3 RETURNING 1)
      SELECT pg_notify($4, $5) FROM freed
      """,
      [.text(id), .int(fence), .int(owner), .text(channel), .text(SharedDatabase.freed(id))],
      within: seconds
    )
  }

  /// Keeps a lease as it is until the end of a transaction.
  ///
  /// - Returns: Whether this server owns it under a fence.
  package func holds(
    _ id: String,
    fence: Int64,
    in transaction: PostgresConnection
  ) async throws -> Bool {
    try await transaction.query(
      "SELECT 1 FROM \(table) WHERE \(key) = $1 AND fence = $2 AND owner = $3 FOR NO KEY UPDATE",
      [.text(id), .int(fence), .int(owner)]
    ).count == 1
  }
}
