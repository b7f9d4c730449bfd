import ConditionalHTTP
import EventFeed
import Foundation
import Freshness
import FreshnessRuntime
import HTTPTypes
import Testing
import Workspaces

@testable import WorkspacesClient

@Suite struct WorkspaceListTests {
  private func workspace(_ name: String) -> Workspace {
    Workspace(id: name, repoId: "local/r", name: "r/\(name)", path: "/r/\(name)", branch: name)
  }

  private func list(_ names: String..., revision: String = "g-5") -> WorkspaceList {
    WorkspaceList(revision: revision, worktrees: names.map { workspace($0) })
  }

  private func event(_ type: String, _ payload: String) -> String {
    #"{"event":{"type":"\#(type)","payload":\#(payload)},"timestamp":1,"id":"x"}"#
  }

  private func json(_ workspace: Workspace) throws -> String {
    String(decoding: try JSONEncoder().encode(workspace), as: UTF8.self)
  }

  @Test func `names that are written with other bytes are others`() throws {
    func list(_ branch: String, path: String = "/w", id: String = "a") -> WorkspaceList {
      var it = Workspace(id: id, repoId: "local/r", name: "r/w", path: path, branch: branch)
      it.git.branch = branch
      return WorkspaceList(revision: "g-1", worktrees: [it])
    }
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    #expect(composed == decomposed)
    #expect(list(composed) == list(composed))
    // A branch that is renamed from one to the other is a change.
    #expect(list(composed) != list(decomposed))
    #expect(list("x", path: "/\(composed)") != list("x", path: "/\(decomposed)"))
    // Two worktrees whose ids are such names are two.
    let both = WorkspaceList(
      revision: "g-2",
      worktrees: list("x", path: "/1", id: composed).worktrees
        + list("y", path: "/2", id: decomposed).worktrees
    )
    let delta = WorkspaceDelta(
      revision: "g-3",
      isFull: false,
      changed: [],
      removed: [decomposed]
    )
    #expect(WorkspaceList.applying(delta, to: both)?.worktrees.map(\.path) == ["/1"])
  }

  @Test func `A delta is applied to what it was asked for`() throws {
    var changed = workspace("b")
    changed.isDirty = true
    let delta = WorkspaceDelta(
      revision: "g-9",
      isFull: false,
      changed: [changed, workspace("d")],
      removed: ["a"]
    )
    let after = try #require(WorkspaceList.applying(delta, to: list("a", "b", "c")))
    #expect(after.worktrees.map(\.id) == ["b", "c", "d"])
    #expect(after.worktrees[0].isDirty)
    #expect(after.revision == "g-9")
    #expect(WorkspaceList.applying(delta, to: nil) == nil)
    let full = WorkspaceDelta(revision: "h-1", isFull: true, changed: [workspace("x")], removed: [])
    #expect(WorkspaceList.applying(full, to: list("a"))?.worktrees.map(\.id) == ["x"])
  }

  @Test func `Ages and revisions make no difference`() {
    var other = list("a", "b", revision: "g-6")
    other.worktrees[0].gitAge = 7
    other.worktrees[0].activityAge = 7
    other.worktrees[0].revision = 3
    #expect(other == list("a", "b"))
    other.worktrees[0].isDirty = true
    #expect(other != list("a", "b"))
  }

  @Test func `Events lead from one list to the next`() throws {
    let start = list("a", "b")
    let created = event("worktree:created", #"{"worktree":\#(try json(workspace("c")))}"#)
    #expect(
      WorkspaceList.effect(of: created, id: "g-6", on: start) == .list(list("a", "b", "c"))
    )
    let deleted = event("worktree:deleted", #"{"worktree_id":"a","worktree_name":"r/a"}"#)
    #expect(WorkspaceList.effect(of: deleted, id: "g-6", on: start) == .list(list("b")))
    let updated = event(
      "worktree:updated",
      #"{"worktree_id":"a","updates":{"is_dirty":true,"latest_user_prompt":"go","revision":6}}"#
    )
    guard case .list(let next) = WorkspaceList.effect(of: updated, id: "g-6", on: start) else {
      Issue.record("no list")
      return
    }
    #expect(next.revision == "g-6")
    #expect(next.worktrees[0].isDirty)
    #expect(next.worktrees[0].latestUserPrompt == "go")
    #expect(next.worktrees[0].path == "/r/a")
    let gone = event(
      "worktree:updated",
      #"{"worktree_id":"a","updates":{"latest_user_prompt":null}}"#
    )
    guard case .list(let last) = WorkspaceList.effect(of: gone, id: "g-7", on: next) else {
      Issue.record("no list")
      return
    }
    #expect(last.worktrees[0].latestUserPrompt == nil)
    let snapshot = event(
      "snapshot",
      #"{"revision":"h-1","worktrees":[\#(try json(workspace("z")))]}"#
    )
    #expect(WorkspaceList.effect(of: snapshot, id: "h-1", on: start) == .list(list("z")))
  }

  @Test func `What cannot be applied is asked for, and signs of life change nothing`() throws {
    let start = list("a")
    let updated = event("worktree:updated", #"{"worktree_id":"a","updates":{"is_dirty":true}}"#)
    #expect(WorkspaceList.effect(of: updated, id: "g-6", on: nil) == .unknown)
    #expect(WorkspaceList.effect(of: updated, id: "h-6", on: start) == .unknown)
    #expect(WorkspaceList.effect(of: updated, id: nil, on: start) == .unknown)
    let stranger = event("worktree:updated", #"{"worktree_id":"q","updates":{}}"#)
    #expect(WorkspaceList.effect(of: stranger, id: "g-6", on: start) == .unknown)
    let wrong = event("worktree:updated", #"{"worktree_id":"a","updates":{"path":7}}"#)
    #expect(WorkspaceList.effect(of: wrong, id: "g-6", on: start) == .unknown)
    #expect(WorkspaceList.effect(of: "not JSON", id: "g-6", on: start) == .unknown)
    for type in ["heartbeat", "reset", "worktree:todos_updated", "a later kind"] {
      #expect(WorkspaceList.effect(of: event(type, "{}"), id: nil, on: start) == .none)
    }
  }

  @Test func `The resource asks from the revision it has, and tells whether anybody works`() throws
  {
    let resource = WorkspaceListResource(server: try HTTPAddress("http://box:80/base/"))
    #expect(resource.request(since: nil).path == "/base/v1/git/worktrees?since=0")
    #expect(resource.request(since: list("a")).path == "/base/v1/git/worktrees?since=g-5")
    #expect(resource.eventStream()?.path == "/base/v1/events")
    var busy = workspace("a")
    busy.activity = AgentActivity(state: .working, source: "claude_log")
    let delta = WorkspaceDelta(revision: "g-1", isFull: true, changed: [busy], removed: [])
    let answer = HTTPExchangeAnswer(
      head: HTTPResponse(status: .ok),
      body: Array(try JSONEncoder().encode(delta))
    )
    #expect(try resource.read(answer, since: nil).activity == .active)
    #expect(throws: UnreadableAnswer.self) {
      let broken = HTTPExchangeAnswer(head: HTTPResponse(status: .ok), body: [0x7B])
      _ = try resource.read(broken, since: nil)
    }
  }
}
