import ConditionalHTTP
import HTTPTypes
import Testing
import WorktreeWatch

@testable import WorkspacesServer

@Suite struct ResourceTests {
  @Test func `Paths of a batch name what they name in a request`() {
    if case .list? = WorkspaceResource(path: "/v1/git/worktrees") {} else { Issue.record("list") }
    if case .delta("g-1")? = WorkspaceResource(path: "/v1/git/worktrees?x=1&since=g-1") {
    } else {
      Issue.record("delta")
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
    let tag = EntityTag("g-7")
    for text in ["\"g-7\"", "W/\"g-7\"", "*", "\"x\", \"g-7\"", "g-7"] {
      #expect(WorkspaceConditions([.ifNoneMatch: text]).names(tag), "\(text)")
    }
    for text in ["\"g-8\"", "g-70", "", "\"g-7", "\"x\""] {
      #expect(!WorkspaceConditions([.ifNoneMatch: text]).names(tag), "\(text)")
    }
  }

  @Test func `Nobody waits who has nothing, and nobody too long`() {
    func wait(_ fields: HTTPFields, since: String? = nil) -> Int64? {
      WorkspaceConditions(fields, since: since).wait
    }
    #expect(wait([.prefer: "wait=5"]) == nil)
    #expect(wait([.prefer: "wait=5", .ifNoneMatch: "\"x\""]) == 5)
    #expect(wait([.prefer: "wait=5"], since: "g-1") == 5)
    #expect(wait([.prefer: "wait=99999", .ifNoneMatch: "x"]) == WorkspaceLimits.longestWait)
    #expect(wait([.prefer: "wait=-5", .ifNoneMatch: "x"]) == nil)
  }

  @Test func `Ages have three digits behind the point`() {
    #expect(WorkspaceBytes.seconds(0) == "0.000")
    #expect(WorkspaceBytes.seconds(1.0614) == "1.061")
    #expect(WorkspaceBytes.seconds(-3) == "0.000")
    #expect(WorkspaceBytes.seconds(.infinity) == "1000000000000.000")
  }
}
