import TerminalText
import Testing
import Workspaces
import WorkspacesClient

@testable import WorkspacesTerminal

@Suite struct RestoreChoiceTests {
  private func point(_ id: String, _ kind: RestorePoint.Kind) -> RestorePoint {
    var it = Stand.worktree(id)
    it.git.branch = id
    return RestorePoint(
      id: "p-\(id)",
      kind: kind,
      it,
      createdAt: "2026-11-24T06:58:00Z",
      keptUntil: "2026-12-01T06:58:00Z"
    )
  }

  @Test func `What was deleted is chosen from a list and brought back`() {
    var screen = Stand.screen(Stand.worktree("a"))
    #expect(screen.handle(.character("z")) == .restorePoints)
    #expect(Stand.drawn(&screen).contains { $0.contains("Asking") })
    #expect(screen.handle(.character("y")) == nil)
    screen.handle(.success([point("pay", .delete), point("docs", .merge)]))
    let lines = Stand.drawn(&screen)
    #expect(lines[2].hasPrefix("› shop/pay deleted (pay, /code/pay), 2 min ago; kept for 6 days"))
    #expect(lines[3].hasPrefix("  a merge into docs in /code/docs, 2 min ago"))
    for _ in 0..<3 { _ = screen.handle(.down) }
    #expect(screen.handle(.character("y")) == .make(.restore("p-docs")))
    // One thing at a time.
    #expect(screen.handle(.character("y")) == nil)
    screen.made(.restore("p-docs"), .success("docs is where it was"))
    #expect(screen.overlay == nil)
    #expect(screen.message?.text == "docs is where it was")
    #expect(screen.handle(.character("z")) == .restorePoints)
    screen.handle(.success([]))
    #expect(Stand.drawn(&screen).contains { $0.contains("There is nothing to take back.") })
    #expect(screen.handle(.character("y")) == nil)
    _ = screen.handle(.escape)
    #expect(screen.overlay == nil)
  }

  @Test func `Programs that run where something is taken back are passed over by a word only`() {
    var screen = Stand.screen(Stand.worktree("a"))
    _ = screen.handle(.character("z"))
    screen.handle(.success([point("pay", .merge)]))
    _ = screen.handle(.character("y"))
    screen.made(
      .restore("p-pay"),
      .failure(
        WorkspaceFailure(
          .refused,
          status: 409,
          problem: .agentActive,
          "1 process lives there",
          processes: [.init(pid: 7, name: "vim")]
        )
      )
    )
    #expect(Stand.drawn(&screen).contains { $0.contains("type restore and press enter") })
    #expect(screen.handle(.enter) == nil)
    screen.press("restore")
    #expect(screen.handle(.enter) == .make(.restore("p-pay", processes: [7])))
    // A failure without a remedy leads back to the list.
    screen.made(
      .restore("p-pay", processes: [7]),
      .failure(WorkspaceFailure(.refused, status: 409, problem: .worktreeDirty, "dirty"))
    )
    screen.press("restore")
    #expect(screen.handle(.enter) == nil)
    #expect(Stand.drawn(&screen).contains { $0.hasPrefix("› a merge into pay") })
    _ = screen.handle(.escape)
    #expect(screen.overlay == nil)
  }

  @Test func `What may be passed over is what the table of refusals says`() {
    for problem in WorkspaceProblem.allCases {
      let failure = WorkspaceFailure(.refused, status: problem.status, problem: problem, "no")
      for (key, operation) in [
        ("D", WorkspaceRefusal.Operation.delete), ("m", .merge), ("u", .sync),
      ] {
        var screen = Stand.screen(Stand.worktree("a"))
        screen.press(key)
        if operation != .delete { screen.checked("id-a", .success(Self.nothing)) }
        let change = screen.handle(.character("y"))
        guard case .make(let change) = change else {
          Issue.record("\(operation) was not asked for")
          continue
        }
        screen.made(change, .failure(failure))
        guard case .dialogue(let dialogue) = screen.overlay else {
          Issue.record("no dialogue")
          continue
        }
        let overrides = problem.overrides(of: operation).filter { $0 != .processes }
        #expect(dialogue.mayInsist == !overrides.isEmpty, "\(problem) \(operation)")
      }
    }
    let table = WorkspaceRefusal.all
    #expect(table.map(\.code) == WorkspaceProblem.allCases.map(\.rawValue))
    #expect(table.filter { $0.status == 409 && $0.overrides.isEmpty }.count == 13)
  }

  private static let nothing = ConflictReport(
    error: nil,
    hasConflicts: false,
    operation: "merge",
    worktreeName: "a",
    worktreePath: "/code/a",
    conflictFiles: [],
    message: ""
  )
}
