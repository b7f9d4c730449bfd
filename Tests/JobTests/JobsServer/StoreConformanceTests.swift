import Foundation
import Jobs
import Serving
import StrictJSON
import Testing

@testable import JobsServer

// What every store of jobs does, whichever database keeps them.
@Suite struct `Every store of jobs` {
  @Test(arguments: StoreKind.allCases)
  func `starts a job with its files, and tells it again`(kind: StoreKind) async throws {
    let stage = try await StoreStage(kind)
    let store = try await stage.open()
    let files: [JobInputFile] = [
      ("a\0b „c“.csv", "text/csv", [0, 255, 10, 0]), ("", "", []),
      ("big", "image/png", [UInt8]((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })),
    ]
    let options = ["mode": "a\0\"b\"", "": "x"]
    let before = store.now
    guard
      case .job(let job, let token, true) = try await store.start(
        .aiScan,
        inputs: files,
        options: options,
        key: nil
      )
    else {
      Issue.record("not started")
      return
    }
    #expect(token.count == 64)
    let row = try #require(try await store.job(job.id))
    for each in [job, row] {
      #expect(each.id == job.id)
      #expect(each.pipeline == .aiScan)
      #expect(each.state == .queued)
      #expect(each.position.seq == 0)
      #expect(each.position.epoch > 0)
      #expect((before...store.now).contains(each.createdAt))
      #expect(each.updatedAt == each.createdAt)
      #expect((each.startedAt, each.endedAt, each.expiresAt) == (nil, nil, nil))
      #expect(each.progress == JobProgress(fraction: 0, processed: 0, sentence: "waiting"))
      #expect(each.options == options)
      #expect(each.checkpoint == nil)
    }
    for _ in 0..<2 {
      let work = try await store.work(row)
      #expect(work.job == job.id)
      #expect(work.options == options)
      #expect(work.attempt == 0)
      #expect(work.inputs.map(\.mediaType) == files.map(\.mediaType))
      #expect(work.inputs.map(\.byteCount) == files.map(\.content.count))
      // Names are for display; what follows U+0000 may be lost.
      #expect(work.inputs[0].name.hasPrefix("a"))
      for (input, file) in zip(work.inputs, files) {
        #expect(FileManager.default.contents(atPath: input.path).map { Array($0) } == file.content)
      }
    }
    #expect(try await store.messages(job.id, after: 0, limit: 10) == [])
    await stage.close(store)
  }

  @Test(arguments: StoreKind.allCases)
  func `starts a job once for each key`(kind: StoreKind) async throws {
    let stage = try await StoreStage(kind)
    let store = try await stage.open()
    #expect(try await !store.knows(key: "k"))
    #expect(try await !store.knows(key: nil))
    let ids = try await withThrowingTaskGroup(of: (String, String, Bool).self) { group in
      for _ in 0..<8 {
        group.addTask {
          let (job, token, isNew) = try await store.startJob(key: "k")
          return (job.id, token, isNew)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(ids.map(\.0)).count == 1)
    #expect(ids.count { $0.2 } == 1)
    #expect(Set(ids.map(\.1)).count == 8)
    for (job, token, _) in ids {
      guard case .open = try await store.access(job, token: token) else {
        Issue.record("a token does not open the job")
        return
      }
    }
    #expect(try await store.knows(key: "k"))
    #expect(try await store.counts() == ["queued": 1])
    let input: JobInputFile = (name: "t", mediaType: "text/csv", content: Array("2".utf8))
    guard
      case .mismatch = try await store.start(.csvImport, inputs: [input], options: [:], key: "k")
    else {
      Issue.record("another file is the same request")
      return
    }
    let other = try await store.startJob(id: "my-id")
    #expect(other.0.id == "my-id")
    guard
      case .taken = try await store.start(
        .csvImport,
        inputs: [input],
        options: [:],
        key: nil,
        id: "my-id"
      )
    else {
      Issue.record("an id was given twice")
      return
    }
    let again = try await store.startJob(key: "with id", id: "his-id")
    let same = try await store.startJob(key: "with id", id: "his-id")
    #expect(again.isNew && !same.isNew)
    #expect(same.0.id == "his-id")
    await stage.close(store)
  }

  @Test(arguments: StoreKind.allCases)
  func `admits as many open jobs as its limit`(kind: StoreKind) async throws {
    let stage = try await StoreStage(kind)
    let store = try await stage.open { $0.openJobs = 3 }
    let starts = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<9 {
        group.addTask {
          let start = try await store.start(
            .csvImport,
            inputs: [],
            options: [:],
            key: "\(number)",
            id: nil
          )
          if case .busy = start { return false }
          return true
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(starts.count { $0 } == 3)
    #expect(try await store.counts() == ["queued": 3])
    #expect(try await !store.hasRoom(key: nil))
    #expect(try await !store.hasRoom(key: "none"))
    let open = try await store.openJobs()
    #expect(open.map(\.createdAt) == open.map(\.createdAt).sorted())
    _ = try await store.cancel(open[0].id)
    #expect(try await store.hasRoom(key: nil))
    await stage.close(store)
  }

  @Test(arguments: StoreKind.allCases)
  func `numbers the events of a job without a gap, up to one end`(kind: StoreKind) async throws {
    let stage = try await StoreStage(kind)
    let store = try await stage.open()
    let (job, _, _) = try await store.startJob()
    let lease = try #require(try await store.claim(job.id))
    let begun = try #require(
      try await store.begin(lease, phases: [JobPhase("reading", weight: 2)])
    )
    #expect(begun.0.state == .running)
    #expect(begun.0.attempt == 1)
    #expect(begun.1?.body == .started(phases: [JobPhase("reading", weight: 2)], total: nil))
    #expect(
      try await store.begin(lease, phases: [])?.1 == nil,
      "begun again, it has no second start"
    )
    let first = try await store.step(lease, processed: 5, total: 9, fraction: 0.5, current: "a\0b")
    #expect(first.1 == .proceed)
    #expect(first.0.position.seq == 2)
    // Neither share nor count falls, and a total stays.
    try await store.step(lease, processed: 3, fraction: 0.25, sentence: "y\0")
    let row = try #require(try await store.job(job.id))
    #expect(row.progress.fraction == 0.5)
    #expect(row.progress.processed == 5)
    #expect(row.progress.total == 9)
    #expect(row.progress.current == nil)
    #expect(row.progress.sentence.hasPrefix("y"))
    let end = try #require(try await store.end(lease, .succeed))
    #expect(end.0.state == .succeeded)
    #expect(end.0.progress.fraction == 1)
    #expect(end.0.expiresAt == end.0.endedAt.map { $0 + Int64(store.limits.resultSeconds) * 1_000 })
    #expect(try await store.end(lease, .fail) == nil)
    #expect(try await store.begin(lease, phases: []) == nil)
    if let late = try await store.claim(job.id) {
      #expect(try await store.begin(late, phases: []) == nil)
    }
    #expect(try await store.cancel(job.id)?.0.state == .succeeded)
    let events = try await store.events(job.id)
    #expect(events.map(\.position.seq) == [1, 2, 3, 4])
    #expect(Set(events.map(\.position.epoch)) == [job.position.epoch])
    #expect(events.map(\.isTerminal) == [false, false, false, true])
    #expect(events.last?.position == end.1?.position)
    #expect(events.last?.at == end.1?.at)
    if case .progress(let progress) = events[1].body { #expect(progress.current == "a\0b") }
    #expect(try await store.events(job.id, after: 3).count == 1)
    #expect(try await store.messages(job.id, after: 0, limit: 2).count == 2)
    await stage.close(store)
  }

  @Test(arguments: StoreKind.allCases)
  func `keeps one result for each number, byte for byte`(kind: StoreKind) async throws {
    let stage = try await StoreStage(kind)
    let store = try await stage.open()
    let lease = try await store.runJob()
    let value = JSONValue.object([
      "title": .string("a\0„é😀"), "price": .decimal("1.50"), "list": .list([.null, .bool(true)]),
    ])
    let problem = JobItem.Problem(
      code: "isbn",
      message: "not\0valid",
      field: "ISBN",
      isRetryable: true,
      proposal: "x"
    )
    let full = JobItem(
      number: 2,
      outcome: .failed,
      line: 7,
      problems: [problem],
      value: value,
      raw: [0, 255, 34, 10]
    )
    try await store.step(
      lease,
      [
        JobItem(number: 0, outcome: .imported), JobItem(number: 1, outcome: .failed), full,
        JobItem(number: 0, outcome: .updated, raw: []),
      ]
    )
    try await store.step(
      lease,
      [JobItem(number: 1, outcome: .imported), JobItem(number: 3, outcome: .blank)]
    )
    let items = try await store.items(lease.job, after: -1, limit: .max)
    #expect(items.map(\.number) == [0, 1, 2, 3])
    #expect(items.map(\.outcome) == [.updated, .imported, .failed, .blank])
    #expect(items[2] == full)
    #expect(items[0].raw == [])
    #expect(items[1].raw == nil)
    #expect(try await store.items(lease.job, after: 1, limit: 1).map(\.number) == [2])
    let page = try #require(
      try await store.page(lease.job, outcomes: [.failed, .blank], after: 2, limit: 9)
    )
    #expect(page.items.map(\.number) == [3])
    #expect(page.total == 2)
    #expect(try await store.page(lease.job, outcomes: [], after: -1, limit: 9)?.total == 0)
    #expect(try await store.page(lease.job, outcomes: nil, after: -1, limit: 9)?.total == 4)
    let end = try #require(try await store.end(lease, .succeed)?.1)
    guard case .ended(let completion) = end.body else {
      Issue.record("not ended")
      return
    }
    #expect(completion.successes == 2)
    #expect(completion.failures == 1)
    await stage.close(store)
  }

  @Test(arguments: StoreKind.allCases)
  func `stops a job that is asked to`(kind: StoreKind) async throws {
    let stage = try await StoreStage(kind)
    let store = try await stage.open()
    let (queued, _, _) = try await store.startJob()
    let canceled = try #require(try await store.cancel(queued.id))
    #expect(canceled.0.state == .canceled)
    #expect(canceled.1?.isTerminal == true)
    #expect(canceled.1?.position.seq == 1)
    #expect(try await store.cancel(queued.id)?.1 == nil)
    #expect(try await store.cancel("none") == nil)
    let lease = try await store.runJob(.aiScan)
    let asked = try #require(try await store.cancel(lease.job))
    #expect(asked.0.state == .canceling)
    #expect(asked.1 == nil)
    #expect(try await store.step(lease).1 == .stop)
    let end = try #require(try await store.end(lease, .stop))
    #expect(end.0.state == .canceled)
    guard case .ended(let completion)? = end.1?.body else {
      Issue.record("not ended")
      return
    }
    #expect(completion.isPartial)
    #expect(completion.photos == 1)
    let failed = try await store.runJob()
    let failure = JobFailure(code: "c", message: "m\0", isRetryable: true)
    let ended = try #require(try await store.end(failed, .fail, failure: failure))
    #expect(ended.0.state == .failed)
    await #expect(throws: JobStoreError.self) { try await store.step(failed) }
    #expect(try await store.counts() == ["canceled": 2, "failed": 1])
    #expect(try await store.openJobs().isEmpty)
    await stage.close(store)
  }

  @Test(arguments: StoreKind.allCases)
  func `leases each job to one worker, and refuses what older leases write`(
    kind: StoreKind
  )
    async throws
  {
    let stage = try await StoreStage(kind)
    let store = try await stage.open()
    var jobs: [String] = []
    for _ in 0..<24 { jobs.append(try await store.startJob().0.id) }
    #expect(try await store.claimNext(most: 2).map(\.job).sorted() == jobs[..<2].sorted())
    let leases = try await withThrowingTaskGroup(of: [JobLease].self) { group in
      for _ in 0..<8 {
        group.addTask {
          var mine: [JobLease] = []
          while true {
            let next = try await store.claimNext(most: 2)
            if next.isEmpty { return mine }
            mine += next
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(leases.map(\.job).sorted() == jobs[2...].sorted())
    let old = leases[0]
    #expect(try await store.claim(old.job) == nil)
    #expect(try await store.renew(leases).count == leases.count)
    _ = try await store.begin(old, phases: [])
    try await store.step(old, processed: 1, checkpoint: [1, 0])
    try await store.rest(old)
    let new = try #require(try await store.claim(old.job))
    #expect(new != old)
    #expect(try await store.renew([old, new]) == [new])
    #expect(try await store.begin(old, phases: []) == nil)
    await #expect(throws: JobStoreError.self) { try await store.step(old, processed: 9) }
    #expect(try await store.end(old, .succeed) == nil)
    try await store.rest(old)
    let begun = try #require(try await store.begin(new, phases: [])?.0)
    #expect(begun.checkpoint == [1, 0])
    #expect(begun.attempt == 2)
    #expect(try await store.work(begun).attempt == 1)
    #expect(begun.crashes == 0, "it was let go")
    try await store.step(new, processed: 2)
    let row = try #require(try await store.job(new.job))
    #expect(row.checkpoint == [1, 0])
    #expect(row.progress.processed == 2)
    #expect(row.position.seq == 3)
    await stage.close(store)
  }

  @Test(arguments: StoreKind.allCases)
  func `opens a job to its tokens only`(kind: StoreKind) async throws {
    let stage = try await StoreStage(kind)
    let store = try await stage.open { $0.tokensOfJob = 3 }
    let (job, token, _) = try await store.startJob()
    let (other, _, _) = try await store.startJob()
    guard case .open(let row, let expiry) = try await store.access(job.id, token: token) else {
      Issue.record("the token does not open the job")
      return
    }
    #expect(row.id == job.id)
    #expect(expiry > store.now)
    for (id, wrong) in [(other.id, token), (job.id, "x"), ("no\0job", token), ("'", "\0")] {
      guard case .refused = try await store.access(id, token: wrong) else {
        Issue.record("\(wrong) opens \(id)")
        return
      }
      #expect(try await store.refresh(id, token: wrong) == nil)
    }
    let (fresh, last) = try #require(try await store.refresh(job.id, token: token))
    #expect(fresh != token)
    #expect(last >= expiry)
    guard case .open(_, let grace) = try await store.access(job.id, token: token) else {
      Issue.record("a replaced token ends before its grace")
      return
    }
    #expect(grace <= store.now + Int64(store.limits.tokenGraceSeconds) * 1_000)
    // Of too many, replaced ones go first.
    var newest = fresh
    for _ in 0..<3 { newest = try #require(try await store.refresh(job.id, token: newest)).0 }
    guard case .open = try await store.access(job.id, token: newest),
      case .refused = try await store.access(job.id, token: token)
    else {
      Issue.record("the wrong tokens were removed")
      return
    }
    await stage.close(store)
  }

  @Test(arguments: StoreKind.allCases)
  func `removes results after their time`(kind: StoreKind) async throws {
    // A thousand seconds are one.
    let clock = ServiceClock(startingAt: nil, pace: 1_000)
    let stage = try await StoreStage(kind)
    let store = try await stage.open(clock: clock) { limits in
      limits.resultSeconds = 40
      limits.idempotencySeconds = 40
      limits.tokenSeconds = 1
      limits.stuckSeconds = 5
    }
    let (kept, _, _) = try await store.startJob()
    let (job, token, _) = try await store.startJob(key: "k")
    let lease = try #require(try await store.claim(job.id))
    _ = try await store.begin(lease, phases: [])
    try await store.step(lease, [JobItem(number: 0, outcome: .imported)])
    let file = try #require(try await store.work(job).inputs.first?.path)
    while try await store.stuck().isEmpty { try await Task.sleep(for: .milliseconds(1)) }
    #expect(try await store.stuck() == [job.id])
    let end = try #require(try await store.end(lease, .succeed)?.0.expiresAt)
    #expect(try await store.stuck() == [])
    while store.due < end { try await Task.sleep(for: .milliseconds(1)) }
    // What went, with or without the sweep, is never read as if there were nothing.
    for _ in 0..<2 {
      #expect(try await store.isGone(job.id))
      #expect(try await store.page(job.id, outcomes: nil, after: -1, limit: 1) == nil)
      guard case .gone = try await store.access(job.id, token: token) else {
        Issue.record("the token is too old instead of the job")
        return
      }
      _ = try await store.sweep()
    }
    #expect(try await store.job(job.id)?.state == .expired)
    #expect(try await store.messages(job.id, after: 0, limit: 9).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: file))
    #expect(try await store.gone(of: [job.id, kept.id, "none"]) == [job.id, "none"])
    #expect(try await !store.isGone(kept.id))
    #expect(try await store.startJob(key: "k").isNew)
    await stage.close(store)
  }

  @Test(arguments: StoreKind.allCases)
  func `forgets a job some time after its results`(kind: StoreKind) async throws {
    let stage = try await StoreStage(kind)
    let store = try await stage.open(clock: ServiceClock(startingAt: nil, pace: 1_000)) { limits in
      (limits.resultSeconds, limits.tombstoneSeconds) = (1, 10)
    }
    let (kept, _, _) = try await store.startJob()
    let (job, token, _) = try await store.startJob()
    _ = try await store.cancel(job.id)
    while try await store.exists(job.id) {
      _ = try await store.sweep()
      try await Task.sleep(for: .milliseconds(1))
    }
    #expect(try await store.isGone(job.id))
    guard case .refused = try await store.access(job.id, token: token) else {
      Issue.record("a token outlives its job")
      return
    }
    #expect(try await store.exists(kept.id))
    await stage.close(store)
  }

  @Test(arguments: StoreKind.allCases)
  func `says of an unknown job that it is unknown`(kind: StoreKind) async throws {
    let stage = try await StoreStage(kind)
    let store = try await stage.open()
    _ = try await store.startJob()
    for id in ["", "x", "'; DROP TABLE job; --", "a\0b", String(repeating: "é", count: 10_000)] {
      #expect(try await store.job(id) == nil)
      #expect(try await !store.exists(id))
      #expect(try await store.isGone(id))
      #expect(try await store.cancel(id) == nil)
      #expect(try await store.items(id, after: -1, limit: 9).isEmpty)
      #expect(try await store.messages(id, after: 0, limit: 9).isEmpty)
      #expect(try await store.page(id, outcomes: nil, after: -1, limit: 9) == nil)
      #expect(try await store.gone(of: [id]) == [id])
    }
    #expect(try await store.counts() == ["queued": 1])
    await stage.close(store)
  }

  @Test(arguments: StoreKind.allCases)
  func `keeps the numbers of a job dense while others change it`(kind: StoreKind) async throws {
    let stage = try await StoreStage(kind)
    let store = try await stage.open()
    let leases = try await [store.runJob(), store.runJob(), store.runJob()]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for lease in leases {
        group.addTask {
          for number in 0..<15 { try await store.step(lease, processed: number) }
          _ = try await store.end(lease, .succeed)
        }
        group.addTask {
          for _ in 0..<5 { _ = try await store.cancel(lease.job) }
        }
      }
      try await group.waitForAll()
    }
    for lease in leases {
      let events = try await store.events(lease.job)
      #expect(events.map(\.position.seq) == Array(1...17))
      #expect(events.count { $0.isTerminal } == 1)
      #expect(events.last?.isTerminal == true)
    }
    await stage.close(store)
  }
}
