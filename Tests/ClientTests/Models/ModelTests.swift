import ConditionalHTTP
import Foundation
import Freshness
import FreshnessRuntime
import FreshnessTesting
import HTTPTypes
import Jobs
import JobsClient
import Synchronization
import Testing
import Workspaces
import WorkspacesClient

/// A scripted server: responses by path, and streams that a test writes to.
private final class Wire: HTTPExchange, HTTPSending, HTTPStreaming {
  let exchange: ScriptedExchange
  let streams = ScriptedStreaming()

  init(_ reply: @escaping @Sendable (HTTPRequest) -> ScriptedExchange.Reply) {
    exchange = ScriptedExchange { reply($0.request) }
  }

  func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    try await exchange.send(request, timeout: timeout)
  }

  func send(
    _ request: HTTPRequest,
    content: [UInt8],
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    try await exchange.send(request, timeout: timeout)
  }

  func stream(
    _ request: HTTPRequest,
    timeout: Duration,
    receive: nonisolated(nonsending) @escaping @Sendable (HTTPStreamPart) async -> HTTPStreamDemand
  ) async throws(HTTPExchangeError) {
    try await streams.stream(request, timeout: timeout, receive: receive)
  }

  func asked(_ method: HTTPRequest.Method) -> [ScriptedExchange.Sent] {
    exchange.sent.filter { $0.request.method == method }
  }
}

private func answer(
  _ body: String,
  _ status: HTTPResponse.Status = .ok
) -> ScriptedExchange.Reply {
  let head = HTTPResponse(status: status, headerFields: [.contentType: "application/json"])
  return .answer(HTTPExchangeAnswer(head: head, body: Array(body.utf8)))
}

@MainActor
@Suite("JobModel")
struct JobModelTests {
  nonisolated private static let started = answer(#"{"jobId":"j1","token":"t1"}"#, .accepted)

  nonisolated private static func event(_ seq: Int, _ type: String, _ payload: String) -> String {
    """
    id: 1.\(seq)
    data: {"type":"\(type)","jobId":"j1","epoch":1,"seq":\(seq),"payload":\(payload)}


    """
  }

  private static func progress(_ seq: Int, _ share: Double) -> String {
    event(seq, "job_progress", #"{"progress":\#(share),"status":"reading"}"#)
  }

  private static func model(
    _ wire: Wire,
    _ clock: ManualClock = ManualClock(),
    policy: JobFollower.Policy = JobFollower.Policy()
  ) throws -> JobModel {
    let client = JobClient(server: try HTTPAddress("http://box"), transport: wire)
    return JobModel(client, policy: policy, clock: HostClock(clock))
  }

  @Test
  func `a job shows its upload, its progress with its age, its end and its results`() async throws {
    let wire = Wire { request in
      if request.method == .post { return Self.started }
      if request.path?.contains("after=1") == true {
        return answer(#"{"items":[{"number":2,"outcome":"imported"}],"total":3}"#)
      }
      return answer(
        #"{"items":[{"number":0,"outcome":"imported"},{"number":1,"outcome":"imported"}],"next":1}"#
      )
    }
    let clock = ManualClock()
    let model = try Self.model(wire, clock)
    #expect(model.state == .loading && !model.isRunning)
    #expect(await model.start(.csvImport, content: [1], type: "text/csv"))
    #expect(model.credential?.job == "j1" && model.isRunning && !model.isStarting)
    let stream = try #require(await wire.streams.next())
    await stream.head()
    await stream.write(Self.progress(1, 0.25))
    #expect(await eventually { model.status.fraction == 0.25 })
    #expect(model.status.progress.sentence == "reading" && model.state == .live)
    #expect(model.age == .zero)
    // Silence ages the progress.
    try await clock.waitForSleepers(atLeast: 1)
    await clock.advance(by: .seconds(26))
    #expect(await eventually { model.state == .ageing })
    #expect(model.age == .seconds(26))
    await stream.write(
      Self.event(2, "job_complete", #"{"status":"succeeded","summary":{"totalProcessed":3}}"#)
    )
    #expect(await eventually { !model.isRunning })
    #expect(model.status.fraction == 1 && model.status.ending != nil)
    await model.loadResults()
    #expect(model.problem == nil)
    #expect(model.results.count == 2 && model.hasMoreResults)
    await model.loadResults()
    #expect(model.results.count == 3 && !model.hasMoreResults)
    await model.loadResults()
    #expect(model.results.count == 3)
  }

  @Test
  func
    `an interrupted job is failing, keeps its progress, and is live when the connection is back`()
    async throws
  {
    let wire = Wire { _ in Self.started }
    let clock = ManualClock()
    var policy = JobFollower.Policy()
    policy.backoff = [0]
    let model = try Self.model(wire, clock, policy: policy)
    await model.start(.csvImport, content: [], type: "text/csv")
    let first = try #require(await wire.streams.next())
    await first.head()
    await first.write(Self.progress(1, 0.5))
    #expect(await eventually { model.status.fraction == 0.5 })
    #expect(model.state == .live && model.live.failure == nil)
    first.close()
    #expect(await eventually { model.state == .failing })
    #expect(model.live.failure?.kind == .unreachable)
    #expect(model.status.fraction == 0.5 && model.isRunning && model.problem == nil)
    // A connection that is sought is not back yet; it continues behind the last event.
    let second = try #require(await wire.streams.next())
    #expect(second.request.headerFields[.lastEventID] == "1.1")
    #expect(model.state == .failing)
    try await clock.waitForSleepers(atLeast: 1)
    await clock.advance(by: .seconds(5))
    // A job that has nothing to say is live all the same; its age is that of the last message (R37).
    await second.head()
    #expect(await eventually { model.state == .live })
    #expect(model.live.failure == nil && model.age == .seconds(5))
    await second.write(Self.progress(2, 0.75))
    #expect(await eventually { model.status.fraction == 0.75 })
    #expect(model.age == .zero)
    // A second interruption is reported like the first.
    second.close()
    #expect(await eventually { model.state == .failing })
    let third = try #require(await wire.streams.next())
    await third.head()
    await third.write(Self.event(3, "job_complete", #"{"status":"succeeded","summary":{}}"#))
    #expect(await eventually { !model.isRunning })
    #expect(model.state != .failing && model.status.fraction == 1)
  }

  @Test
  func `a job that is polled is failing while the server does not respond`() async throws {
    let isReachable = Mutex(true)
    let wire = Wire { request in
      if request.method == .post { return Self.started }
      guard isReachable.withLock({ $0 }) else {
        return .failure(HTTPExchangeError(.unreachable, "no server"))
      }
      let event =
        #"{"type":"job_progress","jobId":"j1","epoch":1,"seq":1,"payload":{"progress":0.5}}"#
      return answer(#"{"jobId":"j1","state":"running","events":[\#(event)]}"#)
    }
    var policy = JobFollower.Policy()
    policy.backoff = [0]
    policy.pollInterval = 0
    let model = try Self.model(wire, policy: policy)
    await model.start(.csvImport, content: [], type: "text/csv")
    // A server without streams of events.
    let stream = try #require(await wire.streams.next())
    await stream.head(.notFound)
    #expect(await eventually { model.status.transport == .polling && model.state == .live })
    isReachable.withLock { $0 = false }
    #expect(await eventually { model.state == .failing })
    #expect(model.isRunning)
    isReachable.withLock { $0 = true }
    #expect(await eventually { model.state == .live })
    model.live.stop()
  }

  @Test
  func `a start that is refused says why, and a second start at once is one`() async throws {
    let wire = Wire { _ in answer(#"{"title":"no room","status":503}"#, .serviceUnavailable) }
    let model = try Self.model(wire)
    async let one = model.start(.csvImport, content: [], type: "text/csv")
    async let two = model.start(.csvImport, content: [], type: "text/csv")
    #expect(await [one, two] == [false, false])
    #expect(wire.exchange.sent.count == 1)
    guard case .refused(let refusal) = model.problem else {
      Issue.record("\(String(describing: model.problem))")
      return
    }
    #expect(refusal.status == 503 && model.credential == nil && !model.isStarting)
  }

  @Test
  func `R3: another job replaces the old one at once, whose messages change nothing`() async throws
  {
    let wire = Wire { _ in Self.started }
    let model = try Self.model(wire)
    await model.start(.csvImport, content: [], type: "text/csv")
    let first = try #require(await wire.streams.next())
    await first.head()
    await first.write(Self.progress(1, 0.5))
    #expect(await eventually { model.status.fraction == 0.5 })
    model.follow(JobCredential(job: "j2", token: "t2"))
    #expect(model.status.fraction == 0 && model.state == .loading)
    let second = try #require(await wire.streams.next())
    #expect(second.request.path?.contains("j2") == true)
    await first.write(Self.progress(2, 0.75))
    await second.head()
    await second.write(Self.progress(1, 0.125))
    #expect(await eventually { model.status.fraction == 0.125 })
    first.close()
    second.close()
  }

  @Test
  func `a released model ends its connection`() async throws {
    let wire = Wire { _ in Self.started }
    weak var released: JobModel?
    var stream: ScriptedStreaming.Stream?
    do {
      let model = try Self.model(wire)
      released = model
      await model.start(.csvImport, content: [], type: "text/csv")
      stream = await wire.streams.next()
      await stream?.head()
      await stream?.write(Self.progress(1, 0.5))
      #expect(await eventually { model.status.fraction == 0.5 })
    }
    #expect(await eventually { released == nil })
    #expect(await eventually { stream?.isCanceled == true })
  }
}

@MainActor
@Suite("WorktreesModel")
struct WorktreesModelTests {
  nonisolated private static func list(_ names: [String], _ revision: Int) -> ScriptedExchange.Reply
  {
    let worktrees = names.map { name in
      Workspace(id: name, repoId: "local/r", name: "r/\(name)", path: "/r/\(name)", branch: name)
    }
    let delta = WorkspaceDelta(
      revision: "g-\(revision)",
      isFull: true,
      changed: worktrees,
      removed: []
    )
    let body = (try? JSONEncoder().encode(delta)) ?? Data()
    return answer(String(decoding: body, as: UTF8.self))
  }

  private static func model(_ wire: Wire) throws -> WorktreesModel {
    let server = try HTTPAddress("http://box")
    return WorktreesModel(WorkspaceClient(server: server, transport: wire, streams: false))
  }

  @Test
  func `a deleted worktree goes at once, and stays away once the server confirms it`() async throws
  {
    let isDeleted = Mutex(false)
    let wire = Wire { request in
      if request.method == .delete { return .held }
      return Self.list(isDeleted.withLock { $0 } ? ["a"] : ["a", "b"], 1)
    }
    let model = try Self.model(wire)
    let task = Task { await model.observe() }
    #expect(await eventually { model.worktrees.map(\.id) == ["a", "b"] })
    let change = Task { await model.make(.delete("b", isForced: false, removesBranch: false)) }
    #expect(await eventually { model.worktrees.map(\.id) == ["a"] })
    #expect(model.state == .unconfirmed && model.changesInProgress == 1)
    #expect(await eventually { !wire.asked(.delete).isEmpty })
    isDeleted.withLock { $0 = true }
    let number = try #require(wire.asked(.delete).first?.number)
    wire.exchange.finish(number, with: answer(#"{"message":"deleted"}"#))
    #expect(await change.value)
    #expect(model.message == "deleted" && model.changesInProgress == 0)
    #expect(await eventually { model.list.provenance == .server })
    #expect(model.worktrees.map(\.id) == ["a"])
    task.cancel()
    await task.value
  }

  @Test
  func `a worktree whose deletion is refused comes back, with the reason`() async throws {
    let wire = Wire { request in
      if request.method == .delete { return .held }
      return Self.list(["a", "b"], 1)
    }
    let model = try Self.model(wire)
    let task = Task { await model.observe() }
    #expect(await eventually { model.worktrees.count == 2 })
    let change = Task { await model.make(.delete("b", isForced: false, removesBranch: false)) }
    #expect(await eventually { model.worktrees.count == 1 && !wire.asked(.delete).isEmpty })
    let number = try #require(wire.asked(.delete).first?.number)
    let refusal = #"{"error":"not_clean","detail":"there are changes","status":409}"#
    wire.exchange.finish(number, with: answer(refusal, .conflict))
    #expect(await !change.value)
    #expect(await eventually { model.worktrees.map(\.id) == ["a", "b"] })
    #expect(model.problem != nil && model.message == nil)
    #expect(model.list.provenance == .server)
    task.cancel()
    await task.value
  }
}
