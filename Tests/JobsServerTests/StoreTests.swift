import Foundation
import Jobs
import Serving
import Testing

@testable import JobsServer

@Suite struct `The store of jobs` {
  private func start(_ store: JobStore) async throws -> (JobRow, String) {
    let input = (name: "t", mediaType: "text/csv", content: Array("1".utf8))
    let started = try await store.start(.csvImport, inputs: [input], options: [:], key: nil)
    guard case .job(let job, let token, _) = started else { throw JobStoreError.gone("none") }
    return (job, token)
  }

  @Test func `the state of a job that is over stands before its end`() async throws {
    let folder = try Folder()
    let store = try JobStore(folder: folder.path, clock: ServiceClock())
    let (job, _) = try await start(store)
    _ = try await store.begin(job.id, phases: [])
    let running = try #require(try await store.job(job.id))
    #expect(running.snapshot().position == running.position)
    _ = try await store.end(job.id, .succeed)
    let ended = try #require(try await store.job(job.id))
    #expect(ended.snapshot().position.seq == ended.position.seq - 1)
  }

  @Test func `a replaced token ends after its grace; a new one lasts as long as the results`()
    async throws
  {
    let folder = try Folder()
    let store = try JobStore(folder: folder.path, clock: ServiceClock())
    let (job, old) = try await start(store)
    let refreshed = try await store.refresh(job.id, token: old)
    let fresh = try #require(refreshed).0
    _ = try await store.begin(job.id, phases: [])
    _ = try await store.end(job.id, .succeed)
    guard case .open(let ended, let kept) = try await store.access(job.id, token: fresh),
      case .open(_, let short) = try await store.access(job.id, token: old)
    else {
      Issue.record("a token is refused")
      return
    }
    #expect(kept == ended.expiresAt)
    #expect(short <= store.now + Int64(store.limits.tokenGraceSeconds) * 1_000)
    let again = try await store.refresh(job.id, token: fresh)
    #expect(try #require(again).1 == ended.expiresAt)
  }

  @Test func `files that belong to no job are removed, others stay`() async throws {
    let folder = try Folder()
    let earlier = try JobStore(folder: folder.path, clock: ServiceClock())
    let (job, _) = try await start(earlier)
    earlier.claim.giveBack()
    let stranger = folder.path + "/inputs/stranger-0"
    try Data("x".utf8).write(to: URL(fileURLWithPath: stranger))
    let store = try JobStore(folder: folder.path, clock: ServiceClock())
    #expect(!FileManager.default.fileExists(atPath: stranger))
    let path = try #require(try await store.work(job).inputs.first?.path)
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test func `with no room for its job an upload is not read`() async throws {
    let folder = try Folder()
    var limits = JobLimits()
    limits.openJobs = 1
    let store = try JobStore(folder: folder.path, limits: limits, clock: ServiceClock())
    #expect(try await store.hasRoom(key: nil))
    let started = try await store.start(.csvImport, inputs: [], options: [:], key: "k")
    guard case .job = started else {
      Issue.record("not started")
      return
    }
    #expect(try await !store.hasRoom(key: nil))
    #expect(try await store.hasRoom(key: "k"))
  }

  @Test func `so many permits are there, and come back`() {
    let permits = UploadPermits(most: 2)
    #expect([permits.take(), permits.take(), permits.take()] == [true, true, false])
    permits.giveBack()
    #expect(permits.take())
  }

  @Test func `a message that is not taken and a ping that is not answered are silence`() {
    let signs = SocketSigns()
    let now = ContinuousClock.now
    #expect(!signs.isSilent(since: now))
    let number = signs.began(now)
    #expect(signs.isSilent(since: now))
    #expect(!signs.isSilent(since: now.advanced(by: .seconds(-1))))
    signs.ended(number)
    #expect(!signs.isSilent(since: now))
    signs.asked(now)
    signs.asked(now.advanced(by: .seconds(5)))
    #expect(signs.isSilent(since: now))
    signs.heard()
    #expect(!signs.isSilent(since: now))
  }
}
