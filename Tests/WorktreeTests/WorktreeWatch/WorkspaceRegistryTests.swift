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
    var ledger = WorkspaceRegistry(generation: "g")
    var one = workspace("one")
    expectSame(ledger.put(one, askedAt: 1), true)
    #expect(ledger.revision == 1)
    one.gitAge = 7
    one.activityAge = 9
    one.revision = 99
    expectSame(ledger.put(one, askedAt: 2, activitySince: 3), false)
    #expect(ledger.revision == 1)
    #expect(ledger[one.id]?.askedAt == 2)
    one.isDirty = true
    expectSame(ledger.put(one), true)
    #expect(ledger.revision == 2)
    #expect(ledger[one.id]?.revision == 2)
    #expect(ledger[one.id]?.askedAt == 2)
  }

  @Test func `Each member knows when it changed`() throws {
    var ledger = WorkspaceRegistry(generation: "g")
    var one = workspace("one")
    ledger.put(one)
    one.isDirty = true
    one.latestUserPrompt = "go"
    ledger.put(one)
    one.latestUserPrompt = nil
    ledger.put(one)
    let record = try #require(ledger[one.id])
    let later = { (since: Int64) in
      Set(record.members.filter { $0.revision > since }.map(\.key))
    }
    #expect(later(1) == [.isDirty, .latestUserPrompt, .revision])
    #expect(later(2) == [.latestUserPrompt, .revision])
    #expect(record.members.first { $0.key == .latestUserPrompt }?.value == nil)
  }

  @Test func `Changes since a revision are those, and only as long as removals are known`() {
    var ledger = WorkspaceRegistry(generation: "g")
    let (one, two) = (workspace("one"), workspace("two"))
    ledger.put(one)
    ledger.put(two)
    ledger.remove(one.id)
    #expect(ledger.changes(since: 3)?.records.isEmpty == true)
    #expect(ledger.changes(since: 4) == nil)
    #expect(ledger.changes(since: 2)?.removals.map(\.id) == [one.id])
    #expect(ledger.changes(since: 1)?.records.map(\.workspace.id) == [two.id])
    ledger.put(one)
    let again = ledger.changes(since: 2)
    #expect(again?.removals.isEmpty == true)
    #expect(again?.records.map(\.created) == [4])
    for _ in 0...WatchLimits.tombstones {
      ledger.remove(two.id)
      ledger.put(two)
    }
    #expect(ledger.changes(since: 2) == nil)
    #expect(ledger.changes(since: ledger.revision - 10) != nil)
  }

  @Test func `Worktrees of several machines with one path have an order`() {
    var ledger = WorkspaceRegistry(generation: "g")
    for id in ["c", "a", "b"] {
      var one = workspace("one")
      one.id = id
      one.machine = WorkspaceMachine(name: "machine-\(id)", state: .live)
      ledger.put(one)
    }
    ledger.put(workspace("after"))
    #expect(ledger.all.map(\.workspace.id).suffix(3) == ["a", "b", "c"])
    #expect(ledger.all.first?.workspace.name == "work/after")
    var gone = workspace("one")
    gone.id = "a"
    gone.machine = WorkspaceMachine(
      name: "machine-a",
      state: .unreachable,
      unreachableSince: "2026-11-24T07:00:00.000Z"
    )
    expectSame(ledger.put(gone), true)
    let member = ledger["a"]?.members.first { $0.key == .machine }
    #expect(member?.revision == 5)
    #expect(
      member?.value.map { String(decoding: $0, as: UTF8.self) }
        == #"{"name":"machine-a","state":"unreachable","unreachable_since":"2026-11-24T07:00:00.000Z"}"#
    )
  }

  @Test func `A session has a version of its own`() {
    var ledger = WorkspaceRegistry(generation: "g")
    let one = workspace("one")
    ledger.put(one)
    var session = WorkspaceSession(sessionInfo: WorkspaceSession.Info(worktreePath: one.path))
    expectSame(ledger.put(session: session, of: one.id), true)
    expectSame(ledger.put(session: session, of: one.id), false)
    session.latestMessage = "done"
    expectSame(ledger.put(session: session, of: one.id), true)
    #expect(ledger[one.id]?.sessionVersion == 2)
    #expect(ledger.revision == 1)
    expectSame(ledger.put(session: session, of: "nobody"), false)
    // The count of a returning worktree is not reset: the tag of its first session would name another one.
    ledger.remove(one.id)
    ledger.put(one)
    session.latestMessage = "another"
    ledger.put(session: session, of: one.id)
    #expect(ledger[one.id]?.sessionVersion == 3)
  }

  @Test func `The members together are what Codable reads`() throws {
    var ledger = WorkspaceRegistry(generation: "g")
    var one = workspace("quote \" and ü")
    one.todos = [Todo(id: "1", content: "a", status: .inProgress)]
    one.sessionTitle = SessionTitle(title: "t", timestamp: "2026-01-01T00:00:00.000Z")
    one.git.conflicts = ["x"]
    ledger.put(one)
    let record = try #require(ledger[one.id])
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
