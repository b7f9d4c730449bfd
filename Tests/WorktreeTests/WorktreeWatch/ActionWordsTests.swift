import Testing
import Workspaces

@testable import WorktreeWatch

@Suite struct ActionWordsTests {
  @Test func `An agent that needs the user does not work`() {
    var workspace = Workspace(id: "1", repoId: "r", name: "n", path: "/w", branch: "b")
    workspace.activity = AgentActivity(state: .needsYou, source: "codex_log", confidence: "high")
    #expect(WorktreeActions.occupation(of: workspace) == "an agent waits for an answer in /w")
    workspace.activity = AgentActivity(state: .working, source: "codex_log", confidence: "high")
    #expect(WorktreeActions.occupation(of: workspace) == "an agent works in /w")
  }
}
