import Foundation
import Testing
import Workspaces

@testable import WorktreeWatch

@Suite struct WorkspaceRegistryTests {
  private func workspace(_ name: String) -> Workspace {
    let path = "/work/\(name)"
    return Workspace(
      id: WorkspaceIdentity.id(of: path),
      repoId: "local/work",
      name: "work/\(name)",
      path: path,
      branch: name
    )
  }

  @Test func `What changes nothing visible changes nothing at all`() {
    var registry = WorkspaceRegistry(generation: "g")
    var one = workspace("one")
    expectSame(registry.put(one, askedAt: 1), true)
    #expect(registry.revision == 1)
    one.gitAge = 7
    one.activityAge = 9
    one.revision = 99
    expectSame(registry.put(one, askedAt: 2, activitySince: 3), false)
    #expect(registry.revision == 1)
    #expect(registry[one.id]?.askedAt == 2)
    one.isDirty = true
    expectSame(registry.put(one), true)
    #expect(registry.revision == 2)
    #expect(registry[one.id]?.revision == 2)
    #expect(registry[one.id]?.askedAt == 2)
  }

  @Test func `Each member knows when it changed`() throws {
    var registry = WorkspaceRegistry(generation: "g")
    var one = workspace("one")
    registry.put(one)
    one.isDirty = true
    one.latestUserPrompt = "go"
    registry.put(one)
    one.latestUserPrompt = nil
    registry.put(one)
    let record = try #require(registry[one.id])
    let later = { (since: Int64) in
      Set(record.members.filter { $0.revision > since }.map(\.key))
    }
    #expect(later(1) == [.isDirty, .latestUserPrompt, .revision])
    #expect(later(2) == [.latestUserPrompt, .revision])
    #expect(record.members.first { $0.key == .latestUserPrompt }?.value == nil)
  }

  @Test func `Changes since a revision are those, and only as long as removals are known`() {
    var registry = WorkspaceRegistry(generation: "g")
    let (one, two) = (workspace("one"), workspace("two"))
    registry.put(one)
    registry.put(two)
    registry.remove(one.id)
    #expect(registry.changes(since: 3)?.records.isEmpty == true)
    #expect(registry.changes(since: 4) == nil)
    #expect(registry.changes(since: 2)?.removals.map(\.id) == [one.id])
    #expect(registry.changes(since: 1)?.records.map(\.workspace.id) == [two.id])
    registry.put(one)
    let again = registry.changes(since: 2)
    #expect(again?.removals.isEmpty == true)
    #expect(again?.records.map(\.created) == [4])
    for _ in 0...WatchLimits.tombstones {
      registry.remove(two.id)
      registry.put(two)
    }
    #expect(registry.changes(since: 2) == nil)
    #expect(registry.changes(since: registry.revision - 10) != nil)
  }

  @Test func `Worktrees of several machines with one path have an order`() {
    var registry = WorkspaceRegistry(generation: "g")
    for id in ["c", "a", "b"] {
      var one = workspace("one")
      one.id = id
      one.machine = WorkspaceMachine(name: "machine-\(id)", state: .live)
      registry.put(one)
    }
    registry.put(workspace("after"))
    #expect(registry.all.map(\.workspace.id).suffix(3) == ["a", "b", "c"])
    #expect(registry.all.first?.workspace.name == "work/after")
    var gone = workspace("one")
    gone.id = "a"
    gone.machine = WorkspaceMachine(
      name: "machine-a",
      state: .unreachable,
      unreachableSince: "2026-11-24T07:00:00.000Z"
    )
    expectSame(registry.put(gone), true)
    let member = registry["a"]?.members.first { $0.key == .machine }
    #expect(member?.revision == 5)
    #expect(
      member?.value.map { String(decoding: $0, as: UTF8.self) }
        == #"{"name":"machine-a","state":"unreachable","unreachable_since":"2026-11-24T07:00:00.000Z"}"#
    )
  }

  @Test func `A session has a version of its own`() {
    var registry = WorkspaceRegistry(generation: "g")
    let one = workspace("one")
    registry.put(one)
    var session = WorkspaceSession(sessionInfo: WorkspaceSession.Info(worktreePath: one.path))
    expectSame(registry.put(session: session, of: one.id), true)
    expectSame(registry.put(session: session, of: one.id), false)
    session.latestMessage = "done"
    expectSame(registry.put(session: session, of: one.id), true)
    #expect(registry[one.id]?.sessionVersion == 2)
    #expect(registry.revision == 1)
    expectSame(registry.put(session: session, of: "nobody"), false)
    // The count of a returning worktree is not reset: the tag of its first session would name another one.
    registry.remove(one.id)
    registry.put(one)
    session.latestMessage = "another"
    registry.put(session: session, of: one.id)
    #expect(registry[one.id]?.sessionVersion == 3)
  }

  @Test func `The members together are what Codable reads`() throws {
    var registry = WorkspaceRegistry(generation: "g")
    var one = workspace("quote \" and ü")
    one.todos = [Todo(id: "1", content: "a", status: .inProgress)]
    one.sessionTitle = SessionTitle(title: "t", timestamp: "2026-01-01T00:00:00.000Z")
    one.git.conflicts = ["x"]
    registry.put(one)
    let record = try #require(registry[one.id])
    var text = "{"
    for member in record.members {
      guard let value = member.value else { continue }
      if text.count > 1 { text += "," }
      text += "\"\(member.key.rawValue)\":" + String(decoding: value, as: UTF8.self)
    }
    let read = try JSONDecoder().decode(Workspace.self, from: Data((text + "}").utf8))
    #expect(read == record.workspace)
  }

  @Test func `A worktree needs five members, and its lists are never missing`() throws {
    let text = #"{"id":"1","name":"n","branch":"b","repo_id":"r","path":"/p","later":1}"#
    let read = try JSONDecoder().decode(Workspace.self, from: Data(text.utf8))
    #expect(read.todos.isEmpty)
    #expect(read.activity.state == .unknown)
    #expect(read.claudeActivityState == .inactive)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Workspace.self, from: Data(#"{"id":"1"}"#.utf8))
    }
    let todo = #"{"content":"x","status":"a new word"}"#
    let odd = try JSONDecoder().decode(Todo.self, from: Data(todo.utf8))
    #expect(odd.status.rawValue == "a new word")
    #expect(odd.id == "x")
  }

  @Test func `A path gives the same name for ever`() {
    let id = WorkspaceIdentity.id(of: "/work/one")
    #expect(id == WorkspaceIdentity.id(of: "/work/one"))
    #expect(id != WorkspaceIdentity.id(of: "/work/two"))
    #expect(id.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
  }

  @Test func `Waiters are told of changes, and of nothing else`() async {
    let store = WorkspaceStore(generation: "g")
    var ticks = store.ticks().makeAsyncIterator()
    await ticks.next()
    store.update { $0.put(workspace("one")) }
    await ticks.next()
    store.update { $0.put(workspace("one")) }
    store.update { $0.put(workspace("two")) }
    await ticks.next()
    #expect(store.revisionText == "g-2")
  }
}
