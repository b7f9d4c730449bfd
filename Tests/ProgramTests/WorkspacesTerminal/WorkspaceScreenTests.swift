import TerminalText
import Testing
import Workspaces
import WorkspacesClient

@testable import WorkspacesTerminal

@Suite struct WorkspaceScreenTests {
  @Test func `Those that need the user come first, and states, ages and todos are shown`() throws {
    var paid = Stand.worktree("pay", .needsYou, since: "2026-11-24T06:58:00Z")
    paid.activity.reason = "Allow rm?"
    paid.todos = [
      Todo(id: "1", content: "a", status: .completed),
      Todo(id: "2", content: "b", status: .pending),
    ]
    paid.commitCount = 2
    paid.commitsBehind = 1
    var screen = Stand.screen(
      Stand.worktree("abc", .working),
      Stand.worktree("xyz", .doneUnseen),
      paid
    )
    let lines = Stand.drawn(&screen)
    #expect(lines[0].contains("1 needs you · 1 done · 1 working · 3 worktrees"))
    #expect(lines[2].hasPrefix("› ! needs you"))
    let row = lines[2]
    for part in ["shop/pay", "2m", "+2 -1", "1/2", "Allow rm?"] { #expect(row.contains(part)) }
    #expect(lines[3].contains("✓ done") && lines[3].contains("shop/xyz"))
    #expect(lines[4].contains("▶ working") && lines[4].contains("1m"))
  }

  @Test func `What of an answer could not be read is told below, for what is shown`() throws {
    var screen = Stand.screen(Stand.worktree("a", .idle))
    func below(_ screen: inout WorkspaceScreen) -> String {
      Stand.drawn(&screen).suffix(2).joined()
    }
    #expect(!below(&screen).contains("unreadable"))
    var list = Stand.list(Stand.worktree("a", .idle))
    list.issues = try WorkspaceSession(answer: Array(#"{"todos":7,"stats":"x"}"#.utf8)).issues
    screen.handle(list)
    #expect(below(&screen).contains("unreadable: todos"))
    #expect(below(&screen).contains("and 1 more"))
    // The next answer is whole, and a session that is opened is not.
    screen.handle(Stand.list(Stand.worktree("a", .idle)))
    #expect(!below(&screen).contains("unreadable"))
    _ = screen.handle(.enter)
    screen.handle(try WorkspaceSession(answer: Array(#"{"sessionInfo":[]}"#.utf8)))
    #expect(below(&screen).contains("unreadable: sessionInfo"))
    screen.handle(try WorkspaceSession(answer: Array("{}".utf8)))
    #expect(!below(&screen).contains("unreadable"))
    screen.press("d")
    let diff = #"{"worktree_id":"id-a","file_diffs":[{"change_type":"added"}]}"#
    screen.handle(try WorkspaceDiff(answer: Array(diff.utf8)), problem: nil)
    #expect(below(&screen).contains("unreadable: file_diffs[0].file_path"))
    #expect(throws: (any Error).self) { try WorkspaceDiff(answer: Array("{}".utf8)) }
  }

  @Test func `The cursor stays on its worktree, and before it was moved on the first`() {
    var screen = Stand.screen(Stand.worktree("a", .idle), Stand.worktree("b", .idle))
    #expect(screen.selected == "id-a")
    screen.handle(Stand.list(Stand.worktree("a", .idle), Stand.worktree("b", .needsYou)))
    #expect(screen.selected == "id-b")
    _ = screen.handle(.down)
    #expect(screen.selected == "id-a")
    screen.handle(
      Stand.list(Stand.worktree("a", .needsYou), Stand.worktree("b", .working), Stand.worktree("c"))
    )
    #expect(screen.selected == "id-a")
    #expect(screen.shown.map(\.id) == ["id-a", "id-b", "id-c"])
    _ = screen.handle(.end)
    #expect(screen.selected == "id-c")
    // Gone: the one in its place.
    screen.handle(Stand.list(Stand.worktree("a", .needsYou), Stand.worktree("b", .working)))
    #expect(screen.selected == "id-b")
    for _ in 0..<5 { _ = screen.handle(.up) }
    #expect(screen.selected == "id-a")
  }

  @Test func `However many rows there are, the one with the cursor is in view`() {
    var screen = WorkspaceScreen()
    screen.handle(
      WorkspaceList(
        revision: "g-1",
        worktrees: (100..<300).map { Stand.worktree("tree\($0)", .working) }
      )
    )
    for (key, name) in [
      (Key.end, "tree299"), (.home, "tree100"), (.pageDown, "tree107"), (.up, "tree106"),
    ] {
      _ = Stand.drawn(&screen, 60, 11)
      _ = screen.handle(key)
      let lines = Stand.drawn(&screen, 60, 11)
      #expect(lines.contains { $0.hasPrefix("›") && $0.contains(name) }, "\(key)")
      #expect(lines.count == 11)
    }
  }

  @Test func `A filter keeps what has all its words`() {
    var screen = Stand.screen(Stand.worktree("pay", .working), Stand.worktree("search", .needsYou))
    screen.press("/needs sea")
    #expect(screen.shown.map(\.name) == ["shop/search"])
    #expect(Stand.drawn(&screen).last == "/ needs sea▏")
    _ = screen.handle(.enter)
    #expect(screen.filter == "needs sea")
    #expect(Stand.drawn(&screen).last?.hasPrefix("[needs sea]") == true)
    screen.press("/x")
    #expect(screen.shown.isEmpty)
    _ = screen.handle(.enter)
    #expect(Stand.drawn(&screen).contains { $0.contains("No worktree fits") })
    _ = screen.handle(.escape)
    #expect(screen.shown.count == 2)
    screen.press("/" + String(repeating: "x", count: 1_000))
    #expect(screen.filterText.count == 100)
  }

  @Test func `Enter opens, escape goes back, and what is gone is closed`() {
    var it = Stand.worktree("pay", .needsYou)
    it.todos = [Todo(id: "1", content: "Write the test", status: .inProgress)]
    it.latestUserPrompt = "Make it work"
    it.activity.agents = [AgentPresence(agent: "claude", state: .needsYou, source: "claude_log")]
    var screen = Stand.screen(it, Stand.worktree("b"))
    _ = screen.handle(.enter)
    #expect(screen.opened == "id-pay")
    let lines = Stand.drawn(&screen)
    #expect(lines[0].hasPrefix("shop/pay") && lines[0].hasSuffix("! needs you for 1 min"))
    for words in ["▶ Write the test", "Make it work", "claude · needs you"] {
      #expect(lines.contains { $0.contains(words) }, "\(words)")
    }
    _ = screen.handle(.escape)
    #expect(screen.opened == nil)
    _ = screen.handle(.enter)
    screen.handle(Stand.list(Stand.worktree("b")))
    #expect(screen.opened == nil)
    #expect(screen.message?.isProblem == true)
  }

  @Test
  func
    `A diff scrolls to its end and from file to file, and no line of a file is taken for a heading`()
  {
    var file = WorkspaceDiff.File(filePath: "a.sql", changeType: "modified")
    file.diffText =
      "diff --git a/a.sql b/a.sql\nindex 1..2\n--- a/a.sql\n+++ b/a.sql\n@@ -1,2 +1,2 @@\n--- comment\n+++ more\n\tx\n"
    (file.added, file.removed) = (1, 1)
    var large = WorkspaceDiff.File(filePath: "b.txt", changeType: "added")
    large.diffText = "@@ -0,0 +1,50 @@\n" + (1...50).map { "+line \($0)\n" }.joined()
    var binary = WorkspaceDiff.File(filePath: "c.png", changeType: "added")
    binary.omitted = "binary"
    let diff = WorkspaceDiff(
      worktreeId: "id-pay",
      worktreeName: "shop/pay",
      sourceBranch: "main",
      forkCommit: "",
      fileDiffs: [file, large, binary],
      totalFiles: 3,
      summary: "",
      isTruncated: true
    )
    var screen = Stand.screen(Stand.worktree("pay"))
    _ = screen.handle(.character("d"))
    #expect(Stand.drawn(&screen).contains { $0.contains("reading the diff") })
    screen.handle(diff, problem: nil)
    var lines = Stand.drawn(&screen, 80, 12)
    #expect(lines[0] == "shop/pay  3 files · +1 -1 · against main")
    #expect(
      lines[1...5] == [
        "a.sql  modified  +1 -1", "@@ -1,2 +1,2 @@", "--- comment", "+++ more", "    x",
      ]
    )
    _ = screen.handle(.character("]"))
    lines = Stand.drawn(&screen, 80, 12)
    #expect(lines[1] == "b.txt  added")
    _ = screen.handle(.end)
    lines = Stand.drawn(&screen, 80, 12)
    #expect(lines[9].contains("left out by the server"))
    #expect(lines[11].hasPrefix("100 %"))
    _ = screen.handle(.character("["))
    #expect(Stand.drawn(&screen, 80, 12)[1] == "b.txt  added")
    for _ in 0..<100 { _ = screen.handle(.pageUp) }
    #expect(screen.scrolled == 0)
    screen.handle(nil, problem: "gone")
    #expect(Stand.drawn(&screen)[1] == "a.sql  modified  +1 -1")
  }

  @Test func `A merge is checked, shown with its conflicts, and done only with y`() throws {
    var screen = Stand.screen(Stand.worktree("pay"))
    #expect(screen.handle(.character("m")) == .check(.merge, "id-pay"))
    #expect(screen.handle(.character("y")) == nil)
    let report = ConflictReport(
      hasConflicts: true,
      operation: "merge",
      worktreeName: "shop/pay",
      worktreePath: "/code/pay",
      conflictFiles: (0..<50).map { "file\($0).txt" },
      message: ""
    )
    screen.checked("id-other", .success(report))
    screen.checked("id-pay", .success(report))
    var lines = Stand.drawn(&screen, 80, 14)
    #expect(lines[2].contains("conflicts in 50 files. Nothing was changed."))
    #expect(lines[4] == "  file0.txt")
    #expect(lines[11].contains("more"))
    #expect(screen.handle(.character("y")) == nil)
    #expect(screen.running == nil)
    _ = screen.handle(.escape)
    #expect(screen.overlay == nil)
    _ = screen.handle(.character("m"))
    var fine = report
    (fine.hasConflicts, fine.conflictFiles) = (false, [])
    screen.checked("id-pay", .success(fine))
    #expect(screen.handle(.enter) == nil)
    screen.press("s")
    let merge = WorkspaceChange.merge("id-pay", squashes: true, cleansUp: false)
    #expect(screen.handle(.character("y")) == .make(merge))
    lines = Stand.drawn(&screen)
    #expect(lines.contains { $0.contains("Merging …") })
    // One thing at a time.
    _ = screen.handle(.escape)
    #expect(screen.handle(.character("s")) == nil)
    #expect(screen.message?.isProblem == true)
    screen.made(merge, .success("pay is merged into main"))
    #expect(Stand.drawn(&screen).last == "pay is merged into main")
    #expect(screen.running == nil)
  }

  @Test func `A process that was named and pushed commits are passed over by a word`() {
    let living = WorkspaceFailure(
      .refused,
      status: 409,
      problem: .agentActive,
      "1 process lives there: gemini",
      processes: [WorkspaceFailure.Process(pid: 42, name: "gemini")]
    )
    let pushed = WorkspaceFailure(.refused, status: 409, problem: .pushedCommits, "pushed")
    let fine = ConflictReport(
      hasConflicts: false,
      operation: "sync",
      worktreeName: "pay",
      worktreePath: "/pay",
      conflictFiles: [],
      message: "sync is without conflicts"
    )
    var screen = Stand.screen(Stand.worktree("pay"))
    _ = screen.handle(.character("u"))
    screen.checked("id-pay", .success(fine))
    let sync = WorkspaceChange.sync("id-pay", .rebase, fetches: false)
    #expect(screen.handle(.character("y")) == .make(sync))
    screen.made(sync, .failure(living))
    #expect(Stand.drawn(&screen).contains { $0.contains("type rebase") })
    screen.press("rebase")
    let named = WorkspaceChange.sync("id-pay", .rebase, fetches: false, processes: [42])
    #expect(screen.handle(.enter) == .make(named))
    screen.made(named, .failure(pushed))
    screen.press("rebase")
    let both = WorkspaceChange.sync(
      "id-pay",
      .rebase,
      fetches: false,
      rewritesPushed: true,
      processes: [42]
    )
    #expect(screen.handle(.enter) == .make(both))
    let merges = WorkspaceFailure(.refused, status: 409, problem: .mergeCommits, "merges")
    screen.made(both, .failure(merges))
    #expect(!Stand.drawn(&screen).contains { $0.contains("type rebase") })
  }

  @Test func `A deletion that is refused needs a word, and some need more than that`() {
    var screen = Stand.screen(Stand.worktree("pay"))
    #expect(screen.handle(.character("D")) == nil)
    #expect(screen.handle(.enter) == nil)
    let delete = WorkspaceChange.delete("id-pay", isForced: false, removesBranch: true)
    _ = screen.handle(.character("b"))
    #expect(screen.handle(.character("y")) == .make(delete))
    let dirty = WorkspaceFailure(
      .refused,
      status: 409,
      problem: .worktreeDirty,
      "something is not committed",
      files: ["precious.txt"]
    )
    screen.made(delete, .failure(dirty))
    let lines = Stand.drawn(&screen)
    #expect(lines[2].contains("something is not committed"))
    #expect(lines[4] == "  precious.txt")
    #expect(lines.contains { $0.contains("type delete") })
    for key in "yy" { #expect(screen.handle(.character(key)) == nil) }
    #expect(screen.handle(.enter) == nil)
    _ = screen.handle(.backspace)
    _ = screen.handle(.backspace)
    screen.press("delete")
    let forced = WorkspaceChange.delete("id-pay", isForced: true, removesBranch: true)
    #expect(screen.handle(.enter) == .make(forced))
    let locked = WorkspaceFailure(.refused, status: 409, problem: .worktreeLocked, "it is locked")
    screen.made(forced, .failure(locked))
    screen.press("delete")
    #expect(screen.handle(.enter) == nil)
    #expect(screen.overlay == nil)
  }

  @Test func `A sync is offered as a rebase or a merge, and the main worktree is not deleted`() {
    var main = Stand.worktree("main")
    main.isMain = true
    var screen = Stand.screen(main, Stand.worktree("pay"))
    #expect(screen.handle(.character("D")) == nil)
    #expect(screen.overlay == nil && screen.message?.isProblem == true)
    _ = screen.handle(.down)
    #expect(screen.handle(.character("u")) == .check(.sync, "id-pay"))
    screen.checked("id-pay", .failure(WorkspaceFailure(.unreachable, "no response")))
    #expect(Stand.drawn(&screen)[2].contains("no response"))
    _ = screen.handle(.escape)
    _ = screen.handle(.character("u"))
    let fine = ConflictReport(
      hasConflicts: false,
      operation: "sync",
      worktreeName: "",
      worktreePath: "",
      conflictFiles: [],
      message: ""
    )
    screen.checked("id-pay", .success(fine))
    screen.press("sf")
    #expect(screen.handle(.character("y")) == .make(.sync("id-pay", .merge, fetches: true)))
  }

  @Test func `What a repository would run is shown before it is trusted`() {
    var pay = Stand.worktree("pay")
    var screen = Stand.screen(pay)
    #expect(screen.handle(.character("t")) == nil)
    #expect(screen.overlay == nil && screen.message?.isProblem == false)
    let program = GitState.Program(
      key: "filter.x.clean",
      command: "evil\u{1B}[2J",
      file: "/code/.git/config",
      use: "action"
    )
    pay.git.trust = GitState.Trust(
      state: .untrusted,
      digest: "d1",
      programs: [program],
      count: 3
    )
    screen.handle(Stand.list(pay))
    #expect(Stand.drawn(&screen).contains { $0.contains("untrusted") })
    #expect(screen.handle(.character("t")) == nil)
    let lines = Stand.drawn(&screen).joined(separator: "\n")
    #expect(lines.contains("filter.x.clean = evil") && lines.contains("/code/.git/config"))
    #expect(lines.contains("… and 2 more") && !lines.contains("\u{1B}[2J"))
    // A list that arrives meanwhile does not change what is trusted.
    pay.git.trust?.digest = "d2"
    screen.handle(Stand.list(pay))
    #expect(screen.handle(.character("y")) == .make(.trust("id-pay", digest: "d1")))
    screen.made(.trust("id-pay", digest: "d1"), .success("trusted"))
    pay.git.trust?.state = .trusted
    screen.handle(Stand.list(pay))
    _ = screen.handle(.character("t"))
    #expect(screen.handle(.character("y")) == .make(.distrust("id-pay")))
  }

  @Test func `A new worktree is made in the repository that is chosen`() {
    var main = Stand.worktree("main")
    main.isMain = true
    var site = Stand.worktree("site")
    (site.repoId, site.isMain, site.path) = ("local/site", true, "/code/site")
    var screen = Stand.screen(main, site)
    _ = screen.handle(.character("n"))
    #expect(screen.handle(.enter) == nil)
    screen.press("fix bug")
    _ = screen.handle(.tab)
    screen.press("main")
    #expect(Stand.drawn(&screen)[2].contains("local/shop"))
    _ = screen.handle(.right)
    let create = WorkspaceChange.create(
      repository: "/code/site",
      branch: "fixbug",
      name: nil,
      source: "main"
    )
    #expect(screen.handle(.enter) == .make(create))
    let taken = WorkspaceFailure(.refused, status: 409, problem: .alreadyExists, "it is there")
    screen.made(create, .failure(taken))
    // The typed text is there to be corrected.
    _ = screen.handle(.enter)
    #expect(Stand.drawn(&screen)[3].contains("fixbug"))
  }

  @Test func `What is pasted fills fields, and deletes nothing`() {
    var screen = Stand.screen(Stand.worktree("pay"))
    for key in "Dyq" { #expect(screen.handle(.pasted(key)) == nil) }
    #expect(screen.overlay == nil)
    _ = screen.handle(.character("D"))
    #expect(screen.handle(.pasted("y")) == nil)
    #expect(screen.running == nil)
    _ = screen.handle(.escape)
    _ = screen.handle(.character("/"))
    _ = screen.handle(.pasted("p"))
    #expect(screen.filterText == "p")
    _ = screen.handle(.escape)
    _ = screen.handle(.character("n"))
    _ = screen.handle(.pasted("b"))
    #expect(Stand.drawn(&screen)[3].contains("b▏"))
  }

  @Test func `q and Ctrl-C leave from everywhere but where something is typed`() {
    for page in ["", "d"] {
      for key in [Key.character("q"), .control("c")] {
        var screen = Stand.screen(Stand.worktree("pay"))
        screen.press(page)
        #expect(screen.handle(key) == .quit)
        _ = screen.handle(.character("?"))
        #expect(screen.handle(key) == .quit)
      }
    }
    var screen = Stand.screen(Stand.worktree("pay"))
    screen.press("/q")
    #expect(screen.filterText == "q")
  }
}
