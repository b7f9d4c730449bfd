import ConditionalHTTP
import Foundation
import HTTPTypes
import Jobs
import PostgresClient
import Serving
import Testing

@testable import JobsServer

// What only a store that several servers share does.
@Suite struct `Jobs in a shared database` {
  private func sql(_ stage: StoreStage, _ sql: String) async throws -> PostgresRows {
    let connection = try await stage.connect()
    defer { Task { await connection.close() } }
    try await connection.query("SET search_path TO \(stage.schema)")
    return try await connection.query(sql)
  }

  /// Ends the lease of a job, as its time does.
  private func expire(_ stage: StoreStage, _ job: String) async throws {
    _ = try await sql(
      stage,
      "UPDATE job SET lease_until = clock_timestamp() - interval '1 ms' WHERE id = '\(job)'"
    )
  }

  @Test func `a job whose worker is silent goes on elsewhere, and its zombie writes nothing`()
    async throws
  {
    let stage = try await StoreStage(.postgres)
    let (first, second) = (try await stage.open(), try await stage.open())
    let lease = try await first.runJob()
    try await first.step(lease, [JobItem(number: 0, outcome: .imported)], checkpoint: [7])
    #expect(try await second.claim(lease.job) == nil)
    #expect(try await second.claimNext(most: 9).isEmpty)
    try await expire(stage, lease.job)
    let taken = try #require(try await second.claimNext(most: 9).first)
    #expect(taken.job == lease.job)
    #expect(try await second.job(lease.job)?.crashes == 1)
    #expect(try await first.renew([lease]).isEmpty)
    let fenced = await #expect(throws: JobStoreError.self) {
      try await first.step(lease, [JobItem(number: 0, outcome: .failed)], processed: 9)
    }
    guard case .fenced? = fenced else {
      Issue.record("\(fenced as Any)")
      return
    }
    #expect(try await first.end(lease, .fail) == nil)
    try await first.rest(lease)
    let begun = try #require(try await second.begin(taken, phases: [])?.0)
    #expect(begun.checkpoint == [7])
    // The file is fetched where the work goes on.
    let file = try #require(try await second.work(begun).inputs.first)
    #expect(FileManager.default.contents(atPath: file.path) == Data("1".utf8))
    _ = try await second.end(taken, .succeed)
    let events = try await first.events(lease.job)
    #expect(events.map(\.position.seq) == [1, 2, 3])
    #expect(events.count { $0.isTerminal } == 1)
    #expect(try await first.items(lease.job, after: -1, limit: 9).map(\.outcome) == [.imported])
    await stage.close(first)
    await stage.close(second)
  }

  @Test func `a worker that was only cut off takes its job up without a blame`() async throws {
    let stage = try await StoreStage(.postgres)
    let store = try await stage.open { $0.leaseSeconds = 600 }
    let lease = try await store.runJob()
    try await expire(stage, lease.job)
    // Its worker does not lease it again; no other took it, so the fence is still the newest.
    #expect(try await store.claimNext(most: 9, besides: [lease.job]).isEmpty)
    #expect(try await store.renew([lease]) == [lease])
    #expect(try await store.claim(lease.job) == nil)
    try await expire(stage, lease.job)
    let again = try #require(try await store.claim(lease.job))
    #expect(try await store.job(lease.job)?.crashes == 0)
    await #expect(throws: JobStoreError.self) { try await store.step(lease) }
    try await expire(stage, lease.job)
    // A step is a sign of life too.
    try await store.step(again)
    #expect(try await store.claim(lease.job) == nil)
    await stage.close(store)
  }

  @Test func `many servers and many workers do each job once`() async throws {
    let stage = try await StoreStage(.postgres)
    let stores = try await [stage.open(), stage.open(), stage.open()]
    var jobs: [String] = []
    for _ in 0..<30 { jobs.append(try await stores[0].startJob().0.id) }
    let done = try await withThrowingTaskGroup(of: [String].self) { group in
      for store in stores + stores {
        group.addTask {
          var mine: [String] = []
          while let lease = try await store.claimNext(most: 1).first {
            _ = try await store.begin(lease, phases: [])
            try await store.step(lease, [JobItem(number: 0, outcome: .imported)])
            if try await store.end(lease, .succeed) != nil { mine.append(lease.job) }
          }
          return mine
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(done.sorted() == jobs.sorted())
    for job in jobs {
      #expect(try await stores[1].events(job).map(\.position.seq) == [1, 2, 3])
    }
    for store in stores { await stage.close(store) }
  }

  @Test func `workers that fall silent, and write on as zombies, lose and repeat nothing`()
    async throws
  {
    let stage = try await StoreStage(.postgres)
    let stores = try await [stage.open(), stage.open(), stage.open()]
    var jobs: [String] = []
    for _ in 0..<8 { jobs.append(try await stores[0].startJob().0.id) }
    /// Does what is left of a job; from a random step on another worker has it too.
    @Sendable func work(_ store: any JobStore, _ lease: JobLease) async throws {
      guard let job = try await store.begin(lease, phases: [])?.0 else { return }
      let done = Int(job.checkpoint?.first ?? 0)
      let silentFrom = Int.random(in: 0..<16)
      for number in done..<6 {
        if number == silentFrom { try await expire(stage, lease.job) }
        let items = [JobItem(number: number, outcome: .imported, line: Int(lease.fence))]
        do {
          try await store.step(
            lease,
            items,
            processed: number + 1,
            checkpoint: [UInt8(number + 1)]
          )
        } catch JobStoreError.fenced {
          return
        } catch JobStoreError.gone {
          return
        }
      }
      _ = try await store.end(lease, .succeed)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for store in stores + stores {
        group.addTask {
          while try await !store.openJobs().isEmpty {
            for lease in try await store.claimNext(most: 1) { try await work(store, lease) }
          }
        }
      }
      try await group.waitForAll()
    }
    for job in jobs {
      let events = try await stores[0].events(job)
      #expect(events.map(\.position.seq) == (1...Int64(events.count)).map { $0 })
      #expect(events.count { $0.isTerminal } == 1)
      #expect(events.last?.isTerminal == true)
      // Each step was stored once: by one worker, under the newest lease of its time.
      #expect(events.count == 8)
      let items = try await stores[0].items(job, after: -1, limit: 99)
      #expect(items.map(\.number) == Array(0..<6))
      #expect(items.compactMap(\.line) == items.compactMap(\.line).sorted())
    }
    for store in stores { await stage.close(store) }
  }

  @Test func `each event is announced once, when it is stored`() async throws {
    let stage = try await StoreStage(.postgres)
    let store = try await stage.open()
    let shared = try #require(store as? PostgresJobStore)
    let (heard, continuation) = AsyncStream.makeStream(of: PostgresListener.Event.self)
    let listener = PostgresListener(
      try stage.address,
      channels: [shared.channel],
      limits: StoreStage.limits
    )
    let task = Task { await listener.run { continuation.yield($0) } }
    var iterator = heard.makeAsyncIterator()
    #expect(await iterator.next(isolation: nil) == .gap)
    let lease = try await store.runJob()
    try await store.step(lease)
    _ = try await store.cancel(lease.job)
    _ = try await store.end(lease, .stop)
    for seq in 0...3 {
      guard case .notification(let each)? = await iterator.next(isolation: nil) else {
        Issue.record("the listener was cut off")
        break
      }
      #expect(each.payload == "\(lease.job).\(seq)")
    }
    task.cancel()
    await stage.close(store)
  }

  @Test func `a server starts with its own schema only`() async throws {
    let stage = try await StoreStage(.postgres)
    let version = PostgresSchema.jobs().version
    #expect(try await stage.migrate() == (version, version))
    _ = try await sql(stage, "INSERT INTO migration (number) VALUES (1000)")
    let new = await #expect(throws: PostgresError.self) { try await stage.open() }
    #expect(new?.mismatch == .new(schema: stage.schema, found: 1_000, known: version))
    await #expect(throws: PostgresSchema.Mismatch.self) { try await stage.migrate() }
    _ = try await sql(stage, "DROP SCHEMA \(stage.schema) CASCADE")
    let old = await #expect(throws: PostgresError.self) { try await stage.open() }
    #expect(old?.mismatch == .old(schema: stage.schema, found: 0, needed: version))
    #expect(old?.message.contains("run freshet migrate") == true)
    let both = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<2 { group.addTask { try await stage.migrate().from } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(both.sorted() == [0, version])
  }

  @Test func `a role that could write can write the tables of later migrations`() async throws {
    let stage = try await StoreStage(.postgres)
    let (schema, role) = ("later_\(stage.schema)", "later_server_\(stage.schema)")
    let owner = try await stage.connect()
    try await owner.query("CREATE ROLE \(role) LOGIN")
    let tables = ["CREATE TABLE one (number bigint)", "CREATE TABLE two (number bigint)"]
    let before = PostgresSchema(name: schema, migrations: [tables[0]])
    #expect(try await before.migrate(owner, grantingTo: [role]) == (0, 1))
    #expect(try await PostgresSchema(name: schema, migrations: tables).migrate(owner) == (1, 2))
    let server = try await stage.connect(as: role)
    try await server.query("INSERT INTO \(schema).two VALUES (1)")
    await #expect(throws: PostgresError.self) {
      try await server.query("INSERT INTO \(schema).migration VALUES (3)")
    }
    await owner.close()
    await server.close()
  }

  @Test func `a migration gives up a table that is in use, and changes nothing`() async throws {
    let stage = try await StoreStage(.postgres)
    let schema = "used_\(stage.schema)"
    let migrations = [
      "CREATE TABLE one (number bigint)",
      "CREATE TABLE two (number bigint); ALTER TABLE one ADD COLUMN name text",
    ]
    let (reader, server) = (try await stage.connect(), try await stage.connect())
    var limits = StoreStage.limits
    limits.migrationLockSeconds = 0.1
    let owner = try await PostgresConnection.open(stage.address, limits: limits)
    #expect(
      try await PostgresSchema(name: schema, migrations: [migrations[0]]).migrate(owner).to == 1
    )
    let both = PostgresSchema(name: schema, migrations: migrations)
    try await reader.query("BEGIN")
    try await reader.query("SELECT * FROM \(schema).one")
    let error = await #expect(throws: PostgresError.self) { try await both.migrate(owner) }
    #expect(error?.isTransient == true)
    #expect(
      error?.description.contains("in use for 0.1 s, so nothing was changed; try again") == true
    )
    // While the reader goes on, so do the others.
    try await server.query("INSERT INTO \(schema).one VALUES (1)")
    try await reader.query("COMMIT")
    #expect(try await both.migrate(owner) == (1, 2))
    let rows = try await owner.query("SHOW lock_timeout")
    #expect(try #require(rows.first)[0] as String == "0")
    for connection in [reader, server, owner] { await connection.close() }
  }

  @Test func `servers of the version before leave a job alone that waits for its instant`()
    async throws
  {
    let stage = try await StoreStage(.postgres)
    let store = try await stage.open()
    let schedule = JobSchedule(runAt: store.now + 3_600_000)
    _ = try await store.start(
      .csvImport,
      inputs: [],
      options: [:],
      key: nil,
      id: "later",
      schedule: schedule
    )
    let failed = try await store.runJob()
    let failure = JobFailure(code: "down", message: "down", isRetryable: true)
    #expect(try await store.fail(failed, failure, sample: 0)?.0.state == .queued)
    // What they look for.
    let free = try await sql(
      stage,
      """
      SELECT id FROM job WHERE state IN ('queued', 'running', 'canceling')
        AND (owner = 0 OR lease_until <= clock_timestamp())
      """
    )
    #expect(free.count == 0)
    await stage.close(store)
  }

  @Test func `a server needs no more rights than it is given`() async throws {
    let stage = try await StoreStage(.postgres)
    let role = "server_\(stage.schema)"
    _ = try await sql(stage, "CREATE ROLE \(role) LOGIN")
    await #expect(throws: PostgresError.self) { try await stage.open(as: role) }
    _ = try await stage.migrate(grantingTo: role)
    let store = try await stage.open(as: role)
    let lease = try await store.runJob()
    try await store.step(lease, [JobItem(number: 0, outcome: .imported)], checkpoint: [1])
    _ = try await store.renew([lease])
    let token = try await store.startJob(key: "k").token
    #expect(token.count == 64)
    _ = try await store.end(lease, .succeed)
    _ = try await store.sweep()
    await stage.close(store)
    let connection = try await stage.connect(as: role)
    for sql in [
      "DROP TABLE \(stage.schema).job", "UPDATE \(stage.schema).migration SET number = 2",
    ] {
      let refused = await #expect(throws: PostgresError.self) { try await connection.query(sql) }
      #expect(refused?.sqlState == "42501")
    }
    await connection.close()
  }

  @Test func `a database that is away is told as such`() async throws {
    let stage = try await StoreStage(.postgres)
    let store = try await stage.open()
    #expect(store.fault(of: PostgresError(.connectionLost, "x")) == .unreachable)
    #expect(store.fault(of: PostgresError(.server, "x", sqlState: "57P01")) == .unreachable)
    #expect(store.fault(of: PostgresError(.server, "x", sqlState: "53100")) == .full)
    #expect(store.fault(of: PostgresError(.server, "x", sqlState: "42601")) == nil)
    let problem = StoreFault.unreachable.problem
    #expect(problem.status.code == 503)
    #expect(problem.fields[.retryAfter] == "5")
    #expect(problem.details.error == "store_unreachable")
    await stage.close(store)
  }
}
