import TerminalText
import Testing
import Workspaces
import WorkspacesClient

@testable import WorkspacesTerminal

/// What holds of every page in every size.
@Suite struct LayoutTests {
  static let hostile = "\u{1B}[31mA\u{7}\u{9B}2J\u{202E}\r\n\tB\u{1B}]0;x\u{7}漢字 ✅ "

  /// A worktree whose texts are all hostile and long.
  private static func worktree(_ state: AgentActivity.State) -> Workspace {
    let text = hostile + String(repeating: "words and ", count: 40) + hostile
    var it = Workspace(
      id: "id-\(state.rawValue)",
      repoId: text,
      name: "shop/" + text,
      path: "/" + text,
      branch: text
    )
    it.sourceBranch = text
    it.activity = AgentActivity(
      state: state,
      source: text,
      since: "2026-11-24T06:00:00Z",
      reason: text,
      agents: [
        AgentPresence(
          agent: text,
          state: state,
          source: text,
          since: text,
          tool: text,
          reason: text
        )
      ]
    )
    it.todos = [Todo.Status.completed, .inProgress, .pending, .cancelled].map {
      Todo(id: $0.rawValue, content: text, status: $0)
    }
    it.latestUserPrompt = text
    it.latestSessionTitle = text
    it.latestClaudeMessage = text
    it.git.upstream = text
    it.git.locked = text
    it.git.problem = text
    it.git.operation = GitState.Operation(kind: text, step: 1, steps: 2)
    it.git.unstaged = 3
    return it
  }

  private static func screens() -> [(String, WorkspaceScreen)] {
    var list = WorkspaceScreen()
    list.handle(
      WorkspaceList(
        revision: "g-1",
        worktrees: [.needsYou, .working, .doneUnseen, .idle, .ended, .unknown].map { worktree($0) }
      )
    )
    var file = WorkspaceDiff.File(filePath: hostile, changeType: hostile)
    file.oldPath = hostile
    file.diffText =
      "@@ -1 +1 @@\n-\(hostile)\n+\(hostile)\u{1B}[2J" + String(repeating: "x", count: 900)
    let diff = WorkspaceDiff(
      worktreeId: "",
      worktreeName: hostile,
      sourceBranch: hostile,
      forkCommit: "",
      fileDiffs: [file],
      totalFiles: 1,
      summary: hostile,
      isTruncated: false
    )
    var session = WorkspaceSession(sessionInfo: nil, latestThought: hostile)
    session.stats = WorkspaceSession.Stats()
    session.stats?.totalInputTokens = 12_345_678
    let refusal = WorkspaceFailure(
      .refused,
      status: 409,
      problem: .worktreeDirty,
      hostile,
      files: [hostile, hostile]
    )
    func made(_ keys: [Key], _ more: (inout WorkspaceScreen) -> Void = { _ in }) -> WorkspaceScreen
    {
      var screen = list
      for key in keys { _ = screen.handle(key) }
      more(&screen)
      return screen
    }
    return [
      ("empty", WorkspaceScreen()), ("list", list),
      ("worktree", made([.enter]) { $0.handle(session) }),
      ("diff", made([.character("d")]) { $0.handle(diff, problem: nil) }),
      ("help", made([.character("?")])), ("filter", made([.character("/"), .character("x")])),
      ("create", made([.character("n"), .character("x")])),
      ("checking", made([.character("m")])),
      ("sync", made([.character("u")])), ("delete", made([.character("D")])),
      (
        "refused",
        made([.character("D"), .character("y")]) {
          $0.made(.delete("id-needs_you", isForced: false, removesBranch: false), .failure(refusal))
        }
      ), ("message", made([]) { $0.show(hostile, isProblem: true) }),
    ]
  }

  @Test func `Every page fits every terminal, and no control character reaches it`() {
    for (name, each) in Self.screens() {
      var screen = each
      for columns in [1, 2, 5, 13, 14, 20, 21, 30, 39, 40, 48, 56, 64, 72, 84, 90, 110, 200] {
        for rows in [1, 2, 3, 4, 9, 10, 24] {
          let scene = Stand.scene(failure: name == "empty" ? Self.hostile : nil)
          let lines = screen.draw(scene, rows: rows, TextStyle(columns: columns, colours: .sixteen))
          #expect(lines.count == max(rows, 2), "\(name) \(columns)×\(rows)")
          for line in lines.map({ Stand.unpainted($0) }) {
            let width = TerminalText.width(of: line)
            #expect(width <= columns, "\(name) \(columns)×\(rows): \(line)")
            #expect(TerminalText.plain(line) == line, "\(name) \(columns)×\(rows): \(line)")
          }
        }
      }
    }
  }

  @Test func `Without colours there is no escape sequence at all`() {
    for (_, each) in Self.screens() {
      var screen = each
      let lines = screen.draw(Stand.scene(), rows: 30, TextStyle(columns: 90, colours: .none))
      #expect(lines.allSatisfy { !$0.contains("\u{1B}") })
    }
  }

  @Test func `The age is in view in every size, whatever else is wrong`() {
    var screen = WorkspaceScreen()
    screen.handle(Stand.list(Stand.worktree("pay", .working)))
    for columns in [14, 20, 40, 200] {
      let lines = Stand.drawn(
        &screen,
        columns,
        4,
        scene: Stand.scene(Stand.report(125), failure: "the server refuses connections")
      )
      #expect(lines[2].hasPrefix("▲ 2 min ago"), "\(columns)")
    }
    let streaming = Stand.drawn(
      &screen,
      60,
      4,
      scene: Stand.scene(Stand.report(50, isStreaming: true))
    )
    #expect(streaming[2].hasPrefix("● 50 s ago · events"))
    let polling = Stand.drawn(&screen, 60, 4, scene: Stand.scene(Stand.report(50)))
    #expect(polling[2].hasPrefix("◐ 50 s ago · next in 2 s"))
    #expect(Stand.drawn(&screen, 60, 4, scene: Stand.scene(nil))[2].hasPrefix("○ nothing yet"))
    // Before the first list, the problem and the remedy are shown instead.
    var empty = WorkspaceScreen()
    let lines = Stand.drawn(&empty, 80, 9, scene: Stand.scene(nil, failure: "no response"))
    #expect(lines[2].contains("no response") && lines[4].contains("freshet serve --workspaces"))
  }

  @Test func `What the freshness line says already does not take the place of the keys`() {
    var screen = WorkspaceScreen()
    screen.handle(Stand.list(Stand.worktree("pay", .working)))
    let why = "127.0.0.1:1 refuses connections"
    screen.show(why, isProblem: true)
    let lines = Stand.drawn(&screen, 60, 12, scene: Stand.scene(failure: why))
    #expect(lines[10].contains(why))
    #expect(lines[11].hasPrefix("? help   q quit") && lines[11].hasSuffix("…"))
    // Anything else is said.
    #expect(Stand.drawn(&screen, 60, 12)[11] == why)
  }

  @Test func `Where there is no agent nothing is called unknown, and sources have words`() {
    var it = Stand.worktree("pay")
    var screen = WorkspaceScreen()
    screen.handle(Stand.list(it))
    #expect(Stand.drawn(&screen)[2].contains("· no agent "))
    it.activity.agents = [AgentPresence(agent: "scribe", state: .unknown, source: "neutral_log")]
    screen.handle(Stand.list(it))
    #expect(Stand.drawn(&screen)[2].contains("· unknown "))
    let textStyle = TextStyle(columns: 90, colours: .none)
    let sheet = WorkspaceSheet.lines(it, session: nil, at: Stand.now, textStyle)
    #expect(sheet.contains("  · scribe · unknown · by its log"))
  }

  @Test func `Columns go one by one, the folder's name last`() {
    var it = Stand.worktree("payments-and-refunds", .needsYou)
    it.activity.reason = "Allow rm -rf?"
    it.git.unstaged = 2
    var screen = WorkspaceScreen()
    screen.handle(Stand.list(it))
    func row(_ columns: Int) -> String { Stand.drawn(&screen, columns, 6)[1] }
    #expect(row(20).hasPrefix("› ! payments-") && row(20).contains("1m"))
    #expect(!row(39).contains("●2") && row(48).contains("●2"))
    #expect(!row(55).contains("needs you") && row(72).contains("needs you"))
    #expect(row(110).contains("shop/payments-and-refunds") && row(110).contains("Allow rm -rf?"))
  }

  @Test func `Ages take four columns at most`() {
    for (seconds, text, long) in [
      (0.4, "0s", "0 s"), (59, "59s", "59 s"), (61, "1m", "1 min"), (7_200, "2h", "2 h"),
      (90_000, "1d", "1 day"), (86_400 * 999, "999d", "999 days"), (1e12, ">2y", "1157407 days"),
      (-5, "0s", "0 s"),
    ] as [(Double, String, String)] {
      #expect(StateStyle.age(seconds) == text)
      #expect(StateStyle.longAge(seconds) == long)
    }
    #expect(StateStyle.age(nil).isEmpty && StateStyle.age(.nan).isEmpty)
  }
}
