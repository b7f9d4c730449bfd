import ConditionalHTTP
import Foundation
import Freshness
import FreshnessRuntime
import FreshnessTesting
import HTTPTypes
import Synchronization
import Testing
import Workspaces

@testable import WorkspacesClient

/// A scripted server: requests, content and streams.
private final class Wire: WorkspaceClient.Transport {
  let exchange: ScriptedExchange
  private let log = Mutex<(contents: [(HTTPRequest, String)], opened: Int, closed: Int)>(([], 0, 0))

  init(_ reply: @escaping @Sendable (HTTPRequest) -> ScriptedExchange.Reply) {
    exchange = ScriptedExchange { reply($0.request) }
  }

  /// What was sent with content.
  var contents: [(request: HTTPRequest, text: String)] { log.withLock { $0.contents } }
  /// How many streams were opened, and how many of them are closed.
  var streams: (opened: Int, closed: Int) { log.withLock { ($0.opened, $0.closed) } }

  /// Returns how often a path was requested.
  func asked(_ path: String) -> Int {
    exchange.sent.count { $0.request.path?.hasPrefix(path) == true }
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
    log.withLock { $0.contents.append((request, String(decoding: content, as: UTF8.self))) }
    return try await exchange.send(request, timeout: timeout)
  }

  func stream(
    _ request: HTTPRequest,
    timeout: Duration,
    receive: @escaping @Sendable (HTTPStreamPart) async -> HTTPStreamDemand
  ) async throws(HTTPExchangeError) {
    log.withLock { $0.opened += 1 }
    let fields: HTTPFields = [.contentType: "text/event-stream"]
    _ = await receive(.head(HTTPResponse(status: .ok, headerFields: fields)))
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
    log.withLock { $0.closed += 1 }
  }
}

@Suite struct WorkspaceClientTests {
  private static func workspace(_ name: String, _ state: AgentActivity.State = .idle) -> Workspace {
    var it = Workspace(
      id: name,
      repoId: "local/r",
      name: "r/\(name)",
      path: "/r/\(name)",
      branch: name
    )
    it.activity = AgentActivity(state: state, source: "claude_log", since: "2026-11-24T07:00:00Z")
    it.activityAge = 5
    return it
  }

  private static func answer(
    _ value: some Encodable,
    _ status: HTTPResponse.Status = .ok,
    type: String = "application/json"
  ) -> ScriptedExchange.Reply {
    let body = (try? JSONEncoder().encode(value)).map { Array($0) } ?? []
    let fields: HTTPFields = [.contentType: type, .eTag: "\"g-1\""]
    return .answer(
      HTTPExchangeAnswer(head: HTTPResponse(status: status, headerFields: fields), body: body)
    )
  }

  private static func delta(_ worktrees: Workspace...) -> ScriptedExchange.Reply {
    answer(WorkspaceDelta(revision: "g-1", isFull: true, changed: worktrees, removed: []))
  }

  private func client(
    _ wire: Wire,
    streams: Bool = true,
    _ connectivity: Connectivity = .online
  ) throws -> WorkspaceClient {
    WorkspaceClient(
      server: try HTTPAddress("http://box"),
      transport: wire,
      token: "secret",
      streams: streams,
      connectivity: connectivity
    )
  }

  private func eventually(_ holds: () -> Bool) async -> Bool {
    // As long as it takes: tests that keep every processor busy may delay others for minutes.
    let end = ContinuousClock.now + .seconds(300)
    while !holds() {
      guard ContinuousClock.now < end else { return false }
      try? await Task.sleep(for: .milliseconds(5))
    }
    return true
  }

  /// Observes the list, as a view does.
  private func view(_ client: WorkspaceClient, _ seen: ShownLists) -> Task<Void, Never> {
    Task { for await snapshot in client.lists() { seen.add(snapshot.value) } }
  }

  @Test func `However many views look, one poller asks`() async throws {
    let wire = Wire { _ in Self.delta(Self.workspace("a")) }
    let client = try client(wire, streams: false)
    let seen = (0..<5).map { _ in ShownLists() }
    let views = seen.map { view(client, $0) }
    try #require(await eventually { seen.allSatisfy { $0.last?.worktrees.map(\.id) == ["a"] } })
    #expect(wire.exchange.sent.count == 1)
    #expect(wire.exchange.sent[0].request.headerFields[.authorization] == "Bearer secret")
    for view in views { view.cancel() }
    for view in views { await view.value }
    try #require(await eventually { client.report?.nextActionIn == nil })
  }

  @Test
  func
    `Events come where the network costs nothing; where it begins to cost, it is polled and the copy stays`()
    async throws
  {
    let wire = Wire { _ in Self.delta(Self.workspace("a")) }
    let client = try client(wire)
    #expect(client.usesEvents)
    let seen = ShownLists()
    let view = view(client, seen)
    defer { view.cancel() }
    try #require(
      await eventually { wire.streams.opened == 1 && client.report?.isStreaming == true }
    )
    try #require(await eventually { seen.last != nil })
    client.connectivity(.metered)
    #expect(!client.usesEvents)
    try #require(
      await eventually { wire.streams.closed == 1 && client.report?.isStreaming == false }
    )
    #expect(client.list?.worktrees.map(\.id) == ["a"])
    let asked = wire.exchange.sent.count
    client.refresh()
    try #require(await eventually { wire.exchange.sent.count > asked })
    #expect(wire.streams.opened == 1)
    #expect(seen.last?.worktrees.map(\.id) == ["a"])
    client.connectivity(.online)
    try #require(await eventually { wire.streams.opened == 2 })
  }

  @Test
  func
    `On a network that costs nothing is streamed from the start, and nothing fetched beforehand`()
    async throws
  {
    let wire = Wire { _ in Self.delta(Self.workspace("a"), Self.workspace("b")) }
    let client = try client(wire, .metered)
    let seen = ShownLists()
    let view = view(client, seen)
    defer { view.cancel() }
    try #require(await eventually { seen.last != nil })
    #expect(client.prefetch(["a", "b"]) == [])
    #expect(wire.streams.opened == 0)
    #expect(wire.asked("/v1/sessions") == 0)
  }

  @Test func `What is likely is fetched once for each state, and a large diff is left`()
    async throws
  {
    var large = Self.workspace("b")
    large.git.unstaged = 5_000
    let sent = large
    let wire = Wire { request in
      request.path?.contains("worktrees?") == true
        ? Self.delta(Self.workspace("a"), sent) : Self.answer(["a": 1], .notFound)
    }
    let client = try client(wire, streams: false)
    let seen = ShownLists()
    let view = view(client, seen)
    defer { view.cancel() }
    try #require(await eventually { seen.last != nil })
    #expect(client.prefetch(["a", "b", "none"]) == ["a", "b"])
    #expect(client.prefetch(["a", "b"]) == [])
    try #require(await eventually { wire.asked("/v1/sessions/workspace/b") == 1 })
    try #require(await eventually { wire.asked("/v1/git/worktrees/a/diff") == 1 })
    #expect(wire.asked("/v1/git/worktrees/b/diff") == 0)
  }

  @Test func `The likely ones are the pointed one, the one that asked last and the one below`() {
    var (a, b, c) = (
      Self.workspace("a"), Self.workspace("b", .needsYou), Self.workspace("c", .doneUnseen)
    )
    (a.revision, b.revision, c.revision) = (9, 3, 7)
    let list = WorkspaceList(revision: "g-9", worktrees: [a, b, c])
    let order = list.byAttention.map(\.id)
    #expect(order == ["b", "c", "a"])
    #expect(list.likelyNext(pointed: "b", order: order) == ["b", "c"])
    #expect(list.likelyNext(pointed: "c", order: order) == ["c", "a"])
    #expect(list.likelyNext(pointed: nil, order: order) == ["c"])
    #expect(list.likelyNext(pointed: "gone", order: order) == ["c"])
    #expect(list.writtenAt == 1_795_503_605)
  }

  @Test func `What changes something is sent as the server reads it, and a burst follows`()
    async throws
  {
    let wire = Wire { request in
      request.method == .get ? Self.delta(Self.workspace("a")) : Self.answer(["message": "done"])
    }
    let client = try client(wire, streams: false)
    let seen = ShownLists()
    let view = view(client, seen)
    defer { view.cancel() }
    try #require(await eventually { seen.last != nil })
    #expect(client.report?.pace == .idle)
    #expect(try await client.make(.seen("a/../b")) == "done")
    #expect(client.report?.pace == .active)
    try await client.make(.merge("a", squashes: true, cleansUp: false))
    try await client.make(.sync("a", .merge, fetches: true))
    try await client.make(.delete("a", isForced: true, removesBranch: true))
    try await client.make(.delete("a", isForced: false, removesBranch: false))
    try await client.make(.create(repository: "/r", branch: "x", name: nil, source: nil))
    try await client.make(
      .delete("a", isForced: true, removesBranch: false, processes: [7, 12])
    )
    try await client.make(
      .sync("a", .rebase, fetches: false, rewritesPushed: true, processes: [7])
    )
    try await client.make(.restore("1-a"))
    let sent = wire.contents
    #expect(
      sent.map { "\($0.request.method.rawValue) \($0.request.path ?? "")" } == [
        "POST /v1/git/worktrees/a%2F..%2Fb/seen", "POST /v1/git/worktrees/a/merge",
        "POST /v1/git/worktrees/a/sync", "DELETE /v1/git/worktrees/a?force=1&delete_branch=1",
        "DELETE /v1/git/worktrees/a", "POST /v1/git/worktrees",
        "DELETE /v1/git/worktrees/a?force=1&processes=7,12", "POST /v1/git/worktrees/a/sync",
        "POST /v1/git/restore/1-a",
      ]
    )
    #expect(
      sent[7].text.contains(#""rewrite_pushed":true"#) && sent[7].text.contains(#""processes":[7]"#)
    )
    #expect(!sent[2].text.contains("rewrite_pushed") && !sent[2].text.contains("processes"))
    #expect(sent.allSatisfy { $0.request.headerFields[.authorization] == "Bearer secret" })
    #expect(
      sent[1].text.contains(#""squash":true"#) && sent[1].text.contains(#""auto_cleanup":false"#)
    )
    #expect(
      sent[2].text.contains(#""strategy":"merge""#) && sent[2].text.contains(#""fetch":true"#)
    )
    #expect(sent[5].text.contains(#""branch":"x""#) && !sent[5].text.contains("source"))
  }

  @Test func `A refusal has its code, its words and its files`() async throws {
    let report = ConflictReport(
      error: "merge_conflict",
      hasConflicts: true,
      operation: "merge",
      worktreeName: "r/a",
      worktreePath: "/r/a",
      conflictFiles: ["x.txt"],
      message: "x.txt is in conflict"
    )
    let problem = ProblemDetails(
      status: 409,
      error: "worktree_dirty",
      title: "Conflict",
      detail: "something is not committed",
      extensions: ["files": .array([.string("y.txt"), .integer(1)])]
    )
    let wire = Wire { request in
      switch request.path ?? "" {
      case let path where path.hasSuffix("/merge"): Self.answer(report, .conflict)
      case let path where path.hasSuffix("/seen"):
        .failure(HTTPExchangeError(.unreachable, "no cable"))
      case let path where path.hasSuffix("/check"): Self.answer("nonsense", .badGateway)
      default: Self.answer(problem, .conflict, type: "application/problem+json")
      }
    }
    let client = try client(wire)
    func failure(_ change: WorkspaceChange) async -> WorkspaceFailure? {
      do throws(WorkspaceFailure) {
        try await client.make(change)
        return nil
      } catch { return error }
    }
    let conflict = await failure(.merge("a", squashes: false, cleansUp: false))
    #expect(conflict?.problem == .mergeConflict && conflict?.files == ["x.txt"])
    #expect(conflict?.yieldsToForce == false)
    let dirty = await failure(.delete("a", isForced: false, removesBranch: false))
    #expect(dirty?.problem == .worktreeDirty && dirty?.files == ["y.txt"] && dirty?.status == 409)
    #expect(dirty?.description == "something is not committed" && dirty?.yieldsToForce == true)
    #expect(await failure(.seen("a"))?.kind == .unreachable)
    await #expect(throws: WorkspaceFailure(.refused, status: 502, "the server refuses (502)")) {
      try await client.check(.merge, "a")
    }
  }
}

/// The lists a view was shown.
private final class ShownLists: Sendable {
  private let seen = Mutex<[WorkspaceList?]>([])

  func add(_ list: WorkspaceList?) { seen.withLock { $0.append(list) } }

  var last: WorkspaceList? { seen.withLock { $0.last { $0 != nil } ?? nil } }
}
