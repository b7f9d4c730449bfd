import Foundation
import GTFS
import Logging
import PostgresClient
import PostgresCluster
import Serving
import Testing
import Timetable

@testable import StationboardServer

/// Which server may change a shared timetable, in a real PostgreSQL database.
struct TimetableLeaseTests: TimetableStageTests {
  @Test(
    "One machine changes a feed at a time, and of two changes of one state the second is refused"
  )
  func oneAtATime() async throws {
    let stage = try await Stage()
    let (one, two) = (try stage.machine("one"), try stage.machine("two"))
    defer { stage.remove(one, two) }
    let first = try await importSample(one)
    let change = try await one.change("default")
    await #expect(throws: FeedError.self) { try await two.change("default") }
    // Another feed is free.
    await (try await two.change("city")).release()
    // Another machine was first.
    try await stage.run("UPDATE feed SET sequence = sequence + 1, change = 7")
    let failure = await #expect(throws: FeedError.self) { try await one.commit(nil, change) }
    #expect(failure?.code == .conflict)
    await change.release()
    let kept = try await newest(one)
    #expect(kept.entry == first && kept.sequence == 2)
    #expect(try one.folder.manifest().feed("default") == first)
    await (try await two.change("default", patience: .seconds(60))).release()
  }

  @Test("What an importer left that was killed is invisible, and removed once the lock is free")
  func leftovers() async throws {
    let stage = try await Stage()
    let (one, two) = (try stage.machine("one"), try stage.machine("two"))
    defer { stage.remove(one, two) }
    try await importSample(one)
    let known = Set([try #require(try await newest(one).change)])
    let change = try await one.change("default")
    let id = try await one.store.begin("half", change)
    try await one.store.store([1, 2, 3], 0, of: Feed.timetableName, id)
    #expect(try await two.store.feeds(knowing: known).found.isEmpty)
    #expect(try await two.store.artifact("half", of: "default") == nil)
    #expect(await two.fetch("half", of: "default") == .gone)
    var memory = PostgresTimetables.SweepMemory()
    for _ in 0..<3 {
      #expect(try await two.store.sweep(&memory) == 0, "it is being stored")
    }
    await change.release()
    #expect(try await two.store.sweep(&memory) == 1)
    #expect(try await stage.count("generation") == 1)
    #expect(try await stage.count("chunk WHERE generation = \(id)") == 0)
  }

  @Test("What was stored under a lease that is not renewed is removed once the lease is over")
  func killedImporter() async throws {
    let stage = try await Stage()
    let (one, two) = (
      try stage.machine("one"), try stage.machine("two", leaseDuration: .seconds(2))
    )
    defer { stage.remove(one, two) }
    try await importSample(one)
    try await stage.run("UPDATE lease SET fence = 9, beat = 20, owner = 5")
    try await stage.run(
      "INSERT INTO generation (id, feed, name, fence) VALUES (1, 'default', 'half', 9)"
    )
    try await stage.run(
      "INSERT INTO generation (id, feed, name, fence) VALUES (2, 'default', 'old', 8)"
    )
    var memory = PostgresTimetables.SweepMemory()
    #expect(try await two.store.sweep(&memory) == 1, "that of an earlier lease")
    // A renewal begins the time again.
    let began = ContinuousClock.now
    var renewed = began
    while try await stage.count("lease WHERE owner = 5") == 1 {
      if began.duration(to: .now) < .seconds(3) {
        renewed = .now
        try await stage.run("UPDATE lease SET beat = beat + 1")
      }
      let removed = try await two.store.sweep(&memory)
      #expect(removed == 0 || renewed.duration(to: .now) >= .seconds(2))
    }
    #expect(try await stage.count("lease WHERE fence = 10 AND owner = 0") == 1)
    #expect(try await stage.count("generation") == 1)
    await (try await two.change("default")).release()
  }

  @Test("A sweep makes no import wait or fail, also if it takes long")
  func sweepGivesWay() async throws {
    let stage = try await Stage()
    let (one, two) = (try stage.machine("one"), try stage.machine("two"))
    defer { stage.remove(one, two) }
    try await importSample(one)
    try await stage.run("INSERT INTO generation (id, feed, name) VALUES (1, 'default', 'old')")
    try await stage.run("INSERT INTO chunk VALUES (1, 'timetable.freshet', 0, 'x')")
    let holder = try await PostgresCluster.connectAsOwner()
    try await PostgresSchema.timetables(name: stage.schema).prepare(holder)
    try await holder.query("BEGIN")
    try await holder.query("SELECT 1 FROM chunk WHERE generation = 1 FOR UPDATE")
    async let removed = {
      var memory = PostgresTimetables.SweepMemory()
      return try await two.store.sweep(&memory)
    }()
    while try await stage.count(
      "pg_stat_activity WHERE query LIKE 'DELETE FROM generation%' AND wait_event_type = 'Lock'"
    ) == 0 { await Task.yield() }
    let next = try await importFollowed(one)
    #expect(try await newest(two).entry?.generation == next.generation)
    await holder.close()
    #expect(try await removed == 1)
  }

  @Test("An importer whose lease another one has taken over changes nothing, at no step")
  func fenced() async throws {
    let stage = try await Stage()
    let one = try stage.machine("one")
    defer { stage.remove(one) }
    try await importSample(one)
    let before = try await newest(one)
    let change = try await one.change("default")
    let id = try await one.store.begin("half", change)
    try await stage.run("UPDATE lease SET fence = fence + 1, beat = beat + 1, owner = 5")
    typealias Lost = PostgresTimetables.LostCommit
    await #expect(throws: Lost.self) { try await one.store.begin("other", change) }
    await #expect(throws: Lost.self) { try await one.store.write(schedule: "{}", change) }
    await #expect(throws: Lost.self) { try await one.store.commit(nil, change) }
    let failure = await #expect(throws: FeedError.self) {
      try await one.write(StaticSchedule(), change)
    }
    #expect(failure?.code == .conflict)
    #expect(try await one.store.stored(change).isEmpty)
    var memory = PostgresTimetables.SweepMemory()
    #expect(try await one.store.sweep(&memory) == 1)
    await #expect(throws: Lost.self) {
      try await one.store.store([1], 0, of: Feed.timetableName, id)
    }
    let artifact = TimetableArtifact(chunkBytes: 10, timetable: 1)
    await #expect(throws: Lost.self) { try await one.store.finish(artifact, id) }
    await change.release()
    #expect(try await newest(one) == before)
    #expect(try await stage.count("lease WHERE owner = 5") == 1, "it gives back only its own")
    #expect(try await stage.count("schedule") == 0)
  }

  @Test("A lease that is not renewed is taken over; one that is renewed is not")
  func takeover() async throws {
    let stage = try await Stage()
    let (one, two) = (
      // Longer than the tests beside it keep renewals from the processor.
      try stage.machine("one"), try stage.machine("two", leaseDuration: .seconds(20))
    )
    defer { stage.remove(one, two) }
    try await importSample(one)
    try await stage.run("UPDATE lease SET fence = fence + 1, beat = beat + 1, owner = 5")
    let change = try await two.change("default")
    #expect(change.isHeld)
    let failure = await #expect(throws: FeedError.self) { try await one.change("default") }
    #expect(failure?.code == .busy)
    // It is released while another one waits.
    async let next = one.change("default", patience: .seconds(60))
    await change.release()
    await (try await next).release()
  }

  @Test("A change names only what the database has whole")
  func wholeness() async throws {
    let stage = try await Stage()
    let one = try stage.machine("one")
    defer { stage.remove(one) }
    try await importSample(one)
    let change = try await one.change("default")
    let id = try await one.store.begin("half", change)
    var entry = try #require(change.base.entry)
    entry.generation = "half"
    await #expect(throws: PostgresTimetables.LostCommit.self) {
      try await one.store.commit(entry, change)
    }
    var artifact = TimetableArtifact(chunkBytes: 10, timetable: 1)
    artifact.files = [.init(name: Feed.timetableName, bytes: 3, checksums: [1])]
    await #expect(throws: PostgresError.self) { try await one.store.finish(artifact, id) }
    await change.release()
    #expect(try await newest(one).sequence == 1)
  }

  @Test(
    "Fetching begins once no other process of the machine fetches the same, and the database has it"
  )
  func beginning() async throws {
    let stage = try await Stage()
    let (one, two) = (try stage.machine("one"), try stage.machine("two"))
    defer { stage.remove(one, two) }
    let generation = try await importSample(one).generation
    var begun = 0
    var lock = try two.folder.lockForFetching(generation, of: "default")
    #expect(lock != nil)
    #expect(await two.fetch(generation, of: "default", began: { begun += 1 }) == .busy)
    lock = nil
    #expect(await two.fetch("other", of: "default", began: { begun += 1 }) == .gone)
    #expect(begun == 0)
    #expect(await two.fetch(generation, of: "default", began: { begun += 1 }) == nil)
    #expect(begun == 1)
  }

  /// Does something as soon as a connection is available: on a busy machine, renewals of the lease may have them all, or one
  /// takes too long to open.
  private static func whenThereIsRoom(_ body: () async throws -> Void) async throws {
    let end = ContinuousClock.now + .seconds(120)
    while true {
      do {
        return try await body()
      } catch let error as PostgresError
        where [.crowded, .unreachable].contains(error.kind) && ContinuousClock.now < end
      {
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  @Test("A statement has the deadline of all, unless it carries parts")
  func deadlines() async throws {
    let stage = try await Stage()
    let one = try stage.machine("one")
    let hasty = try stage.machine("hasty", answerWithin: .seconds(3))
    defer { stage.remove(one, hasty) }
    try await importSample(one)
    // The lease is of another server: what must not fail has time, and its renewals take none of the connections.
    let change = try await one.change("default")
    let id = try await one.store.begin("half", change)
    let holder = try await PostgresCluster.connectAsOwner()
    try await PostgresSchema.timetables(name: stage.schema).prepare(holder)
    try await holder.query("BEGIN")
    try await holder.query("LOCK TABLE feed, generation, chunk IN ACCESS EXCLUSIVE MODE")
    let statements: [() async throws -> Void] = [
      { _ = try await hasty.store.feed("default") },
      { _ = try await hasty.store.feeds() },
      { _ = try await hasty.store.artifact("half", of: "default") },
    ]
    for statement in statements {
      var began = ContinuousClock.now
      let error = await #expect(throws: PostgresError.self) {
        try await Self.whenThereIsRoom {
          began = .now
          try await statement()
        }
      }
      #expect(error?.kind == .timedOut, "\(String(describing: error))")
      #expect(began.duration(to: .now) < hasty.limits.bulkWithin)
    }
    // A part may take longer.
    try await holder.query("ROLLBACK")
    try await holder.query("BEGIN")
    try await holder.query("LOCK TABLE chunk IN ACCESS EXCLUSIVE MODE")
    async let stored: Void = Self.whenThereIsRoom {
      try await hasty.store.store([1], 0, of: Feed.timetableName, id)
    }
    let end = ContinuousClock.now + .seconds(120)
    while try await stage.count(
      "pg_stat_activity WHERE query LIKE 'INSERT INTO chunk%' AND wait_event_type = 'Lock' AND query_start < now() - interval '4 s'"
    ) == 0, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(50)) }
    #expect(ContinuousClock.now < end)
    await holder.close()
    try await stored
    await change.release()
  }

  @Test(
    "Whether a change is stored is known once its commit has ended, also without a waiter"
  )
  func unknownCommit() async throws {
    let stage = try await Stage()
    let one = try stage.machine("one")
    defer { stage.remove(one) }
    try await importSample(one)
    let kept = try #require(try await newest(one).change)
    #expect(try await one.store.stored(change: kept)?.sequence == 1)
    #expect(try await one.store.stored(change: 5) == nil)
    // A commit is under way while the client has lost its connection and asks on another one.
    for ending in ["COMMIT", "ROLLBACK"] {
      let committer = try await PostgresCluster.connectAsOwner()
      try await PostgresSchema.timetables(name: stage.schema).prepare(committer)
      try await committer.query("BEGIN")
      try await committer.query("UPDATE log SET position = position + 1")
      try await committer.query(
        "INSERT INTO change (id, feed, position) VALUES (9, 'default', 2)"
      )
      async let stored = one.store.stored(change: 9)
      while try await stage.count("pg_locks WHERE NOT granted") == 0 { await Task.yield() }
      try await committer.query(ending)
      await committer.close()
      #expect(try await stored?.sequence == (ending == "COMMIT" ? 2 : nil))
      try await stage.run("DELETE FROM change WHERE id = 9")
    }
  }
}
