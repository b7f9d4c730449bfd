import Foundation
import Jobs
import Serving
import Synchronization
import Testing

@testable import JobsServer

/// A clock that tests move.
private final class HandClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let passed = Mutex(Duration.zero)

  var now: Instant { Instant(offset: passed.withLock { $0 }) }
  var minimumResolution: Duration { .milliseconds(1) }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {}

  /// Lets time pass, in milliseconds.
  func pass(_ milliseconds: Int64) { passed.withLock { $0 += .milliseconds(milliseconds) } }
}

// What every store does with jobs that fail and are tried again, that wait for an instant, and that have a priority.
@Suite struct `Every store of jobs, over time` {
  private static let down = JobFailure(code: "down", message: "it is\0 down", isRetryable: true)

  private let clock = HandClock()

  private func open(
    _ stage: StoreStage,
    _ change: (inout JobLimits) -> Void = { _ in }
  ) async throws -> any JobStore {
    try await stage.open(clock: ServiceClock(startingAt: 1_800_000_000, on: clock), change)
  }

  private func start(
    _ store: any JobStore,
    _ id: String,
    _ schedule: JobSchedule = JobSchedule(),
    key: String? = nil
  ) async throws -> JobsServer.JobStart {
    try await store.start(
      .csvImport,
      inputs: [("t", "text/csv", [1, 2])],
      options: ["a": "b"],
      key: key,
      id: id,
      schedule: schedule
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `tries a job again after a while, and ends it after the last attempt`(
    kind: StoreKind
  )
    async throws
  {
    let stage = try await StoreStage(kind)
    let store = try await open(stage) { limits in
      (limits.attemptsOfJob, limits.leastRetrySeconds, limits.mostRetrySeconds) = (3, 10, 15)
    }
    _ = try await start(store, "j", JobSchedule(priority: .low))
    var lease = try #require(try await store.claimNext(most: 1).first)
    _ = try await store.begin(lease, phases: [])
    try await store.step(lease, [JobItem(number: 0, outcome: .imported)], checkpoint: [7])
    let (row, event) = try #require(try await store.fail(lease, Self.down, sample: 1))
    #expect(row.state == .queued)
    #expect(row.failures == 1)
    #expect(row.lastFailure?.code == "down")
    #expect(row.schedule == JobSchedule(priority: .low, runAt: store.now + 5_000))
    guard case .progress(let progress)? = event?.body else {
      Issue.record("no event")
      return
    }
    let notice = JobRetryNotice(
      failedAttempts: 1,
      maxAttempts: 3,
      runAt: store.now + 5_000,
      code: "down"
    )
    #expect(progress.retry == notice)
    #expect(progress.processed == row.progress.processed)
    // The lease is over.
    await #expect(throws: JobStoreError.self) { try await store.step(lease) }
    #expect(try await store.fail(lease, Self.down, sample: 1) == nil)
    #expect(try await store.claimNext(most: 9).isEmpty)
    clock.pass(4_999)
    #expect(try await store.claimNext(most: 9).isEmpty)
    clock.pass(1)
    lease = try #require(try await store.claimNext(most: 9).first)
    let again = try #require(try await store.begin(lease, phases: [])?.0)
    #expect(again.checkpoint == [7])
    #expect(again.crashes == 0)
    // Without luck the pause is the whole of 15 seconds.
    let second = try #require(try await store.fail(lease, Self.down, sample: 0)?.0)
    #expect(second.schedule.runAt == store.now + 15_000)
    clock.pass(15_000)
    lease = try #require(try await store.claimNext(most: 9).first)
    _ = try await store.begin(lease, phases: [])
    let (dead, end) = try #require(try await store.fail(lease, Self.down, sample: 0))
    #expect(dead.state == .failed)
    #expect(dead.failures == 3)
    #expect(dead.isDead)
    #expect(end?.isTerminal == true)
    let events = try await store.events("j")
    #expect(events.map(\.position.seq) == Array(1...Int64(events.count)))
    #expect(events.count { $0.isTerminal } == 1)
    let told = events.compactMap { event -> Int? in
      if case .progress(let progress) = event.body { progress.retry?.failedAttempts } else { nil }
    }
    #expect(told == [1, 2])
    await stage.close(store)
  }

  @Test(arguments: StoreKind.allCases)
  func `says how long the oldest jobs have waited that could run`(kind: StoreKind) async throws {
    let stage = try await StoreStage(kind)
    let store = try await open(stage) { limits in
      (limits.attemptsOfJob, limits.leastRetrySeconds, limits.mostRetrySeconds) = (3, 10, 15)
    }
    let none = JobDelays(oldestStart: nil, oldestDue: nil, now: 0)
    #expect(try await store.delays() == none)
    _ = try await start(store, "later", JobSchedule(runAt: store.now + 60_000))
    _ = try await start(store, "first")
    clock.pass(5_000)
    _ = try await start(store, "second")
    // What waits for its instant is not late, and the oldest start counts.
    var delays = try await store.delays()
    #expect((delays.waiting, delays.due) == (5_000, nil))
    clock.pass(55_001)
    delays = try await store.delays()
    #expect((delays.waiting, delays.due) == (60_001, 1))
    // A job that runs waits no more, and another attempt waits for its instant.
    let lease = try #require(try await store.claim("first"))
    _ = try await store.begin(lease, phases: [])
    #expect(try await store.delays().waiting == 55_001)
    _ = try await store.fail(lease, Self.down, sample: 0)
    #expect(try await store.delays().waiting == 55_001)
    _ = try await store.cancel("later")
    #expect(try await store.delays().due == nil)
    clock.pass(10_250)
    #expect(try await store.delays().due == 250)
    for id in ["first", "second"] { _ = try await store.cancel(id) }
    #expect(try await store.delays() == none)
    await stage.close(store)
  }

  @Test(arguments: StoreKind.allCases)
  func `fails at once for what does not pass, and stops what is asked to stop`(
    kind: StoreKind
  )
    async throws
  {
    let stage = try await StoreStage(kind)
    let store = try await open(stage)
    let wrong = try await store.runJob()
    let failure = JobFailure(code: "bad", message: "m", isRetryable: false)
    let failed = try #require(try await store.fail(wrong, failure, sample: 0)?.0)
    #expect(failed.state == .failed && !failed.isDead && failed.failures == 1)
    let stopped = try await store.runJob()
    _ = try await store.cancel(stopped.job)
    #expect(try await store.fail(stopped, Self.down, sample: 0)?.0.state == .canceled)
    // Canceled while it waits for another attempt.
    let waiting = try await store.runJob()
    #expect(try await store.fail(waiting, Self.down, sample: 0)?.0.state == .queued)
    let (row, event) = try #require(try await store.cancel(waiting.job))
    #expect(row.state == .canceled && event?.isTerminal == true)
    clock.pass(10_000_000)
    #expect(try await store.claimNext(most: 9).isEmpty)
    #expect(try await store.deadLetters(limit: 9).isEmpty)
    await stage.close(store)
  }

  @Test(arguments: StoreKind.allCases)
  func `starts a job not before its instant, and a limited number of them`(
    kind: StoreKind
  )
    async throws
  {
    let stage = try await StoreStage(kind)
    let store = try await open(stage) { $0.scheduledJobs = 2 }
    let later = store.now + 60_000
    for id in ["a", "b"] {
      guard
        case .job(let job, _, true) = try await start(store, id, JobSchedule(runAt: later))
      else {
        Issue.record("not started")
        return
      }
      #expect(job.state == .queued && job.schedule.runAt == later)
      #expect(job.waits(at: store.now) && !job.waits(at: later))
    }
    guard case .busy = try await start(store, "c", JobSchedule(runAt: later)) else {
      Issue.record("more wait than may")
      return
    }
    // An instant that is past is now, and counts nothing.
    guard case .job = try await start(store, "now", JobSchedule(runAt: store.now - 1)) else {
      Issue.record("not started")
      return
    }
    #expect(try await store.claimNext(most: 9).map(\.job) == ["now"])
    clock.pass(60_000)
    #expect(try await store.claimNext(most: 9).map(\.job).sorted() == ["a", "b"])
    await stage.close(store)
  }

  @Test(arguments: StoreKind.allCases)
  func `takes a higher priority first, and starves no lower one`(kind: StoreKind) async throws {
    let stage = try await StoreStage(kind)
    let store = try await open(stage) { $0.priorityStepSeconds = 10 }
    for (id, priority) in [("low", JobPriority.low), ("normal", .normal), ("high", .high)] {
      _ = try await start(store, id, JobSchedule(priority: priority))
      clock.pass(1)
    }
    #expect(try await store.openJobs().map(\.id) == ["high", "normal", "low"])
    // Urgent jobs that keep coming overtake the one without hurry for two steps.
    clock.pass(19_000)
    _ = try await start(store, "soon", JobSchedule(priority: .high))
    clock.pass(2_000)
    _ = try await start(store, "late", JobSchedule(priority: .high))
    var order: [String] = []
    while let lease = try await store.claimNext(most: 1, besides: order).first {
      order.append(lease.job)
    }
    #expect(order == ["high", "normal", "soon", "low", "late"])
    await stage.close(store)
  }

  @Test(arguments: StoreKind.allCases)
  func `knows a repeated start by its schedule too`(kind: StoreKind) async throws {
    let stage = try await StoreStage(kind)
    let store = try await open(stage)
    _ = try await start(store, "j", JobSchedule(priority: .high), key: "k")
    guard
      case .job(let job, _, false) = try await start(
        store,
        "j",
        JobSchedule(priority: .high),
        key: "k"
      ), case .mismatch = try await start(store, "j", key: "k")
    else {
      Issue.record("not the same job")
      return
    }
    #expect(job.schedule.priority == .high)
    await stage.close(store)
  }

  @Test(arguments: StoreKind.allCases)
  func `starts a dead letter again once, with its files`(kind: StoreKind) async throws {
    let stage = try await StoreStage(kind)
    let store = try await open(stage) { $0.attemptsOfJob = 1 }
    var dead: [String] = []
    for id in ["first", "second"] {
      _ = try await start(store, id, JobSchedule(priority: .low))
      let lease = try #require(try await store.claim(id))
      _ = try await store.begin(lease, phases: [])
      #expect(try await store.fail(lease, Self.down, sample: 0)?.0.isDead == true)
      dead.insert(id, at: 0)
      clock.pass(1)
    }
    #expect(try await store.deadLetters(limit: 9).map(\.id) == dead)
    #expect(try await store.deadLetters(limit: 1).map(\.id) == ["second"])
    guard case .job(let new, let token, true)? = try await store.restart("first") else {
      Issue.record("not started again")
      return
    }
    #expect(new.state == .queued && new.failures == 0 && new.schedule.priority == .low)
    #expect(new.options == ["a": "b"])
    guard case .open = try await store.access(new.id, token: token) else {
      Issue.record("the token does not open the new job")
      return
    }
    let files = try await store.work(new).inputs
    #expect(files.map { FileManager.default.contents(atPath: $0.path) } == [Data([1, 2])])
    #expect(try await store.deadLetters(limit: 9).map(\.id) == ["second"])
    let old = try #require(try await store.job("first"))
    #expect(old.state == .failed && old.restartedAs == new.id)
    guard case .job(let same, _, false)? = try await store.restart("first") else {
      Issue.record("started twice")
      return
    }
    #expect(same.id == new.id)
    #expect(try await store.restart(new.id) == nil)
    #expect(try await store.restart("none") == nil)
    // They go with their results.
    clock.pass(Int64(store.limits.resultSeconds) * 1_000)
    #expect(try await store.deadLetters(limit: 9).isEmpty)
    #expect(try await store.restart("second") == nil)
    await stage.close(store)
  }
}
