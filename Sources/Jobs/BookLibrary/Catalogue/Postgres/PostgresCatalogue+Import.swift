import PostgresClient

extension PostgresCatalogue {
  /// What an import locks, on its own connection: an import that loses the connection loses the lock, and writes nothing more.
  private static let lockKey = "hashtextextended(current_schema() || ' catalogue ' || $1, 0)"

  package func replace(
    _ fill: (any CatalogueDraft) async throws -> Void,
    telling: (CatalogueImport.Progress.Phase) -> Void
  ) async throws {
    try await pool.withConnection { connection in
      do {
        try await acquireTurn(connection, telling)
        let before = try await leftovers(connection)
        if !before.isEmpty { telling(.clearing) }
        try await remove(before, connection)
        let draft = try await begin(connection)
        do {
          try await fill(draft)
          telling(.ordering)
          try await draft.order()
          try await serve(draft, connection)
        } catch {
          // What cannot be removed now, the next import removes.
          try? await remove([draft.catalogue], connection)
          throw error
        }
        telling(.clearing)
        try await remove(try await leftovers(connection), connection)
        try await connection.query(
          "SELECT pg_advisory_unlock(\(Self.lockKey))",
          [.text(owner.name)]
        )
      } catch {
        // Its lock ends with it.
        await connection.close()
        throw error
      }
    }
  }

  private func acquireTurn(
    _ connection: PostgresConnection,
    _ telling: (CatalogueImport.Progress.Phase) -> Void
  ) async throws {
    let rows = try await connection.query(
      "SELECT pg_try_advisory_lock(\(Self.lockKey))",
      [.text(owner.name)]
    )
    if let row = rows.first, try row[0] { return }
    telling(.waiting)
    let end = ContinuousClock.now + .seconds(CatalogueLimits.turnSeconds)
    try await connection.query("SET lock_timeout TO \(Int(turnPartSeconds * 1_000))")
    while try await !isTaken(connection) {
      guard ContinuousClock.now < end else {
        throw PostgresError(.timedOut, "another import of \(place) did not end")
      }
    }
    try await connection.query("RESET lock_timeout")
  }

  /// Waits for the turn for some seconds: a statement that waits has a snapshot, and `VACUUM` removes nothing that was
  /// there when the oldest one was taken.
  private func isTaken(_ connection: PostgresConnection) async throws -> Bool {
    do {
      try await connection.query(
        "SELECT pg_advisory_lock(\(Self.lockKey))",
        [.text(owner.name)],
        within: CatalogueLimits.partSeconds
      )
      return true
    } catch let error as PostgresError where error.sqlState == "55P03" {
      return false
    }
  }

  /// The catalogues of the owner that do not serve: drafts of imports that did not end, and what has been replaced.
  private func leftovers(_ connection: PostgresConnection) async throws -> [Int64] {
    try await connection.query(
      "SELECT id FROM catalogue WHERE owner = $1 AND state <> 'serving' ORDER BY id",
      [.text(owner.name)]
    ).map { try $0[0] }
  }

  /// Begins a draft in the lowest slot that is free.
  private func begin(_ connection: PostgresConnection) async throws -> PostgresCatalogueDraft {
    var attempt = 1
    while true {
      do {
        let rows = try await connection.query(
          """
          INSERT INTO catalogue (owner, state, slot)
          SELECT $1, 'draft', min(slot) FROM (SELECT 0 AS slot UNION ALL SELECT slot + 1 FROM catalogue) AS free
          WHERE slot NOT IN (SELECT slot FROM catalogue) RETURNING id, slot
          """,
          [.text(owner.name)]
        )
        guard let row = rows.first else {
          throw LibraryError(.unusable, "\(place) cannot be created")
        }
        return PostgresCatalogueDraft(connection, catalogue: try row[0], slot: try row[1])
      } catch let error as PostgresError
        where error.isDuplicate && attempt < CatalogueLimits.slotAttempts
      {
        // An import of another owner took the slot.
        attempt += 1
      }
    }
  }

  /// Lets a draft that is whole serve.
  private func serve(
    _ draft: PostgresCatalogueDraft,
    _ connection: PostgresConnection
  ) async throws {
    let counts = try await draft.counts()
    try await connection.transaction { connection in
      try await connection.query(
        "UPDATE catalogue SET state = 'old' WHERE owner = $1 AND state = 'serving'",
        [.text(owner.name)]
      )
      let served = try await connection.query(
        """
        UPDATE catalogue SET state = 'serving', works = $2, editions = $3, authors = $4, served_since = now()
        WHERE id = $1 AND state = 'draft'
        """,
        [
          .int(draft.catalogue), .int(counts.works), .int(counts.editions), .int(counts.authors),
        ]
      )
      guard served.changed == 1 else {
        throw LibraryError(.unusable, "\(place): the new one was removed before it was used")
      }
    }
  }

  /// Removes catalogues that do not serve, in transactions of bounded size.
  private func remove(_ catalogues: [Int64], _ connection: PostgresConnection) async throws {
    for catalogue in catalogues {
      for (table, key) in PostgresCatalogueDraft.tables {
        var last: Int64? = Int64.min
        while let before = last {
          // Both ends of the page are constants of the plan, which so reads the index between them only.
          let rows = try await connection.query(
            """
            WITH page AS (
              SELECT max(key) AS last FROM (
                SELECT \(key) AS key FROM \(table) WHERE catalogue = $1 AND \(key) > $2 ORDER BY \(key) LIMIT $3)
                AS keys),
            gone AS (
              DELETE FROM \(table) WHERE catalogue = $1 AND \(key) > $2 AND \(key) <= (SELECT last FROM page))
            SELECT last FROM page
            """,
            [.int(catalogue), .int(before), .int(CatalogueLimits.removedAtOnce)],
            within: CatalogueLimits.partSeconds
          )
          last = try rows.first?[0]
        }
      }
      try await connection.query(
        "DELETE FROM catalogue_common_word WHERE catalogue = $1",
        [.int(catalogue)],
        within: CatalogueLimits.partSeconds
      )
      // Its slot is free from now on.
      try await connection.query(
        "DELETE FROM catalogue WHERE id = $1 AND state <> 'serving'",
        [.int(catalogue)]
      )
    }
  }
}
