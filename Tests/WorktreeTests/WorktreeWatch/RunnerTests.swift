import Foundation
import Git
import Testing
import Workspaces

@testable import WorktreeWatch

@Suite struct RunnerTests {
  @Test func `What git says comes back, and failures say why`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    let runner = GitRunner()
    let answer = try await runner.run(
      ["rev-parse", "--abbrev-ref", "HEAD"],
      in: repository.path("main")
    )
    #expect(answer.text == "main")
    #expect(runner.started["rev-parse"] == 1)
    let failure = await #expect(throws: GitRunner.Failure.self) {
      try await runner.run(["rev-parse", "--verify", "nothing"], in: repository.path("main"))
    }
    #expect(failure?.description.contains("git rev-parse failed with 128") == true)
    await #expect(throws: GitRunner.Failure.self) {
      try await runner.run(["status"], in: repository.path("nowhere"))
    }
  }

  @Test func `A git that ends before it has read its input fails, and only it`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    let (runner, folder) = (GitRunner(protection: .none), repository.path("main"))
    // More than a pipe holds.
    let input = [UInt8](repeating: UInt8(ascii: "x"), count: 4 << 20)
    for _ in 0..<5 {
      await #expect(throws: GitRunner.Failure.self) {
        try await runner.run(["check-ignore", "--stdin", "--nothing"], in: folder, input: input)
      }
    }
    // Canceled while it still reads.
    let waiting = Task {
      try await runner.run(
        ["-c", "alias.wait=!exec sleep 60", "wait"],
        in: folder,
        reads: false,
        input: input
      )
    }
    try await Task.sleep(for: .milliseconds(100))
    waiting.cancel()
    await #expect(throws: (any Error).self) { try await waiting.value }
    // All that is read comes back.
    let names = (0..<2_000).map { "name\($0)" }
    let answer = try await runner.run(
      ["check-ignore", "--stdin", "-z", "--verbose", "--non-matching"],
      in: folder,
      accepted: 0...1,
      input: Array(names.joined(separator: "\0").utf8) + [0]
    )
    #expect(answer.output.count(where: { $0 == 0 }) == 4 * names.count)
  }

  @Test func `What takes too long is ended`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    let began = ContinuousClock.now
    let failure = await #expect(throws: GitRunner.Failure.self) {
      // Waits for objects on its input that never come.
      try await GitRunner(protection: .none).run(
        ["-c", "alias.wait=!exec sleep 60", "wait"],
        in: repository.path("main"),
        reads: false,
        timeout: 0.3
      )
    }
    #expect(failure?.description.contains("longer than 0.3 s") == true)
    #expect(ContinuousClock.now - began < .seconds(30))
  }

  @Test func `No program of a repository's configuration is run by what reads`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    let mark = repository.path("mark")
    for (name, value) in [
      ("core.fsmonitor", "touch \(mark); false"), ("diff.external", "touch \(mark); true"),
      ("core.pager", "touch \(mark)"),
    ] { try await repository.git("config", name, value) }
    try repository.write("main/first.txt", "other\n")
    let settings = WatchSettings(roots: [repository.root])
    let watcher = WorktreeWatcher(settings, store: WorkspaceStore())
    let common = repository.path("main/.git")
    let scan = try await RepositoryScan.run(common, runner: watcher.runner)
    let member = try #require(scan.members.first)
    let tree = try await WorktreeScan.run(
      member.layout,
      source: scan.source,
      before: nil,
      runner: watcher.runner
    )
    #expect(tree.status.unstaged == 1)
    let workspace = Workspace(member, of: scan, scan: tree, reading: AgentReading())
    let diff = try await DiffReader(runner: watcher.runner)
      .diff(of: workspace, source: scan.source?.object)
    #expect(diff.fileDiffs.count == 1)
    #expect(HostFile.kind(mark) == nil)
  }

  @Test func `What reads fetches nothing`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    let arguments = ["fetch", "--quiet", repository.path("main")]
    let runner = GitRunner()
    try await repository.git("init", "-q", "../other")
    await #expect(throws: GitRunner.Failure.self) {
      try await runner.run(arguments, in: repository.path("other"))
    }
    _ = try await runner.run(arguments, in: repository.path("other"), reads: false)
  }

  @Test func `The user's configuration does not change a diff`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try repository.write("main/first.txt", "other\n")
    let scan = try await RepositoryScan.run(repository.path("main/.git"), runner: GitRunner())
    let member = try #require(scan.members.first)
    func diff() async throws -> WorkspaceDiff {
      let runner = GitRunner()
      let tree = try await WorktreeScan.run(
        member.layout,
        source: scan.source,
        before: nil,
        runner: runner
      )
      let workspace = Workspace(member, of: scan, scan: tree, reading: AgentReading())
      return try await DiffReader(runner: runner).diff(of: workspace, source: scan.source?.object)
    }
    let plain = try await diff()
    #expect(plain.fileDiffs.first?.diffText?.contains("+other") == true)
    for (name, value) in [
      ("diff.noprefix", "true"), ("diff.mnemonicPrefix", "true"), ("color.ui", "always"),
      ("color.diff", "always"), ("diff.relative", "true"), ("diff.submodule", "log"),
    ] {
      try await repository.git("config", name, value)
      let found = try await diff()
      #expect(found == plain, "\(name)")
    }
  }

  @Test func `A runner that is closed ends its processes and starts no other`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    let pipe = repository.path("main/pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    // Git opens the pipe, and waits for a writer. A second later it is ended for that, which on a busy machine may be before
    // the runner is closed.
    var runner = GitRunner(protection: .none)
    for attempt in 1...10 {
      runner = GitRunner(protection: .none)
      let hangs = Task { [runner] in
        try await runner.run(["config", "--list", "--file", pipe], in: repository.path("main"))
      }
      while runner.started["config"] == nil { await Task.yield() }
      await runner.close()
      let error = await #expect(throws: (any Error).self) { try await hangs.value }
      if case .unreadable = error as? GitRunner.Failure, attempt < 10 { continue }
      #expect(error is CancellationError)
      break
    }
    await #expect(throws: CancellationError.self) {
      try await runner.run(["version"], in: repository.root)
    }
  }

  @Test func `At most the allowed number of processes run, and every waiter runs`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    let runner = GitRunner(most: 2)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<12 {
        group.addTask {
          if number % 3 == 0 {
            let task = Task { try await runner.run(["version"], in: repository.root) }
            task.cancel()
            _ = try? await task.value
          } else {
            _ = try await runner.run(["version"], in: repository.root)
          }
        }
      }
      try await group.waitForAll()
    }
    let last = try await runner.run(["version"], in: repository.root)
    #expect(last.text.hasPrefix("git version"))
  }
}
