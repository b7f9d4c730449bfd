import Foundation
import HTTPTypes
import Jobs
import Serving
import Testing

@testable import JobsServer

@Suite struct SteadyTimeTests {
  private static let start: Int64 = 1_700_000_000_000
  private static let day: Int64 = 86_400_000

  @Test func `a clock that jumps for a while does not count, one that is corrected a little does`()
  {
    var time = SteadyTime(wall: Self.start, steady: 0, last: nil)
    #expect(time.now(wall: Self.start + 1_000, steady: 1_000) == Self.start + 1_000)
    #expect(time.now(wall: Self.start + 1_500, steady: 2_000) == Self.start + 1_500)
    for jump in [30 * Self.day, -Self.day] {
      #expect(time.now(wall: Self.start + 2_000 + jump, steady: 2_500) == Self.start + 2_000)
      #expect(time.due(wall: Self.start + 32_000 + jump, steady: 32_500) == Self.start + 32_000)
    }
    #expect(time.now(wall: Self.start + 60_000, steady: 60_500) == Self.start + 60_000)
  }

  @Test func `a time that the clock keeps for long counts in the end`() {
    for jump in [30 * Self.day, -Self.day] {
      var time = SteadyTime(wall: Self.start, steady: 0, last: nil)
      #expect(time.now(wall: Self.start + jump, steady: 0) == Self.start)
      let last = SteadyTime.settling - 1
      #expect(time.now(wall: Self.start + jump + last, steady: last) == Self.start + last)
      #expect(
        time.now(wall: Self.start + jump + last + 1, steady: last + 1)
          == Self.start + jump + last + 1
      )
    }
    // One that jumps on and on never does.
    var time = SteadyTime(wall: Self.start, steady: 0, last: nil)
    for hour in 1...10 {
      let steady = Int64(hour) * SteadyTime.settling
      #expect(
        time.now(wall: Self.start + Int64(hour) * Self.day, steady: steady) == Self.start + steady
      )
    }
  }

  @Test func `after a long absence nothing ends at once, and what is stamped is right at once`() {
    let away = Self.start + 40 * Self.day
    var time = SteadyTime(wall: away, steady: 0, last: Self.start)
    #expect(time.now(wall: away + 10, steady: 10) == away + 10)
    #expect(time.due(wall: away + 10, steady: 10) == Self.start + 10)
    let settled = SteadyTime.settling
    #expect(time.due(wall: away + settled, steady: settled) == away + settled)
    // A night does not count as an absence.
    var night = SteadyTime(wall: Self.start + Self.day / 2, steady: 0, last: Self.start)
    #expect(night.due(wall: Self.start + Self.day / 2, steady: 0) == Self.start + Self.day / 2)
    // A clock that is behind at the start does not take time back.
    var behind = SteadyTime(wall: Self.start - Self.day, steady: 0, last: Self.start)
    #expect(behind.now(wall: Self.start - Self.day, steady: 0) == Self.start)
  }
}

@Suite struct `Jobs that outlive their tokens and servers` {
  private func start(_ store: any JobStore) async throws -> (JobRow, String) {
    let input = (name: "t", mediaType: "text/csv", content: Array("1".utf8))
    let started = try await store.start(.csvImport, inputs: [input], options: [:], key: nil)
    guard case .job(let job, let token, _) = started else { throw JobStoreError.gone("none") }
    return (job, token)
  }

  @Test func `a token lives as long as its job and then as long as the results`() async throws {
    let folder = try Folder()
    var limits = JobLimits()
    (limits.tokenSeconds, limits.tokenGraceSeconds) = (1, 1)
    // A thousand seconds are one.
    let clock = ServiceClock(startingAt: nil, pace: 1_000)
    let store = try SQLiteJobStore(folder: folder.path, limits: limits, clock: clock)
    let (job, token) = try await start(store)
    let begin = store.now
    while store.now < begin + 20_000 { try await Task.sleep(for: .milliseconds(1)) }
    guard case .open(_, let expiry) = try await store.access(job.id, token: token) else {
      Issue.record("the token is too old")
      return
    }
    #expect(expiry > begin + 20_000)
    let fresh = try #require(try await store.refresh(job.id, token: token)).0
    let renewed = store.now
    while store.now < renewed + 20_000 { try await Task.sleep(for: .milliseconds(1)) }
    // One that a newer one has replaced ends.
    guard case .tokenExpired = try await store.access(job.id, token: token) else {
      Issue.record("the replaced token is good")
      return
    }
    #expect(try await store.refresh(job.id, token: token) == nil)
    let lease = try #require(try await store.claim(job.id))
    _ = try await store.begin(lease, phases: [])
    _ = try await store.end(lease, .succeed)
    guard case .open(let ended, let last) = try await store.access(job.id, token: fresh) else {
      Issue.record("the token does not open the results")
      return
    }
    #expect(last == ended.expiresAt)
  }

  @Test func `what is told of a token changes seldom`() async throws {
    let folder = try Folder()
    let store = try SQLiteJobStore(folder: folder.path, clock: ServiceClock())
    let running = try await start(store).0
    var limits = JobLimits()
    limits.tokenSeconds = 100
    #expect(JobToken.end(of: 5, isReplaced: true, running, at: 900_000, limits) == 5)
    var ends: Set<Int64> = []
    for now in stride(from: Int64(0), to: 1_000_000, by: 10_000) {
      let end = JobToken.end(of: 100_000, isReplaced: false, running, at: now, limits)
      #expect(end >= now + 50_000)
      ends.insert(end)
    }
    #expect(ends.count <= 11)
    let lease = try #require(try await store.claim(running.id))
    _ = try await store.begin(lease, phases: [])
    let over = try #require(try await store.end(lease, .succeed)).0
    #expect(JobToken.end(of: 5, isReplaced: false, over, at: 900_000, limits) == 5)
  }

  @Test func `a process that ends over a job is counted until the job goes on`() async throws {
    let folder = try Folder()
    var id = ""
    for crashes in 0..<3 {
      let store = try SQLiteJobStore(folder: folder.path, clock: ServiceClock())
      if id.isEmpty { id = try await start(store).0.id }
      try await store.countCrashes()
      #expect(try await store.job(id)?.crashes == crashes)
      _ = try await store.begin(try #require(try await store.claim(id)), phases: [])
      store.folderLock.giveBack()
    }
    let store = try SQLiteJobStore(folder: folder.path, clock: ServiceClock())
    try await store.countCrashes()
    #expect(try await store.job(id)?.crashes == 3)
    // A heartbeat is not progress, a checkpoint is.
    let beat = JobStep(phase: "x", fraction: 0, processed: 0)
    let lease = try #require(try await store.claim(id))
    _ = try await store.commit(beat, under: lease, fraction: 0, sentence: "x")
    #expect(try await store.job(id)?.crashes == 3)
    let step = JobStep(phase: "x", fraction: 0, processed: 1, checkpoint: [1])
    _ = try await store.commit(step, under: lease, fraction: 0, sentence: "x")
    #expect(try await store.job(id)?.crashes == 0)
    // One that lets go of its job has not ended over it.
    _ = try await store.begin(lease, phases: [])
    try await store.rest(lease)
    store.folderLock.giveBack()
    let next = try SQLiteJobStore(folder: folder.path, clock: ServiceClock())
    try await next.countCrashes()
    #expect(try await next.job(id)?.crashes == 0)
  }

  @Test func `a full disk is told as such`() {
    let full = [
      NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC)),
      NSError(domain: NSCocoaErrorDomain, code: CocoaError.Code.fileWriteOutOfSpace.rawValue),
      NSError(
        domain: NSCocoaErrorDomain,
        code: CocoaError.Code.fileWriteUnknown.rawValue,
        userInfo: [NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(EDQUOT))]
      ),
    ]
    for error in full { #expect(StoreFault(error, in: "/") == .full) }
    #expect(StoreFault(NSError(domain: NSPOSIXErrorDomain, code: Int(EACCES)), in: "/") == nil)
    #expect(StoreFault.full.problem.status.code == 507)
    #expect(StoreFault.locked.problem.status.code == 503)
    #expect(StoreFault.full.problem.fields[.retryAfter] == "30")
  }
}
