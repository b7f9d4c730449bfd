import TerminalText
import Testing
import Workspaces

@testable import WorkspacesTerminal

@Suite struct MachineRowTests {
  private static func worktree(_ state: WorkspaceMachine.State) -> Workspace {
    var it = Stand.worktree("feature", state == .live ? .working : .unknown)
    it.name = "laptop:shop/feature"
    it.latestSessionTitle = "Refunds"
    it.machine = WorkspaceMachine(name: "laptop", state: state)
    if state == .unreachable {
      it.activity = AgentActivity(
        state: .unknown,
        source: AgentActivity.unreachableSource,
        since: "2026-11-24T06:50:00.000Z",
        reason: "laptop is unreachable since 2026-11-24T06:50:00.000Z"
      )
    }
    return it
  }

  private func row(_ state: WorkspaceMachine.State, columns: Int) -> String {
    let it = Self.worktree(state)
    let textStyle = TextStyle(columns: columns, colours: .none)
    return WorkspaceTable([it], at: Stand.now, textStyle).row(it, isSelected: false)
  }

  @Test func `A row says on which machine it is, and that the machine is unreachable since when`() {
    let live = row(.live, columns: 120)
    #expect(live.contains("laptop:shop/feature"))
    #expect(live.contains("working"))
    #expect(live.contains("Refunds"))
    let gone = row(.unreachable, columns: 120)
    #expect(gone.contains("laptop:shop/feature"))
    #expect(gone.contains("unreachable"))
    #expect(gone.contains("10m"))
    #expect(gone.contains("laptop is unreachable since"))
    #expect(!gone.contains("working"))
  }

  @Test func `A narrow row keeps the machine`() {
    #expect(row(.live, columns: 26).contains("laptop:feature"))
  }
}
