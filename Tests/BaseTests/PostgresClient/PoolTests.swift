import PostgresCluster
import Synchronization
import Testing

@testable import PostgresClient

/// What the two transactions of a collision have done.
private final class Seen: Sendable {
  let attempts = Atomic(0)
  let locked = Atomic(0)
}

@Suite struct `A pool of connections` {
  private func pool(
    _ change: (inout PostgresClientLimits) -> Void = { _ in }
  ) throws -> PostgresPool {
    var limits = PostgresClientLimits.patient
    change(&limits)
    return PostgresPool(try PostgresAddress(PostgresCluster.uri), limits: limits)
  }

  @Test func `many operations share few connections`() async throws {
    let pool = try pool { $0.connections = 3 }
    let processes = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<100 {
        group.addTask { try #require(try await pool.query("SELECT pg_backend_pid()").first)[0] }
      }
      return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect((1...3).contains(processes.count))
    pool.close()
    let error = await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
    #expect(error?.kind == .closed)
  }

  @Test func `a wait for a connection ends at its limit`() async throws {
    let pool = try pool {
      $0.connections = 1
      $0.waitSeconds = 0.02
    }
    // Opening the connection may take longer than that.
    while (try? await pool.query("SELECT 1")) == nil {}
    try await pool.withConnection { _ in
      let error = await #expect(throws: PostgresError.self) { try await pool.query("SELECT 1") }
      #expect(error?.kind == .crowded)
      let canceled = Task { try await pool.query("SELECT 1") }
      canceled.cancel()
      await #expect(throws: (any Error).self) { try await canceled.value }
    }
    #expect(try await pool.query("SELECT 1").count == 1)
    pool.close()
  }

  @Test func `connections that the server ended are replaced`() async throws {
    let pool = try pool { $0.connections = 2 }
    let process: Int = try #require(try await pool.query("SELECT pg_backend_pid()").first)[0]
    let other = try await PostgresConnection.open(pool.address, limits: .patient)
    _ = try await other.query("SELECT pg_terminate_backend($1::integer)", [.int(process)])
    // The pool may learn of it from the statement that fails.
    var rows = try? await pool.query("SELECT pg_backend_pid()")
    while rows == nil { rows = try? await pool.query("SELECT pg_backend_pid()") }
    #expect(try #require(rows?.first)[0] != process)
    await other.close()
    pool.close()
  }

  @Test func `a transaction that fails leaves nothing`() async throws {
    let pool = try pool { $0.connections = 1 }
    try await pool.query("CREATE TEMPORARY TABLE fruit (name text PRIMARY KEY)")
    struct Stop: Error {}
    await #expect(throws: Stop.self) {
      try await pool.transaction { connection in
        try await connection.query("INSERT INTO fruit VALUES ('apple')")
        throw Stop()
      }
    }
    let duplicate = await #expect(throws: PostgresError.self) {
      try await pool.transaction { connection in
        try await connection.query("INSERT INTO fruit VALUES ('pear')")
        try await connection.query("INSERT INTO fruit VALUES ('pear')")
      }
    }
    #expect(duplicate?.isDuplicate == true)
    #expect(try await pool.query("SELECT * FROM fruit").count == 0)
    pool.close()
  }

  @Test func `a transaction that stands still is undone, and gives its locks back`() async throws {
    let pool = try pool {
      $0.connections = 1
      $0.idleTransactionSeconds = 0.2
    }
    let other = try self.pool { $0.connections = 1 }
    try await other.query("CREATE TABLE IF NOT EXISTS still (id bigint PRIMARY KEY, who text)")
    let attempts = Atomic(0)
    let inserted = Atomic(0)
    var calls = 0
    // On a busy machine it may pause before it has inserted anything.
    while inserted.load(ordering: .relaxed) == 0 {
      calls += 1
      let error = await #expect(throws: PostgresError.self) {
        try await pool.transaction { connection in
          attempts.add(1, ordering: .relaxed)
          try await connection.query("INSERT INTO still VALUES (1, 'first')")
          inserted.add(1, ordering: .relaxed)
          // Waits for what becomes of the row before; nothing else ends that transaction.
          try await other.query("INSERT INTO still VALUES (1, 'other')")
          try await connection.query("SELECT 1")
        }
      }
      #expect(error?.isDuplicate == false)
    }
    // None is tried again by itself, which would find a duplicate.
    #expect(attempts.load(ordering: .relaxed) == calls)
    let rows = try await pool.query("SELECT who FROM still")
    #expect(try rows.map { try $0[0] as String } == ["other"])
    try await other.query("DROP TABLE still")
    pool.close()
    other.close()
  }

  @Test func `a transaction that collides runs again`() async throws {
    let pool = try pool()
    try await pool.query(
      "CREATE TABLE IF NOT EXISTS counter (id bigint PRIMARY KEY, value bigint NOT NULL)"
    )
    try await pool.query("INSERT INTO counter VALUES (1, 0), (2, 0)")
    // Two orders of locks: one transaction of each pair is the victim of the other.
    let seen = Seen()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for order in [[1, 2], [2, 1]] {
        group.addTask {
          var isFirst = true
          try await pool.transaction { connection in
            seen.attempts.add(1, ordering: .relaxed)
            try await connection.query("SET LOCAL deadlock_timeout = '5ms'")
            for id in order {
              try await connection.query(
                "UPDATE counter SET value = value + 1 WHERE id = $1",
                [.int(id)]
              )
              // Both hold their first row before either asks for its second.
              if isFirst { seen.locked.add(1, ordering: .relaxed) }
              isFirst = false
              while seen.locked.load(ordering: .relaxed) < 2 {
                try await Task.sleep(for: .milliseconds(1))
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let rows = try await pool.query("SELECT value FROM counter ORDER BY id")
    #expect(try rows.map { try $0[0] as Int } == [2, 2])
    // Of a deadlock, both may be victims.
    #expect(seen.attempts.load(ordering: .relaxed) > 2)
    try await pool.query("DROP TABLE counter")
    pool.close()
  }

  @Test func `a listener hears again after its connection was lost, and of the gap`() async throws {
    let pool = try pool()
    let (events, continuation) = AsyncStream.makeStream(of: PostgresListener.Event.self)
    var limits = PostgresClientLimits.patient
    limits.pongSeconds = 120
    limits.leastReconnectSeconds = 0.01
    let listener = PostgresListener(pool.address, channels: ["a \"b\""], limits: limits)
    let task = Task { await listener.run { continuation.yield($0) } }
    var iterator = events.makeAsyncIterator()
    #expect(await iterator.next(isolation: nil) == .gap)
    try await pool.query("SELECT pg_notify('a \"b\"', 'one')")
    let one = PostgresConnection.Notification(channel: "a \"b\"", payload: "one")
    #expect(await iterator.next(isolation: nil) == .notification(one))
    try await pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN \"a%'"
    )
    guard case .lost = await iterator.next(isolation: nil) else {
      Issue.record("the loss is not reported")
      return
    }
    #expect(await iterator.next(isolation: nil) == .gap)
    try await pool.query("SELECT pg_notify('a \"b\"', 'two')")
    let two = PostgresConnection.Notification(channel: "a \"b\"", payload: "two")
    #expect(await iterator.next(isolation: nil) == .notification(two))
    task.cancel()
    await task.value
    pool.close()
  }
}
