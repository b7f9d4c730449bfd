import ConditionalHTTP
import Foundation
import HTTPTypes
import Hummingbird
import Jobs
import JobsClient
import JobsServer
import Logging
import NIOTransport
import ServiceLifecycle
import Serving
import StrictJSON
import Synchronization
import Testing
import TolerantDecoding

/// A server with jobs on a port of its own, and a client.
private struct Stage {
  let folder: Folder
  let pipeline = CountingPipeline()
  var limits = JobLimits()

  init() throws {
    folder = try Folder()
    limits.heartbeatSeconds = 1
    // A client that has little processor time reads slowly, and is to get every event all the same.
    limits.waitingMessages = 1_000
  }

  func run(
    clock: ServiceClock = ServiceClock(),
    _ work: @escaping @Sendable (JobClient, Int, JobsService) async throws -> Void
  ) async throws {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let store = try SQLiteJobStore(folder: folder.path, limits: limits, clock: clock)
    let service = JobsService(
      store: store,
      pipelines: [pipeline],
      acceptsQueryToken: true,
      clock: clock,
      logger: logger
    )
    let router = Router(context: BasicRequestContext.self)
    let routes = RouteMethods()
    router.add(middleware: ProblemMiddleware(routes: routes))
    service.add(to: router)
    routes.learn(from: router, forms: service.forms)
    let (ports, opened) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      router: router,
      server: ServerListener().server(sockets: service.authorizer),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in opened.yield(channel.localAddress?.port ?? 0) },
      logger: logger
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
      let services = ServiceGroup(
        configuration: .init(services: [.init(service: application)], logger: logger)
      )
      group.addTask { try await services.run() }
      group.addTask { try await service.run() }
      for await port in ports {
        let transport = try NIOExchange()
        do {
          let address = try HTTPAddress("http://127.0.0.1:\(port)")
          let client = JobClient(
            server: address,
            transport: transport,
            sockets: try NIOWebSocketExchange()
          )
          try await work(client, port, service)
        } catch {
          Issue.record(error)
        }
        await transport.shutdown()
        break
      }
      service.close()
      await services.triggerGracefulShutdown()
      group.cancelAll()
    }
  }
}

private func ending(
  _ client: JobClient,
  _ credential: JobCredential,
  after: EventPosition? = nil
) async -> (JobCompletion?, [Int64]) {
  var seen: [Int64] = []
  var completion: JobCompletion?
  for await update in client.follow(credential, after: after) {
    switch update {
    case .message(let message): if let seq = message.position?.seq { seen.append(seq) }
    case .finished(.ended(let ended)): completion = ended
    default: break
    }
  }
  return (completion, seen)
}

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Jobs from start to results` {
  private func start(
    _ client: JobClient,
    _ count: Int,
    key: String? = nil
  ) async throws -> JobCredential {
    try await client.start(
      .csvImport,
      content: Array(String(count).utf8),
      type: "text/csv",
      key: key
    )
  }

  @Test func `a job is followed by WebSocket to its end, without gap or repetition`() async throws {
    try await Stage().run { client, _, _ in
      let credential = try await start(client, 995)
      let (completion, seen) = await ending(client, credential)
      #expect(completion?.ending == .known(.succeeded))
      #expect([completion?.total, completion?.failures] == [995, 99 + 1])
      #expect(seen == Array(1...Int64(seen.count)))
      #expect(seen.count == 102)
      let page = try await client.results(credential, outcome: .failed, limit: 500)
      #expect(page.items.elements.map(\.number) == stride(from: 3, to: 995, by: 10).map(\.self))
      #expect(page.total == 100)
      let rows = try await client.failedRows(credential)
      #expect(String(decoding: rows, as: UTF8.self).hasPrefix("title\nBook 3\nBook 13\n"))
    }
  }

  @Test func `a run that is interrupted is taken up again by the same server`() async throws {
    let stage = try Stage()
    stage.pipeline.interruptions = 2
    // Half a minute of the sweeper is half a second here.
    try await stage.run(clock: ServiceClock(startingAt: nil, pace: 60)) { client, _, _ in
      let credential = try await start(client, 20)
      let (completion, _) = await ending(client, credential)
      #expect(completion?.total == 20)
    }
  }

  @Test func `without WebSockets the same comes as a stream`() async throws {
    try await Stage().run { client, port, _ in
      let address = try HTTPAddress("http://127.0.0.1:\(port)")
      let transport = try NIOExchange()
      let plain = JobClient(server: address, transport: transport)
      let credential = try await start(plain, 200)
      let (completion, seen) = await ending(plain, credential)
      #expect(completion?.total == 200)
      #expect(seen == Array(1...22))
      await transport.shutdown()
    }
  }

  @Test func `a failure of the input is final and says so`() async throws {
    try await Stage().run { client, _, _ in
      let credential = try await client.start(
        .csvImport,
        content: Array("many".utf8),
        type: "text/csv"
      )
      let (completion, _) = await ending(client, credential)
      #expect(completion?.ending == .known(.failed))
      #expect(completion?.failure?.code == "no_number")
      #expect(completion?.failure?.isRetryable == false)
    }
  }

  @Test func `cancelling keeps what was done, marked as partial`() async throws {
    let stage = try Stage()
    stage.pipeline.isHeld = true
    try await stage.run { client, _, _ in
      let credential = try await start(client, 100)
      while try await client.state(credential).state != .known(.running) {
        try await Task.sleep(for: .milliseconds(5))
      }
      try await client.cancel(credential)
      try await client.cancel(credential)
      stage.pipeline.isHeld = false
      let (completion, _) = await ending(client, credential)
      #expect(completion?.ending == .known(.canceled))
      #expect(completion?.isPartial == true)
      #expect(completion?.total == 10)
      #expect(try await client.results(credential).items.elements.count == 10)
      #expect(try await client.results(credential).isPartial == true)
    }
  }

  @Test func `a job that waits says so once for each heartbeat, and is stopped meanwhile`()
    async throws
  {
    let stage = try Stage()
    (stage.pipeline.isHeld, stage.pipeline.beats) = (true, 0)
    try await stage.run { client, _, _ in
      let credential = try await start(client, 100)
      var (numbers, signs): ([Int64], [Int64]) = ([], [])
      var completion: JobCompletion?
      let opened = Int64(Date().timeIntervalSince1970 * 1_000)
      for await update in client.follow(credential) {
        switch update {
        case .message(let message):
          if let seq = message.position?.seq { numbers.append(seq) }
          guard case .progress(let progress) = message.body, progress.isKeepAlive else { continue }
          signs.append(try #require(message.at))
          if signs.count == 3 { try await client.cancel(credential) }
        case .finished(.ended(let ended)): completion = ended
        default: break
        }
      }
      #expect(completion?.ending == .known(.canceled))
      // It began, reported its state, and ended.
      #expect(numbers == [1, 2, 3])
      #expect(signs.count >= 3)
      #expect(try #require(stage.pipeline.beats) > signs.count)
      // Each is due a second after the one before it was due; one that is late does not move the next.
      for (number, sign) in signs.enumerated() {
        #expect(sign - opened >= Int64(number + 1) * 1_000 - 10, "\(opened), \(signs)")
      }
    }
  }

  @Test func `a key starts one job, whatever goes wrong in between`() async throws {
    try await Stage().run { client, _, _ in
      let first = try await start(client, 20, key: "k")
      let second = try await start(client, 20, key: "k")
      #expect(first.job == second.job)
      #expect(first.token != second.token)
      do {
        _ = try await start(client, 21, key: "k")
        Issue.record("another request with the same key was taken")
      } catch let failure as JobClientFailure {
        guard case .refused(let refusal) = failure else {
          Issue.record(failure)
          return
        }
        #expect(refusal.error.code == "idempotency_mismatch")
      }
    }
  }

  @Test func `results are 409 before the end, 404 for no job, 410 after their time`() async throws {
    var stage = try Stage()
    // Ten minutes are ten seconds here: far more than an answer takes on a busy machine.
    stage.limits.resultSeconds = 600
    stage.pipeline.isHeld = true
    let pipeline = stage.pipeline
    try await stage.run(clock: ServiceClock(startingAt: nil, pace: 60)) { client, _, _ in
      let credential = try await start(client, 5)
      await #expect(throws: JobClientFailure.notFinished) { try await client.results(credential) }
      let other = JobCredential(
        job: "11111111-1111-1111-1111-111111111111",
        token: credential.token
      )
      await #expect(throws: JobClientFailure.unknownJob) { try await client.results(other) }
      pipeline.isHeld = false
      let (completion, _) = await ending(client, credential)
      #expect(completion?.total == 5)
      // Until they are gone; only the time limit of the test ends this.
      while true {
        do {
          _ = try await client.results(credential)
        } catch JobClientFailure.expired {
          break
        }
        try await Task.sleep(for: .milliseconds(50))
      }
      var last: JobUpdate?
      for await update in client.follow(credential) { last = update }
      #expect(last == .finished(.expired))
    }
  }

  @Test
  func
    `a job that was under way goes on after a restart, and nothing is done twice in its results`()
    async throws
  {
    let stage = try Stage()
    let credential = Mutex<JobCredential?>(nil)
    try await stage.run { client, _, _ in
      let started = try await start(client, 1_000)
      credential.withLock { $0 = started }
      while (try await client.state(started).progress.processed ?? 0) < 100 {}
    }
    try await stage.run { client, _, _ in
      let kept = credential.withLock { $0 }
      let credential = try #require(kept)
      let (completion, seen) = await ending(client, credential)
      #expect(completion?.ending == .known(.succeeded))
      #expect(completion?.total == 1_000)
      #expect(seen == Array(1...Int64(seen.count)))
      var numbers: [Int] = []
      var after: Int?
      repeat {
        let page = try await client.results(credential, after: after, limit: 300)
        numbers += page.items.elements.map(\.number)
        after = page.next
      } while after != nil
      #expect(numbers == Array(0..<1_000))
    }
  }

  @Test func `many listeners come at any moment, and all end with the same`() async throws {
    let stage = try Stage()
    try await stage.run { client, _, _ in
      let credential = try await start(client, 2_000)
      await withTaskGroup(of: (JobCompletion?, [Int64]).self) { group in
        for number in 0..<30 {
          group.addTask {
            try? await Task.sleep(for: .milliseconds(number * 10))
            return await ending(client, credential)
          }
        }
        var endings: Set<Int?> = []
        for await (completion, seen) in group {
          endings.insert(completion?.total)
          #expect(seen == seen.sorted())
          #expect(Set(seen).count == seen.count)
        }
        #expect(endings == [2_000])
      }
    }
  }
}
