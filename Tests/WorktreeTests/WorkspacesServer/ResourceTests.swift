import ConditionalHTTP
import Foundation
import FreshResponses
import HTTPTypes
import Testing
import Workspaces
import WorktreeWatch

@testable import WorkspacesServer

@Suite struct ResourceTests {
  @Test func `Paths of a batch name what they name in a request`() {
    if case .list? = WorkspaceResource(path: "/v1/git/worktrees") {} else { Issue.record("list") }
    if case .delta("g-1")? = WorkspaceResource(path: "/v1/git/worktrees?x=1&since=g-1") {
    } else {
      Issue.record("delta")
    }
    for (query, since) in [
      ("since=", ""), ("since", ""), ("since=g%2D1", "g-1"),
      ("x=1&since=+g-1", "g-1"),
    ] {
      guard case .delta(since)? = WorkspaceResource(path: "/v1/git/worktrees?" + query) else {
        Issue.record("\(query)")
        continue
      }
    }
    if case .item("7")? = WorkspaceResource(path: "/v1/git/worktrees/7") {
    } else {
      Issue.record("item")
    }
    if case .diff("7")? = WorkspaceResource(path: "/v1/git/worktrees/7/diff") {
    } else {
      Issue.record("diff")
    }
    if case .session("7")? = WorkspaceResource(path: "/v1/sessions/workspace/7") {
    } else {
      Issue.record("session")
    }
    for path in ["", "/", "/v1/events", "/v1/git/worktrees/7/merge", "/v1/git/worktrees/7/diff/x"]
    where WorkspaceResource(path: path) != nil {
      Issue.record("\(path)")
    }
  }

  @Test func `Tags are compared weakly, and without quotes as the seed system sends them`() {
    let state = RepresentationState(entityTag: EntityTag("g-7"))
    for text in ["\"g-7\"", "W/\"g-7\"", "*", "\"x\", \"g-7\"", "g-7"] {
      #expect(ReadEndpoints.conditions([.ifNoneMatch: text]).names(state), "\(text)")
    }
    for text in ["\"g-8\"", "g-70", "", "\"g-7", "\"x\""] {
      #expect(!ReadEndpoints.conditions([.ifNoneMatch: text]).names(state), "\(text)")
    }
  }

  @Test func `A client without a copy does not wait, and no client waits too long`() {
    func wait(_ fields: HTTPFields, since: String? = nil) -> Int64? {
      let since = since.map { EntityTag($0).description }
      var exchange = ReadExchange(
        ReadEndpoints.conditions(fields, since: since),
        limits: .workspaces
      )
      let step = exchange.consider(RepresentationState(entityTag: EntityTag("g-1")), at: 0)
      return if case .wait(let milliseconds) = step { milliseconds / 1_000 } else { nil }
    }
    #expect(wait([.prefer: "wait=5"]) == nil)
    #expect(wait([.prefer: "wait=5", .ifNoneMatch: "\"g-1\""]) == 5)
    #expect(wait([.prefer: "wait=5", .ifNoneMatch: "\"g-2\""]) == nil)
    #expect(wait([.prefer: "wait=5"], since: "g-1") == 5)
    #expect(wait([.prefer: "wait=5"], since: "") == nil)
    #expect(wait([.prefer: "wait=99999", .ifNoneMatch: "g-1"]) == WorkspaceLimits.longestWait)
    #expect(wait([.prefer: "wait=-5", .ifNoneMatch: "g-1"]) == nil)
    // It names no state that another one could be told from.
    #expect(wait([.prefer: "wait=5", .ifNoneMatch: "*"]) == nil)
  }

  @Test func `The tag of a diff is known once it was made, until its files change`() async throws {
    let root = FileManager.default.temporaryDirectory
      .appending(path: "freshet-tag-\(UInt64.random(in: .min ... .max))")
    let deep = root.appending(path: "one/new/deep")
    try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: root) }
    let one = root.appending(path: "one").path
    _ = try await GitRunner().run(["init", "-q", "-b", "main"], in: one, reads: false)
    var settings = WatchSettings(roots: [root.path])
    settings.spacing = 0.05
    settings.quiet = 0.02
    let watcher = WorktreeWatcher(settings, store: WorkspaceStore(generation: "test"))
    let running = Task { await watcher.run() }
    defer { running.cancel() }
    func wait(_ count: Int) async -> String {
      for await _ in watcher.store.ticks() {
        let found = watcher.store.registry.all.first?.workspace
        if let found, found.cacheStatus.isCached, found.git.untracked == count { return found.id }
      }
      return ""
    }
    let reader = WorkspaceReader(watcher: watcher)
    let id = await wait(0)
    #expect(await reader.tag(.diff(id)) == nil)
    var empty = try await reader.body(.diff(id)).tag
    // A moment later all folders are watched.
    for _ in 0..<200 where await reader.tag(.diff(id)) != empty {
      try await Task.sleep(for: .milliseconds(50))
      empty = try await reader.body(.diff(id)).tag
    }
    #expect(await reader.tag(.diff(id)) == empty)
    try Data("one\n".utf8).write(to: deep.appending(path: "file"))
    await watcher.refresh(one)
    let again = await wait(1)
    #expect(again == id)
    #expect(await reader.tag(.diff(id)) != empty)
    let first = try await reader.body(.diff(id))
    try Data("two\n".utf8).write(to: deep.appending(path: "file"))
    let second = try await reader.body(.diff(id))
    #expect(first.tag != second.tag)
  }

  @Test func `Ages have three digits behind the point`() {
    #expect(WorkspaceBytes.seconds(0) == "0.000")
    #expect(WorkspaceBytes.seconds(1.0614) == "1.061")
    #expect(WorkspaceBytes.seconds(-3) == "0.000")
    #expect(WorkspaceBytes.seconds(.infinity) == "1000000000000.000")
  }
}
