import Synchronization

/// Tables of the program in a schema of their own, brought up to date by numbered migrations.
///
/// Migrations only go forward. Each leaves what the version before it uses, so that servers of that version continue while
/// others start with the new one.
package struct PostgresSchema: Sendable {
  /// An error of a schema that does not fit this program.
  package enum Mismatch: Error, Hashable, CustomStringConvertible {
    /// The schema is older than the program.
    case old(schema: String, found: Int, needed: Int)
    /// The schema is newer than the program.
    case new(schema: String, found: Int, known: Int)
    /// The schema has tables, and they are not those of this program.
    case other(schema: String)

    package var description: String {
      switch self {
      case .old(let schema, let found, let needed):
        "the schema \(schema) of the database is version \(found), and this program needs version \(needed); run freshet migrate"
      case .new(let schema, let found, let known):
        "the schema \(schema) of the database is version \(found), and this program knows version \(known) at most; "
          + "install the newer version of freshet"
      case .other(let schema):
        "the schema \(schema) of the database has tables of something else, and this program needs that name for its own; "
          + "name another database"
      }
    }
  }

  /// The name of the schema.
  package let name: String
  /// The statements of each migration; the first one leads to version 1.
  private let migrations: [String]

  /// The version that this program needs.
  package var version: Int { migrations.count }

  /// Creates a description of a schema.
  ///
  /// - Parameters:
  ///   - name: Its name: lower-case letters, digits and `_`.
  ///   - migrations: The statements of each migration.
  package init(name: String, migrations: [String]) {
    precondition(name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") })
    self.name = name
    self.migrations = migrations
  }

  /// Returns connections that use the schema, once it is the one that this program knows.
  ///
  /// - Parameters:
  ///   - address: The server and the database.
  ///   - limits: The limits.
  ///   - purpose: What operators of the database see behind `freshet`; `nil` for nothing.
  /// - Returns: A pool without connections.
  package func pool(
    _ address: PostgresAddress,
    limits: PostgresClientLimits = PostgresClientLimits(),
    purpose: String? = nil
  ) -> PostgresPool {
    let check = SchemaCheck()
    return PostgresPool(address, limits: limits) { connection in
      if let purpose {
        try await connection.query(
          "SELECT set_config('application_name', $1, false)",
          [.text("freshet \(purpose)")]
        )
      }
      try await prepare(connection)
      try await check.run(self, connection)
    }
  }

  /// Makes a connection use the schema.
  package func prepare(_ connection: PostgresConnection) async throws {
    try await connection.query("SET search_path TO \(name)")
  }

  /// Checks that the schema is the one that this program knows.
  ///
  /// - Throws: ``Mismatch``; ``PostgresError``.
  package func check(_ connection: PostgresConnection) async throws {
    let found = try await version(connection)
    if found < version { throw Mismatch.old(schema: name, found: found, needed: version) }
    if found > version { throw Mismatch.new(schema: name, found: found, known: version) }
  }

  /// What a migration did with a schema.
  package struct Migrated: Hashable, Sendable {
    /// The schema.
    package var name: String
    /// The versions before and after; 0 if it was created.
    package var from: Int
    package var to: Int
  }

  /// Brings schemas up to date; all migrations of all of them succeed or none.
  ///
  /// - Parameters:
  ///   - schemas: The schemas.
  ///   - connection: A connection of a role that may create them.
  ///   - roles: Roles that get the rights that a server needs, besides those that may write a schema, or one before it, already.
  /// - Returns: The outcome of each.
  /// - Throws: ``Mismatch`` for a newer schema and for one of something else; ``PostgresError``, which says so if tables are in
  ///   use for too long, or if the role cannot pass its rights on.
  package static func migrate(
    _ schemas: [PostgresSchema],
    _ connection: PostgresConnection,
    grantingTo roles: Set<String> = []
  ) async throws -> [Migrated] {
    do {
      return try await connection.transaction { connection in
        var migrated: [Migrated] = []
        for schema in schemas { migrated.append(try await schema.change(connection)) }
        // Servers of a schema get what they need of those after it.
        var servers = roles
        for schema in schemas {
          servers.formUnion(try await schema.writers(connection))
          for role in servers.sorted() {
            try await schema.grant(to: role, isAsked: roles.contains(role), connection)
          }
        }
        return migrated
      }
    } catch let error as PostgresError where error.sqlState == "55P03" {
      let seconds = connection.limits.migrationLockSeconds
      throw PostgresError(
        .server,
        "a table was in use for \(seconds) s, so nothing was changed; try again: \(error.message)",
        sqlState: error.sqlState
      )
    }
  }

  /// Brings this schema up to date, as ``migrate(_:_:grantingTo:)`` does several.
  package func migrate(
    _ connection: PostgresConnection,
    grantingTo roles: Set<String> = []
  ) async throws -> (from: Int, to: Int) {
    let migrated = try await Self.migrate([self], connection, grantingTo: roles)
    return (migrated[0].from, migrated[0].to)
  }

  /// Creates the schema, or runs the migrations that it lacks.
  private func change(_ connection: PostgresConnection) async throws -> Migrated {
    // Two programs that migrate at once take turns.
    try await connection.query(
      "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
      [.text(name)]
    )
    // Servers that need a table for which this waits wait behind it.
    let most = Int(connection.limits.migrationLockSeconds * 1_000)
    try await connection.query("SET LOCAL lock_timeout TO \(most)")
    let found = try await version(connection)
    if found > version { throw Mismatch.new(schema: name, found: found, known: version) }
    if found == 0 {
      try await connection.query("CREATE SCHEMA IF NOT EXISTS \(name)")
      try await connection.query(
        """
        CREATE TABLE IF NOT EXISTS \(name).migration (
          number bigint PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())
        """
      )
    }
    try await prepare(connection)
    for (number, sql) in zip(1..., migrations) where number > found {
      try await connection.script(sql)
      try await connection.query("INSERT INTO migration (number) VALUES ($1)", [.int(number)])
    }
    return Migrated(name: name, from: found, to: version)
  }

  /// Returns the other roles that may write tables of the schema.
  package func writers(_ connection: PostgresConnection) async throws -> Set<String> {
    let rows = try await connection.query(
      """
      SELECT DISTINCT grantee::text FROM information_schema.role_table_grants
      WHERE table_schema = $1 AND privilege_type = 'INSERT' AND grantee NOT IN (current_user, 'PUBLIC')
        AND grantee <> grantor
      """,
      [.text(name)]
    )
    return Set(try rows.map { try $0[0] })
  }

  /// Gives a role what a server needs; an owner has more, and keeps it.
  ///
  /// - Parameters:
  ///   - role: The role.
  ///   - isAsked: Whether it is an error if the role gets nothing.
  ///   - connection: A connection.
  /// - Throws: `PostgresError`.
  private func grant(
    to role: String,
    isAsked: Bool,
    _ connection: PostgresConnection
  ) async throws {
    let owners = try await connection.query(
      "SELECT pg_get_userbyid(nspowner)::text FROM pg_namespace WHERE nspname = $1",
      [.text(name)]
    )
    if let row = owners.first, try row[0] == role { return }
    let quoted = "\"\(role.replacing("\"", with: "\"\""))\""
    try await connection.script(
      """
      GRANT USAGE ON SCHEMA \(name) TO \(quoted);
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(name) TO \(quoted);
      REVOKE INSERT, UPDATE, DELETE ON \(name).migration FROM \(quoted);
      """
    )
    guard isAsked else { return }
    // Without grant options, GRANT only warns.
    let rows = try await connection.query(
      "SELECT has_schema_privilege($1, $2, 'USAGE')",
      [.text(role), .text(name)]
    )
    guard let row = rows.first, try row[0] else {
      throw PostgresError(
        .server,
        "this user cannot pass on rights for the schema \(name), so nothing was changed; name the owner of the schema in the address",
        sqlState: "42501"
      )
    }
  }

  private func version(_ connection: PostgresConnection) async throws -> Int {
    let table = try await connection.query(
      "SELECT to_regclass($1) IS NOT NULL",
      [.text("\(name).migration")]
    )
    guard let row = table.first, try row[0] else {
      if try await hasTables(connection) { throw Mismatch.other(schema: name) }
      return 0
    }
    do {
      let newest = try await connection.query(
        "SELECT coalesce(max(number), 0) FROM \(name).migration"
      )
      let found: Int = try newest.first?[0] ?? 0
      // Without its rows nothing says what is there.
      if found == 0, try await hasTables(connection) { throw Mismatch.other(schema: name) }
      return found
    } catch let error as PostgresError where Self.differs.contains(error.sqlState) {
      throw Mismatch.other(schema: name)
    }
  }

  /// The `SQLSTATE`s of a table with other columns: undefined_column, undefined_function, datatype_mismatch.
  private static let differs: Set = ["42703", "42883", "42804"]

  /// Whether anything is in the schema that holds rows, besides the list of migrations.
  private func hasTables(_ connection: PostgresConnection) async throws -> Bool {
    let rows = try await connection.query(
      """
      SELECT EXISTS (SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = $1 AND relname <> 'migration' AND relkind IN ('r', 'p', 'v', 'm', 'f'))
      """,
      [.text(name)]
    )
    return try rows.first?[0] ?? false
  }
}

/// Checks the schema of the first connection only: migrations are safe under a server that runs.
private final class SchemaCheck: Sendable {
  private let isDone = Atomic(false)

  func run(_ schema: PostgresSchema, _ connection: PostgresConnection) async throws {
    guard !isDone.load(ordering: .relaxed) else { return }
    try await schema.check(connection)
    isDone.store(true, ordering: .relaxed)
  }
}
