import Foundation
import Testing
import Workspaces

@testable import WorkspacesServer

@Suite struct ReportBoundsTests {
  private typealias Samples = HubSamples

  /// A worktree whose every count is the same number.
  private func workspace(_ count: Int) -> Workspace {
    var it = Samples.workspace("a")
    (it.commitCount, it.commitsBehind) = (count, count)
    (it.git.ahead, it.git.behind, it.git.stashes) = (count, count, count)
    (it.git.staged, it.git.unstaged, it.git.untracked) = (count, count, count)
    it.git.conflictCount = count
    it.git.operation = GitState.Operation(kind: "rebase", step: count, steps: count)
    it.git.trust = GitState.Trust(state: .untrusted, digest: "d", programs: [], count: count)
    return it
  }

  private static let numbers = [
    (1 << 62, CountLimits.most), (.min, 0), (-1, 0), (7, 7),
    (CountLimits.most + 1, CountLimits.most),
  ]

  @Test(arguments: numbers)
  func `What is read counts only as far as sums of it are numbers`(
    _ written: Int,
    _ read: Int
  ) throws {
    let bytes = try JSONEncoder().encode(workspace(written))
    let it = try JSONDecoder().decode(Workspace.self, from: bytes)
    #expect(it == workspace(read))
    #expect(it.git.isDirty == (read > 0))
    let report = Array(try JSONEncoder().encode(Samples.report(1, at: 0, [workspace(written)])))
    #expect(try WorkspaceReport.read(report)?.changed == [workspace(read)])
  }

  @Test(arguments: numbers)
  func `A hub shows no count that is greater`(_ reported: Int, _ shown: Int) throws {
    var table = Samples.table("laptop")
    var list = ShownList()
    let report = Samples.report(1, at: 0, [workspace(reported)])
    list.apply(try table.handle(report, from: "laptop", at: Samples.instant(0)))
    let it = try #require(list.named("laptop:shop/a"))
    #expect(it.git == workspace(shown).git)
    #expect((it.commitCount, it.commitsBehind) == (shown, shown))
  }
}
