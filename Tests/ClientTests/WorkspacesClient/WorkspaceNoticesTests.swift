import Testing
import Workspaces
import WorkspacesClient

@Suite struct WorkspaceNoticesTests {
  /// 2026-11-24T07:00:00Z.
  private static let start = 1_795_503_600.0

  private func worktree(
    _ state: AgentActivity.State,
    _ since: String? = "2026-11-24T07:00:10Z",
    name: String = "pay"
  ) -> Workspace {
    var it = Workspace(
      id: "id-\(name)",
      repoId: "local/shop",
      name: "shop/\(name)",
      path: "/code/\(name)",
      branch: name
    )
    it.activity = AgentActivity(state: state, source: "claude_log", since: since)
    return it
  }

  private func list(_ worktrees: Workspace...) -> WorkspaceList {
    WorkspaceList(revision: "g-1", worktrees: worktrees)
  }

  /// The titles that lists give, one after the other.
  private func titles(_ steps: [Workspace]...) -> [[String]] {
    var notices = WorkspaceNotices()
    return steps.map { step in
      notices.notices(
        of: WorkspaceList(revision: "g-1", worktrees: step),
        at: Self.start
      ).map(\.title)
    }
  }

  @Test func `A change to needing the user or to done is told once`() {
    let waiting = worktree(.needsYou)
    let done = worktree(.doneUnseen, "2026-11-24T07:01:00Z")
    #expect(
      titles([worktree(.working)], [waiting], [waiting], [worktree(.working)], [done], [done])
        == [[], ["shop/pay needs you"], [], [], ["shop/pay is done"], []]
    )
  }

  @Test func `What is so at the start is not told, nor what is found out later but began before`() {
    let old = worktree(.needsYou, "2026-11-24T06:00:00Z")
    #expect(titles([old], [old]) == [[], []])
    #expect(titles([worktree(.unknown, nil)], [old], [old]) == [[], [], []])
    #expect(titles([], [old]) == [[], []])
    // It began since then: it is notified, also in a worktree that was not listed.
    #expect(titles([], [worktree(.needsYou)]) == [[], ["shop/pay needs you"]])
    #expect(
      titles([worktree(.unknown, nil)], [worktree(.doneUnseen)]) == [[], ["shop/pay is done"]]
    )
  }

  @Test func `What is unknown or gone for a while is not a change when it comes back`() {
    let waiting = worktree(.needsYou)
    #expect(
      titles([worktree(.working)], [waiting], [worktree(.unknown, nil)], [waiting], [], [waiting])
        == [[], ["shop/pay needs you"], [], [], [], []]
    )
  }

  @Test func `A state that flickers is one change, and a need that remains is not a new one`() {
    let waiting = worktree(.needsYou, "2026-11-24T07:00:20Z")
    let earlier = worktree(.needsYou, "2026-11-24T07:00:15Z")
    #expect(
      titles([worktree(.working)], [waiting], [worktree(.ended)], [waiting], [earlier])
        == [[], ["shop/pay needs you"], [], [], []]
    )
    // Asked, answered and asked again between two lists.
    let again = worktree(.needsYou, "2026-11-24T07:00:30Z")
    #expect(
      titles([worktree(.working)], [waiting], [again]) == [
        [], ["shop/pay needs you"], ["shop/pay needs you"],
      ]
    )
  }

  @Test func `Without a beginning the state alone counts`() {
    #expect(
      titles([worktree(.working, nil)], [worktree(.needsYou, nil)], [worktree(.needsYou, nil)])
        == [[], ["shop/pay needs you"], []]
    )
  }

  @Test func `Many at once share a notice`() {
    let names = (0..<20).map { "tree\($0)" }
    var notices = WorkspaceNotices()
    _ = notices.notices(
      of: WorkspaceList(revision: "g-1", worktrees: names.map { worktree(.working, name: $0) }),
      at: Self.start
    )
    let found = notices.notices(
      of: WorkspaceList(revision: "g-2", worktrees: names.map { worktree(.doneUnseen, name: $0) }),
      at: Self.start
    )
    #expect(found.count == WorkspaceNotices.most)
    #expect(found.last?.title == "17 more worktrees need you or are done")
    #expect(found.last?.id == nil)
  }

  @Test func `Texts are one bounded line without control characters, the reason first`() throws {
    var it = worktree(.needsYou)
    it.name = "shop/\u{1B}]0;x\u{7}" + String(repeating: "n", count: 500)
    it.activity.reason =
      "Allow\n\n\u{202E}rm\u{9B}?\t" + String(repeating: "e\u{301}\u{301} ", count: 9_000)
    it.latestClaudeMessage = "not this"
    var notices = WorkspaceNotices()
    _ = notices.notices(of: list(worktree(.working)), at: Self.start)
    let notice = try #require(notices.notices(of: list(it), at: Self.start).first)
    #expect(notice.text.hasPrefix("Allow rm? "))
    #expect(notice.title.count <= WorkspaceNotices.titleLength)
    #expect(notice.title.hasSuffix("… needs you"))
    #expect(notice.text.count == WorkspaceNotices.textLength + 1)
    for text in [notice.title, notice.text] {
      #expect(
        text.unicodeScalars.allSatisfy {
          ![.control, .format].contains($0.properties.generalCategory)
        }
      )
    }
  }
}
