import Testing

@testable import Git

@Suite struct OperationTests {
  private func find(_ files: [String: String]) -> GitOperation? {
    GitOperation.find(
      exists: { path in files.keys.contains { $0 == path || $0.hasPrefix(path + "/") } },
      content: { files[$0] }
    )
  }

  @Test func `The files of a git directory tell what was begun`() {
    #expect(find(["HEAD": "x"]) == nil)
    #expect(find(["MERGE_HEAD": "1"])?.kind == .merge)
    #expect(find(["CHERRY_PICK_HEAD": "1"])?.kind == .cherryPick)
    #expect(find(["REVERT_HEAD": "1"])?.kind == .revert)
    #expect(find(["sequencer/todo": "# note\npick 1 a\n"])?.kind == .cherryPick)
    #expect(find(["sequencer/todo": "revert 1 a\n"])?.kind == .revert)
    #expect(find(["sequencer/todo": ""]) == nil)
    #expect(
      find(["BISECT_LOG": "git bisect start", "BISECT_START": "main"])
        == GitOperation(kind: .bisect, branch: "main")
    )
  }

  @Test func `A rebase has steps and the branch it moves`() {
    let files = [
      "rebase-merge/msgnum": "2", "rebase-merge/end": "5",
      "rebase-merge/head-name": "refs/heads/work/one", "CHERRY_PICK_HEAD": "1",
    ]
    #expect(find(files) == GitOperation(kind: .rebase, step: 2, steps: 5, branch: "work/one"))
    let mail = [
      "rebase-apply/next": "1\n", "rebase-apply/last": "3\n", "rebase-apply/applying": "",
    ]
    #expect(find(mail) == GitOperation(kind: .apply, step: 1, steps: 3))
    let older = [
      "rebase-apply/next": "1", "rebase-apply/last": "x", "rebase-apply/head-name": "detached HEAD",
    ]
    #expect(find(older) == GitOperation(kind: .rebase, step: 1))
  }
}
