import Foundation
import HTTPTypes
import Hummingbird
import Jobs
import Logging
import Serving
import Testing

@testable import JobsServer

@Suite struct `The store of jobs` {
  private func start(_ store: any JobStore) async throws -> (JobRow, String) {
    let input = (name: "t", mediaType: "text/csv", content: Array("1".utf8))
    let started = try await store.start(.csvImport, inputs: [input], options: [:], key: nil)
    guard case .job(let job, let token, _) = started else { throw JobStoreError.gone("none") }
    return (job, token)
  }

  @Test(
    arguments: [
      (1_795_690_013, 0, 1_795_690_013), (1_795_690_013, 1_795_690_013, 1_795_690_014), (0, 0, 1),
      (-5, 1, 2),
      (2_147_483_647, 0, 1), (2_147_483_646, 2_147_483_646, 1),
    ] as [(Double, Int64, Int64)]
  )
  func `a new epoch is positive, fits user_version, and differs from the one before`(
    now: Double,
    old: Int64,
    new: Int64
  ) {
    #expect(SQLiteJobStore.newEpoch(now: now, after: old) == new)
  }

  @Test func `only the owner reads what was uploaded and what the database says of it`()
    async throws
  {
    let folder = try Folder()
    // As an earlier version left them.
    let manager = FileManager.default
    try manager.createDirectory(
      atPath: folder.path + "/inputs",
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o755]
    )
    let store = try SQLiteJobStore(folder: folder.path, clock: ServiceClock())
    _ = try await start(store)
    func permissions(_ name: String) throws -> Int? {
      let facts = try manager.attributesOfItem(atPath: folder.path + "/" + name)
      return facts[.posixPermissions] as? Int
    }
    #expect(try permissions("inputs") == 0o700)
    for name in ["jobs.sqlite", "jobs.sqlite-wal", "jobs.sqlite-shm"] {
      #expect(try permissions(name) == 0o600, "\(name)")
    }
  }

  @Test func `the state of a finished job precedes its end`() async throws {
    let folder = try Folder()
    let store = try SQLiteJobStore(folder: folder.path, clock: ServiceClock())
    let (job, _) = try await start(store)
    let lease = try #require(try await store.claim(job.id))
    _ = try await store.begin(lease, phases: [])
    let running = try #require(try await store.job(job.id))
    #expect(running.snapshot().position == running.position)
    _ = try await store.end(lease, .succeed)
    let ended = try #require(try await store.job(job.id))
    #expect(ended.snapshot().position.seq == ended.position.seq - 1)
  }

  @Test func `a replaced token ends after its grace; a new one lasts as long as the results`()
    async throws
  {
    let folder = try Folder()
    let store = try SQLiteJobStore(folder: folder.path, clock: ServiceClock())
    let (job, old) = try await start(store)
    let refreshed = try await store.refresh(job.id, token: old)
    let fresh = try #require(refreshed).0
    let lease = try #require(try await store.claim(job.id))
    _ = try await store.begin(lease, phases: [])
    _ = try await store.end(lease, .succeed)
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

  @Test func `results, their job and its files are read at one moment`() async throws {
    let folder = try Folder()
    var limits = JobLimits()
    limits.resultSeconds = 1
    let store = try SQLiteJobStore(folder: folder.path, limits: limits, clock: ServiceClock())
    let (job, _) = try await start(store)
    let lease = try #require(try await store.claim(job.id))
    _ = try await store.begin(lease, phases: [])
    let items = (0..<3).map { JobItem(number: $0, outcome: $0 == 1 ? .failed : .imported) }
    let step = JobStep(items: items, phase: "x", fraction: 1, processed: 3)
    _ = try await store.commit(step, under: lease, fraction: 1, sentence: "x")
    _ = try await store.end(lease, .succeed)
    let page = try #require(
      try await store.page(job.id, outcomes: [.imported], after: -1, limit: 1)
    )
    #expect(page.items.map(\.number) == [0])
    #expect(page.total == 2)
    #expect(try await store.work(job).inputs.count == 1)
    // What went, with or without the sweep, is never read as if there were nothing.
    let ended = try #require(try await store.job(job.id)?.expiresAt)
    while store.now < ended { try await Task.sleep(for: .milliseconds(20)) }
    for _ in 0..<2 {
      #expect(try await store.page(job.id, outcomes: nil, after: -1, limit: 1) == nil)
      #expect(try await store.isGone(job.id))
      _ = try await store.sweep()
    }
    #expect(try await store.page("none", outcomes: nil, after: -1, limit: 1) == nil)
  }

  @Test(
    arguments: [
      ("form-data; name=\"x; filename=y\"", "x; filename=y", nil),
      ("form-data; name=a; filename=b.csv", "a", "b.csv"),
      ("form-data; filename=\"a\\\"; name=b\"; name=\"c\"", "c", "a\"; name=b"),
      ("form-data; Name = d ;filename*=UTF-8''x", "d", nil),
      ("form-data; name=\"open", "open", nil),
      ("form-data; x=\"\\", nil, nil), ("\"; name=e\"; name=f", "f", nil), (";;=; name=", "", nil),
      ("name=g", nil, nil),
    ] as [(String, String?, String?)]
  )
  func `parameters stand outside of quotes`(field: String, name: String?, file: String?) {
    #expect(MultipartForm.parameter("name", in: field) == name)
    #expect(MultipartForm.parameter("filename", in: field) == file)
  }

  @Test func `each path has its methods, and one place says which`() throws {
    let folder = try Folder()
    let service = JobsService(
      store: try SQLiteJobStore(folder: folder.path, clock: ServiceClock()),
      pipelines: [CountingPipeline()],
      clock: ServiceClock(),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    )
    let router = Router(context: BasicRequestContext.self)
    service.add(to: router)
    let routes = RouteMethods()
    routes.learn(from: router, forms: service.forms)
    let job = "/v1/jobs/0a1b2c3d-0000-4000-8000-00000000000f"
    #expect(routes.methods(of: "/v1/jobs/csv_import") == [.post])
    #expect(routes.methods(of: "/v1/jobs/CSV-import/") == [.post])
    #expect(routes.methods(of: job) == [.get, .head, .delete])
    #expect(routes.methods(of: job + "/events") == [.get, .head])
    #expect(routes.methods(of: job + "/x") == [])
    #expect(routes.methods(of: "/") == [])
    #expect(routes.isExcluded(.get, "/v1/jobs/csv_import"))
    #expect(routes.isExcluded(.head, "/v1/jobs/csv_import"))
    #expect(routes.isExcluded(.post, job))
    // It may be a pipeline's name, misspelled: the answer lists those that there are.
    #expect(!routes.isExcluded(.post, "/v1/jobs/csv_inport"))
    #expect(!routes.isExcluded(.delete, job))
    // Without a route the router itself finds nothing.
    #expect(!routes.isExcluded(.put, job))
  }

  @Test func `files that belong to no job are removed, others stay`() async throws {
    let folder = try Folder()
    let earlier = try SQLiteJobStore(folder: folder.path, clock: ServiceClock())
    let (job, _) = try await start(earlier)
    earlier.folderLock.giveBack()
    let stranger = folder.path + "/inputs/stranger-0"
    try Data("x".utf8).write(to: URL(fileURLWithPath: stranger))
    let store = try SQLiteJobStore(folder: folder.path, clock: ServiceClock())
    #expect(!FileManager.default.fileExists(atPath: stranger))
    let path = try #require(try await store.work(job).inputs.first?.path)
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test func `with no room for its job an upload is not read`() async throws {
    let folder = try Folder()
    var limits = JobLimits()
    limits.openJobs = 1
    let store = try SQLiteJobStore(folder: folder.path, limits: limits, clock: ServiceClock())
    #expect(try await store.hasRoom(key: nil))
    let started = try await store.start(.csvImport, inputs: [], options: [:], key: "k")
    guard case .job = started else {
      Issue.record("not started")
      return
    }
    #expect(try await !store.hasRoom(key: nil))
    #expect(try await store.hasRoom(key: "k"))
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
